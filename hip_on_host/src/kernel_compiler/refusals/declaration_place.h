// Where in the tree a declaration stands: what it is in, and which of a template's copies it is.
#pragma once
#include "kernel_compiler/syntax/syntax_tree.h"

namespace cuda_shim {

// Is a node of this kind around it?
bool is_within(const SyntaxTree& tree, NodeIndex node, NodeKind kind);

// Is the function a template as it is written, not one of its instances?
bool is_function_template(const SyntaxTree& tree, NodeIndex function);
// Has the function or class arguments of a template?
bool has_template_arguments(const SyntaxTree& tree, NodeIndex declaration);
// Is the node part of a template as it is written? NVRTC does not judge that; its instances follow in the tree.
bool is_within_template(const SyntaxTree& tree, NodeIndex node);

// The declaration of the function before this one, of a template's that of the template; kNoNode where it is the first.
NodeIndex function_declared_before(const SyntaxTree& tree, NodeIndex function);

}  // namespace cuda_shim

// A kernel's body with its variables: where each is declared, used and changed. Every pass that lowers a kernel asks
// it.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel_compiler/split/statement.h"
#include "kernel_compiler/syntax/variable_use.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

struct Variable {
    enum Kind {
        Parameter,
        Local,
        Fixed,  // declared verbatim: shared memory, constants known while compiling, types
    } kind = Local;
    NodeIndex node = kNoNode;
    std::string name;
    std::string_view type;  // with typedefs resolved; of a template's variable, as it is written
    const Declaration* declaration = nullptr;
    const Declarator* declarator = nullptr;
    size_t declared_at = 0;      // token of its name
    Range scope;                 // of a local: the statement that it is known in
    bool at_structure = false;   // declared where threads meet around it, not inside a region of one thread's code
    bool constant = false;       // Fixed: a constant known while compiling
    std::vector<size_t> uses;    // every token that names it, but its declaration
    std::vector<size_t> writes;  // of those, the ones that may change it
    bool aliased =
        false;  // its address is known elsewhere: it is taken, bound to a reference, or handed on by its class

    // Found by Uniformity:
    bool varying = false;  // threads may see different values
    int divergence = 0;    // how many divergent constructs enclose the declaration

    // Set while the kernel is split:
    bool per_thread = false;      // lives across barriers: an array with one element a thread
    bool recomputed = false;      // cheap and never changed: computed again wherever it is used
    std::string recomputed_from;  // the expression that it is computed from where that is not its initialiser
    Range recomputed_with;        // and the text that this mentions beside the initialiser's

    bool is_array() const;
    bool is_reference() const;
    bool is_arithmetic() const;  // a number of the language's own, no pointer
    bool is_scalar() const;      // a number or a pointer
    bool is_integer() const;
    bool is_constant() const;  // it gets its value once
    Range initial() const { return declarator ? declarator->initial : Range{}; }
};

class KernelBody {
public:
    // `rejected_loops`: see interchange.h; null to split only where barriers demand it. Throws NotSplit.
    KernelBody(const TranslationUnit& unit, const FunctionDeclaration& kernel, const CallGraph& calls,
               const std::set<size_t>* rejected_loops);

    const TokenStream& tokens() const { return unit_.tokens(); }
    const TranslationUnit& unit() const { return unit_; }
    const FunctionDeclaration& kernel() const { return kernel_; }
    const FunctionSyntax& syntax() const { return syntax_; }
    const SyntaxTree& tree() const { return syntax_.tree(); }
    const Statement& root() const { return *root_; }
    const std::vector<const Statement*>& interchanged_loops() const { return interchanged_loops_; }
    // Is it split only for the conditions that are hoisted to its rows (split_thread_rows.cpp)?
    bool only_for_rows() const { return only_for_rows_; }
    std::vector<Variable>& variables() { return variables_; }
    const std::vector<Variable>& variables() const { return variables_; }

    // The variable that a token names, its declaration included; null when it names none.
    const Variable* variable_at(size_t token) const;
    Variable* variable_at(size_t token);
    // The variable that a Reference refers to; null when that is none of the kernel's.
    const Variable* variable_of(NodeIndex reference) const;

private:
    void check_names() const;
    void declare_parameters();
    void declare(const Statement& statement, Range scope, bool structural);
    void declare_names(Declaration& declaration, Range scope, bool structural);
    int add(Variable variable);
    void mark_if_self_referential(const SyntaxNode& variable);
    void bind_references();
    void bind_unevaluated();
    void bind(size_t token, int variable);

    const TranslationUnit& unit_;
    const FunctionDeclaration& kernel_;
    const FunctionSyntax syntax_;
    std::unique_ptr<Statement> root_;
    std::vector<const Statement*> interchanged_loops_;
    bool only_for_rows_ = false;
    std::vector<Variable> variables_;
    std::map<size_t, int> variable_by_declaration_;
    std::map<size_t, int> variable_by_token_;  // variable index by token
};

}  // namespace cuda_shim

#include "kernel_compiler/analyse/kernel_sizes.h"

#include <algorithm>
#include <utility>

#include "kernel_compiler/build/lowered_names.h"
#include "kernel_compiler/build/module_image.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr std::string_view kSizeName = "cuda_shim_size_", kAlignmentName = "cuda_shim_alignment_";
// ptxas rounds static shared memory up where dynamic shared memory follows it.
constexpr uint64_t kDynamicSharedAlignment = 16;

// A constant's number, and the mangled name of the function that it is in, empty outside of functions.
using ConstantKey = std::pair<std::string, size_t>;

bool read_key(const std::string& symbol, ConstantKey& key) {
    const size_t name = symbol.find(kSizeName);
    if (name == std::string::npos) return false;
    size_t number = 0, at = name + kSizeName.size();
    for (; at < symbol.size() && is_digit(symbol[at]); ++at)
        number = number * 10 + static_cast<size_t>(symbol[at] - '0');
    size_t end = name;
    while (end > 0 && is_digit(symbol[end - 1])) --end;  // the length of the name
    const bool in_function = symbol.compare(0, 3, "_ZZ") == 0 && end > 0 && symbol[end - 1] == 'E';
    key = {in_function ? symbol.substr(0, end) : "", number};
    return true;
}

std::map<ConstantKey, VariableSize> read_constants(const std::string& module) {
    std::map<ConstantKey, VariableSize> constants;
    uint64_t values[2];
    for (const auto& [symbol, bytes] : constants_of_module(module, kSizeName, sizeof values)) {
        ConstantKey key;
        if (!read_key(symbol, key)) continue;
        bytes.copy(reinterpret_cast<char*>(values), sizeof values);
        constants[std::move(key)] = {values[0], std::max<uint64_t>(values[1], 1)};
    }
    return constants;
}

bool is_kernel(const TranslationUnit& unit, const SyntaxNode& function) {
    for (const FunctionDeclaration& declared : unit.functions())
        if (declared.kernel && declared.defined() && function.name_token > declared.first &&
            function.name_token < declared.parameters_open + 1)
            return true;
    return false;
}

}  // namespace

KernelMemoryUse::KernelMemoryUse(const ParsedProgram& program) {
    if (!program.syntax) return;
    tree_ = &program.syntax->tree();
    MemoryWalk walk(program.syntax->calls());
    for (NodeIndex i = 0; i < tree_->size(); ++i) {
        const SyntaxNode& node = (*tree_)[i];
        if (node.kind != NodeKind::Function || node.symbol.empty() || tree_->body(i) == kNoNode) continue;
        if (is_kernel(program.unit, node)) kernels_.emplace(i, walk.walk(i));
    }
    number_variables();
}

void KernelMemoryUse::number_variable(NodeIndex declaration) {
    const size_t token = (*tree_)[declaration].name_token;
    if (token == TokenStream::npos || behind_declaration(declaration) == TokenStream::npos) return;
    if (numbers_.emplace(token, numbers_.size()).second) variables_.emplace(token, declaration);
}

void KernelMemoryUse::number_variables() {
    const SizeOfVariable number = [this](NodeIndex declaration) {
        number_variable(declaration);
        // Larger than any array that is selected from registers: every variable that may need memory is asked for.
        return VariableSize{uint64_t{1} << 20, 1};
    };
    for (const auto& [kernel, memory] : kernels_) {
        memory.stack->bytes(number);
        memory.shared.bytes(number);
    }
}

// A constant can stand behind the declaration's semicolon, in a block or outside of functions. A constexpr function may
// hold none.
size_t KernelMemoryUse::behind_declaration(NodeIndex declaration) const {
    const NodeIndex function = tree_->function_around(declaration);
    if (function != kNoNode) {
        const NodeIndex statement = (*tree_)[declaration].parent;
        const bool in_block = (*tree_)[statement].kind == NodeKind::Declare &&
                              (*tree_)[(*tree_)[statement].parent].kind == NodeKind::Compound;
        if (!in_block || (*tree_)[function].constant) return TokenStream::npos;
    }
    const TokenStream& tokens = tree_->tokens();
    for (size_t i = (*tree_)[declaration].name_token; i < tokens.size(); ++i) {
        if (tokens.is(i, ";")) return i;
        if (tokens.closing(i) != TokenStream::npos && tokens.closing(i) > i) i = tokens.closing(i);
    }
    return TokenStream::npos;
}

// __shared__ aligns all variables alike, so that a variable's own alignment is its type's, or the one in its
// declaration, which names a number or a type.
std::string KernelMemoryUse::alignments_of(NodeIndex declaration) const {
    const TokenStream& tokens = tree_->tokens();
    const size_t name = (*tree_)[declaration].name_token;
    const std::string natural = concat({"alignas(decltype(", tokens.text(name), "))"});
    size_t begin = name;
    while (begin > 0 && !tokens.is(begin - 1, ";") && !tokens.is(begin - 1, "{") && !tokens.is(begin - 1, "}")) --begin;
    for (size_t i = begin, end = behind_declaration(declaration); i < end; ++i) {
        const bool aligns = tokens.is(i, "__align__") || tokens.is(i, "alignas") || tokens.is(i, "aligned") ||
                            tokens.is(i, "__aligned__");
        const size_t close = aligns && tokens.is(i + 1, "(") ? tokens.closing(i + 1) : TokenStream::npos;
        if (close == TokenStream::npos || close == i + 2) continue;
        return concat({natural, " alignas(", tokens.slice(i + 2, close), ")"});
    }
    return natural;
}

void KernelMemoryUse::add_sizes(TextEdits& edits) const {
    for (const auto& [token, declaration] : variables_) {
        const TokenStream& tokens = tree_->tokens();
        const std::string number = std::to_string(numbers_.at(token));
        edits.insert(tokens[behind_declaration(declaration)].end,
                     concat({" struct ", kAlignmentName, number, " { ", alignments_of(declaration),
                             " char byte; }; static const unsigned long long ", kSizeName, number,
                             "[2] __attribute__((used)) = {sizeof(", tokens.text(token), "), alignof(", kAlignmentName,
                             number, ")};"}));
    }
}

bool KernelMemoryUse::is_named_in(const std::string& errors) {
    return errors.find(kSizeName) != std::string::npos || errors.find(kAlignmentName) != std::string::npos;
}

std::map<std::string, KernelSizes> KernelMemoryUse::sizes(const std::string& module) const {
    std::map<std::string, KernelSizes> sizes;
    if (kernels_.empty()) return sizes;
    const std::map<ConstantKey, VariableSize> constants = read_constants(module);
    std::map<size_t, VariableSize> largest_constants;
    for (const auto& [key, size] : constants) {
        VariableSize& largest = largest_constants[key.second];
        if (size.bytes > largest.bytes) largest = size;
    }
    const SizeOfVariable size_of = [&](NodeIndex declaration) -> VariableSize {
        const auto number = numbers_.find((*tree_)[declaration].name_token);
        if (number == numbers_.end()) return {};
        const NodeIndex function = tree_->function_around(declaration);
        const std::string_view symbol = function == kNoNode ? "" : (*tree_)[function].symbol;
        const auto constant = constants.find({symbol.empty() ? "" : local_prefix(std::string(symbol)), number->second});
        if (constant != constants.end()) return constant->second;
        // Compilers name lambdas and constructors otherwise in a tree than in code.
        const auto largest = largest_constants.find(number->second);
        return largest == largest_constants.end() ? VariableSize{} : largest->second;
    };
    bool has_dynamic = false;
    for (const auto& [kernel, memory] : kernels_) has_dynamic = has_dynamic || memory.shared.has_dynamic;
    const uint64_t alignment = has_dynamic ? kDynamicSharedAlignment : 1;
    for (const auto& [kernel, memory] : kernels_) {
        const uint64_t shared = (memory.shared.bytes(size_of) + alignment - 1) / alignment * alignment;
        sizes[std::string((*tree_)[kernel].symbol)] = {static_cast<uint32_t>(shared),
                                                       static_cast<uint32_t>(memory.stack->bytes(size_of))};
    }
    return sizes;
}

}  // namespace cuda_shim

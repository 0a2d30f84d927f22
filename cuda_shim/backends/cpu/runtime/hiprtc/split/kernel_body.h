// A kernel's body with its variables: where each is declared, used and changed.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hiprtc/split/statement.h"
#include "hiprtc/split/written_names.h"

namespace cuda_shim {

struct Variable {
    enum Kind {
        Parameter,
        Local,
        Fixed,  // declared verbatim: shared memory, constants known while compiling, types
    } kind = Local;
    std::string name;
    const Declaration* declaration = nullptr;
    const Declarator* declarator = nullptr;
    size_t declared_at = 0;      // token of its name
    bool at_structure = false;   // declared where threads meet around it, not inside a stretch of one thread's code
    bool pointer = false;        // declared as one
    bool constant = false;       // Fixed: a constant known while compiling
    std::vector<size_t> uses;    // every token that names it, but its declaration
    std::vector<size_t> writes;  // of those, the ones that may change it
    bool aliased = false;        // its address is taken somewhere

    // Found by Uniformity:
    bool varying = false;  // threads may see different values
    int divergence = 0;    // how many divergent constructs enclose the declaration

    // Found by the way of splitting:
    bool per_thread = false;      // lives across barriers: an array with one element a thread
    bool recomputed = false;      // cheap and never changed: computed anew wherever it is used
    std::string recomputed_from;  // what it is computed from where that is not its initialiser

    bool is_array() const { return declarator && !declarator->bounds.empty(); }
    bool is_reference() const { return declarator && declarator->reference; }
    Range initial() const { return declarator ? declarator->initial : Range{}; }
};

class KernelBody {
public:
    // `tokens`: the translation unit's own, or those of a body made from it. `refused_loops`: see soft_loops.h; null
    // to take apart what barriers ask for and nothing else. Throws NotSplit.
    KernelBody(const TranslationUnit& unit, const FunctionDeclaration& kernel, const TokenStream& tokens,
               size_t body_open, const std::vector<Parameter>& parameters, const std::set<size_t>* refused_loops);

    const TokenStream& tokens() const { return tokens_; }
    const TranslationUnit& unit() const { return unit_; }
    const FunctionDeclaration& kernel() const { return kernel_; }
    const Statement& root() const { return *root_; }
    const std::vector<const Statement*>& soft_loops() const { return soft_loops_; }
    std::vector<Variable>& variables() { return variables_; }
    const std::vector<Variable>& variables() const { return variables_; }

    // The variable that a token names, its declaration included; null when it names none.
    const Variable* variable_at(size_t token) const;
    Variable* variable_at(size_t token);

private:
    using Scope = std::map<std::string, int>;
    void resolve(Statement& statement, bool structural);
    void resolve_declaration(Declaration& declaration, Range range, bool structural);
    void resolve_range(Range range);
    void alias_bound(Range range);
    int declare(Variable variable);

    const TranslationUnit& unit_;
    const FunctionDeclaration& kernel_;
    const TokenStream& tokens_;
    std::unique_ptr<Statement> root_;
    std::vector<const Statement*> soft_loops_;
    std::vector<Variable> variables_;
    std::vector<Scope> scopes_;
    std::vector<int> bound_;  // variable index for each token, or -1
};

// Does an If hold a return, or a break or continue that leaves it? Where its condition is the same for all threads such
// a statement is real control flow of the whole block.
bool holds_jump(const TokenStream& tokens, const Statement& statement);

// Tokens of break, continue and return in the statement that leave it (for a loop around it, or the kernel).
struct Jump {
    size_t token;
    Statement::Kind kind;
};
std::vector<Jump> leaving_jumps(const TokenStream& tokens, const Statement& statement);

}  // namespace cuda_shim

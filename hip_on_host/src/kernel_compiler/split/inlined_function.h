// A device function inlined at one call: declarations of its parameters and its result, and its body, with every local
// name prefixed (`v` becomes `cuda_shim_i0_v`). inline_calls.h has an example and the preconditions.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel_compiler/split/kernel_body.h"

namespace cuda_shim {

class InlinedFunction {
public:
    // `number`: a different one for each inlined call. `is_arithmetic`: it may return early. Throws
    // NotSplit.
    InlinedFunction(const TranslationUnit& unit, const FunctionDeclaration& function, const CallGraph& calls,
                    int number, bool is_arithmetic);

    const FunctionDeclaration& declaration() const { return function_; }
    const KernelBody& body() const { return body_; }
    const std::string& result() const { return result_; }
    const std::string& prefix() const { return prefix_; }
    bool has_result() const { return last_return() || !early_returns_.empty(); }
    // Has it variables that all calls of it share?
    bool has_static_variables() const;

    // An argument's text, and whether it is an object that a reference can be bound to.
    struct Argument {
        std::string text;
        bool object = false;
    };
    // Declares the parameters with the arguments as their first values. `template_arguments`: those that the call
    // gives.
    std::string parameters(const std::vector<Argument>& arguments, const std::vector<std::string>& template_arguments);
    // Declares the place of the result, before the statements, where returns assign it from several of them.
    std::string result_place() const;
    // The words of the type that it returns.
    std::string return_type() const;
    const Statement* last_return() const;
    // Is there a return in the statement that passes over the code behind it?
    bool returns_early_in(Range range) const;
    // The text under unique names.
    std::string renamed(Range range) const;
    // Names in it that are not its own: they must mean the same where it is inlined.
    std::set<std::string> free_names() const;

private:
    struct FunctionParameter {
        std::string name;
        size_t token = 0;
        Range type;  // the words before the name
        bool reference = false, constant = false, pointer = false, array = false;
    };
    void check_declarations() const;
    void find_parameters();
    void find_early_returns(const Statement& statement, const Statement* loop);
    bool is_template_parameter(size_t token) const;
    bool is_type(Range template_parameter) const;
    std::vector<std::pair<std::string, Range>> template_parameters() const;
    std::string template_constants(const std::vector<std::string>& arguments);
    // The template's parameter that is deduced from this one: T of `T x`, `const T* x` or `T& x`; else empty.
    std::string deduced_parameter(const FunctionParameter& parameter) const;
    std::string declare(const FunctionParameter& parameter, const Argument& argument, bool deduced) const;

    const TokenStream& tokens_;
    const FunctionDeclaration& function_;
    const std::string prefix_, result_;
    const KernelBody body_;
    const bool is_arithmetic_;
    std::vector<FunctionParameter> parameters_;
    std::set<std::string> bound_parameters_;  // template parameters that have a meaning already
    // Returns that are not the last statement, by first token, with their replacement.
    std::map<size_t, std::pair<Range, std::string>> early_returns_;
};

}  // namespace cuda_shim

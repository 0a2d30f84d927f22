// A device function as it is written out where it is called: its body with names that nobody else has.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hiprtc/line_map.h"
#include "hiprtc/split/kernel_body.h"

namespace cuda_shim {

// A call, by the tokens of the text that it stands in.
struct Call {
    size_t first = 0;  // first token, with the qualifiers of the name
    size_t name = 0;
    Range template_arguments;  // without the brackets
    std::vector<Range> arguments;
    size_t close = 0;  // the closing parenthesis
};

class WrittenFunction {
public:
    // `number`: another one for each call that is written out. A function that only computes may return early.
    WrittenFunction(const TranslationUnit& unit, const LineMap& lines, const FunctionDeclaration& function, int number,
                    bool only_computes);

    // Text that evaluates the call's arguments and leaves what is returned, if anything, in the variable result().
    // Throws NotSplit.
    std::string write(const TokenStream& from, const Call& call);
    const std::string& result() const { return result_; }
    bool has_result() const { return has_result_; }
    // Names in it that are not its own: what they mean must be the same where it is written out.
    std::set<std::string> free_names() const;

private:
    void check_lambdas() const;
    const Statement* last_return() const;
    void find_early_returns(const Statement& statement, const Statement* loop);
    std::string statements();
    bool is_template_parameter(size_t token) const;
    std::string renamed(Range range) const;
    std::vector<std::pair<std::string, Range>> template_parameters() const;
    bool is_type(Range template_parameter) const;
    std::string template_constants(const TokenStream& from, const Call& call);
    std::string deduced_types() const;
    Range parameter_type(const Parameter& parameter) const;
    std::string parameter(size_t index, const std::string& argument) const;
    std::string return_type() const;

    const TokenStream& tokens_;
    const LineMap& lines_;
    const FunctionDeclaration& function_;
    const std::string prefix_, result_;
    const std::vector<Parameter> parameters_;
    const KernelBody body_;
    const bool only_computes_;
    std::set<std::string> known_;  // template parameters that the call gives
    // Returns that are not the last statement, by first token, with what is written for them.
    std::map<size_t, std::pair<Range, std::string>> early_returns_;
    bool has_result_ = false;
};

}  // namespace cuda_shim

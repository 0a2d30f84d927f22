#include "kernel_compiler/syntax/program_syntax.h"

#include "common/files.h"
#include "kernel_compiler/read/preprocess.h"
#include "kernel_compiler/build/process.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/syntax/json_reader.h"

namespace cuda_shim {
namespace {

// The program's text with its includes put back; every other character stays where it is.
std::string with_includes(const TokenStream& tokens) {
    std::string text = tokens.source();
    const std::string pragma = concat({"#pragma ", kIncludePragma});
    const std::string include = "#include";
    for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i].kind == Token::Directive && tokens.text(i).compare(0, pragma.size(), pragma) == 0)
            text.replace(tokens[i].begin, pragma.size(), include + std::string(pragma.size() - include.size(), ' '));
    return text;
}

}  // namespace

std::unique_ptr<const ProgramSyntax> read_program(const std::vector<std::string>& command, const TokenStream& tokens,
                                                  const std::string& further, const std::string& file,
                                                  std::string& problem) {
    if (!write_file_atomically(file, concat({with_includes(tokens), "\n", further}))) {
        problem = "no room for a temporary file";
        return nullptr;
    }
    std::vector<std::string> reading = command;
    add_words(reading, {"-fsyntax-only", "-Xclang", "-ast-dump=json", file});
    // The tree is read while Clang prints it: that of a program with CUB has hundreds of megabytes.
    RunningProcess process(reading);
    JsonReader json([&](std::string& text) { return process.read_more(text); });
    std::unique_ptr<const SyntaxTree> tree;
    std::string misunderstood;
    try {
        tree = std::make_unique<const SyntaxTree>(json, tokens, file);
    } catch (const JsonError& error) {
        misunderstood = concat({"the syntax tree is not understood: ", error.what()});
    }
    const ProcessResult result = process.finish();
    problem = result.exit_status == 0 && !tree ? misunderstood : result.errors;
    if (result.exit_status != 0 || !tree) return nullptr;
    return std::make_unique<const ProgramSyntax>(std::move(tree));
}

}  // namespace cuda_shim

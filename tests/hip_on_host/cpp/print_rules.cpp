// Prints the runtime's answers to questions that Python answers too, each behind its end with a zero byte: the words of a
// command, the path of a program, the kind of a compiler, the cache's folder, and whether folders are private.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/files.h"
#include "common/settings.h"
#include "kernel_compiler/build/compiler_command.h"
#include "kernel_compiler/build/compiler_version.h"

namespace {

void print(const std::string& text) { fwrite(text.c_str(), 1, text.size() + 1, stdout); }

const char* name_of(cuda_shim::Compiler::Kind kind) {
    switch (kind) {
        case cuda_shim::Compiler::Clang: return "clang";
        case cuda_shim::Compiler::Gcc: return "gcc";
        case cuda_shim::Compiler::Zig: return "zig";
    }
    return "";
}

// Takes the identity of a user, who is the process's own where it cannot take another.
void become(const std::string& user) {
    const uid_t number = static_cast<uid_t>(strtoul(user.c_str(), nullptr, 10));
    if (number != geteuid() && (setegid(number) != 0 || seteuid(number) != 0)) abort();
}

}  // namespace

int main(int count, char** arguments) {
    const std::string question = count > 1 ? arguments[1] : "";
    const std::vector<std::string> words(arguments + (count > 1 ? 2 : count), arguments + count);
    if (question == "words") {
        for (const std::string& text : words) {
            for (const std::string& word : cuda_shim::split_command(text)) print(word);
        }
    } else if (question == "programs") {
        for (const std::string& name : words) print(cuda_shim::find_program(name));
    } else if (question == "kind") {
        print(name_of(cuda_shim::kind_of(words)));
    } else if (question == "cache") {
        print(cuda_shim::settings().cache_dir);
    } else if (question == "private" && !words.empty()) {
        become(words[0]);
        for (size_t i = 1; i < words.size(); ++i) print(cuda_shim::make_private_folder(words[i]) ? "yes" : "no");
    } else {
        return 2;
    }
}

#include "kernel_compiler/build/compiler_command.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files.h"
#include "kernel_compiler/build/compiler_names.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Reads the next word of a command into `word`; false where a quote or a backslash has no end. `i` is at its first
// character, and behind its last one then.
bool read_word(const std::string& text, size_t& i, std::string& word) {
    char quote = '\0';
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (!quote && is_blank(c)) return true;
        if (c == quote) {
            quote = '\0';
        } else if (!quote && (c == '"' || c == '\'')) {
            quote = c;
        } else if (c == '\\' && quote != '\'') {
            if (++i == text.size()) return false;
            // Inside of double quotes a backslash stands for itself except before these.
            if (quote && text[i] != '"' && text[i] != '\\') word += '\\';
            word += text[i];
        } else {
            word += c;
        }
    }
    return !quote;
}

}  // namespace

std::vector<std::string> split_command(const std::string& text) {
    std::vector<std::string> words;
    for (size_t i = 0; i < text.size();) {
        if (is_blank(text[i])) {
            ++i;
            continue;
        }
        std::string word;
        if (!read_word(text, i, word)) return {text};
        words.push_back(word);
    }
    return words;
}

bool is_program(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        const std::string path = absolute_path(name);
        return is_program(path) ? path : "";
    }
    const char* variable = getenv("PATH");
    const std::string path = variable ? variable : kDefaultPath;
    for (size_t begin = 0; begin <= path.size();) {
        size_t end = path.find(':', begin);
        if (end == std::string::npos) end = path.size();
        const std::string candidate = absolute_path(concat({path.substr(begin, end - begin), "/", name}));
        if (end > begin && is_program(candidate)) return candidate;
        begin = end + 1;
    }
    return "";
}

}  // namespace cuda_shim

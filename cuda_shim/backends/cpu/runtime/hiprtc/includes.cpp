#include "hiprtc/includes.h"

#include <unistd.h>

#include <algorithm>
#include <deque>

#include "common/files.h"
#include "hiprtc/lexer.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

// Headers that declare types and limits alone: no C function that the prelude declares too.
bool declares_no_functions(const std::string& name) {
    static const char* const names[] = {
        "stdint.h", "stddef.h", "stdbool.h",  "stdarg.h", "float.h", "limits.h", "cstdint",     "cstddef",
        "cfloat",   "climits",  "stdalign.h", "cstdarg",  "limits",  "version",  "type_traits", "initializer_list"};
    return std::any_of(std::begin(names), std::end(names), [&](const char* known) { return name == known; });
}

bool exists(const std::string& folder, const std::string& name) {
    return access(concat({folder, "/", name}).c_str(), R_OK) == 0;
}

// The word behind the # of a directive, and what follows it.
std::pair<std::string, std::string> split_directive(std::string_view line) {
    size_t begin = line.find_first_not_of(" \t", 1);
    if (begin == std::string_view::npos) return {};
    size_t end = begin;
    while (end < line.size() && isalpha(static_cast<unsigned char>(line[end]))) ++end;
    size_t rest = line.find_first_not_of(" \t", end);
    return {std::string(line.substr(begin, end - begin)),
            rest == std::string_view::npos ? "" : std::string(line.substr(rest))};
}

class Finder {
public:
    Finder(const HeaderList& headers, const std::vector<std::string>& folders, const DeviceHeaders& own)
        : headers_(headers), folders_(folders), own_(own) {}

    // `folder`: where the including file lies, for "quoted" names; empty for the program and its headers.
    void read(const std::string& text, const std::string& folder) {
        TokenStream tokens(text);
        for (size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i].kind != Token::Directive) continue;
            const auto [word, rest] = split_directive(tokens.text(i));
            if (word != "pragma") closure.has_directives = true;
            if (word == "if" || word == "elif") note_questions(rest);
            if (word != "include" && word != "include_next" && word != "import") continue;
            const char close = !rest.empty() && rest[0] == '<' ? '>' : !rest.empty() && rest[0] == '"' ? '"' : '\0';
            const size_t end = close ? rest.find(close, 1) : std::string::npos;
            if (end == std::string::npos)
                closure.computed = true;
            else
                follow(rest.substr(1, end - 1), close == '"' ? folder : "");
        }
    }

    // `#if __has_include(<name>)`, and the same through a macro of a library's own, such as `_CCCL_HAS_INCLUDE(<name>)`.
    void note_questions(const std::string& condition) {
        for (size_t at = find_question(condition, 0); at != std::string::npos; at = find_question(condition, at)) {
            at = condition.find_first_of("<\"", at);
            if (at == std::string::npos) return;
            const size_t end = condition.find_first_of(">\"", at + 1);
            if (end == std::string::npos) return;
            closure.asked_for.insert(condition.substr(at + 1, end - at - 1));
        }
    }

    // Where the name of such a macro ends, at or behind `from`.
    static size_t find_question(const std::string& condition, size_t from) {
        size_t nearest = std::string::npos;
        for (const std::string spelling : {"has_include", "HAS_INCLUDE"}) {
            const size_t at = condition.find(spelling, from);
            if (at != std::string::npos) nearest = std::min(nearest, at + spelling.size());
        }
        return nearest;
    }

    void follow(const std::string& name, const std::string& folder) {
        for (const auto& [header, contents] : headers_)
            if (header == name) {
                if (seen_.insert(name).second) waiting_.push_back({contents, ""});
                return;
            }
        if (!exists(own_.stand_ins, name)) {
            std::vector<std::string> places = folders_;
            if (!folder.empty()) places.insert(places.begin(), folder);
            places.push_back(own_.expanded);
            if (name[0] == '/') places = {""};
            for (const std::string& place : places)
                if (read_from(place.empty() ? name : concat({place, "/", name}))) return;
        }
        closure.outside.insert(name);
    }

    void finish() {
        while (!waiting_.empty()) {
            const auto [text, folder] = waiting_.front();
            waiting_.pop_front();
            const bool directives = closure.has_directives;
            read(text, folder);
            closure.has_directives = directives;
        }
    }

    IncludeClosure closure;

private:
    bool read_from(const std::string& path) {
        if (closure.files.count(path)) return true;
        std::string contents;
        if (access(path.c_str(), R_OK) != 0 || !read_file(path, contents)) return false;
        closure.files.emplace(path, contents);
        const size_t slash = path.rfind('/');
        waiting_.push_back({contents, slash == std::string::npos ? "." : path.substr(0, slash)});
        return true;
    }

    const HeaderList& headers_;
    const std::vector<std::string>& folders_;
    const DeviceHeaders& own_;
    std::set<std::string> seen_;
    std::deque<std::pair<std::string, std::string>> waiting_;
};

}  // namespace

IncludeClosure find_includes(const std::string& source, const HeaderList& headers,
                             const std::vector<std::string>& folders, const std::vector<std::string>& first_files,
                             const DeviceHeaders& own) {
    Finder finder(headers, folders, own);
    finder.read(source, "");
    for (const std::string& file : first_files) {
        finder.closure.has_directives = true;
        finder.follow(file, ".");
    }
    finder.finish();
    return std::move(finder.closure);
}

HostHeaders host_headers_among(const std::set<std::string>& outside, const DeviceHeaders& own) {
    HostHeaders found;
    for (const std::string& name : outside) {
        // CUDA's C++ library is the host's here, where the program brings none.
        const bool of_cuda = starts_with(name, "cuda/std/"), stand_in = exists(own.stand_ins, name);
        if (stand_in || (!of_cuda && exists(own.core_library, name))) continue;
        found.any = true;
        found.functions = found.functions || !declares_no_functions(of_cuda ? name.substr(9) : name);
    }
    return found;
}

}  // namespace cuda_shim

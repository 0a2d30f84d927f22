#include "kernel_compiler/read/header_facts.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "common/files.h"
#include "kernel_compiler/read/lexer.h"
#include "common/sha256.h"

namespace cuda_shim {
namespace {

constexpr time_t kSettled = 2;  // seconds after which a file that changes once more shows another time

// The word behind the # of a directive, and the text that follows it.
std::pair<std::string, std::string> split_directive(std::string_view line) {
    size_t begin = line.find_first_not_of(" \t", 1);
    if (begin == std::string_view::npos) return {};
    size_t end = begin;
    while (end < line.size() && isalpha(static_cast<unsigned char>(line[end]))) ++end;
    size_t rest = line.find_first_not_of(" \t", end);
    return {std::string(line.substr(begin, end - begin)),
            rest == std::string_view::npos ? "" : std::string(line.substr(rest))};
}

// The end of the next macro name, at or behind `from`, that asks for a file: `__has_include(<name>)`, and the same
// through a macro of a library's own, such as `_CCCL_HAS_INCLUDE(<name>)`.
size_t find_question(const std::string& condition, size_t from) {
    size_t nearest = std::string::npos;
    for (const std::string spelling : {"has_include", "HAS_INCLUDE"}) {
        const size_t at = condition.find(spelling, from);
        if (at != std::string::npos) nearest = std::min(nearest, at + spelling.size());
    }
    return nearest;
}

std::string leading_word(const std::string& text) {
    size_t end = 0;
    while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    return text.substr(0, end);
}

void note_questions(const std::string& condition, HeaderFacts& facts) {
    for (size_t at = find_question(condition, 0); at != std::string::npos; at = find_question(condition, at)) {
        const size_t open = condition.find_first_not_of(" \t(", at);
        if (open == std::string::npos) return;
        if (condition[open] != '<' && condition[open] != '"') {
            facts.computed_questions.push_back(leading_word(condition.substr(open)));
            continue;
        }
        at = open;
        const size_t end = condition.find_first_of(">\"", at + 1);
        if (end == std::string::npos) return;
        facts.questions.push_back(condition.substr(at + 1, end - at - 1));
    }
}

void note_include(const std::string& rest, HeaderFacts& facts) {
    const char close = !rest.empty() && rest[0] == '<' ? '>' : !rest.empty() && rest[0] == '"' ? '"' : '\0';
    const size_t end = close ? rest.find(close, 1) : std::string::npos;
    if (end == std::string::npos)
        facts.computed.push_back(leading_word(rest));
    else
        facts.includes.push_back({rest.substr(1, end - 1), close == '"'});
}

struct CachedFacts {
    std::tuple<dev_t, ino_t, off_t, time_t, long> state;
    std::shared_ptr<const HeaderFacts> facts;
};

std::mutex& cache_mutex() {
    static auto* mutex = new std::mutex;
    return *mutex;
}
std::map<std::string, CachedFacts>& header_cache() {
    static auto* cache = new std::map<std::string, CachedFacts>;
    return *cache;
}

}  // namespace

HeaderFacts facts_in(const std::string& text) {
    HeaderFacts facts;
    Sha256 hash;
    hash.add(text);
    facts.digest = hash.hex();
    const TokenStream tokens(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != Token::Directive) continue;
        const auto [word, rest] = split_directive(tokens.text(i));
        if (word != "pragma") facts.has_directives = true;
        if (word == "embed" && !facts.embeds) facts.embeds = tokens.line(i);
        if (word == "if" || word == "elif") note_questions(rest, facts);
        if (word == "include" || word == "include_next" || word == "import") note_include(rest, facts);
    }
    return facts;
}

std::shared_ptr<const HeaderFacts> facts_of(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
    const CachedFacts key{{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec},
                          nullptr};
    {
        const std::lock_guard<std::mutex> lock(cache_mutex());
        const auto entry = header_cache().find(path);
        if (entry != header_cache().end() && entry->second.state == key.state) return entry->second.facts;
    }
    std::string contents;
    if (!read_file(path, contents)) return nullptr;
    auto facts = std::make_shared<const HeaderFacts>(facts_in(contents));
    if (status.st_mtim.tv_sec + kSettled < time(nullptr)) {
        const std::lock_guard<std::mutex> lock(cache_mutex());
        header_cache()[path] = {key.state, facts};
    }
    return facts;
}

}  // namespace cuda_shim

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

void append(std::string& to, std::initializer_list<std::string_view> parts) {
    size_t size = to.size();
    for (const std::string_view part : parts) size += part.size();
    // Texts grow by many appends: room for exactly one of them would copy the whole text at every one.
    if (size > to.capacity()) to.reserve(std::max(size, 2 * to.capacity()));
    for (const std::string_view part : parts) to += part;
}

void add_words(std::vector<std::string>& words, std::initializer_list<std::string_view> added_words) {
    words.reserve(words.size() + added_words.size());
    for (const std::string_view word : added_words) words.emplace_back(word);
}

void add_words(std::vector<std::string>& words, const std::vector<std::string>& added_words) {
    words.insert(words.end(), added_words.begin(), added_words.end());
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

std::string concat(std::initializer_list<std::string_view> parts) {
    std::string text;
    append(text, parts);
    return text;
}

}  // namespace cuda_shim

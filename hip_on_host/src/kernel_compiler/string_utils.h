// Characters and words of a program: predicates as the C++ standard has them, in every locale, and functions that
// build text from words.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_shim {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool starts_with(std::string_view word, std::string_view prefix) {
    return word.substr(0, prefix.size()) == prefix;
}

inline bool ends_with(std::string_view word, std::string_view suffix) {
    return word.size() >= suffix.size() && word.substr(word.size() - suffix.size()) == suffix;
}

template <size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// The same for words in order.
template <size_t N>
bool one_of_sorted(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::binary_search(words.begin(), words.end(), word);
}

// One text of several parts. Compiled once, where every + of a chain of strings is code of its own.
std::string concat(std::initializer_list<std::string_view> parts);

// The same behind a text that is there. No part may be a view of it.
void append(std::string& to, std::initializer_list<std::string_view> parts);

void replace_all(std::string& text, const std::string& from, const std::string& to);

// More words of a command. None may be a view of one that is there.
void add_words(std::vector<std::string>& words, std::initializer_list<std::string_view> added_words);
void add_words(std::vector<std::string>& words, const std::vector<std::string>& added_words);

}  // namespace cuda_shim

// Questions about characters and words of a program, as the C++ standard has them, whatever the locale.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace cuda_shim {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool starts_with(std::string_view word, std::string_view prefix) { return word.substr(0, prefix.size()) == prefix; }

template <size_t N> bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace cuda_shim

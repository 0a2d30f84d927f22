// Lists of words with blanks between them, as tables of names are written.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace cuda_shim {

// True if `holds` is true for any of the words.
template <class Holds>
bool any_word(std::string_view list, const Holds& holds) {
    for (size_t begin = 0; begin < list.size();) {
        const size_t end = std::min(list.find(' ', begin), list.size());
        if (holds(list.substr(begin, end - begin))) return true;
        begin = end + 1;
    }
    return false;
}

inline bool has_word(std::string_view list, std::string_view word) {
    return any_word(list, [&](std::string_view one) { return one == word; });
}

}  // namespace cuda_shim

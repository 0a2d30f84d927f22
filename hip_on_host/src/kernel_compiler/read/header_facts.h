// The directives in a header file that the search for includes needs, kept for the process: a library has hundreds of
// headers, and each program that includes one of them would have all read again.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace cuda_shim {

struct HeaderFacts {
    struct Include {
        std::string name;
        bool quoted;
    };
    std::string digest;                  // hash of its text
    std::vector<Include> includes;       // in all its branches
    std::vector<std::string> questions;  // names in __has_include(<name>)
    // Words of #include MACRO and __has_include(MACRO): an option may define the macro as a name.
    std::vector<std::string> computed, computed_questions;
    bool has_directives = false;  // any preprocessor line but #pragma
    size_t embeds = 0;            // the line of the first #embed, which NVRTC does not have
};

HeaderFacts facts_in(const std::string& text);
// Facts of a file as it is now; null where it cannot be read.
std::shared_ptr<const HeaderFacts> facts_of(const std::string& path);

}  // namespace cuda_shim

// A setting of the table: its variable and the values that it takes.
#pragma once
#include <cstdint>
#include <string>

namespace cuda_shim {

enum class SettingKind { Boolean, Choice, Integer, Number, File, Thread, Text };

struct SettingRow {
    const char* variable;
    SettingKind kind;
    double lowest, highest;  // bounds of integers and numbers; both zero where an integer has choices
    const char* choices;     // in lower case, with blanks between them; "12.x=12.9" is another spelling of a choice
    const char* allowed;     // the allowed values in words, for messages
};

// One thread of one kernel's launch, which is followed step by step.
struct FollowedThread {
    bool any = false;
    std::string kernel;  // a pattern, as for fnmatch; empty: any
    uint32_t block[3] = {0, 0, 0};
    uint32_t thread[3] = {0, 0, 0};
};

}  // namespace cuda_shim

// A unit test in C++: named cases, each run by itself, that report through the exit status.
#pragma once
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

struct Case {
    const char* name;
    std::function<void()> body;
};

inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Register {
    Register(const char* name, std::function<void()> body) { cases().push_back({name, std::move(body)}); }
};

#define CASE(name)                                     \
    static void name();                                \
    static const Register register_##name(#name, name); \
    static void name()

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);               \
            failures()++;                                                                     \
        }                                                                                     \
    } while (false)

// `--list` prints the names; a name runs that case; no argument runs all.
inline int run_cases(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--list") == 0) {
        for (const Case& one : cases()) std::printf("%s\n", one.name);
        return 0;
    }
    int ran = 0;
    for (const Case& one : cases()) {
        if (argc > 1 && std::strcmp(argv[1], one.name) != 0) continue;
        one.body();
        ran++;
    }
    if (ran == 0) std::printf("no such case: %s\n", argc > 1 ? argv[1] : "(none)");
    return ran == 0 || failures() ? 1 : 0;
}

// A unit test in C++: named cases, each run by itself, that report through the exit status.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

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

// True if the case passes in a process of its own: signal handlers and worker threads are of a whole process.
inline bool passes_alone(const Case& one) {
    const pid_t child = fork();
    if (child == 0) {
        one.body();
        std::fflush(stdout);
        _exit(failures() ? 1 : 0);
    }
    int status = 0;
    const bool passed = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!passed) std::printf("%s: failed\n", one.name);
    return passed;
}

// `--list` prints the names; a name runs that case; no argument runs all, one process for each.
inline int run_cases(int argc, char** argv) {
    const bool all = argc <= 1, list = !all && std::strcmp(argv[1], "--list") == 0;
    bool passed = true, found = all || list;
    for (const Case& one : cases()) {
        if (list) {
            std::printf("%s\n", one.name);
        } else if (all) {
            passed = passes_alone(one) && passed;
        } else if (std::strcmp(argv[1], one.name) == 0) {
            one.body();
            found = true;
        }
    }
    if (!found) std::printf("no such case: %s\n", argv[1]);
    return found && passed && failures() == 0 ? 0 : 1;
}

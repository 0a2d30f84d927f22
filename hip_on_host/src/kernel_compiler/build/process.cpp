#include "kernel_compiler/build/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "common/files.h"
#include "common/interrupt_listener.h"
#include "common/log.h"
#include "kernel_compiler/build/compiler_names.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

thread_local std::string compiler_temporaries;

// The environment of the compiler, made of a list of variables: others change what it builds. `temporaries` is its
// TMPDIR, "" for the program's own.
std::vector<std::string> compiler_environment(const std::string& temporaries) {
    const char* path = getenv("PATH");
    std::vector<std::string> result = {"LC_ALL=C", concat({"PATH=", path && *path ? path : kDefaultPath})};
    for (const char* name : kCompilerEnvironment) {
        const bool replaced = !temporaries.empty() && strcmp(name, "TMPDIR") == 0;
        const char* value = replaced ? temporaries.c_str() : getenv(name);
        if (value) result.push_back(concat({name, "=", value}));
    }
    return result;
}

// The array of pointers that the system takes, which ends with a null pointer.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

void log_command(const std::vector<std::string>& command) {
    std::string line;
    for (const std::string& word : command) append(line, {" ", word});
    log(LogLevel::Debug, "starts%s", line.c_str());
}

// Owns the attribute objects of posix_spawn.
class SpawnSetup {
public:
    // The process writes to these.
    SpawnSetup(int output, int errors) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions_, output, 1);
        posix_spawn_file_actions_adddup2(&actions_, errors, 2);
        posix_spawnattr_init(&attributes_);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setpgroup(&attributes_, 0);  // a compiler starts others: they end together
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSetup() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    int start(pid_t* child, char** arguments, char** environment) {
        return posix_spawn(child, arguments[0], &actions_, &attributes_, arguments, environment);
    }

private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

constexpr int kLongMilliseconds = 2000;
constexpr int kListeningMilliseconds = 50;
// The most that a pipe may hold by the system's default: the larger, the fewer turns are taken.
constexpr int kPipeBytes = 1 << 20;
constexpr size_t kReadBytes = 1 << 16;

}  // namespace

std::string set_compiler_temporaries(std::string folder) {
    std::swap(compiler_temporaries, folder);
    return folder;
}

int64_t milliseconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * int64_t{1000} + now.tv_nsec / 1000000;
}

void stop_if_interrupted() {
    if (interrupted_meanwhile()) throw Interrupted();
}

void end_if_interrupts_do() {
    struct sigaction action;
    if (sigaction(SIGINT, nullptr, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL) {
        raise(SIGINT);
    }
}

// Both pipes are read in turns, since a full one would stop the process.
struct RunningProcess::State {
    struct Pipe {
        Descriptor read_end, write_end;
        bool open() {
            int ends[2];
            if (pipe2(ends, O_CLOEXEC) != 0) return false;
            read_end = Descriptor(ends[0]);
            write_end = Descriptor(ends[1]);
            return true;
        }
    };

    std::function<void()> takes_long;
    ProcessResult result;
    Pipe output, errors;
    pid_t child = 0;  // 0: none, or none any more
    int64_t late = milliseconds_now() + kLongMilliseconds;
    const InterruptListener listener;
    const std::unique_ptr<char[]> buffer{new char[kReadBytes]};  // a thread of the program may have a small stack

    void start(const std::vector<std::string>& command) {
        if (!output.open() || !errors.open()) {
            result.errors = concat({"cannot make a pipe: ", strerror(errno), "\n"});
            return;
        }
        fcntl(output.read_end.get(), F_SETPIPE_SZ, kPipeBytes);  // refused to users of many pipes: that is only slower
        const std::vector<std::string> environment = compiler_environment(compiler_temporaries);
        if (log_enabled(LogLevel::Debug)) log_command(command);
        SpawnSetup setup(output.write_end.get(), errors.write_end.get());
        const int failure = setup.start(&child, pointers_to(command).data(), pointers_to(environment).data());
        if (failure != 0) {
            child = 0;
            result.errors = concat({"cannot run ", command[0], ": ", strerror(failure), "\n"});
        }
        output.write_end.reset();
        errors.write_end.reset();
    }

    // Reads a pipe once, and closes it at its end. False where nothing was read.
    bool take(Descriptor& from, std::string& into) {
        const ssize_t got = read(from.get(), buffer.get(), kReadBytes);
        if (got > 0) into.append(buffer.get(), static_cast<size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR)) from.reset();
        return got > 0;
    }

    // Waits for a turn: output, the end of both pipes, or the wish to look again. True when there was output.
    bool turn(std::string& text) {
        pollfd waiting[2] = {{output.read_end.get(), POLLIN, 0}, {errors.read_end.get(), POLLIN, 0}};
        const int ready = poll(waiting, 2, kListeningMilliseconds);
        if (listener.interrupted()) {
            stop();
            throw Interrupted();
        }
        if (takes_long && milliseconds_now() >= late) {
            takes_long();
            takes_long = nullptr;
        }
        if (ready < 0 && errno != EINTR) {
            output.read_end.reset();
            errors.read_end.reset();
        }
        if (ready <= 0) return false;
        if (waiting[1].revents) take(errors.read_end, result.errors);
        return waiting[0].revents && take(output.read_end, text);
    }

    bool is_open() const { return output.read_end.valid() || errors.read_end.valid(); }

    void stop() {
        if (child == 0) return;
        kill(-child, SIGKILL);
        wait_for_child();
    }

    void wait_for_child() {
        int status = 0;
        const pid_t waited_for = child;
        child = 0;
        rusage usage{};
        while (wait4(waited_for, &status, 0, &usage) < 0) {
            if (errno != EINTR) {  // a program that ignores SIGCHLD reaps for us: the output file shows it then
                result.exit_status = 0;
                return;
            }
        }
        log(LogLevel::Debug, "that process used %lld ms of processor time",
            static_cast<long long>((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
                                   (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000));
        result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
};

RunningProcess::RunningProcess(const std::vector<std::string>& command, std::function<void()> takes_long)
    : state_(std::make_unique<State>()) {
    state_->takes_long = std::move(takes_long);
    state_->start(command);
}

RunningProcess::~RunningProcess() { state_->stop(); }

bool RunningProcess::read_more(std::string& text) {
    while (state_->child != 0 && state_->is_open())
        if (state_->turn(text)) return true;
    return false;
}

ProcessResult RunningProcess::finish() {
    while (read_more(state_->result.output)) continue;
    if (state_->child != 0) state_->wait_for_child();
    return std::move(state_->result);
}

ProcessResult run_process(const std::vector<std::string>& command, const std::function<void()>& takes_long) {
    return RunningProcess(command, takes_long).finish();
}

}  // namespace cuda_shim

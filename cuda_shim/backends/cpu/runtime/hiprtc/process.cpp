#include "hiprtc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/files.h"
#include "common/interrupt_listener.h"
#include "hiprtc/words.h"

extern char** environ;

namespace cuda_shim {
namespace {

// What the compiler must not get from this process: a preloaded library meant for the program, and the cache folders of
// a compiler wrapper stay as they are.
std::vector<char*> compiler_environment() {
    std::vector<char*> result;
    for (char** entry = environ; entry && *entry; ++entry)
        if (strncmp(*entry, "LD_PRELOAD=", 11) != 0) result.push_back(*entry);
    result.push_back(nullptr);
    return result;
}

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

// Owns the attribute objects of posix_spawn.
class SpawnSetup {
public:
    SpawnSetup(const Pipe& output, const Pipe& errors) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions_, output.write_end.get(), 1);
        posix_spawn_file_actions_adddup2(&actions_, errors.write_end.get(), 2);
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

// Reads both pipes until the child has closed them; in turns, since a full pipe would stop it. False when the program
// was interrupted meanwhile.
bool collect(const Pipe& output, const Pipe& errors, const std::function<void()>& takes_long, ProcessResult& result) {
    pollfd waiting[2] = {{output.read_end.get(), POLLIN, 0}, {errors.read_end.get(), POLLIN, 0}};
    std::string* targets[2] = {&result.output, &result.errors};
    int open = 2;
    char buffer[16384];
    const int64_t late = milliseconds_now() + kLongMilliseconds;
    bool told = !takes_long;
    const InterruptListener listener;
    while (open > 0) {
        const int ready = poll(waiting, 2, kListeningMilliseconds);
        if (listener.interrupted()) return false;
        if (ready < 0 && errno != EINTR) return true;
        if (!told && milliseconds_now() >= late) {
            takes_long();
            told = true;
        }
        if (ready <= 0) continue;
        for (int i = 0; i < 2; ++i) {
            if (waiting[i].fd < 0 || !waiting[i].revents) continue;
            const ssize_t got = read(waiting[i].fd, buffer, sizeof buffer);
            if (got > 0) {
                targets[i]->append(buffer, static_cast<size_t>(got));
            } else if (got == 0 || errno != EINTR) {
                waiting[i].fd = -1;
                --open;
            }
        }
    }
    return true;
}

}  // namespace

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

ProcessResult run_process(const std::vector<std::string>& command, const std::function<void()>& takes_long) {
    ProcessResult result;
    Pipe output, errors;
    if (!output.open() || !errors.open()) {
        result.errors = concat({"cannot make a pipe: ", strerror(errno), "\n"});
        return result;
    }
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    std::vector<char*> environment = compiler_environment();
    pid_t child;
    const int failure = SpawnSetup(output, errors).start(&child, arguments.data(), environment.data());
    if (failure != 0) {
        result.errors = concat({"cannot run ", command[0], ": ", strerror(failure), "\n"});
        return result;
    }
    output.write_end.reset();
    errors.write_end.reset();
    const bool interrupted = !collect(output, errors, takes_long, result);
    if (interrupted) kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {  // a program that ignores SIGCHLD reaps for us: the output file shows it then
            if (interrupted) throw Interrupted();
            result.exit_status = 0;
            return result;
        }
    }
    if (interrupted) throw Interrupted();
    result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

}  // namespace cuda_shim

// Calls of Python by the generated functions: with the interpreter locked, from any thread, and without a way for an
// exception to become a status that it is not.
//
// This file is included by the text that cuda_shim/c_level/source.py writes, in front of support.h.
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CUDA_SHIM_EXPORT extern "C" __attribute__((visibility("default")))

// Gives the library an interpreter, or reports why it has none (embed.h).
static bool start_shim();

namespace {

// The Python function that serves, and functions of the interpreter. library.py fills it, in this order.
struct Interpreter {
    void* answer;
    int (*is_initialized)();
    int (*lock)();
    void (*unlock)(int state);
    void* (*state_of_thread)();
    void* (*call)(void* function, const char* format, ...);
    unsigned long long (*to_number)(void* number);
    void (*release)(void* object);
    void (*fetch_error)(void** type, void** value, void** trace);
    void (*normalize_error)(void** type, void** value, void** trace);
    void (*restore_error)(void* type, void* value, void* trace);
    void (*set_context)(void* error, void* context);
    void (*write_unraisable)(void* object);
    int (*add_pending_call)(int (*call)(void*), void* argument);
    int (*raise_in_thread)(unsigned long thread, void* type);
    unsigned long (*this_thread)();
};

Interpreter interpreter;
bool has_interpreter = false;
bool has_ended = false;

// An exception as Python's C interface hands it over: its type, its value and its traceback.
struct PythonError {
    void *type, *value, *trace;
};

PythonError fetched_error() {
    PythonError error = {nullptr, nullptr, nullptr};
    interpreter.fetch_error(&error.type, &error.value, &error.trace);
    return error;
}

void restore(const PythonError& error) { interpreter.restore_error(error.type, error.value, error.trace); }

// The exception that the main thread raises when it is back in Python. Written with the interpreter locked, as are the
// two below.
PythonError kept_error = {nullptr, nullptr, nullptr};
bool kept_error_is_scheduled = false;
int calls_on_main_thread = 0;

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

// A pending call of the interpreter's, as those that run signal handlers: Python code on the main thread raises the
// exception that it returns with. Code that serves a C call keeps out of it: the call's end schedules it again.
int raise_kept_error(void*) {
    kept_error_is_scheduled = false;
    if (!kept_error.type || calls_on_main_thread) return 0;
    const PythonError error = kept_error;
    kept_error = {nullptr, nullptr, nullptr};
    restore(error);
    return -1;
}

void schedule_kept_error() {
    if (kept_error.type && !calls_on_main_thread && !kept_error_is_scheduled)
        kept_error_is_scheduled = interpreter.add_pending_call(raise_kept_error, nullptr) == 0;
}

// Keeps an exception of a call until Python code runs again above the C code that made the call.
void keep_error(PythonError error, bool has_python_above) {
    if (is_main_thread()) {
        interpreter.normalize_error(&error.type, &error.value, &error.trace);
        if (kept_error.type) {  // the later one has the earlier one as its context, as in an except block
            interpreter.set_context(error.value, kept_error.value);
            interpreter.release(kept_error.type);
            if (kept_error.trace) interpreter.release(kept_error.trace);
        }
        kept_error = error;
    } else if (has_python_above) {
        // Only exceptions that were raised there by their class come to other threads.
        interpreter.raise_in_thread(interpreter.this_thread(), error.type);
        interpreter.release(error.type);
        if (error.value) interpreter.release(error.value);
        if (error.trace) interpreter.release(error.trace);
    } else {
        restore(error);
        interpreter.write_unraisable(interpreter.answer);
    }
}

// The answer of the Python function with that number: `gone` once the interpreter is ending, `failed` after an
// exception, which is raised in Python then. An exception that is on its way stays: compiled packages release their
// resources meanwhile.
uint64_t answer_of_python(uint32_t function, const uint64_t* arguments, uint64_t gone, uint64_t failed) {
    if (!__atomic_load_n(&has_interpreter, __ATOMIC_ACQUIRE) &&
        (__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE) || !start_shim()))
        return gone;
    if (!interpreter.is_initialized()) return gone;
    const bool on_main_thread = is_main_thread(), has_python_above = interpreter.state_of_thread() != nullptr;
    const int state = interpreter.lock();
    const PythonError before = fetched_error();
    calls_on_main_thread += on_main_thread;
    const auto place = static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(arguments));
    void* result = interpreter.call(interpreter.answer, "IK", static_cast<unsigned int>(function), place);
    uint64_t answer = failed;
    if (result) {
        answer = interpreter.to_number(result);
        interpreter.release(result);
    }
    const PythonError error = fetched_error();
    if (error.type) {
        answer = failed;
        keep_error(error, has_python_above);
    }
    calls_on_main_thread -= on_main_thread;
    if (on_main_thread) schedule_kept_error();
    restore(before);
    interpreter.unlock(state);
    return answer;
}

}  // namespace

// Gives the library the interpreter; null takes it away, and calls that need it fail from then on.
CUDA_SHIM_EXPORT void cuda_shim_begin(const void* functions) {
    if (functions) memcpy(&interpreter, functions, sizeof interpreter);
    __atomic_store_n(&has_ended, functions == nullptr, __ATOMIC_RELEASE);
    __atomic_store_n(&has_interpreter, functions != nullptr, __ATOMIC_RELEASE);
}

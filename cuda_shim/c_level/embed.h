// The start of the shim in a program that has not started it: one without Python, or a Python that opened the library
// by its name before anything enabled the shim.
//
// This file is included by the text that cuda_shim/c_level/source.py writes, behind support.h.
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
bool start_was_tried = false;
// The start itself calls HIP through Python, and nothing of this library.
__thread bool starts_here = false;

// The file beside this library in which Python's get_library_dir() notes the interpreter.
constexpr char kNote[] = "interpreter.txt";

bool say_not_started(const char* reason, const char* more) {
    fprintf(
        stderr,
        "cuda_shim: no function of CUDA can be served: %s%s; run `python -m cuda_shim libraries` with an interpreter "
        "that has cuda_shim and a shared library of Python's\n",
        reason, more);
    return false;
}

// The folder of this library; "" where the system does not know it.
bool own_folder(char (&folder)[PATH_MAX]) {
    Dl_info here;
    char path[PATH_MAX];
    if (!dladdr(reinterpret_cast<const void*>(&start_lock), &here) || !realpath(here.dli_fname, path)) return false;
    char* slash = strrchr(path, '/');
    if (!slash) return false;
    *slash = 0;
    memcpy(folder, path, sizeof path);
    return true;
}

// The program of the interpreter that has cuda_shim; without a note, the first on PATH.
void find_program(const char* folder, char (&program)[PATH_MAX]) {
    snprintf(program, sizeof program, "python3");
    char note[PATH_MAX + sizeof kNote + 1];
    snprintf(note, sizeof note, "%s/%s", folder, kNote);
    FILE* file = fopen(note, "re");
    if (!file) return;
    char line[PATH_MAX];
    if (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (access(line, X_OK) == 0) memcpy(program, line, sizeof line);
    }
    fclose(file);
}

// The first line that the interpreter prints when it is asked for its shared library; false where it has none.
bool ask_for_library(char* program, char (&library)[PATH_MAX]) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    char flag[] = "-m", module[] = "cuda_shim.c_level.embedding";
    char* const words[] = {program, flag, module, nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, program, &actions, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t length = 0;
    ssize_t got = 0;
    while (!failed && length + 1 < sizeof library &&
           (got = read(ends[0], library + length, sizeof library - 1 - length)) > 0)
        length += static_cast<size_t>(got);
    close(ends[0]);
    library[length] = 0;
    library[strcspn(library, "\n")] = 0;
    if (failed) return false;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0 && library[0] == '/';
}

template <typename Function>
Function python_function(void* python, const char* name) {
    return reinterpret_cast<Function>(dlsym(python, name));
}

// Begins Python in this process, as the interpreter of that program would; the caller has its lock then.
bool begin_python(void* python, const char* program) {
    auto decode = python_function<wchar_t* (*)(const char*, size_t*)>(python, "Py_DecodeLocale");
    auto set_name = python_function<void (*)(const wchar_t*)>(python, "Py_SetProgramName");
    auto begin = python_function<void (*)(int)>(python, "Py_InitializeEx");
    if (!decode || !set_name || !begin) return say_not_started("this Python cannot be begun from C: ", program);
    wchar_t* name = decode(program, nullptr);
    if (!name) return say_not_started("the path of the interpreter cannot be decoded: ", program);
    set_name(name);  // Python keeps the pointer
    begin(0);        // signals stay the program's
    return true;
}

// Fills in the functions of the interpreter that an exception needs; embedding.serve has all of them filled in.
void find_error_functions(void* python) {
    interpreter.release = python_function<void (*)(void*)>(python, "Py_DecRef");
    interpreter.fetch_error = python_function<void (*)(void**, void**, void**)>(python, "PyErr_Fetch");
    interpreter.normalize_error = python_function<void (*)(void**, void**, void**)>(python, "PyErr_NormalizeException");
    interpreter.restore_error = python_function<void (*)(void*, void*, void*)>(python, "PyErr_Restore");
    interpreter.set_context = python_function<void (*)(void*, void*)>(python, "PyException_SetContext");
    interpreter.add_pending_call = python_function<int (*)(int (*)(void*), void*)>(python, "Py_AddPendingCall");
}

// Prints the exception of a start that failed. One that ends programs (KeyboardInterrupt) is raised in Python instead,
// and the next call starts anew.
void report_start_error(void* python) {
    auto is_class = python_function<int (*)(void*)>(python, "PyErr_ExceptionMatches");
    auto* ordinary = python_function<void**>(python, "PyExc_Exception");
    if (is_class(*ordinary) || !is_main_thread()) {
        python_function<void (*)()>(python, "PyErr_Print")();
        return;
    }
    find_error_functions(python);
    keep_error(fetched_error(), true);
    schedule_kept_error();
    start_was_tried = false;
}

// Has Python give this library its way to it, with the interpreter locked.
bool give_interpreter(void* python, const char* folder) {
    auto import = python_function<void* (*)(const char*)>(python, "PyImport_ImportModule");
    auto call = python_function<void* (*)(void*, const char*, const char*, ...)>(python, "PyObject_CallMethod");
    auto release = python_function<void (*)(void*)>(python, "Py_DecRef");
    void* module = import("cuda_shim.c_level.embedding");
    void* served = module ? call(module, "serve", "y", folder) : nullptr;
    if (module) release(module);
    if (served)
        release(served);
    else
        report_start_error(python);
    return served && __atomic_load_n(&has_interpreter, __ATOMIC_ACQUIRE);
}

bool start_in_running_python(const char* folder) {
    auto lock = python_function<int (*)()>(RTLD_DEFAULT, "PyGILState_Ensure");
    auto unlock = python_function<void (*)(int)>(RTLD_DEFAULT, "PyGILState_Release");
    const int state = lock();
    const bool given = give_interpreter(RTLD_DEFAULT, folder);
    unlock(state);
    return given || say_not_started("this Python cannot start cuda_shim", "");
}

bool start_python(const char* folder) {
    char program[PATH_MAX], library[PATH_MAX];
    find_program(folder, program);
    if (!ask_for_library(program, library))
        return say_not_started("no shared library of the interpreter is there, or it lacks cuda_shim: ", program);
    void* python = dlopen(library, RTLD_NOW | RTLD_GLOBAL);  // extension modules take Python's symbols from it
    if (!python) return say_not_started("", dlerror());
    if (!begin_python(python, program)) return false;
    const bool given = give_interpreter(python, folder);
    // Every call takes the interpreter's lock for itself.
    python_function<void* (*)()>(python, "PyEval_SaveThread")();
    return given || say_not_started("cuda_shim did not start in ", program);
}

}  // namespace

static bool start_shim() {
    if (starts_here) return false;
    pthread_mutex_lock(&start_lock);
    const bool first = !start_was_tried;
    start_was_tried = true;
    if (first && !__atomic_load_n(&has_interpreter, __ATOMIC_ACQUIRE)) {
        starts_here = true;
        char folder[PATH_MAX];
        auto runs = python_function<int (*)()>(RTLD_DEFAULT, "Py_IsInitialized");
        if (!own_folder(folder))
            say_not_started("the library's own folder is unknown", "");
        else if (runs && runs())
            start_in_running_python(folder);
        else
            start_python(folder);
        starts_here = false;
    }
    pthread_mutex_unlock(&start_lock);
    return __atomic_load_n(&has_interpreter, __ATOMIC_ACQUIRE);
}

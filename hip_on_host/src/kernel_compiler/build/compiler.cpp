#include "kernel_compiler/build/compiler.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "common/files.h"
#include "common/setting_names.h"
#include "common/settings.h"
#include "kernel_compiler/build/compiler_command.h"
#include "kernel_compiler/build/compiler_names.h"
#include "kernel_compiler/build/compiler_version.h"
#include "kernel_compiler/build/process.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

std::string install_clang() { return concat({"pip install ", kCompilerPackage}); }

// `python -m ziglang c++` starts an interpreter for every compilation: ask it once where the wheel's zig is.
void unwrap_python_ziglang(std::vector<std::string>& command) {
    if (command.size() < 3 || command[1] != "-m" || command[2] != "ziglang") return;
    const ProcessResult result =
        run_process({command[0], "-c", "import os, ziglang; print(os.path.dirname(ziglang.__file__), end='')"});
    if (result.exit_status != 0 || !is_program(result.output + "/zig")) return;
    command.erase(command.begin(), command.begin() + 3);
    command.insert(command.begin(), result.output + "/zig");
}

// `kind` is text where another process has found it out: see kind_handed_over.
Compiler adopt(std::vector<std::string> command, const std::string& kind = "") {
    unwrap_python_ziglang(command);
    Compiler compiler;
    compiler.kind = kind == "clang" ? Compiler::Clang
                    : kind == "gcc" ? Compiler::Gcc
                    : kind == "zig" ? Compiler::Zig
                                    : kind_of(command);
    if (compiler.kind == Compiler::Zig && command.size() == 1) add_words(command, {"c++"});
    compiler.identity = compiler_identity(command);
    compiler.command = std::move(command);
    return compiler;
}

// The first on PATH that is no Clang of an older release; with `reads_kernels`, the first Clang or zig.
Compiler search_path(bool reads_kernels) {
    for (const auto& [name, word] : kCompilerSearch) {
        std::vector<std::string> command = {find_program(name)};
        if (command[0].empty()) continue;
        if (word) add_words(command, {word});
        const Compiler::Kind kind = kind_of(command);
        if (reads_kernels && kind == Compiler::Gcc) continue;
        if (kind != Compiler::Clang || clang_major_version(command) >= kOldestClang) return adopt(command);
    }
    return {};
}

// The shim has asked the compiler that it names in CUDA_SHIM_CPU_CXX, and hands its kind over: "clang clang++-19", the
// kind and then the text of that setting. "" where it did not.
std::string kind_handed_over(const std::string& setting) {
    const char* variable = getenv("_CUDA_SHIM_CPU_CXX_KIND");
    const std::string text = variable ? variable : "";
    const size_t space = text.find(' ');
    return space != std::string::npos && text.substr(space + 1) == setting ? text.substr(0, space) : "";
}

// A compiler named by our own setting must not be replaced by another one in silence.
Compiler missing(const char* variable, const std::string& command) {
    Compiler none;
    none.problem = concat(
        {name_of_setting(variable), " names a compiler that does not exist: ", command, "; correct it or unset it\n"});
    return none;
}

Compiler search() {
    const char* from_environment = getenv("CXX");
    const struct {
        const char* variable;
        std::string command;
    } named[] = {{"CUDA_SHIM_CPU_CXX", settings().cxx}, {"CXX", from_environment ? from_environment : ""}};
    for (const auto& candidate : named) {
        std::vector<std::string> words = split_command(candidate.command);
        if (words.empty()) continue;
        words[0] = find_program(words[0]);
        if (!words[0].empty()) return adopt(words, kind_handed_over(candidate.command));
        if (candidate.variable[1] == 'U') return missing(candidate.variable, candidate.command);
    }
    Compiler compiler = search_path(false);
    if (!compiler.is_available())
        compiler.problem = concat({"no C++ compiler found; install clang++ or g++, or: ", install_clang(), "\n"});
    return compiler;
}

}  // namespace

namespace {

constexpr const char* kFolderFlag = "-isystem";

Compiler search_syntax_compiler() {
    Compiler compiler = kernel_compiler();
    if (compiler.kind == Compiler::Gcc) {
        std::vector<std::string> clang_command = split_command(settings().clang);
        if (!clang_command.empty()) clang_command[0] = find_program(clang_command[0]);
        compiler = clang_command.empty() ? search_path(true)
                                         : adopt(clang_command);  // it is there: kernel_compiler() has looked
    }
    if (!compiler.is_available() || compiler.kind == Compiler::Gcc) {
        compiler = {};
        compiler.problem = concat({"there is no Clang that reads kernels for g++: ", install_clang()});
    } else if (compiler.kind == Compiler::Zig) {
        const std::string library = concat({compiler.command[0].substr(0, compiler.command[0].rfind('/')), "/lib"});
#if defined(__x86_64__)
        const char* target = "x86_64-linux-gnu";
#else
        const char* target = "aarch64-linux-gnu";
#endif
        compiler.command = {compiler.command[0], "clang",       "--driver-mode=g++", "-target",           target,
                            "-nostdinc",         "-nostdinc++", kFolderFlag,         library + "/include"};
    }
    return compiler;
}

// The words behind -isystem and -D with which zig starts its Clang. zig shortens folders below the working directory.
std::vector<std::string> zig_header_flags(const std::string& zig) {
    std::vector<std::string> flags;
    const std::vector<std::string> words =
        split_command(run_process({zig, "c++", "-v", "-E", "-x", "c++", "/dev/null"}).errors);
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == kFolderFlag) add_words(flags, {words[i], absolute_path(words[i + 1])});
        if (words[i] == "-D") add_words(flags, {words[i], words[i + 1]});
    }
    return flags;
}

}  // namespace

const Compiler& syntax_compiler() {
    static const Compiler* const compiler = new Compiler(search_syntax_compiler());
    return *compiler;
}

// Clang takes the first place of a folder that is named twice, but the C++ library's folders have to come before
// Clang's own: the command's own folder gives way to zig's list.
std::vector<std::string> command_with_standard_headers(const Compiler& compiler) {
    std::vector<std::string> command = compiler.command;
    if (compiler.kind != Compiler::Zig || compiler.is_zig_driver()) return command;
    static const auto* const flags = new std::vector<std::string>(zig_header_flags(compiler.command[0]));
    const auto own_folder = std::find(command.begin(), command.end(), kFolderFlag);
    if (own_folder != command.end()) command.erase(own_folder, own_folder + 2);
    command.insert(command.end(), flags->begin(), flags->end());
    return command;
}

const Compiler& kernel_compiler() {
    static const Compiler* const compiler = [] {
        Compiler choice = search();
        const std::vector<std::string> clang_command = split_command(settings().clang);
        if (choice.is_available() && choice.kind == Compiler::Gcc && !clang_command.empty() &&
            find_program(clang_command[0]).empty())
            choice = missing("CUDA_SHIM_CPU_CLANG", settings().clang);
        return new Compiler(std::move(choice));
    }();
    return *compiler;
}

const Compiler& object_compiler() {
    const bool direct = kernel_compiler().kind == Compiler::Zig && kernel_compiler().command.size() == 2;
    return direct && syntax_compiler().is_available() ? syntax_compiler() : kernel_compiler();
}

bool misreads_wrapped_indices(const Compiler& compiler) {
    static const int major = compiler.kind == Compiler::Gcc ? 0 : clang_major_version(compiler.command);
    return std::find(std::begin(kMisreadingClangs), std::end(kMisreadingClangs), major) != std::end(kMisreadingClangs);
}

constexpr std::string_view kArchitecture = "-D__CUDA_ARCH__=";

std::vector<std::string> language_flags(const Compiler& compiler, const CompileOptions& options) {
    std::vector<std::string> flags = {"-x",        "c++",          "-std=" + options.standard, "-fno-exceptions",
                                      "-fno-rtti", "-Wno-register"};
    // A plain char has a sign, as on a GPU; on aarch64 it has none otherwise.
    add_words(flags, {"-fsigned-char"});
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-Wno-unknown-warning-option", "-Wno-parentheses"});
    // zig defines NDEBUG when it optimises and some zigs _DEBUG when it does not; both are the program's to define.
    if (compiler.kind == Compiler::Zig) add_words(flags, {"-UNDEBUG", "-U_DEBUG"});
    if (options.cuda) flags.push_back("-DCUDA_SHIM_CUDA=" + std::to_string(options.cuda));
    // `float2 p{i, j}` of integers is an error in C++. NVRTC warns and goes on, and so does GCC.
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-Wno-error=c++11-narrowing"});
    // `return;` in a function with a result, and printf of an object, of which NVRTC warns.
    if (compiler.kind != Compiler::Gcc && options.cuda)
        add_words(flags, {"-Wno-error=return-mismatch", "-Wno-error=non-pod-varargs"});
    // `operator""d`, which CUDA's C++ library has in every standard.
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-Wno-reserved-user-defined-literal"});
    if (!options.move_and_forward) add_words(flags, {"-DCUDA_SHIM_NO_MOVE"});
    if (!options.initializer_list) add_words(flags, {"-DCUDA_SHIM_NO_INITIALIZER_LIST"});
    // The prelude comes before the macros of the program's options.
    for (const std::string& macro : options.macros) {
        if (!starts_with(macro, kArchitecture)) continue;
        const int architecture = atoi(macro.c_str() + kArchitecture.size());
        if (options.cuda && architecture >= 700) flags.push_back("-DCUDA_SHIM_NO_OLD_WARP");
        if (options.cuda && architecture < 800) flags.push_back("-DCUDA_SHIM_NO_REDUCE");
        if (architecture >= 900) flags.push_back("-DCUDA_SHIM_HAS_CLUSTERS");
    }
    // Constexpr functions that call one that is not, such as log: NVRTC minds only where a constant is needed.
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-Wno-invalid-constexpr"});
    for (const std::string& macro : options.macros)
        if (macro == "-DNDEBUG" || macro.rfind("-DNDEBUG=", 0) == 0) add_words(flags, {"-DNDEBUG"});
    if (settings().warp_size != 32) flags.push_back("-DCUDA_SHIM_WARP_SIZE=" + std::to_string(settings().warp_size));
    return flags;
}

namespace {

// Flags that let the runtime name a kernel's threads and lines, and check its accesses. The runtime reads the line
// tables of DWARF 4.
std::vector<std::string> debug_flags(const Compiler& compiler, const CompileOptions& options) {
    const bool single_threads = settings().check || settings().debug;
    std::vector<std::string> flags;
    const bool variables = options.debug_info || settings().debug_thread.any;  // a debugger may be there
    if (variables || single_threads) flags = {variables ? "-g" : "-g1", "-gdwarf-4"};
    // Debuggers would call a kernel by its symbol, which is no word of the program.
    if (variables && compiler.kind != Compiler::Gcc) add_words(flags, {"-mllvm", "-dwarf-linkage-names=Abstract"});
    if (single_threads) add_words(flags, {"-fno-omit-frame-pointer", "-DCUDA_SHIM_SINGLE_THREADS"});
    if (!settings().check) return flags;
    add_words(flags, {"-DCUDA_SHIM_CHECKED"});
    // Announced like this, accesses need no shadow of the whole memory, and none of the sanitizer's own library.
    // Indices of arrays of known length are judged too: local arrays are not announced.
    if (compiler.kind == Compiler::Gcc)
        add_words(flags, {"-fsanitize=thread", "--param", "tsan-distinguish-volatile=1", "-fsanitize=bounds"});
    else
        add_words(flags, {"-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm",
                          "-tsan-distinguish-volatile=1", "-Xclang", "-fsanitize=array-bounds", "-Xclang",
                          "-fsanitize-recover=array-bounds"});
    return flags;
}

// zig's driver takes -O3 for -O2; the Clang inside of it compiles the same.
std::string optimisation(const Compiler& compiler, const CompileOptions& options) {
    return compiler.kind == Compiler::Zig && options.optimisation == "-O3" ? "-O2" : options.optimisation;
}

}  // namespace

std::vector<std::string> kernel_flags(const Compiler& compiler, const CompileOptions& options) {
    std::vector<std::string> flags = language_flags(compiler, options);
    // Hidden, unmerged symbols: kernels of one name in two modules are two kernels, with shared memory of their own.
    // Math functions set no errno and raise no traps, as on a GPU, so that they can be vectorised.
    // CUDA programs read and write memory under several types: ((uint4*)floats)[i] = v.
    add_words(flags, {"-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition", "-fno-threadsafe-statics",
                      "-fno-strict-aliasing", "-fno-asynchronous-unwind-tables", "-fno-math-errno",
                      "-fno-trapping-math", "-w"});
    // A function that wrote beyond an array of its own does not return (module_table.h), since its caller's variables
    // may be overwritten: the count of a loop that would never end, or an address to write to.
    add_words(flags, {"-fstack-protector-strong"});
    // malloc is the device's: compilers make the host's calloc of it and of zeros that follow.
    add_words(flags, {"-fno-builtin-malloc", "-fno-builtin-calloc", "-fno-builtin-realloc", "-fno-builtin-free"});
    // A write to the address 0 is a fault, as on a GPU, and not left out as one that cannot be.
    add_words(flags, {"-fno-delete-null-pointer-checks"});
#if defined(__x86_64__)
    // Compilers use half of the 512 bits of a vector register on most of Intel's processors. Most kernels compute more
    // than they wait for memory, and processors since Ice Lake keep their clock.
    add_words(flags, {"-march=native", "-mprefer-vector-width=512"});
    // GCC gathers where it tunes for a processor that it takes to be good at it; a gather of neighbours is slower than
    // a loop without vectors.
    if (compiler.kind == Compiler::Gcc) add_words(flags, {"-mtune=generic"});
    // Addresses of thread-local variables come from the module's own __tls_get_addr, which some systems' GCC leaves
    // out.
    if (compiler.kind == Compiler::Gcc) add_words(flags, {"-mtls-dialect=gnu"});
#else
    add_words(flags, {"-mcpu=native"});
#endif
    // Without optimisation every access of the program is there to be checked, at its own line.
    add_words(flags, {settings().check ? "-O0" : settings().debug ? "-O1" : optimisation(compiler, options)});
    add_words(flags, {options.contract ? "-ffp-contract=fast" : "-ffp-contract=off"});
    // CUDA's fast math is less exact, but infinities and NaNs keep their meaning there.
    if (options.fast_math) add_words(flags, {"-ffast-math", "-fno-finite-math-only", "-DCUDA_SHIM_FAST_MATH"});
    if (options.fast_math && !options.contract) add_words(flags, {"-ffp-contract=off"});
    // `int x; if (lane == 0) x = ...; x = __shfl_sync(mask, x, 0);` hands over variables that have no value in most
    // lanes. CUDA programs are full of it; Clang takes it to mean that only lane 0 ever comes there.
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-ftrivial-auto-var-init=pattern"});
    // Numbers beyond an integer's range become its nearest one, as on GPUs. GCC knows no such thing.
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-fno-strict-float-cast-overflow"});
    add_words(flags, debug_flags(compiler, options));
    // Warp operations in two branches are two operations, however alike. And GCC 12 splits a loop around a condition on
    // a variable that the loop itself assigns (`i < v; ++i` with `v = r` in the body) into two that end at the wrong
    // round.
    if (compiler.kind == Compiler::Gcc)
        add_words(flags, {"-fno-gnu-unique", "-fno-crossjumping", "-fno-tree-tail-merge", "-fno-split-loops"});
    // GCC takes 0.0 - (double)i for -(double)i, which is -0.0 where i is 0, unless the rounding mode may be any.
    if (compiler.kind == Compiler::Gcc) add_words(flags, {"-frounding-math"});
    // Members of a vector that every thread keeps (float4) would be read in one go with a gap for the last one, and
    // with one thread by itself after all others. And Clang 22 takes `a[i][i & 3]` in a loop over i, a per-thread
    // array, for evenly spaced.
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-mllvm", "-enable-interleaved-mem-accesses=false"});
    // Clang doubles a loop of up to 50 units of cost for each condition that is uniform in it. In a kernel that is
    // every loop over threads around every uniform branch: up to half of the time of compiling it. The conditions that
    // pay are hoisted already (split/affine_guards.cpp); small loops are still doubled. With 10 a tree reduction takes
    // a quarter longer.
    if (compiler.kind != Compiler::Gcc) add_words(flags, {"-mllvm", "-unswitch-threshold=20"});
    if (compiler.kind == Compiler::Zig) add_words(flags, {"-fno-sanitize=all"});
    add_words(flags, options.passed_on);
    return flags;
}

std::vector<std::string> link_flags() {
    // Modules are not linked with libc: the process has the functions of libc that they need.
    return {"-shared", "-nostdlib", "-Wl,-Bsymbolic", "-Wl,--build-id=none"};
}

const std::vector<std::string>& support_libraries() {
    // libgcc, which all three compilers have under that name: conversions of half and division of 128 bits.
    static const std::vector<std::string> libraries = {"-lm", "-lgcc"};
    return libraries;
}

std::vector<std::string> link_command(const Compiler& compiler, const std::vector<std::string>& objects,
                                      const std::string& module) {
    std::vector<std::string> command = compiler.command;
    const std::vector<std::string> flags = link_flags();
    add_words(command, flags);
    add_words(command, objects);
    add_words(command, {"-o", module});
    add_words(command, support_libraries());
    return command;
}

std::vector<std::string> check_flags(const Compiler& compiler, const std::string& scratch) {
    if (compiler.is_zig_driver()) return {"-c", "-O0", "-o", scratch + "/check.o"};
    return {"-fsyntax-only"};
}

const std::string& processor_identity() {
    static const std::string* const identity = [] {
        std::string cpuinfo;
        read_file("/proc/cpuinfo", cpuinfo);
        std::string fields;
        for (const char* field : {"model name", "flags", "Features", "CPU part"}) {
            const size_t at = cpuinfo.find(field);
            if (at != std::string::npos) append(fields, {cpuinfo.substr(at, cpuinfo.find('\n', at) - at), "\n"});
        }
        return new std::string(fields);
    }();
    return *identity;
}

}  // namespace cuda_shim

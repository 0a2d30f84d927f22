#include "kernel_compiler/read/options.h"

#include <stdlib.h>

#include <functional>

#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// Below C++17 the prelude does not compile, and little that is valid in C++11 or 14 is not in 17.
std::string at_least_cpp17(const std::string& standard) {
    for (const char* old : {"98", "03", "0x", "11", "1y", "14"})
        if (standard == std::string("c++") + old || standard == std::string("gnu++") + old) return "c++17";
    return standard;
}

bool is_true(const std::string& value) { return value == "true" || value == "1"; }

using Apply = std::function<void(CompileOptions&, const std::string& value)>;

// Options with a value, written `--name=value`, `--name value`, or for single letters `-Xvalue`.
struct ValueOption {
    const char* names[3];
    Apply apply;
};

const std::vector<ValueOption>& value_options() {
    auto ignore = [](CompileOptions&, const std::string&) {};
    static const std::vector<ValueOption> options = {
        {{"-I", "--include-path", nullptr},
         [](CompileOptions& o, const std::string& v) { o.include_folders.push_back(v); }},
        {{"-D", "--define-macro", nullptr},
         [](CompileOptions& o, const std::string& v) { o.macros.push_back("-D" + v); }},
        {{"-U", "--undefine-macro", nullptr},
         [](CompileOptions& o, const std::string& v) { o.macros.push_back("-U" + v); }},
        {{"-include", "--pre-include", nullptr},
         [](CompileOptions& o, const std::string& v) { o.included_files.push_back(v); }},
        {{"-std", "--std", nullptr}, [](CompileOptions& o, const std::string& v) { o.standard = at_least_cpp17(v); }},
        {{"-fmad", "--fmad", nullptr}, [](CompileOptions& o, const std::string& v) { o.contract = is_true(v); }},
        {{"-ffp-contract", nullptr, nullptr}, [](CompileOptions& o, const std::string& v) { o.contract = v != "off"; }},
        {{"-use_fast_math", "--use_fast_math", nullptr},
         [](CompileOptions& o, const std::string& v) { o.fast_math = is_true(v); }},
        {{"--cuda-shim-split", nullptr, nullptr},
         [](CompileOptions& o, const std::string& v) { o.split = is_true(v); }},
        {{"--cuda-shim-after", nullptr, nullptr}, [](CompileOptions& o, const std::string& v) { o.after = v; }},
        // This runtime's own: the program is CUDA C++, as NVRTC of that release takes it.
        {{"--cuda-shim-cuda", nullptr, nullptr},
         [](CompileOptions& o, const std::string& v) { o.cuda = atoi(v.c_str()); }},
        {{"--cuda-shim-architecture", nullptr, nullptr},
         [](CompileOptions& o, const std::string& v) { o.architecture = v; }},
        {{"--cuda-shim-standard", nullptr, nullptr},
         [](CompileOptions& o, const std::string& v) { o.older_standard = v; }},
        // Options for the GPU, its registers, and the making and caching of its code: they mean nothing on a host core.
        {{"--gpu-architecture", "-arch", "--offload-arch"}, ignore},
        {{"--amdgpu-target", "-mcpu", nullptr}, ignore},
        {{"--maxrregcount", "-maxrregcount", nullptr}, ignore},
        {{"--ftz", "-ftz", nullptr}, ignore},
        {{"--prec-div", "-prec-div", nullptr}, ignore},
        {{"--prec-sqrt", "-prec-sqrt", nullptr}, ignore},
        {{"--relocatable-device-code", "-rdc", nullptr},
         [](CompileOptions& o, const std::string& v) { o.relocatable = is_true(v); }},
        {{"--split-compile", "-split-compile", nullptr}, ignore},
        {{"--device-stack-protector", "-device-stack-protector", nullptr}, ignore},
        {{"--device-float128", "-device-float128", nullptr}, ignore},
        {{"--fdevice-time-trace", "-fdevice-time-trace", nullptr}, ignore},
        {{"--jump-table-density", "-jtd", nullptr}, ignore},
        {{"--minimal", "-minimal", nullptr}, ignore},
        {{"--builtin-move-forward", "-builtin-move-forward", nullptr},
         [](CompileOptions& o, const std::string& v) { o.move_and_forward = is_true(v); }},
        {{"--builtin-initializer-list", "-builtin-initializer-list", nullptr},
         [](CompileOptions& o, const std::string& v) { o.initializer_list = is_true(v); }},
        {{"--diag-error", "-diag-error", nullptr}, ignore},
        {{"--diag-suppress", "-diag-suppress", nullptr}, ignore},
        {{"--diag-warn", "-diag-warn", nullptr}, ignore},
        {{"--optimization-info", "-opt-info", nullptr}, ignore},
        {{"--ptxas-options", "-Xptxas", nullptr}, ignore},
        {{"--dopt", "-dopt", nullptr}, ignore},
        {{"-mllvm", "-Xclang", "-Xarch_device"}, ignore},
        {{"-fdenormal-fp-math", "-fgpu-inline-threshold", "-fgpu-default-stream"}, ignore},
        {{"-mcode-object-version", "-mprintf-kind", nullptr}, ignore},
        {{"--pch-dir", "-pch-dir", nullptr}, ignore},
        {{"--create-pch", "-create-pch", "--use-pch"}, ignore},
        {{"--frandom-seed", "-frandom-seed", nullptr}, ignore},
        {{"--version-ident", "-version-ident", nullptr}, ignore},
    };
    return options;
}

struct PlainOption {
    const char* name;
    void (*apply)(CompileOptions&);
};

const std::vector<PlainOption>& plain_options() {
    static void (*const ignore)(CompileOptions&) = [](CompileOptions&) {};
    static void (*const fast)(CompileOptions&) = [](CompileOptions& o) { o.fast_math = true; };
    static void (*const debug)(CompileOptions&) = [](CompileOptions& o) {
        o.debug_info = true, o.optimisation = "-O0";
    };
    static void (*const lines)(CompileOptions&) = [](CompileOptions& o) { o.debug_info = true; };
    static void (*const relocatable)(CompileOptions&) = [](CompileOptions& o) { o.relocatable = true; };
    static void (*const complete)(CompileOptions&) = [](CompileOptions& o) { o.relocatable = false; };
    static void (*const device_by_default)(CompileOptions&) = [](CompileOptions& o) { o.device_by_default = true; };
    static void (*const quiet)(CompileOptions&) = [](CompileOptions& o) { o.warnings = false, o.quiet = true; };
    static const std::vector<PlainOption> options = {
        {"-ffast-math", fast},
        {"-use_fast_math", fast},
        {"--use_fast_math", fast},
        {"-G", debug},
        {"--device-debug", debug},
        {"-g", lines},
        {"-ggdb", lines},
        {"-lineinfo", lines},
        {"--generate-line-info", lines},
        {"-w", quiet},
        {"--disable-warnings", quiet},
        {"-disable-warnings", quiet},
        {"-fgpu-rdc", relocatable},
        {"-fcuda-rdc", relocatable},
        {"-dc", relocatable},
        {"--device-c", relocatable},
        {"-fno-gpu-rdc", complete},
        {"-fno-cuda-rdc", complete},
        {"-dw", complete},
        {"--device-w", complete},
        // Options for linking, checking, timing or reporting device code: no meaning here, and no harm.
        {"-dlto", ignore},
        {"--dlink-time-opt", ignore},
        {"--extra-device-vectorization", ignore},
        {"-extra-device-vectorization", ignore},
        {"-default-device", device_by_default},
        {"--device-as-default-execution-space", device_by_default},
        {"-device-as-default-execution-space", device_by_default},
        {"--device-int128", ignore},
        {"-device-int128", ignore},
        {"-restrict", ignore},
        {"--restrict", ignore},
        {"--pch", ignore},
        {"-pch", ignore},
        {"--no-source-include", ignore},
        {"-no-source-include", ignore},
        {"--no-cache", ignore},
        {"-no-cache", ignore},
        {"--display-error-number", ignore},
        {"-err-no", ignore},
        {"--no-display-error-number", ignore},
        {"-no-err-no", ignore},
        {"--gen-opt-lto", ignore},
        {"-gen-opt-lto", ignore},
        {"-time", ignore},
        {"-ewp", ignore},
        {"--hip-pch", ignore},
        {"-nogpulib", ignore},
        {"-nogpuinc", ignore},
        {"--cuda-device-only", ignore},
        {"--hip-link", ignore},
        {"-mwavefrontsize64", ignore},
        {"-mno-wavefrontsize64", ignore},
        {"-munsafe-fp-atomics", ignore},
        {"-mno-unsafe-fp-atomics", ignore},
        {"-mcumode", ignore},
        {"-mno-cumode", ignore},
        {"-mtgsplit", ignore},
        {"-mno-tgsplit", ignore},
        // Options for results that a GPU may compute less exactly than this runtime, and for launching its kernels.
        {"-fgpu-flush-denormals-to-zero", ignore},
        {"-fno-gpu-flush-denormals-to-zero", ignore},
        {"-fcuda-flush-denormals-to-zero", ignore},
        {"-fno-cuda-flush-denormals-to-zero", ignore},
        {"-fgpu-approx-transcendentals", ignore},
        {"-fno-gpu-approx-transcendentals", ignore},
        {"-fcuda-approx-transcendentals", ignore},
        {"-fno-cuda-approx-transcendentals", ignore},
        {"-fhip-fp32-correctly-rounded-divide-sqrt", ignore},
        {"-fno-hip-fp32-correctly-rounded-divide-sqrt", ignore},
        {"-fhip-new-launch-api", ignore},
        {"-fno-hip-new-launch-api", ignore},
        {"-fhip-kernel-arg-name", ignore},
        {"-fno-hip-kernel-arg-name", ignore},
        {"-fgpu-defer-diag", ignore},
        {"-fno-gpu-defer-diag", ignore},
        {"-fPIC", ignore},
        {"-fno-exceptions", ignore},
        {"-fno-rtti", ignore},
    };
    return options;
}

// Options of C++ compilers at large that change the meaning of code or its optimisation.
bool is_passed_on(const std::string& option) {
    static const char* const compiler_options[] = {"-fassociative-math",
                                                   "-fno-associative-math",
                                                   "-freciprocal-math",
                                                   "-fno-reciprocal-math",
                                                   "-fno-signed-zeros",
                                                   "-fsigned-zeros",
                                                   "-ffinite-math-only",
                                                   "-fno-finite-math-only",
                                                   "-funsafe-math-optimizations",
                                                   "-fno-unsafe-math-optimizations",
                                                   "-fno-fast-math",
                                                   "-fno-math-errno",
                                                   "-fmath-errno",
                                                   "-fno-trapping-math",
                                                   "-fstrict-aliasing",
                                                   "-fno-strict-aliasing",
                                                   "-fwrapv",
                                                   "-funroll-loops",
                                                   "-fno-unroll-loops",
                                                   "-fsigned-char",
                                                   "-funsigned-char",
                                                   "-fno-inline",
                                                   "-fno-builtin",
                                                   "-fpermissive"};
    for (const char* name : compiler_options)
        if (option == name) return true;
    return false;
}

bool take_value_option(const std::vector<std::string>& arguments, size_t& i, const std::string& argument,
                       CompileOptions& options, std::string& problem) {
    for (const ValueOption& option : value_options())
        for (const char* name : option.names) {
            if (!name) break;
            const std::string prefix = name;
            const bool letter = prefix == "-I" || prefix == "-D" || prefix == "-U";
            if (starts_with(argument, prefix + "=") && !letter) {
                option.apply(options, argument.substr(prefix.size() + 1));
                return true;
            }
            if (letter && starts_with(argument, prefix) && argument.size() > 2) {
                option.apply(options, trimmed(argument.substr(2)));
                return true;
            }
            if (argument == prefix) {
                if (i + 1 >= arguments.size())
                    problem = concat({"option '", argument, "' needs a value\n"});
                else
                    option.apply(options, trimmed(arguments[++i]));
                return true;
            }
            // One string for both, as some programs write it: "-I /path".
            if (starts_with(argument, prefix + " ")) {
                option.apply(options, trimmed(argument.substr(prefix.size())));
                return true;
            }
        }
    return false;
}

}  // namespace

int CompileOptions::capability() const {
    const size_t digits = architecture.find_first_of("0123456789");
    if (digits != std::string::npos) return atoi(architecture.c_str() + digits);
    return cuda >= 13000 ? 75 : 52;
}

std::string read_options(const std::vector<std::string>& arguments, CompileOptions& options) {
    std::string problem;
    for (size_t i = 0; i < arguments.size() && problem.empty(); ++i) {
        const std::string argument = trimmed(arguments[i]);
        if (argument.empty()) continue;
        bool is_plain = false;
        for (const PlainOption& option : plain_options())
            if (argument == option.name) {
                option.apply(options);
                is_plain = true;
            }
        if (is_plain || take_value_option(arguments, i, argument, options, problem)) continue;
        if (starts_with(argument, "-O") && argument.size() == 3 &&
            std::string("0123s").find(argument[2]) != std::string::npos) {
            options.optimisation = argument;
        } else if (starts_with(argument, "-W")) {
            if (argument.find(',') == std::string::npos) options.warnings = true, options.passed_on.push_back(argument);
        } else if (is_passed_on(argument)) {
            options.passed_on.push_back(argument);
        } else {
            problem =
                concat({"unrecognized option '", argument, "': take it out, or spell it as hiprtc or nvrtc know it\n"});
        }
    }
    return problem;
}

}  // namespace cuda_shim

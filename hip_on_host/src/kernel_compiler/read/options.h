// Options as programs give them to hiprtc (and nvrtc's, where nothing above translated them), in the host compiler's
// terms.
#pragma once
#include <string>
#include <vector>

namespace cuda_shim {

struct CompileOptions {
    std::vector<std::string> include_folders;  // -I, in order
    std::vector<std::string> included_files;   // -include, in order
    std::vector<std::string> macros;           // "-DNAME=VALUE" and "-UNAME", in order
    std::vector<std::string> passed_on;        // flags that the host compiler takes as they are
    std::string
        architecture;  // the GPU that the program was to be compiled for: "sm_80", "compute_80"; empty by default
    int cuda = 0;      // the CUDA release whose NVRTC is stood for (12090 is 12.9), 0 where HIP's own is
    std::string older_standard;      // the one that a CUDA program is in, where that is older than C++17
    std::string standard = "c++17";  // C++17 at least: the prelude needs it
    std::string optimisation = "-O3";
    bool contract = true;  // fused multiply-add where the program wrote * and +; off by --fmad=false
    bool fast_math = false;
    bool debug_info = false;
    bool warnings = false;           // the program chose warnings of its own
    bool quiet = false;              // no warnings in the log: -w
    bool relocatable = false;        // may call, and be called by, other programs that it is linked with
    bool move_and_forward = true;    // std::move and std::forward are there without a header, as in NVRTC
    bool initializer_list = true;    // and std::initializer_list
    bool device_by_default = false;  // functions and variables without a space of their own are the device's
    std::string after;               // the pass whose text is asked for, by --cuda-shim-after
    bool split = true;               // this runtime's own --cuda-shim-split=0 keeps kernels whole, to compare forms

    // The compute capability that the program is compiled for: 80 for "sm_80", NVRTC's default where it names none.
    int capability() const;
    // Does NVRTC assemble the program for a GPU, which then must have what the program calls and asks for?
    bool for_a_gpu() const { return architecture.compare(0, 3, "sm_") == 0; }
};

// Reads `arguments`. Returns an empty string, or the line for the program's log that names the first option which means
// nothing here.
std::string read_options(const std::vector<std::string>& arguments, CompileOptions& options);

}  // namespace cuda_shim

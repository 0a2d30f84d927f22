// Compiles a file of kernels through hiprtc, launches them, and prints the result of each: to compare one machine with
// another, without Python.
//
//     run_kernels FILE [OPTION ...] < LAUNCHES
//
// A launch is a line `NAME GRID X Y Z SHARED_BYTES COOPERATIVE`; the answer is a line `NAME LOWERED_NAME STATUS
// DIGEST`. Every kernel takes (const unsigned* in, unsigned* out, unsigned* sums, unsigned n, unsigned m): `in` and
// `out` have a word for each thread of the grid. Kernels with arguments of templates are found by name expressions.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "abi/hip_functions.h"
#include "kernel_compiler/hiprtc_types.h"

extern "C" {
hiprtcResult hiprtcCreateProgram(hiprtcProgram*, const char*, const char*, int, const char* const*, const char* const*);
hiprtcResult hiprtcAddNameExpression(hiprtcProgram, const char*);
hiprtcResult hiprtcCompileProgram(hiprtcProgram, int, const char* const*);
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram, char*);
hiprtcResult hiprtcGetLoweredName(hiprtcProgram, const char*, const char**);
hiprtcResult hiprtcGetCodeSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcGetCode(hiprtcProgram, char*);
}

namespace {

constexpr unsigned kSums = 56;  // as the random kernels have it (random_kernels/helpers.py)
const unsigned kN = 5, kM = 11;

struct Launch {
    std::string name;
    unsigned grid, x, y, z, shared_bytes;
    bool cooperative;
};

template <class Status>
void must(Status status, const char* what) {
    if (status == 0) return;
    std::fprintf(stderr, "run_kernels: %s: %d\n", what, static_cast<int>(status));
    std::exit(2);
}

std::vector<Launch> read_launches() {
    std::vector<Launch> launches;
    for (std::string line; std::getline(std::cin, line);) {
        Launch launch;
        std::istringstream words(line);
        words >> launch.name >> launch.grid >> launch.x >> launch.y >> launch.z >> launch.shared_bytes >>
            launch.cooperative;
        if (!words) must(1, line.c_str());
        launches.push_back(launch);
    }
    return launches;
}

hiprtcProgram compile(const char* path, const std::vector<Launch>& launches, int option_count, char** options) {
    std::ifstream file(path);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    hiprtcProgram program;
    must(hiprtcCreateProgram(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr), "create the program");
    for (const Launch& launch : launches) must(hiprtcAddNameExpression(program, launch.name.c_str()), "add a name");
    const hiprtcResult compiled = hiprtcCompileProgram(program, option_count, options);
    size_t bytes = 0;
    must(hiprtcGetProgramLogSize(program, &bytes), "size of the log");
    std::string log(bytes, '\0');
    if (bytes) must(hiprtcGetProgramLog(program, &log[0]), "the log");
    if (compiled != HIPRTC_SUCCESS) std::fprintf(stderr, "%s\n", log.c_str());
    must(compiled, "compile");
    return program;
}

hipModule_t load(hiprtcProgram program) {
    size_t bytes = 0;
    must(hiprtcGetCodeSize(program, &bytes), "size of the code");
    std::string code(bytes, '\0');
    must(hiprtcGetCode(program, &code[0]), "the code");
    hipModule_t module;
    must(hipModuleLoadData(&module, code.data()), "load the module");
    return module;
}

uint64_t digest(const std::vector<uint32_t>& words, uint64_t hash) {
    for (uint32_t word : words) hash = (hash ^ word) * 0x100000001b3u;
    return hash;
}

uint32_t* upload(const std::vector<uint32_t>& words) {
    void* device = nullptr;
    must(hipMalloc(&device, words.size() * sizeof(uint32_t)), "allocate");
    must(hipMemcpy(device, words.data(), words.size() * sizeof(uint32_t), hipMemcpyHostToDevice), "upload");
    return static_cast<uint32_t*>(device);
}

hipError_t run(hipFunction_t function, const Launch& launch, uint64_t& result) {
    const size_t threads = size_t{launch.grid} * launch.x * launch.y * launch.z;
    std::vector<uint32_t> in(threads), out(threads), sums(kSums);
    uint32_t state = 12345;
    for (uint32_t& word : in) {
        state = state * 1664525u + 1013904223u;
        word = state ^ state >> 15;
    }
    for (unsigned i = 0; i < 8; i++) sums[16 + i] = sums[40 + i] = ~0u;  // atomicMin and atomicAnd go on there
    uint32_t *device_in = upload(in), *device_out = upload(out), *device_sums = upload(sums);
    unsigned n = kN, m = kM;
    void* arguments[] = {&device_in, &device_out, &device_sums, &n, &m};
    hipError_t status = launch.cooperative
                            ? hipModuleLaunchCooperativeKernel(function, launch.grid, 1, 1, launch.x, launch.y,
                                                               launch.z, launch.shared_bytes, nullptr, arguments)
                            : hipModuleLaunchKernel(function, launch.grid, 1, 1, launch.x, launch.y, launch.z,
                                                    launch.shared_bytes, nullptr, arguments, nullptr);
    if (status == hipSuccess) status = hipDeviceSynchronize();
    if (status != hipSuccess) return status;
    must(hipMemcpy(out.data(), device_out, threads * sizeof(uint32_t), hipMemcpyDeviceToHost), "download");
    must(hipMemcpy(sums.data(), device_sums, kSums * sizeof(uint32_t), hipMemcpyDeviceToHost), "download");
    for (uint32_t* memory : {device_in, device_out, device_sums}) must(hipFree(memory), "free");
    result = digest(sums, digest(out, 0xcbf29ce484222325u));
    return hipSuccess;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Launch> launches = read_launches();
    const hiprtcProgram program = compile(argv[1], launches, argc - 2, argv + 2);
    for (const Launch& launch : launches) {
        const char* lowered = nullptr;
        must(hiprtcGetLoweredName(program, launch.name.c_str(), &lowered), "lowered name");
        hipFunction_t function;
        must(hipModuleGetFunction(&function, load(program), lowered), lowered);
        uint64_t result = 0;
        const hipError_t status = run(function, launch, result);
        std::printf("%s %s %s %016" PRIx64 "\n", launch.name.c_str(), lowered, hipGetErrorName(status), result);
        std::fflush(stdout);
        if (status != hipSuccess) must(hipDeviceReset(), "reset");
    }
}

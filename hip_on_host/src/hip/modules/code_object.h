// A kernel module in memory: its kernels, its variables, and the mapping that holds their code.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/hip_types.h"
#include "abi/kernel_module.h"
#include "common/files.h"
#include "common/mapped_file.h"
#include "engine/kernel.h"
#include "engine/loaded_module.h"
#include "hip/contexts/owner.h"

namespace cuda_shim {

class CodeObject;

// The object behind a hipFunction_t and a hipKernel_t: one serves as both, as CUDA's casts expect.
struct Function : Kernel {
    Function(const CudaShimSymbol& symbol, const LoadedModule& module, CodeObject& owner)
        : Kernel(symbol, &module),
          code(owner),
          required_cluster{{{symbol.cluster[0]}, {symbol.cluster[1]}, {symbol.cluster[2]}}} {}

    hipFunction_t handle() { return reinterpret_cast<hipFunction_t>(this); }
    // The function behind a handle (a hipFunction_t, a hipKernel_t, or the address that hipLaunchKernel's family
    // is given); null for a handle that is none.
    static Function* resolve(const void* handle);

    CodeObject& code;
    std::atomic<int> max_dynamic_shared{-1};                // as set with hipFuncSetAttribute; -1: the device's limit
    std::atomic<int> shared_carveout{-1};                   // a wish, kept to be queried
    std::array<std::atomic<uint32_t>, 3> required_cluster;  // __cluster_dims__, or as set; 0: launches choose
    std::atomic<bool> large_clusters{false};                // clusters of more blocks than every device takes
    std::atomic<int> cluster_scheduling{hipClusterSchedulingPolicyDefault};  // a wish, kept to be queried
};

// Shared by the module or library that loaded it and by commands that still have to run.
class CodeObject : public std::enable_shared_from_this<CodeObject> {
public:
    // Loads an image of `size` bytes; 0: as many as its headers say. hipErrorInvalidImage, hipErrorNoBinaryForGpu
    // for code of another device, hipErrorSharedObjectInitFailed when the system refuses to map it; the log says why.
    static hipError_t load(const void* image, size_t size, int device, std::shared_ptr<CodeObject>& code_object);
    // The same from a file; hipErrorFileNotFound.
    static hipError_t load_file(const char* path, int device, std::shared_ptr<CodeObject>& code_object);

    explicit CodeObject(int device) : device_(device) {}
    ~CodeObject();
    CodeObject(const CodeObject&) = delete;
    CodeObject& operator=(const CodeObject&) = delete;

    // The module's kernels, in the order of the source.
    const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
    Function* function(const std::string& name) const;
    const CudaShimSymbol* variable(const std::string& name) const;
    // Bytes of all __constant__ variables.
    size_t constant_bytes() const { return constant_bytes_; }
    // Takes the names away from use: later look-ups with the functions' handles fail.
    void retire();
    // A module's functions run on the device of its context, a library's on any.
    void bind_to_device() { bound_ = true; }
    bool runs_on(int device) const { return !bound_ || device == device_; }

private:
    hipError_t map(const void* image, size_t size);
    bool map_from_memory(const void* image, size_t size);
    bool map_from_file(const void* image, size_t size);
    bool open(Descriptor file, const std::string& path);
    hipError_t read_table();
    void add_variable(const CudaShimSymbol& symbol);

    int device_;
    MappedFile file_;  // as it was loaded
    Descriptor for_debugger_;
    void* library_ = nullptr;
    std::unique_ptr<LoadedModule> module_;
    std::vector<std::unique_ptr<Function>> functions_;
    std::unordered_map<std::string, Function*> functions_by_name_;
    std::unordered_map<std::string, const CudaShimSymbol*> variables_;
    size_t constant_bytes_ = 0;
    bool retired_ = false;
    bool bound_ = false;
};

// HIP's modules and HIP's libraries: a code object and a handle to it.
struct Module {
    explicit Module(std::shared_ptr<CodeObject> code_object) : code(std::move(code_object)) {}
    hipModule_t handle() { return reinterpret_cast<hipModule_t>(this); }

    std::shared_ptr<CodeObject> code;
    ObjectOwner owner;
};

struct Library {
    explicit Library(std::shared_ptr<CodeObject> code_object) : code(std::move(code_object)) {}
    // As in AMD's runtime, `image` is read on the first use of the library, and must be there until then.
    Library(const void* image, int device) : unread_image(image), device_of_image(device) {}

    std::shared_ptr<CodeObject> code;  // null until the image is read
    const void* unread_image = nullptr;
    int device_of_image = 0;
    std::mutex mutex;  // guards the reading of the image
};

}  // namespace cuda_shim

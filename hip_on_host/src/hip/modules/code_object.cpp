#include "hip/modules/code_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/elf_image.h"
#include "common/log.h"
#include "common/memory_file.h"
#include "common/module_content.h"
#include "common/module_imports.h"
#include "common/program_symbol.h"
#include "common/readable.h"
#include "common/setting_names.h"
#include "common/settings.h"
#include "engine/services.h"
#include "hip/handle_table.h"
#include "hip/memory/memory_registry.h"
#include "hip/modules/loader.h"
#include "hip/rocm.h"
#include "hip/textures/texture_reference.h"

namespace cuda_shim {
namespace {

hipError_t check_kind(const void* image) {
    const ImageKind kind = recognise_image(image);
    if (kind == ImageKind::HostModule) return hipSuccess;
    log(LogLevel::Error,
        "the module image is %s; the CPU device runs code objects that NVRTC or hiprtc compiled on this machine",
        describe_image_kind(kind));
    const bool other_device = kind == ImageKind::AmdCodeObject || kind == ImageKind::OtherMachine;
    return other_device ? hipErrorNoBinaryForGpu : hipErrorInvalidImage;
}

// A shared object runs code as soon as it is mapped, so it is asked first whether it is a kernel module.
bool has_entry(const void* image, size_t size) {
    const std::vector<ElfSymbol> symbols = elf_symbols(image, size);
    return std::any_of(symbols.begin(), symbols.end(), [](const ElfSymbol& symbol) {
        return symbol.is_function && symbol.name == CUDA_SHIM_KERNEL_MODULE_ENTRY;
    });
}

// True if it needs things that CUDA's device code cannot have: functions of the host, code that runs when it is loaded.
bool reaches_the_host(const char* image, size_t size) {
    const std::vector<std::string> imports = refused_imports(image, size);
    if (!imports.empty()) {
        log(LogLevel::Error, "the module calls %s, which it does not define: kernels have no functions of the host",
            std::string(name_in_program(imports.front())).c_str());
        return true;
    }
    const std::string content = refused_content(image, size);
    if (content.empty()) return false;
    log(LogLevel::Error, "the module has %s, which no module may have: compile its source again", content.c_str());
    return true;
}

// True if a code object is for the GPU that the device claims to be, or names no GPU.
bool runs_here(const char* image, size_t size) {
    const unsigned machine = marked_gpu(image, size);
    if (!machine || !as_rocm(RocmDifference::CodeForOneTarget) || machine == settings().gpu->machine) return true;
    log(LogLevel::Error, "the module image is for another GPU than %s: compile it for this one", settings().gpu->name);
    return false;
}

static_assert(sizeof(CudaShimSymbol) == 152 && offsetof(CudaShimSymbol, parameter_size) == 24,
              "module_table.py reads it by these numbers");

bool is_texture_reference(const CudaShimSymbol& symbol) { return symbol.kind == CUDA_SHIM_SYMBOL_TEXTURE_REFERENCE; }
const textureReference* reference_of(const CudaShimSymbol& symbol) {
    return static_cast<const textureReference*>(symbol.address);
}

// Does the variable have bytes that a program may copy to and from?
bool is_memory(const CudaShimSymbol& symbol) { return symbol.size && !is_texture_reference(symbol); }

bool write_all(int file, const void* data, size_t size) {
    const char* from = static_cast<const char*>(data);
    while (size) {
        const ssize_t written = write(file, from, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        from += written;
        size -= static_cast<size_t>(written);
    }
    return true;
}

std::string loader_error() {
    const char* text = dlerror();
    return text ? text : "no reason given";
}

// Kernel names of one module must not resolve to kernels of another.
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL;

}  // namespace

Function* Function::resolve(const void* handle) {
    auto* function = static_cast<Function*>(const_cast<void*>(handle));
    return live_handles<Function>().contains(function) ? function : nullptr;
}

hipError_t CodeObject::load(const void* image, size_t size, int device, std::shared_ptr<CodeObject>& code_object) {
    constexpr size_t kElfHeader = 64;
    if (size && size < kElfHeader) {
        log(LogLevel::Error, "the module image is cut short: it has %zu bytes", size);
        return hipErrorInvalidImage;
    }
    if (hipError_t error = check_kind(image)) return error;
    const size_t elf_size = elf_image_size(image, size ? size : SIZE_MAX);
    // The loader maps this copy, so that the checked bytes are the mapped ones even if the program changes its own
    // meanwhile.
    std::string copy(elf_size, '\0');
    const bool is_intact = elf_size && copy_readable(copy.data(), image, elf_size) &&
                           check_seal(copy.data(), elf_size) != ImageSeal::Broken;
    if (!is_intact || !has_entry(copy.data(), elf_size)) {
        log(LogLevel::Error,
            "the module image is %s; load the code object that nvrtcGetCUBIN or hiprtcGetCode returned",
            is_intact ? "a shared object but no kernel module" : "damaged or cut short");
        return hipErrorInvalidImage;
    }
    if (!runs_here(copy.data(), elf_size)) return hipErrorNoBinaryForGpu;
    if (reaches_the_host(copy.data(), elf_size)) return hipErrorSharedObjectInitFailed;
    auto code = std::make_shared<CodeObject>(device);
    if (hipError_t failed = code->map(copy.data(), elf_size)) return failed;
    if (hipError_t failed = code->read_table()) return failed;
    code_object = std::move(code);
    return hipSuccess;
}

hipError_t CodeObject::load_file(const char* path, int device, std::shared_ptr<CodeObject>& code_object) {
    std::string image;
    if (!read_file(path, image)) {
        log(LogLevel::Error, "module file %s cannot be read: %s", path, strerror(errno));
        return hipErrorFileNotFound;
    }
    if (image.empty()) return hipErrorInvalidImage;
    return load(image.data(), image.size(), device, code_object);
}

hipError_t CodeObject::map(const void* image, size_t size) {
    // Memory files may be forbidden to hold code, and /proc may be missing: a private file serves then.
    if (map_from_memory(image, size) || map_from_file(image, size)) return hipSuccess;
    return hipErrorSharedObjectInitFailed;
}

// A process has room for more modules than descriptors: the file is closed, unless a debugger finds variables and lines
// in it, by its path.
bool CodeObject::open(Descriptor file, const std::string& path) {
    file_ = MappedFile(file.get());
    library_ = file_.data() ? open_library(path, kOpenFlags) : nullptr;
    const std::string_view image(file_.data(), file_.size());
    if (library_ && image.find(".debug_info") != image.npos) for_debugger_ = std::move(file);
    return library_ != nullptr;
}

bool CodeObject::map_from_memory(const void* image, size_t size) {
    Descriptor file = create_memory_file("cuda_shim_kernels");
    if (!file.valid() || !write_all(file.get(), image, size)) return false;
    const std::string path = new_path_of(file);
    if (open(std::move(file), path)) return true;
    log(LogLevel::Info, "a kernel module cannot be mapped from memory: %s", loader_error().c_str());
    return false;
}

bool CodeObject::map_from_file(const void* image, size_t size) {
    const std::string cache = settings().cache_dir;
    const std::string folder = cache.empty() ? temporary_folder() : cache + "/modules";
    std::string path = folder + "/XXXXXX";
    if (!cache.empty() && !make_private_folder(folder)) {
        log(LogLevel::Error, "folder %s for kernel modules cannot be made: %s; set %s", folder.c_str(), strerror(errno),
            name_of_setting("CUDA_SHIM_CACHE_DIR").c_str());
        return false;
    }
    Descriptor file(mkostemp(path.data(), O_CLOEXEC));
    // A file without its last blocks would end the process when code in them is reached.
    if (!file.valid() || !write_all(file.get(), image, size) || fsync(file.get()) != 0) {
        log(LogLevel::Error, "kernel module cannot be written to %s: %s", folder.c_str(), strerror(errno));
        if (file.valid()) unlink(path.c_str());
        return false;
    }
    const bool is_open = open(std::move(file), path);
    if (!is_open) log(LogLevel::Error, "kernel module cannot be mapped: %s", loader_error().c_str());
    unlink(path.c_str());
    return is_open;
}

hipError_t CodeObject::read_table() {
    auto entry = reinterpret_cast<CudaShimKernelModuleEntry>(dlsym(library_, CUDA_SHIM_KERNEL_MODULE_ENTRY));
    const CudaShimKernelModule* table = entry ? entry(&runtime_services()) : nullptr;
    if (!table || table->abi_version != CUDA_SHIM_KERNEL_ABI_VERSION) {
        log(LogLevel::Error,
            "the module was compiled for version %u of the kernel interface, this runtime has %u; compile its source "
            "again",
            table ? table->abi_version : 0u, CUDA_SHIM_KERNEL_ABI_VERSION);
        return hipErrorInvalidImage;
    }
    module_ = std::make_unique<LoadedModule>(*table, file_);
    if (settings().check && !module_->is_checked()) {
        log(LogLevel::Warn,
            "a module was compiled without CUDA_SHIM_CPU_CHECK=1, so its kernels are not checked: compile its source "
            "again");
    }
    for (uint32_t i = 0; i < table->symbol_count; i++) {
        const CudaShimSymbol& symbol = table->symbols[i];
        if (symbol.kind != CUDA_SHIM_SYMBOL_KERNEL) {
            add_variable(symbol);
            continue;
        }
        functions_.push_back(std::make_unique<Function>(symbol, *module_, *this));
        Function* function = functions_.back().get();
        functions_by_name_.emplace(symbol.lowered_name, function);
        live_handles<Function>().add(function);
    }
    return hipSuccess;
}

void CodeObject::add_variable(const CudaShimSymbol& symbol) {
    if (!variables_.emplace(symbol.lowered_name, &symbol).second) return;
    if (symbol.kind == CUDA_SHIM_SYMBOL_CONSTANT_VARIABLE) constant_bytes_ += symbol.size;
    if (is_texture_reference(symbol)) TextureReferences::get().add(reference_of(symbol), device_);
    if (!is_memory(symbol)) return;
    Allocation allocation;
    allocation.base = reinterpret_cast<uintptr_t>(symbol.address);
    allocation.size = symbol.size;
    allocation.kind = MemoryKind::Symbol;  // managed variables too: their storage is the module's, not the heap's
    allocation.managed_variable = symbol.kind == CUDA_SHIM_SYMBOL_MANAGED_VARIABLE;
    allocation.device = device_;
    MemoryRegistry::get().add(allocation);
}

Function* CodeObject::function(const std::string& name) const {
    const auto entry = functions_by_name_.find(name);
    return entry == functions_by_name_.end() ? nullptr : entry->second;
}

const CudaShimSymbol* CodeObject::variable(const std::string& name) const {
    const auto entry = variables_.find(name);
    return entry == variables_.end() ? nullptr : entry->second;
}

void CodeObject::retire() {
    if (retired_) return;
    retired_ = true;
    for (const auto& function : functions_) live_handles<Function>().remove(function.get());
    for (const auto& [name, symbol] : variables_) {
        if (is_memory(*symbol)) MemoryRegistry::get().remove(symbol->address);
        if (is_texture_reference(*symbol)) TextureReferences::get().retire(reference_of(*symbol));
    }
}

CodeObject::~CodeObject() {
    retire();
    for (const auto& [name, symbol] : variables_) {
        if (is_texture_reference(*symbol)) TextureReferences::get().remove(reference_of(*symbol));
    }
    functions_.clear();  // they refer to the table, which goes with the mapping
    if (library_) close_library(library_);
}

}  // namespace cuda_shim

#include "hip/launch/kernel_arguments.h"

#include <string.h>

#include <atomic>

#include "common/settings.h"
#include "engine/device_heap.h"
#include "hip/api.h"
#include "hip/handle_table.h"
#include "hip/memory/device_space.h"
#include "hip/memory/host_memory.h"
#include "hip/memory/memory_registry.h"
#include "hip/textures/texture.h"

// Lets kernels use the program's own memory for the rest of the process, as the setting cpu_host_pointers does:
// Triton's work on tensors of PyTorch's CPU build.
extern "C" CUDA_SHIM_API hipError_t hipExtAllowHostPointers();

namespace cuda_shim {
namespace {

constexpr size_t kWord = sizeof(uintptr_t);
constexpr size_t kAlignment = 64;

std::atomic<bool> allowed{false};

bool is_registered(uintptr_t address) {
    Allocation allocation;
    return MemoryRegistry::get().find(reinterpret_cast<const void*>(address), allocation);
}

// Memory that the runtime knows; also the address behind its end, at which loops stop.
bool is_known(const Function& function, uintptr_t address) {
    if (is_registered(address) || is_registered(address - 1)) return true;
    if (function.module && function.module->contains(address)) return true;
    MemoryRange range;
    if (find_in_device_heap(address, range)) return true;
    const auto* object = reinterpret_cast<const void*>(address);
    return live_handles<Texture>().contains(object) || live_handles<Surface>().contains(object);
}

// False for addresses where the program has no memory: there is nothing that a kernel could change.
bool is_host_memory(const Function& function, uintptr_t address) {
    const auto* memory = reinterpret_cast<const void*>(address);
    if (address >= kHostAddressMark || in_device_space(memory) || is_known(function, address)) return false;
    return is_usable(memory, 1, false);
}

uintptr_t word_at(const void* memory) {
    uintptr_t word;
    memcpy(&word, memory, kWord);
    return word;
}

}  // namespace

KernelArguments::KernelArguments(const Function& function, void* const* addresses) : given_(addresses) {
    const CudaShimSymbol& symbol = function.symbol;
    if (host_pointers_allowed()) return;
    for (uint32_t i = 0; i < symbol.parameter_count; i++) {
        if (symbol.parameter_kind[i] != CUDA_SHIM_PARAMETER_NUMBER) visit_words(function, i);
    }
}

void KernelArguments::visit_words(const Function& function, uint32_t parameter) {
    const char* const value = static_cast<const char*>(given_[parameter]);
    const size_t bytes = function.symbol.parameter_size[parameter];
    for (size_t offset = 0; offset + kWord <= bytes; offset += kWord) {
        const uintptr_t word = word_at(value + offset);
        if (word && is_host_memory(function, word)) replace(function, parameter, offset, word);
    }
}

// The caller's arguments stay as they are: a graph's node reads them back.
void KernelArguments::replace(const Function& function, uint32_t parameter, size_t offset, uintptr_t address) {
    const CudaShimSymbol& symbol = function.symbol;
    if (copies_.empty()) {
        copies_.assign(given_, given_ + symbol.parameter_count);
        const uint32_t last = symbol.parameter_count - 1;
        values_.resize(symbol.parameter_offset[last] + symbol.parameter_size[last] + kAlignment);
    }
    const auto start = reinterpret_cast<uintptr_t>(values_.data());
    const size_t to_alignment = (kAlignment - start % kAlignment) % kAlignment;
    char* const copy = values_.data() + to_alignment + symbol.parameter_offset[parameter];
    if (copies_[parameter] != copy) memcpy(copy, given_[parameter], symbol.parameter_size[parameter]);
    copies_[parameter] = copy;
    const uintptr_t marked = address | kHostAddressMark;
    memcpy(copy + offset, &marked, kWord);
    host_addresses_.add(parameter, address);
}

bool host_pointers_allowed() { return settings().host_pointers || allowed.load(std::memory_order_relaxed); }

}  // namespace cuda_shim

hipError_t hipExtAllowHostPointers() {
    return cuda_shim::api(__func__, [] {
        cuda_shim::allowed.store(true, std::memory_order_relaxed);
        return hipSuccess;
    });
}

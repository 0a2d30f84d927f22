// hipMemcpyToSymbol and its family, hipGetSymbolAddress, hipGetSymbolSize.
//
// In a C++ program a symbol is the host's shadow of a device variable. Programs that load modules have no shadows,
// so here a symbol is the variable's own address (hipModuleGetGlobal).
#include "hip/api.h"
#include "hip/memory/copy.h"
#include "hip/memory/memory_registry.h"
#include "hip/modules/symbols.h"

namespace cuda_shim {
namespace {

bool find_symbol(const void* symbol, Allocation& variable) {
    return symbol && MemoryRegistry::get().find_base(symbol, variable) && variable.kind == MemoryKind::Symbol;
}

hipError_t to_symbol(const void* symbol, const void* src, size_t bytes, size_t offset, hipMemcpyKind kind,
                     hipStream_t stream, Wait wait) {
    char* address;
    CUDA_SHIM_TRY(symbol_range(symbol, bytes, offset, address));
    if (!may_end_on_device(kind)) return hipErrorInvalidMemcpyDirection;
    return copy_linear(address, src, bytes, kind, stream, wait);
}

hipError_t from_symbol(void* dst, const void* symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                       hipStream_t stream, Wait wait) {
    char* address;
    CUDA_SHIM_TRY(symbol_range(symbol, bytes, offset, address));
    if (!may_begin_on_device(kind)) return hipErrorInvalidMemcpyDirection;
    return copy_linear(dst, address, bytes, kind, stream, wait);
}

}  // namespace

hipError_t symbol_range(const void* symbol, size_t bytes, size_t offset, char*& address) {
    Allocation variable;
    if (!find_symbol(symbol, variable)) return hipErrorInvalidSymbol;
    if (offset > variable.size || bytes > variable.size - offset) return hipErrorInvalidValue;
    address = reinterpret_cast<char*>(variable.base) + offset;
    return hipSuccess;
}

}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
    return api(__func__, [&] {
        if (!address) return hipErrorInvalidValue;
        Allocation variable;
        if (!find_symbol(symbol, variable)) return hipErrorInvalidSymbol;
        *address = const_cast<void*>(symbol);
        return hipSuccess;
    });
}

hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
    return api(__func__, [&] {
        if (!size) return hipErrorInvalidValue;
        Allocation variable;
        if (!find_symbol(symbol, variable)) return hipErrorInvalidSymbol;
        *size = variable.size;
        return hipSuccess;
    });
}

hipError_t hipMemcpyToSymbol(const void* symbol, const void* src, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] { return to_symbol(symbol, src, bytes, offset, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* src, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] { return to_symbol(symbol, src, bytes, offset, kind, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t bytes, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream) {
    return api(__func__, [&] { return to_symbol(symbol, src, bytes, offset, kind, stream, Wait::No); });
}

hipError_t hipMemcpyToSymbolAsync_spt(const void* symbol, const void* src, size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { return to_symbol(symbol, src, bytes, offset, kind, per_thread(stream), Wait::No); });
}

hipError_t hipMemcpyFromSymbol(void* dst, const void* symbol, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] { return from_symbol(dst, symbol, bytes, offset, kind, nullptr, Wait::Yes); });
}

hipError_t hipMemcpyFromSymbol_spt(void* dst, const void* symbol, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] { return from_symbol(dst, symbol, bytes, offset, kind, per_thread(nullptr), Wait::Yes); });
}

hipError_t hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream) {
    return api(__func__, [&] { return from_symbol(dst, symbol, bytes, offset, kind, stream, Wait::No); });
}

hipError_t hipMemcpyFromSymbolAsync_spt(void* dst, const void* symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                        hipStream_t stream) {
    return api(__func__, [&] { return from_symbol(dst, symbol, bytes, offset, kind, per_thread(stream), Wait::No); });
}

#include "hip/memory/fill.h"

#include <string.h>

#include <algorithm>

#include "common/settings.h"
#include "engine/global_shadow.h"
#include "engine/thread_pool.h"
#include "hip/api.h"
#include "hip/memory/memory_registry.h"

namespace cuda_shim {
namespace {

template <class Element>
void fill_elements(char* dst, unsigned value, size_t count) {
    std::fill_n(reinterpret_cast<Element*>(dst), count, static_cast<Element>(value));
}

void fill_row(char* dst, const FillRegion& region, size_t count) {
    switch (region.element_bytes) {
        case 1:
            memset(dst, static_cast<int>(region.value & 0xff), count);
            break;
        case 2:
            fill_elements<uint16_t>(dst, region.value, count);
            break;
        default:
            fill_elements<uint32_t>(dst, region.value, count);
            break;
    }
}

void fill_rows(const FillRegion& region, size_t first, size_t last) {
    for (size_t row = first; row < last; ++row) {
        size_t slice = row / region.height, line = row % region.height;
        fill_row(region.dst + slice * region.slice + line * region.pitch, region, region.width);
    }
}

}  // namespace

bool FillCommand::cheap() const { return region_.bytes() <= kCheapBytes; }

hipError_t FillCommand::execute(Device&) {
    size_t rows = region_.height * region_.depth;
    if (region_.bytes() == 0) return hipSuccess;
    if (settings().check) {
        for (size_t row = 0; row < rows; ++row) {
            note_write(region_.dst + row / region_.height * region_.slice + row % region_.height * region_.pitch,
                       region_.row_bytes());
        }
    }
    if (region_.bytes() < kParallelBytes) {
        fill_rows(region_, 0, rows);
    } else if (rows == 1) {
        parallel_for(region_.width, kPieceBytes / region_.element_bytes, [&](size_t first, size_t last) {
            fill_row(region_.dst + first * region_.element_bytes, region_, last - first);
        });
    } else {
        parallel_for(rows, kPieceBytes / region_.row_bytes() + 1,
                     [&](size_t first, size_t last) { fill_rows(region_, first, last); });
    }
    return hipSuccess;
}

hipGraphExecUpdateResult FillCommand::may_become(const Command& other) const {
    const FillRegion& next = static_cast<const FillCommand&>(other).region_;
    if (region_.height == 1 && next.height == 1) return hipGraphExecUpdateSuccess;
    bool same_shape = region_.element_bytes == next.element_bytes && region_.width == next.width &&
                      region_.height == next.height && region_.pitch == next.pitch;
    return same_shape ? hipGraphExecUpdateSuccess : hipGraphExecUpdateErrorParametersChanged;
}

hipMemsetParams FillCommand::params() const {
    return {region_.dst, region_.element_bytes, region_.height, region_.pitch, region_.value, region_.width};
}

hipError_t check_fill(const FillRegion& region, Allocation* allocation_out) {
    if (region.element_bytes != 1 && region.element_bytes != 2 && region.element_bytes != 4)
        return hipErrorInvalidValue;
    if (region.width == 0 || region.height == 0 || region.depth == 0) return hipSuccess;
    if (!region.dst) return hipErrorInvalidValue;
    size_t unaligned = reinterpret_cast<uintptr_t>(region.dst) | (region.height > 1 ? region.pitch : 0);
    if (unaligned % region.element_bytes) return hipErrorInvalidValue;
    size_t row, rows, slices, span;
    if (__builtin_mul_overflow(region.width, size_t{region.element_bytes}, &row)) return hipErrorInvalidValue;
    if (region.height * region.depth > 1 && row > region.pitch) return hipErrorInvalidValue;
    if (__builtin_mul_overflow(region.pitch, region.height - 1, &rows) ||
        __builtin_mul_overflow(region.slice, region.depth - 1, &slices) ||
        __builtin_add_overflow(rows, slices, &span) || __builtin_add_overflow(span, row, &span)) {
        return hipErrorInvalidValue;
    }
    Allocation allocation;
    if (!MemoryRegistry::get().find(region.dst, allocation)) return hipErrorInvalidValue;
    if (allocation_out) *allocation_out = allocation;
    return MemoryRegistry::get().allows(allocation, region.dst, span, true) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t region_of(const hipMemsetParams& params, FillRegion& region) {
    region.dst = static_cast<char*>(params.dst);
    region.value = params.value;
    region.element_bytes = params.elementSize;
    region.width = params.width;
    region.height = params.height;
    region.pitch = params.pitch;
    if (params.width == 0 || params.height == 0) return hipErrorInvalidValue;
    return check_fill(region);
}

}  // namespace cuda_shim

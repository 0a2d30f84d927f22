// Running copies.
#include "hip/memory/copy.h"

#include <string.h>

#include "common/settings.h"
#include "engine/global_shadow.h"
#include "engine/thread_pool.h"
#include "hip/api.h"
#include "hip/memory/copy_past_caches.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

// CUDA and HIP stage pageable sources up to this size, so that such calls return without waiting.
constexpr size_t kStagedBytes = size_t{64} << 10;

bool overlap(const char* a, const char* b, size_t bytes) { return a < b + bytes && b < a + bytes; }

void copy_bytes(char* dst, const char* src, size_t bytes) {
    if (dst == src) return;
    if (overlap(dst, src, bytes)) {
        memmove(dst, src, bytes);
    } else if (bytes < kParallelBytes) {
        memcpy(dst, src, bytes);
    } else if (bytes >= bytes_beyond_caches()) {
        parallel_for(bytes, kPieceBytes,
                     [=](size_t first, size_t last) { copy_past_caches(dst + first, src + first, last - first); });
    } else {
        parallel_for(bytes, kPieceBytes,
                     [=](size_t first, size_t last) { memcpy(dst + first, src + first, last - first); });
    }
}

void copy_rows(const CopyRegion& region, size_t first, size_t last) {
    for (size_t row = first; row < last; ++row) {
        size_t slice = row / region.height, line = row % region.height;
        // memmove: the rows of one pitched allocation may overlap each other.
        memmove(region.dst + slice * region.dst_slice + line * region.dst_pitch,
                region.src + slice * region.src_slice + line * region.src_pitch, region.width);
    }
}

enum class End { Host, Device, Array, ByAddress };

// Classifies one end of a copy as graphs do, by the kind.
End end_of(Place place, hipMemcpyKind kind, hipMemcpyKind with_host) {
    if (place == Place::Array) return End::Array;
    if (kind == hipMemcpyDefault) return End::ByAddress;
    return kind == with_host || kind == hipMemcpyHostToHost ? End::Host : End::Device;
}

// The type of memory that the parameters of a driver's node have for an end without an array.
hipMemoryType memory_type_at(End end) {
    return end == End::Host ? hipMemoryTypeHost : end == End::Device ? hipMemoryTypeDevice : hipMemoryTypeUnified;
}

// True for a copy that was given a number of bytes, and no pitch.
bool is_one_row(const CopyRegion& region) {
    return region.height == 1 && region.depth == 1 && region.src_pitch == region.width &&
           region.dst_pitch == region.width;
}

// Marks the destination as written, so that checked kernels may read it.
void note_copied(const CopyRegion& region) {
    for (size_t row = 0; row < region.height * region.depth; ++row) {
        note_write(region.dst + row / region.height * region.dst_slice + row % region.height * region.dst_pitch,
                   region.width);
    }
}

bool contiguous(const CopyRegion& region) {
    bool rows = region.height == 1 || (region.dst_pitch == region.width && region.src_pitch == region.width);
    size_t slice = region.width * region.height;
    return rows && (region.depth == 1 || (region.dst_slice == slice && region.src_slice == slice));
}

}  // namespace

bool CopyCommand::cheap() const { return plan_.region.bytes() <= kCheapBytes; }

hipError_t CopyCommand::execute(Device&) {
    const CopyRegion& region = plan_.region;
    size_t rows = region.height * region.depth;
    if (region.bytes() == 0) return hipSuccess;
    if (settings().check && plan_.dst == Place::Device) note_copied(region);
    if (contiguous(region)) {
        copy_bytes(region.dst, region.src, region.bytes());
    } else if (region.bytes() < kParallelBytes) {
        copy_rows(region, 0, rows);
    } else {
        size_t grain = kPieceBytes / region.width + 1;
        parallel_for(rows, grain, [&](size_t first, size_t last) { copy_rows(region, first, last); });
    }
    return hipSuccess;
}

Activity CopyCommand::activity() const {
    static const char* const names[2][2] = {{"device to device", "device to host"}, {"host to device", "host to host"}};
    const auto on_host = [](Place place) { return place >= Place::Pinned; };
    return {"copy", names[on_host(plan_.src)][on_host(plan_.dst)], plan_.region.bytes()};
}

hipGraphExecUpdateResult CopyCommand::may_become(const Command& other) const {
    const CopyPlan& next = static_cast<const CopyCommand&>(other).plan_;
    bool same_ends =
        end_of(plan_.src, plan_.kind, hipMemcpyHostToDevice) == end_of(next.src, next.kind, hipMemcpyHostToDevice) &&
        end_of(plan_.dst, plan_.kind, hipMemcpyDeviceToHost) == end_of(next.dst, next.kind, hipMemcpyDeviceToHost);
    return same_ends ? hipGraphExecUpdateSuccess : hipGraphExecUpdateErrorParametersChanged;
}

hipMemcpy3DParms CopyCommand::params() const {
    if (params_) return *params_;
    const CopyRegion& region = plan_.region;
    hipMemcpy3DParms params;
    memset(static_cast<void*>(&params), 0, sizeof params);
    size_t dst_pitch = region.dst_pitch ? region.dst_pitch : region.width;
    size_t src_pitch = region.src_pitch ? region.src_pitch : region.width;
    params.srcPtr = {const_cast<char*>(region.src), src_pitch, region.width, region.height};
    params.dstPtr = {region.dst, dst_pitch, region.width, region.height};
    params.extent = {region.width, region.height, region.depth};
    params.kind = plan_.kind;
    return params;
}

HIP_MEMCPY3D CopyCommand::driver_params() const {
    if (driver_params_) return *driver_params_;
    const CopyRegion& region = plan_.region;
    HIP_MEMCPY3D params;
    memset(static_cast<void*>(&params), 0, sizeof params);
    params.srcMemoryType = memory_type_at(end_of(plan_.src, plan_.kind, hipMemcpyHostToDevice));
    params.dstMemoryType = memory_type_at(end_of(plan_.dst, plan_.kind, hipMemcpyDeviceToHost));
    if (params.srcMemoryType == hipMemoryTypeHost) {
        params.srcHost = region.src;
    } else {
        params.srcDevice = const_cast<char*>(region.src);
    }
    if (params.dstMemoryType == hipMemoryTypeHost) {
        params.dstHost = region.dst;
    } else {
        params.dstDevice = region.dst;
    }
    if (!is_one_row(region)) {  // a plain copy has no pitches, as from CUDA's driver
        params.srcPitch = region.src_pitch;
        params.srcHeight = region.height;
        params.dstPitch = region.dst_pitch;
        params.dstHeight = region.height;
    }
    params.WidthInBytes = region.width;
    params.Height = region.height;
    params.Depth = region.depth;
    return params;
}

void CopyCommand::stage() {
    CopyRegion& region = plan_.region;
    staged_.reset(new char[region.bytes()]);
    CopyRegion reading = region;
    reading.dst = staged_.get();
    reading.dst_pitch = region.width;
    reading.dst_slice = region.width * region.height;
    copy_rows(reading, 0, region.height * region.depth);
    region.src = reading.dst;
    region.src_pitch = reading.dst_pitch;
    region.src_slice = reading.dst_slice;
}

hipError_t copy_now(Stream& stream, const CopyPlan& plan) { return stream.run(CopyCommand(plan)); }

hipError_t copy_async(Stream& stream, const CopyPlan& plan, const hipMemcpy3DParms* params) {
    CopyCommand command(plan);
    if (params) command.remember(*params);
    bool waits = plan.pageable() || plan.between_hosts();
    if (!waits || stream.capture()) return stream.submit(std::move(command));
    bool stageable = plan.dst <= Place::Managed && plan.region.bytes() <= kStagedBytes;
    if (!stageable || stream.idle()) return stream.run(std::move(command));
    command.stage();
    return stream.submit(std::move(command));
}

hipError_t copy_in_stream(hipStream_t handle, const CopyPlan& plan, Wait wait, const hipMemcpy3DParms* params) {
    return with_stream(handle, [&](Stream& stream) {
        if (plan.region.bytes() == 0) return stream.device().sticky_error();
        if (wait == Wait::No) return copy_async(stream, plan, params);
        if (!plan.between_devices()) return copy_now(stream, plan);
        if (stream.capture()) return stream.refuse_under_capture();
        return stream.submit(CopyCommand(plan));
    });
}

hipError_t copy_linear(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, hipStream_t stream, Wait wait) {
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_linear(dst, src, bytes, kind, plan));
    return copy_in_stream(stream, plan, wait);
}

}  // namespace cuda_shim

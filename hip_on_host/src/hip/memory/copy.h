// Copies as commands, and the checks that come before them.
#pragma once
#include <cstddef>
#include <memory>

#include "hip/streams/command.h"

namespace cuda_shim {

class Stream;

// A block of rows: `depth` slices of `height` rows of `width` bytes. A plain copy is one row.
struct CopyRegion {
    char* dst = nullptr;
    const char* src = nullptr;
    size_t width = 0, height = 1, depth = 1;
    size_t dst_pitch = 0, dst_slice = 0;
    size_t src_pitch = 0, src_slice = 0;

    size_t bytes() const { return width * height * depth; }
};

// The kind of memory at one end of a copy: it decides which calls return before their work is done.
enum class Place {
    Device,
    Array,
    Managed,
    Pinned,    // host memory that HIP allocated or that was registered
    Pageable,  // ordinary host memory
};

// A checked region, with the kinds of memory at its ends.
struct CopyPlan {
    CopyRegion region;
    hipMemcpyKind kind = hipMemcpyDefault;
    Place src = Place::Device;
    Place dst = Place::Device;

    bool pageable() const { return src == Place::Pageable || dst == Place::Pageable; }
    bool between_devices() const { return src <= Place::Array && dst <= Place::Array; }
    bool between_hosts() const { return src >= Place::Pinned && dst >= Place::Pinned; }
};

class CopyCommand final : public Command {
public:
    explicit CopyCommand(const CopyPlan& plan) : plan_(plan) {}
    hipError_t execute(Device&) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeMemcpy; }
    CommandPtr clone() const override { return std::make_unique<CopyCommand>(*this); }
    bool cheap() const override;
    // A copy between other kinds of ends would be another node.
    hipGraphExecUpdateResult may_become(const Command& other) const override;

    Activity activity() const override;

    const CopyPlan& plan() const { return plan_; }
    // Parameters of a graph's memcpy node, where they have more than the region (arrays).
    void remember(const hipMemcpy3DParms& params) { params_ = std::make_shared<hipMemcpy3DParms>(params); }
    void remember(const HIP_MEMCPY3D& params) { driver_params_ = std::make_shared<HIP_MEMCPY3D>(params); }
    hipMemcpy3DParms params() const;
    HIP_MEMCPY3D driver_params() const;
    // Copies the source now, and keeps the copied bytes until the command has run.
    void stage();

private:
    CopyPlan plan_;
    std::shared_ptr<hipMemcpy3DParms> params_;
    std::shared_ptr<HIP_MEMCPY3D> driver_params_;
    std::shared_ptr<char[]> staged_;
};

// True if the kind allows this end to be memory of a device, such as an array.
bool may_begin_on_device(hipMemcpyKind kind);
bool may_end_on_device(hipMemcpyKind kind);

// Checks a copy and works out its region. hipErrorInvalidValue for pointers that the kind does not allow and for
// ranges that leave their allocation; hipErrorInvalidMemcpyDirection for a kind that is none;
// hipErrorInvalidPitchValue for rows wider than their pitch.
hipError_t plan_linear(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, CopyPlan& plan);
hipError_t plan_2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                   hipMemcpyKind kind, CopyPlan& plan);
hipError_t plan_3d(const hipMemcpy3DParms& params, CopyPlan& plan);
hipError_t plan_driver_3d(const HIP_MEMCPY3D& params, CopyPlan& plan);
HIP_MEMCPY3D widen(const hip_Memcpy2D& params);

// Runs the planned copy in the stream's order and waits for it.
hipError_t copy_now(Stream& stream, const CopyPlan& plan);
// Gives the planned copy to the stream. Copies that touch pageable memory are done before this returns, or their source
// is read, since the program may free or change that memory right after; copies from host memory to host memory are
// done, as CUDA's table of synchronous calls has it.
hipError_t copy_async(Stream& stream, const CopyPlan& plan, const hipMemcpy3DParms* params = nullptr);
// One of the two, in the stream behind the handle; even with Wait::Yes, copies from device to device are not waited
// for, since no program could see the difference. Without bytes to copy: the device's error, if any.
hipError_t copy_in_stream(hipStream_t handle, const CopyPlan& plan, Wait wait,
                          const hipMemcpy3DParms* params = nullptr);
hipError_t copy_linear(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, hipStream_t stream, Wait wait);

}  // namespace cuda_shim

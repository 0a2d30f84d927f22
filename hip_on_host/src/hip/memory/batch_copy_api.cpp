// Several copies in one call.
#include <string.h>

#include <vector>

#include "hip/api.h"
#include "hip/memory/array.h"
#include "hip/memory/copy.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

constexpr size_t kNoIndex = ~size_t{0};

struct Planned {
    CopyPlan plan;
    bool now;  // the source may change as soon as the call returns
};

bool reads_during_call(hipMemcpySrcAccessOrder order) { return order == hipMemcpySrcAccessOrderDuringApiCall; }

bool valid_order(hipMemcpySrcAccessOrder order) {
    return order >= hipMemcpySrcAccessOrderStream && order <= hipMemcpySrcAccessOrderAny;
}

hipError_t issue(hipStream_t handle, const std::vector<Planned>& copies) {
    return with_stream(handle, [&](Stream& stream) {
        // CUDA and HIP want a stream of the program's own here.
        if (stream.role() == StreamRole::Legacy) return hipErrorInvalidValue;
        for (const Planned& copy : copies) {
            if (copy.plan.region.bytes() == 0) continue;
            CUDA_SHIM_TRY(copy.now ? copy_now(stream, copy.plan) : copy_async(stream, copy.plan));
        }
        return hipSuccess;
    });
}

hipError_t plan_batch(void** dsts, void** srcs, size_t* sizes, size_t count, hipMemcpyAttributes* attributes,
                      size_t* first_of, size_t attribute_count, size_t* failed, std::vector<Planned>& copies) {
    if (!dsts || !srcs || !sizes || count == 0 || !attributes || !first_of || attribute_count == 0 ||
        attribute_count > count || first_of[0] != 0) {
        return hipErrorInvalidValue;
    }
    for (size_t i = 0; i < attribute_count; ++i) {
        if (!valid_order(attributes[i].srcAccessOrder)) return hipErrorInvalidValue;
        if (i && (first_of[i] <= first_of[i - 1] || first_of[i] >= count)) return hipErrorInvalidValue;
    }
    for (size_t i = 0, at = 0; i < count; ++i) {
        if (at + 1 < attribute_count && first_of[at + 1] == i) ++at;
        Planned copy{{}, reads_during_call(attributes[at].srcAccessOrder)};
        hipError_t status =
            sizes[i] ? plan_linear(dsts[i], srcs[i], sizes[i], hipMemcpyDefault, copy.plan) : hipErrorInvalidValue;
        if (status != hipSuccess) {
            if (failed) *failed = i;
            return status;
        }
        copies.push_back(copy);
    }
    return hipSuccess;
}

// A pointer's rows and layers are counted in elements, which are bytes unless the other end is an array.
hipError_t operand(const hipMemcpy3DOperand& source, const hipExtent& extent, size_t unit, hipArray_t& array,
                   hipPos& pos, hipPitchedPtr& pointer) {
    if (source.type == hipMemcpyOperandTypeArray) {
        array = source.op.array.array;
        pos = {source.op.array.offset.x, source.op.array.offset.y, source.op.array.offset.z};
        return hipSuccess;
    }
    if (source.type != hipMemcpyOperandTypePointer) return hipErrorInvalidValue;
    size_t row = source.op.ptr.rowLength ? source.op.ptr.rowLength : extent.width;
    size_t layer = source.op.ptr.layerHeight ? source.op.ptr.layerHeight : extent.height;
    pointer = {source.op.ptr.ptr, row * unit, row * unit, layer};
    return hipSuccess;
}

hipError_t plan_block(const hipMemcpy3DBatchOp& operation, Planned& copy) {
    if (!valid_order(operation.srcAccessOrder)) return hipErrorInvalidValue;
    size_t unit = 1;
    for (const hipMemcpy3DOperand* end : {&operation.src, &operation.dst}) {
        if (end->type != hipMemcpyOperandTypeArray) continue;
        Array* array = Array::resolve(end->op.array.array);
        if (!array) return hipErrorInvalidHandle;
        unit = array->element_bytes();
    }
    hipMemcpy3DParms params;
    memset(static_cast<void*>(&params), 0, sizeof params);
    CUDA_SHIM_TRY(operand(operation.src, operation.extent, unit, params.srcArray, params.srcPos, params.srcPtr));
    CUDA_SHIM_TRY(operand(operation.dst, operation.extent, unit, params.dstArray, params.dstPos, params.dstPtr));
    params.extent = operation.extent;
    params.kind = hipMemcpyDefault;
    copy.now = reads_during_call(operation.srcAccessOrder);
    return plan_3d(params, copy.plan);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count, hipMemcpyAttributes* attributes,
                               size_t* first_of, size_t attribute_count, size_t* failed, hipStream_t stream) {
    return api(__func__, [&]() -> hipError_t {
        if (failed) *failed = kNoIndex;
        std::vector<Planned> copies;
        CUDA_SHIM_TRY(plan_batch(dsts, srcs, sizes, count, attributes, first_of, attribute_count, failed, copies));
        return issue(stream, copies);
    });
}

hipError_t hipMemcpy3DBatchAsync(size_t count, hipMemcpy3DBatchOp* list, size_t* failed, unsigned long long flags,
                                 hipStream_t stream) {
    return api(__func__, [&]() -> hipError_t {
        if (failed) *failed = kNoIndex;
        if (!list || count == 0 || flags != 0) return hipErrorInvalidValue;
        std::vector<Planned> copies;
        for (size_t i = 0; i < count; ++i) {
            Planned copy{{}, false};
            if (hipError_t status = plan_block(list[i], copy)) {
                if (failed) *failed = i;
                return status;
            }
            copies.push_back(copy);
        }
        return issue(stream, copies);
    });
}

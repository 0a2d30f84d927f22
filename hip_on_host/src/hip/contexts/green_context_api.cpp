// hipDevResource*, hipDevSmResource*, hipGreenCtxCreate and hipExecutionCtx*. The "multiprocessors" of a host are
// cores.
#include <string.h>

#include <algorithm>

#include "hip/api.h"
#include "hip/contexts/green_context.h"
#include "hip/handle_table.h"
#include "hip/streams/event.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

// They exclude each other.
constexpr unsigned kSplitFlags =
    hipDevSmResourceSplitIgnoreSmCoscheduling | hipDevSmResourceSplitMaxPotentialClusterSize;
constexpr unsigned kGreenContextFlags = 1;  // CUDA's CU_GREEN_CTX_DEFAULT_STREAM

// Contents of the struct's own bytes, so that a struct that the program made up is recognised.
struct Inside {
    char mark[8];
    CoreRange cores;
};
constexpr char kMark[8] = {'c', 'o', 'r', 'e', 's', ' ', 'o', 'f'};
static_assert(sizeof(Inside) <= sizeof(hipDevResource_st::_internal_padding));

// A description of one or several resources, from which contexts are made.
struct ResourceDescription {
    CoreRange cores;
    hipDevResourceDesc_t handle() { return reinterpret_cast<hipDevResourceDesc_t>(this); }
};

CoreRange all_cores(const Device& device) {
    return {device.ordinal(), 0, static_cast<unsigned>(device.properties().multiProcessorCount)};
}

void describe(const CoreRange& cores, hipDevResource_st& out) {
    memset(static_cast<void*>(&out), 0, sizeof out);
    if (cores.count == 0) return;  // type "invalid", as CUDA returns for an empty remainder
    out.type = hipDevResourceTypeSm;
    out.sm = {cores.count, 1, 1, 0};
    Inside inside;
    memset(static_cast<void*>(&inside), 0, sizeof inside);
    memcpy(inside.mark, kMark, sizeof kMark);
    inside.cores = cores;
    memcpy(out._internal_padding, &inside, sizeof inside);
}

bool read_cores(const hipDevResource_st* resource, CoreRange& cores) {
    if (!resource || resource->type != hipDevResourceTypeSm) return false;
    Inside inside;
    memcpy(static_cast<void*>(&inside), resource->_internal_padding, sizeof inside);
    if (memcmp(inside.mark, kMark, sizeof kMark) != 0) return false;
    Device* device = device_at(inside.cores.device);
    if (!device) return false;
    const unsigned most = all_cores(*device).count;
    cores = inside.cores;
    return cores.count > 0 && cores.first < most && cores.count <= most - cores.first;
}

CoreRange take(CoreRange& remaining, unsigned count) {
    CoreRange range = remaining;
    range.count = count;
    remaining.first += count;
    remaining.count -= count;
    return range;
}

hipError_t describe_cores(const CoreRange& cores, hipDevResource_st* resource, hipDevResourceType type) {
    if (!resource) return hipErrorInvalidValue;
    if (type != hipDevResourceTypeSm) return hipErrorInvalidResourceType;
    describe(cores, *resource);
    return hipSuccess;
}

hipError_t split_by_count(hipDevResource_st* result, unsigned* groups, const hipDevResource_st* input,
                          hipDevResource_st* remainder, unsigned flags, unsigned least) {
    CoreRange remaining;
    // CUDA takes flags that it does not know.
    if (!groups || (flags & kSplitFlags) == kSplitFlags || !read_cores(input, remaining)) return hipErrorInvalidValue;
    const unsigned size = std::max(least, 1u);
    if (size > remaining.count) return hipErrorInvalidResourceConfiguration;
    const unsigned possible = remaining.count / size;
    if (!result) {
        *groups = possible;
        return hipSuccess;
    }
    if (*groups == 0) return hipErrorInvalidValue;
    *groups = std::min(*groups, possible);
    for (unsigned i = 0; i < *groups; ++i) describe(take(remaining, size), result[i]);
    if (remainder) describe(remaining, *remainder);
    return hipSuccess;
}

hipError_t split(hipDevResource_st* result, unsigned groups, const hipDevResource_st* input,
                 hipDevResource_st* remainder, unsigned flags, hipDevSmResourceGroupParams_st* params) {
    CoreRange remaining;
    if (!params || groups == 0 || flags != 0 || !read_cores(input, remaining)) return hipErrorInvalidValue;
    for (unsigned i = 0; i < groups; ++i) {
        if (params[i].flags & ~unsigned{hipDevSmResourceGroupBackfill}) return hipErrorInvalidValue;
        if (params[i].smCount == 0) params[i].smCount = remaining.count;  // as many as there are
        if (params[i].smCount == 0 || params[i].smCount > remaining.count) return hipErrorInvalidResourceConfiguration;
        CoreRange group = take(remaining, params[i].smCount);
        if (result) describe(group, result[i]);
    }
    if (remainder) describe(remaining, *remainder);
    return hipSuccess;
}

// The description of a range of cores: one for each range, as HIP has no call that destroys any.
ResourceDescription& description_of(const CoreRange& cores) {
    HandleTable<ResourceDescription>& table = live_handles<ResourceDescription>();
    ResourceDescription* existing = nullptr;
    {
        std::lock_guard<HandleTable<ResourceDescription>> lock(table);
        table.for_each([&](ResourceDescription& each) {
            if (each.cores == cores) existing = &each;
        });
    }
    if (existing) return *existing;
    auto* description = new ResourceDescription{cores};
    table.add(description);
    return *description;
}

hipError_t generate(hipDevResourceDesc_t* out, const hipDevResource_st* resources, unsigned count) {
    if (!out || !resources || count == 0) return hipErrorInvalidValue;
    CoreRange device_range;
    for (unsigned i = 0; i < count; ++i) {
        CoreRange part;
        if (!read_cores(&resources[i], part)) return hipErrorInvalidValue;
        if (i == 0) device_range = part;
        // Several groups make one that has their cores, when they lie side by side.
        else if (part.device == device_range.device && part.first == device_range.first + device_range.count)
            device_range.count += part.count;
        else
            return hipErrorInvalidResourceConfiguration;
    }
    *out = description_of(device_range).handle();
    return hipSuccess;
}

hipError_t create(hipExecutionCtx_t* out, hipDevResourceDesc_t desc, int ordinal, unsigned flags) {
    auto* description = reinterpret_cast<ResourceDescription*>(desc);
    if (!out || (flags & ~kGreenContextFlags) || !live_handles<ResourceDescription>().contains(description)) {
        return hipErrorInvalidValue;
    }
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidDevice;
    if (description->cores.device != ordinal) return hipErrorInvalidValue;
    *out = (new ExecutionContext(*device, description->cores, false))->handle();
    return hipSuccess;
}

hipError_t whole_context(hipExecutionCtx_t* out, int ordinal) {
    Device* device = device_at(ordinal);
    if (!device) return hipErrorInvalidDevice;
    if (!out) return hipErrorInvalidValue;
    static std::mutex mutex;
    static auto* const contexts = new std::vector<ExecutionContext*>(devices().size());  // as long as the devices
    std::lock_guard<std::mutex> lock(mutex);
    ExecutionContext*& context = (*contexts)[static_cast<size_t>(ordinal)];
    if (!context) context = new ExecutionContext(*device, all_cores(*device), true);
    *out = context->handle();
    return hipSuccess;
}

template <class Use>
hipError_t with_context(hipExecutionCtx_t handle, Use&& use) {
    ExecutionContext* context = ExecutionContext::resolve(handle);
    return context ? use(*context) : hipErrorInvalidContext;
}

template <class Use>
hipError_t with_event(hipEvent_t handle, Use&& use) {
    Event* event = Event::resolve(handle);
    return event ? use(*event) : hipErrorInvalidHandle;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipDeviceGetDevResource(int device, hipDevResource_st* resource, hipDevResourceType type) {
    return api(__func__, [&] {
        Device* target = device_at(device);
        return target ? describe_cores(all_cores(*target), resource, type) : hipErrorInvalidDevice;
    });
}

hipError_t hipDevSmResourceSplitByCount(hipDevResource_st* result, unsigned int* nbGroups,
                                        const hipDevResource_st* input, hipDevResource_st* remainder,
                                        unsigned int flags, unsigned int minCount) {
    return api(__func__, [&] { return split_by_count(result, nbGroups, input, remainder, flags, minCount); });
}

hipError_t hipDevSmResourceSplit(hipDevResource_st* result, unsigned int nbGroups, const hipDevResource_st* input,
                                 hipDevResource_st* remainder, unsigned int flags,
                                 hipDevSmResourceGroupParams_st* groupParams) {
    return api(__func__, [&] { return split(result, nbGroups, input, remainder, flags, groupParams); });
}

hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t* phDesc, hipDevResource_st* resources,
                                      unsigned int nbResources) {
    return api(__func__, [&] { return generate(phDesc, resources, nbResources); });
}

hipError_t hipGreenCtxCreate(hipExecutionCtx_t* ctx, hipDevResourceDesc_t desc, int device, unsigned int flags) {
    return api(__func__, [&] { return create(ctx, desc, device, flags); });
}

hipError_t hipDeviceGetExecutionCtx(hipExecutionCtx_t* ctx, int device) {
    return api(__func__, [&] { return whole_context(ctx, device); });
}

hipError_t hipExecutionCtxDestroy(hipExecutionCtx_t ctx) {
    return api(__func__, [&] {
        return with_context(ctx, [](ExecutionContext& context) {
            if (context.is_whole_device()) return hipErrorInvalidValue;
            const std::unique_ptr<ExecutionContext> claimed = claim_handle<ExecutionContext>(&context);
            if (!claimed) return hipErrorInvalidContext;
            end_resources(claimed->ending());
            return hipSuccess;
        });
    });
}

hipError_t hipExecutionCtxStreamCreate(hipStream_t* stream, hipExecutionCtx_t ctx, unsigned int flags, int priority) {
    return api(__func__, [&] {
        return with_context(ctx, [&](ExecutionContext& context) {
            if (!stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking)) return hipErrorInvalidValue;
            *stream = context.create_stream(flags, priority).handle();
            return hipSuccess;
        });
    });
}

hipError_t hipExecutionCtxGetDevResource(hipExecutionCtx_t ctx, hipDevResource_st* resource, hipDevResourceType type) {
    return api(__func__, [&] {
        return with_context(ctx,
                            [&](ExecutionContext& context) { return describe_cores(context.cores(), resource, type); });
    });
}

hipError_t hipExecutionCtxGetDevice(int* device, hipExecutionCtx_t ctx) {
    return api(__func__, [&] {
        return with_context(ctx, [&](ExecutionContext& context) {
            if (!device) return hipErrorInvalidValue;
            *device = context.device().ordinal();
            return hipSuccess;
        });
    });
}

hipError_t hipExecutionCtxGetId(hipExecutionCtx_t ctx, unsigned long long* ctxId) {
    return api(__func__, [&] {
        return with_context(ctx, [&](ExecutionContext& context) {
            if (!ctxId) return hipErrorInvalidValue;
            *ctxId = context.id();
            return hipSuccess;
        });
    });
}

hipError_t hipExecutionCtxRecordEvent(hipExecutionCtx_t ctx, hipEvent_t event) {
    return api(__func__, [&] {
        return with_context(ctx, [&](ExecutionContext& context) {
            return with_event(event, [&](Event& target) { return target.record(context.joint(), false); });
        });
    });
}

hipError_t hipExecutionCtxWaitEvent(hipExecutionCtx_t ctx, hipEvent_t event) {
    return api(__func__, [&] {
        return with_context(ctx, [&](ExecutionContext& context) {
            return with_event(event, [&](Event& target) -> hipError_t {
                for (Stream* stream : context.streams()) CUDA_SHIM_TRY(target.make_wait(*stream, false));
                return hipSuccess;
            });
        });
    });
}

hipError_t hipExecutionCtxSynchronize(hipExecutionCtx_t ctx) {
    return api(__func__, [&] {
        return with_context(ctx, [](ExecutionContext& context) -> hipError_t {
            for (Stream* stream : context.streams()) {
                CUDA_SHIM_TRY(stream->refuse_under_capture());
                CUDA_SHIM_TRY(stream->synchronise());
            }
            return context.is_whole_device() ? context.device().synchronise() : hipSuccess;
        });
    });
}

hipError_t hipStreamGetDevResource(hipStream_t stream, hipDevResource_st* resource, hipDevResourceType type) {
    return api(__func__, [&] {
        return with_stream(stream, [&](Stream& target) {
            const CoreRange& part = target.cores();
            return describe_cores(part.count ? part : all_cores(target.device()), resource, type);
        });
    });
}

#include "engine/access_checker.h"

#include <fnmatch.h>
#include <string.h>

#include <algorithm>

#include "common/log.h"
#include "common/settings.h"
#include "engine/device_heap.h"
#include "engine/faults.h"
#include "engine/fibre_block.h"
#include "engine/services.h"

namespace cuda_shim {
namespace {

thread_local AccessChecker* running_checker = nullptr;

MemoryRange range_of(const void* base, size_t bytes, bool writable = false) {
    return {reinterpret_cast<uintptr_t>(base), bytes, true, writable, false};
}

const char* describe_kind(uint32_t kind) {
    if (kind & CUDA_SHIM_ACCESS_ATOMIC) return "atomic operation on";
    return kind & CUDA_SHIM_ACCESS_WRITE ? "write of" : "read of";
}

std::string count_of_bytes(uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

bool matches_kernel(const std::string& pattern, const Kernel& kernel) {
    if (pattern.empty()) return true;
    return fnmatch(pattern.c_str(), kernel.name.c_str(), 0) == 0 ||
           fnmatch(pattern.c_str(), kernel.symbol.source_name, 0) == 0;
}

}  // namespace

AccessChecker::AccessChecker(FibreBlock& block, unsigned warp_shift) : block_(block), order_(warp_shift) {}

AccessChecker* AccessChecker::current() { return running_checker; }

void* const* AccessChecker::prepare(const KernelLaunch& launch, void* dynamic_shared) {
    if (module_ != launch.kernel->module) is_program_place_.clear();
    module_ = launch.kernel->module;
    kernel_ = launch.kernel;
    running_ = launch.running;
    reports_ = matches_kernel(settings().check_kernel, *kernel_);
    steps_.prepare(launch);
    const CudaShimSymbol& symbol = kernel_->symbol;
    const uint32_t count = symbol.parameter_count;
    constexpr size_t kAlignment = 64;
    argument_values_.resize(kAlignment +
                            (count ? symbol.parameter_offset[count - 1] + symbol.parameter_size[count - 1] : 0));
    arguments_.resize(count);
    const auto start = reinterpret_cast<uintptr_t>(argument_values_.data());
    char* const aligned = argument_values_.data() + (kAlignment - start % kAlignment) % kAlignment;
    for (uint32_t i = 0; i < count; i++) {
        arguments_[i] = aligned + symbol.parameter_offset[i];
        memcpy(arguments_[i], launch.args[i], symbol.parameter_size[i]);
    }
    runtime_ranges_ = {range_of(argument_values_.data(), argument_values_.size()),
                       range_of(arguments_.data(), arguments_.size() * sizeof(void*)),
                       range_of(&runtime_services(), sizeof(CudaShimRuntimeServices)), range_of(&block_, sizeof block_),
                       block_.descriptions()};
    static_shared_ = range_of(module_->thread_locals_here(), module_->thread_local_bytes(), true);
    dynamic_shared_ = range_of(dynamic_shared, launch.dynamic_shared_bytes, true);
    shadow_.resize(static_shared_.bytes + dynamic_shared_.bytes);
    shadow_.forget();
    recent_ = {};
    return arguments_.data();
}

void AccessChecker::start_block() {
    running_checker = this;
    if (order_.start_block()) shadow_.forget();
    racing_write_.bytes = unwritten_read_.bytes = pending_write_.bytes = 0;
    meetings_[0] = meetings_[1] = {};
    memset(passed_barriers_, 0, sizeof passed_barriers_);
    opened_barriers_ = 0;
    block_number_ = static_cast<uint32_t>(block_.block());
    epoch_ = running_->epoch();
    block_sync_ = 0;
    memset(thread_sync_, 0, sizeof thread_sync_);
    steps_.start_block(block_.block());
}

void AccessChecker::resume_block() { running_checker = this; }

void AccessChecker::run_thread(const CudaShimKernelRun& run) {
    steps_.begin_thread(block_.current_thread());
    kernel_->symbol.run_threads(&run);
    steps_.end_thread(block_.current_thread());
    settle_write();
    if (block_.is_last_thread()) settle_unwritten_read();
}

void AccessChecker::access(uintptr_t address, uint64_t bytes, uint32_t kind, const CallSite& site) {
    if (kind & CUDA_SHIM_ACCESS_FENCE) return fence(kind);
    if (block_.is_on_stacks(address) || bytes == 0) return;
    if (!reports_) {
        if (kind & CUDA_SHIM_ACCESS_WRITE) note_write(reinterpret_cast<const void*>(address), bytes);
        return;
    }
    settle_write();
    const Access access{address, bytes, kind, site};
    if (!(kind & CUDA_SHIM_ACCESS_UNALIGNED) && address % bytes != 0) {
        stop(hipErrorIllegalAddress, "misaligned",
             std::string("misaligned ") + describe_kind(kind) + " " + count_of_bytes(bytes) + " at address " +
                 hexadecimal(address),
             access);
    }
    size_t offset;
    if (is_shared(access, offset)) {
        check_shared(access, offset);
    } else {
        const MemoryRange* range = cached_range(access);
        if (!range && !cache_if_allowed(access)) report_outside(access);
        if (!range) range = cached_range(access);  // stays null for a texture object
        if (range && range->global) check_global(access);
    }
    if (access.synchronises()) order_threads(access);
    if (steps_.followed(block_.current_thread())) print_step(access);
}

void AccessChecker::fence(uint32_t kind) {
    if (!reports_) return;
    order_.fence(block_.current_thread(), kind & CUDA_SHIM_ACCESS_ACQUIRE, kind & CUDA_SHIM_ACCESS_RELEASE,
                 block_.thread_count());
}

// The accesses of other threads that an atomic operation puts before those that follow it, and the other way round.
void AccessChecker::order_threads(const Access& access) {
    const unsigned thread = block_.current_thread(), threads = block_.thread_count();
    if (access.reads()) order_.observe(access.address, thread, access.kind & CUDA_SHIM_ACCESS_ACQUIRE, threads);
    if (access.writes())
        order_.publish(access.address, thread, access.kind & CUDA_SHIM_ACCESS_RELEASE, access.reads(), threads);
}

bool AccessChecker::is_shared(const Access& access, size_t& offset) {
    if (static_shared_.contains(access.address)) {
        offset = access.address - static_shared_.base;
        const ThreadLocal* variable = shared_variable_at(offset, access.bytes);
        if (!variable) report_outside(access);
        return true;
    }
    if (!dynamic_shared_.contains(access.address)) return false;
    offset = access.address - dynamic_shared_.base;
    if (access.bytes > dynamic_shared_.bytes - offset) report_outside(access);
    offset += static_shared_.bytes;
    return true;
}

// The variable that holds all of the bytes, which begin `offset` into the worker's copy of the module's variables.
const ThreadLocal* AccessChecker::shared_variable_at(size_t offset, uint64_t bytes) {
    const std::vector<ThreadLocal>& variables = module_->thread_locals();
    auto holds = [&](const ThreadLocal& variable) {
        return offset >= variable.offset && offset + bytes <= variable.offset + variable.bytes;
    };
    if (last_variable_ >= variables.size() || !holds(variables[last_variable_])) {
        const auto match = std::find_if(variables.begin(), variables.end(), holds);
        if (match == variables.end()) return nullptr;
        last_variable_ = static_cast<size_t>(match - variables.begin());
    }
    const ThreadLocal& variable = variables[last_variable_];
    if (variable.name != kThreadState) return &variable;
    const bool in_guard = offset < variable.offset + CUDA_SHIM_THREAD_STATE_GUARD ||
                          offset + bytes > variable.offset + variable.bytes - CUDA_SHIM_THREAD_STATE_GUARD;
    return in_guard ? nullptr : &variable;
}

void AccessChecker::check_shared(const Access& access, size_t offset) {
    const bool in_static = offset < static_shared_.bytes;
    if (in_static && module_->thread_locals()[last_variable_].name == kThreadState) return;
    if (access.reads() && !unwritten_read_.bytes && !shadow_.any_written(offset, access.bytes)) {
        unwritten_offset_ = offset;
        suspect(unwritten_read_, "shared-unwritten", access,
                "read of " + count_of_bytes(access.bytes) +
                    " of shared memory that no thread of "
                    "the block has written, " +
                    describe_shared(access.address));
    }
    const Touch current{order_.now(), module_->offset_of(place_in_program(access.site)),
                        static_cast<uint16_t>(block_.current_thread()), access.atomic(), access.polls()};
    bool wrote = false;
    if (const Touch* earlier = shadow_.find_conflict(offset, access.bytes, current, access.writes(), wrote)) {
        report_race(access, std::string("race on shared memory: ") + describe_kind(access.kind) + " " +
                                count_of_bytes(access.bytes) + " " + describe_shared(access.address) +
                                ", which thread " + describe_thread(earlier->thread) + (wrote ? " wrote" : " read") +
                                describe_site(module_->address_of(earlier->place)) + " with no barrier in between");
    }
    shadow_.record(offset, access.bytes, current, access.reads(), access.writes());
}

// A write is not reported before it is known that it changes something: all threads of a block setting one flag is
// harmless, and common.
void AccessChecker::report_race(const Access& access, std::string text) {
    if (access.reads() || access.bytes > sizeof bytes_before_write_)
        stop(hipErrorLaunchFailure, "shared-race", std::move(text), access);
    suspect(racing_write_, "shared-race", access, std::move(text));
    memcpy(bytes_before_write_, reinterpret_cast<const void*>(access.address), access.bytes);
}

void AccessChecker::suspect(Suspicion& suspicion, const char* kind, const Access& access, std::string text) {
    suspicion.kind = kind;
    suspicion.address = access.address;
    suspicion.bytes = access.bytes;
    suspicion.calls = calls_from(access.site);
    suspicion.calls.thread = static_cast<int>(block_.current_thread());
    suspicion.text = std::move(text);
}

void AccessChecker::settle_write() {
    if (pending_write_.bytes) settle_global_write();
    if (__builtin_expect(racing_write_.bytes == 0, 1)) return;
    const uint64_t bytes = racing_write_.bytes;
    racing_write_.bytes = 0;
    if (memcmp(bytes_before_write_, reinterpret_cast<const void*>(racing_write_.address), bytes) == 0) return;
    stop_kernel(hipErrorLaunchFailure, racing_write_.text.c_str(), racing_write_.calls, racing_write_.kind,
                racing_write_.address, bytes);
}

// All threads have reached the next barrier, and no write before it raced with the read.
void AccessChecker::settle_unwritten_read() {
    if (unwritten_read_.bytes == 0) return;
    const uint64_t bytes = unwritten_read_.bytes;
    unwritten_read_.bytes = 0;
    if (shadow_.any_written(unwritten_offset_, bytes)) return;
    stop_kernel(hipErrorLaunchFailure, unwritten_read_.text.c_str(), unwritten_read_.calls, unwritten_read_.kind,
                unwritten_read_.address, bytes);
}

// The range found lately that holds the access, and allows it; null when there is none.
const MemoryRange* AccessChecker::cached_range(const Access& access) {
    for (size_t i = 0; i < recent_.size(); i++) {
        const MemoryRange& range = recent_[i];
        if (!range.contains(access.address) || access.bytes > range.bytes - (access.address - range.base)) continue;
        if ((access.reads() && !range.readable) || (access.writes() && !range.writable)) return nullptr;
        if (i) std::swap(recent_[i], recent_[i - 1]);
        return &recent_[i ? i - 1 : 0];
    }
    return nullptr;
}

bool AccessChecker::find_range(uintptr_t address, MemoryRange& range) const {
    if (memory_lookup().find(address, range)) return true;
    for (const MemoryRange& runtime_range : runtime_ranges_) {
        if (!runtime_range.contains(address)) continue;
        range = runtime_range;
        return true;
    }
    return module_->find_variable(address, range) || find_in_device_heap(address, range);
}

// True if a texture or surface function reads its object, which is the runtime's memory, not the program's.
bool AccessChecker::is_of_texture_unit(const Access& access) const {
    const auto place = reinterpret_cast<uintptr_t>(access.site.place);
    for (const char* header : {"/texture", "/texels", "/surface"}) {
        if (module_->is_from_header(place, header)) return true;
    }
    return false;
}

// An access may go over into the next range where virtual memory was mapped in pieces.
bool AccessChecker::cache_if_allowed(const Access& access) {
    const uintptr_t end = access.address + access.bytes;
    MemoryRange range;
    for (uintptr_t at = access.address; at < end; at = range.base + range.bytes) {
        if (!find_range(at, range)) return is_of_texture_unit(access);
        if ((access.reads() && !range.readable) || (access.writes() && !range.writable)) return false;
    }
    std::copy_backward(recent_.begin(), recent_.end() - 1, recent_.end());
    recent_[0] = range;
    return true;
}

void AccessChecker::index_outside(const char* array, int64_t index, const CallSite& site) {
    if (!reports_) return;
    settle_write();
    stop(hipErrorIllegalAddress, "out-of-bounds",
         "index " + std::to_string(index) + " is out of bounds of an array of type " + array, {0, 0, 0, site});
}

void AccessChecker::report_outside(const Access& access) {
    std::string text = "illegal ";
    text += describe_kind(access.kind);
    text += " " + count_of_bytes(access.bytes) + " at address " + hexadecimal(access.address);
    const std::string what = describe_outside(access.address);
    stop(hipErrorIllegalAddress, "out-of-bounds",
         text + (what.empty() ? ", where the device has no memory" : ", " + what), access);
}

std::string AccessChecker::describe_outside(uintptr_t address) const {
    MemoryRange range;
    if (memory_lookup().find(address, range)) {
        if (!range.readable || !range.writable) return "which may not be used so";
        return "which goes over the end of the " + count_of_bytes(range.bytes) + " there";
    }
    NearestMemory nearest(address);
    consider_shared(nearest);
    consider_device_heap(nearest);
    memory_lookup().consider(nearest);
    return nearest.describe();
}

void AccessChecker::consider_shared(NearestMemory& nearest) const {
    for (const ThreadLocal& variable : module_->thread_locals()) {
        if (variable.name == kThreadState) continue;
        nearest.consider({static_shared_.base + variable.offset, variable.bytes}, "shared variable " + variable.name);
    }
    nearest.consider(dynamic_shared_, "dynamic shared memory");
}

// Describes the address by the shared variable that holds it.
std::string AccessChecker::describe_shared(uintptr_t address) const {
    NearestMemory nearest(address);
    consider_shared(nearest);
    return nearest.describe();
}

std::string AccessChecker::describe_site(uintptr_t place) const {
    CallChain calls;
    calls.collect(place, 0, 0);
    const std::string text = module_->describe_place(calls);
    return text.empty() ? "" : " at " + text;
}

std::string AccessChecker::describe_thread(unsigned thread) const { return block_.describe_thread(thread); }

CallChain AccessChecker::calls_from(const CallSite& site) const {
    CallChain calls;
    const auto frame = reinterpret_cast<uintptr_t>(site.frame);
    calls.collect(reinterpret_cast<uintptr_t>(site.place), frame,
                  block_.is_on_own_stack(frame) ? block_.stack_limit() : 0);
    return calls;
}

// The innermost place of the call that is in the program's own text: built-ins are functions of headers.
uintptr_t AccessChecker::place_in_program(const CallSite& site) {
    const auto innermost = reinterpret_cast<uintptr_t>(site.place);
    auto is_program = [this](uintptr_t place) {
        const auto [entry, is_new] = is_program_place_.try_emplace(place, false);
        if (is_new) entry->second = module_->is_of_program(place);
        return entry->second;
    };
    if (is_program(innermost)) return innermost;
    const CallChain calls = calls_from(site);
    for (unsigned i = 1; i < calls.count; i++) {
        if (is_program(calls.places[i])) return calls.places[i];
    }
    return innermost;
}

void AccessChecker::stop(hipError_t error, const char* kind, std::string text, const Access& access) {
    finding_ = std::move(text);
    stop_kernel(error, finding_.c_str(), calls_from(access.site), kind, access.address, access.bytes);
}

}  // namespace cuda_shim

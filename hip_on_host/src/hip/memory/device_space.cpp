#include "hip/memory/device_space.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <set>

#include "common/address_space.h"
#include "common/log.h"
#include "hip/fork.h"
#include "hip/memory/rounding.h"

namespace cuda_shim {
namespace {

constexpr size_t kLarge = size_t{1} << 20;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kChunk = kHugePage;  // the unit that is cut into small blocks
constexpr size_t kLeastRange = size_t{1} << 30;
constexpr size_t kLimitedRange = size_t{256} << 20;  // for a process with limited addresses
constexpr size_t kRangesOfMemory = 4;                // multiple of the machine's memory: holes cost nothing

// Room for nodes of maps and sets, kept from one to the next.
class Nodes {
public:
    // Makes room for `count` nodes, including those in use. May throw std::bad_alloc.
    void reserve(size_t count) {
        for (; all_ < count; ++all_) give(::operator new(kBytes));
    }
    void* take() {
        Node* node = free_;
        free_ = node->next;
        return node;
    }
    void give(void* room) { free_ = new (room) Node{free_}; }

    static constexpr size_t kBytes = 64;

private:
    struct Node {
        Node* next;
    };
    Node* free_ = nullptr;
    size_t all_ = 0;
};

template <class Type>
struct FromNodes {
    using value_type = Type;

    explicit FromNodes(Nodes& from) : nodes(&from) {}
    template <class Other>
    FromNodes(const FromNodes<Other>& other) : nodes(other.nodes) {}

    Type* allocate(size_t) {
        static_assert(sizeof(Type) <= Nodes::kBytes, "a node has room");
        return static_cast<Type*>(nodes->take());
    }
    void deallocate(Type* node, size_t) { nodes->give(node); }
    template <class Other>
    bool operator==(const FromNodes<Other>& other) const {
        return nodes == other.nodes;
    }
    template <class Other>
    bool operator!=(const FromNodes<Other>& other) const {
        return nodes != other.nodes;
    }

    Nodes* nodes;
};

// Free stretches of addresses. The smallest that fits is cut; neighbours that are given back become one again. To give
// back needs no memory: between two taken blocks is at most one stretch, and one more in each range.
class FreeList {
public:
    // Adds a range of its own. May throw std::bad_alloc.
    void add(uintptr_t base, size_t bytes) {
        reserve(allocated_ + ranges_ + 1);
        ++ranges_;
        put(base, bytes);
    }

    void give(uintptr_t base, size_t bytes) {
        --allocated_;
        put(base, bytes);
    }

    // 0 when nothing fits. May throw std::bad_alloc.
    uintptr_t take(size_t bytes, size_t alignment) {
        reserve(allocated_ + ranges_ + 1);
        for (auto fit = by_size_.lower_bound({bytes, 0}); fit != by_size_.end(); ++fit) {
            const auto [size, base] = *fit;
            const uintptr_t start = round_up(base, alignment);
            if (start - base > size - bytes) continue;
            cut(base, size, start, bytes);
            ++allocated_;
            return start;
        }
        return 0;
    }

    // Takes a range of its own out for good; false when some of it is in use.
    bool take_range(uintptr_t base, size_t bytes) {
        const auto stretch = by_base_.find(base);
        if (stretch == by_base_.end() || stretch->second != bytes) return false;
        erase(stretch);
        --ranges_;
        return true;
    }

    // Takes a whole range within the free stretch at `inside` out for good; 0 when there is none.
    uintptr_t take_chunk(uintptr_t inside) {
        auto stretch = by_base_.upper_bound(inside);
        if (stretch == by_base_.begin()) return 0;
        --stretch;
        const auto [base, size] = *stretch;
        const uintptr_t chunk = round_up(base, kChunk);
        if (chunk + kChunk > base + size) return 0;
        cut(base, size, chunk, kChunk);
        --ranges_;
        return chunk;
    }

private:
    using ByBase = std::map<uintptr_t, size_t, std::less<>, FromNodes<std::pair<const uintptr_t, size_t>>>;
    using BySize = std::set<std::pair<size_t, uintptr_t>, std::less<>, FromNodes<std::pair<size_t, uintptr_t>>>;

    void reserve(size_t stretches) { nodes_.reserve(2 * stretches); }
    void put(uintptr_t base, size_t bytes) {
        auto after = by_base_.lower_bound(base);
        if (after != by_base_.begin()) {
            auto before = std::prev(after);
            if (before->first + before->second == base) {
                base = before->first;
                bytes += before->second;
                erase(before);
            }
        }
        if (after != by_base_.end() && base + bytes == after->first) {
            bytes += after->second;
            erase(after);
        }
        insert(base, bytes);
    }
    void cut(uintptr_t base, size_t size, uintptr_t start, size_t bytes) {
        by_size_.erase({size, base});
        by_base_.erase(base);
        if (start > base) insert(base, start - base);
        if (start + bytes < base + size) insert(start + bytes, base + size - start - bytes);
    }
    void insert(uintptr_t base, size_t bytes) {
        by_base_.emplace(base, bytes);
        by_size_.emplace(bytes, base);
    }
    void erase(ByBase::iterator stretch) {
        by_size_.erase({stretch->second, stretch->first});
        by_base_.erase(stretch);
    }

    Nodes nodes_;
    size_t allocated_ = 0, ranges_ = 0;
    ByBase by_base_{FromNodes<ByBase::value_type>(nodes_)};
    BySize by_size_{FromNodes<BySize::value_type>(nodes_)};
};

class DeviceSpace final : public ForkParticipant {
public:
    DeviceSpace() : ForkParticipant(ForkRank::Space) {}

    bool holds(uintptr_t address) const {
        return std::any_of(std::begin(ranges_), std::end(ranges_), [&](const Range& range) {
            return address >= range.first.load(std::memory_order_acquire) &&
                   address < range.last.load(std::memory_order_acquire);
        });
    }

    void* take(size_t bytes, size_t alignment) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (bytes >= kLarge) return reinterpret_cast<void*>(take_pages(bytes));
        uintptr_t start = small_.take(bytes, alignment);
        if (!start) {
            if (!spare_) spare_ = take_pages(kChunk);
            if (!spare_) return nullptr;
            small_.add(spare_, kChunk);
            spare_ = 0;
            start = small_.take(bytes, alignment);
        }
        return reinterpret_cast<void*>(start);
    }

    void give_back(uintptr_t base, size_t bytes) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (bytes >= kLarge) return return_pages(base, bytes);
        small_.give(base, bytes);
        // A chunk that nothing is in goes back to the system; one is kept, for programs that allocate and free in turn.
        const uintptr_t chunk = small_.take_chunk(base);
        if (chunk && spare_) return_pages(chunk, kChunk);
        if (chunk && !spare_) spare_ = chunk;
    }

    void before_fork() override { mutex_.lock(); }
    void after_fork_in_parent() override { mutex_.unlock(); }
    void after_fork_in_child() override { mutex_.unlock(); }

private:
    // Read without the lock; one that is not there holds nothing.
    struct Range {
        std::atomic<uintptr_t> first{0}, last{0};
        ReservedAddresses mapped;
    };
    static constexpr size_t kMaxRanges = 32;
    static constexpr size_t kEdges = 2 * kHugePage;  // the most that alignment and guards at both ends take

    // Addresses come in huge pages; behind the last page of a block is nothing that could be read or written.
    uintptr_t take_pages(size_t bytes) {
        const size_t span = round_up(bytes, kHugePage);
        uintptr_t start = addresses_.take(span, kHugePage);
        if (!start && add_range(span)) start = addresses_.take(span, kHugePage);
        if (!start) return 0;
        void* pages = reinterpret_cast<void*>(start);
        if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) {
            addresses_.give(start, span);
            return 0;
        }
        madvise(pages, bytes, MADV_HUGEPAGE);
        return start;
    }
    void return_pages(uintptr_t base, size_t bytes) {
        const size_t span = round_up(bytes, kHugePage);
        void* fresh = mmap(reinterpret_cast<void*>(base), span, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        if (fresh != MAP_FAILED) addresses_.give(base, span);  // else its addresses are lost, and nothing more
    }

    // Reserves one range for all, or as many as are needed where the process has a limit on its addresses: the program
    // can then use the rest. False when there is none with `bytes` bytes. May throw std::bad_alloc.
    bool add_range(size_t bytes) {
        const size_t least = bytes + kEdges;
        ReservedAddresses mapped = reserve_addresses(std::max(range_bytes(), least), least);
        if (mapped.bytes == 0) {
            release_unused_ranges();
            mapped = reserve_addresses(least, least);
        }
        Range* place = std::find_if(std::begin(ranges_), std::end(ranges_), [](const Range& r) { return r.last == 0; });
        if (mapped.bytes == 0 || place == std::end(ranges_)) {
            if (mapped.bytes) munmap(reinterpret_cast<void*>(mapped.begin), mapped.bytes);
            say_none_left(bytes);
            return false;
        }
        const size_t guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        const uintptr_t first = round_up(mapped.begin + guard, kHugePage);
        const uintptr_t last = (mapped.begin + mapped.bytes - guard) / kHugePage * kHugePage;
        addresses_.add(first, last - first);
        place->mapped = mapped;
        place->first.store(first, std::memory_order_release);
        place->last.store(last, std::memory_order_release);
        return true;
    }
    static size_t range_bytes() {
        const size_t available = addresses_left();
        if (available == SIZE_MAX) return round_up(physical_memory_bytes() * kRangesOfMemory, kLeastRange);
        return std::min(kLimitedRange, available / 4);
    }
    static void say_none_left(size_t bytes) {
        const size_t available = addresses_left();
        if (available == SIZE_MAX) {
            log(LogLevel::Warn, "the system has no addresses for %zu bytes of device memory", bytes);
        } else {
            log(LogLevel::Warn,
                "no addresses for %zu bytes of device memory: RLIMIT_AS (ulimit -v) leaves %zu; raise it", bytes,
                available);
        }
    }
    void release_unused_ranges() {
        if (spare_) return_pages(spare_, kChunk);
        spare_ = 0;
        for (Range& range : ranges_) {
            const uintptr_t first = range.first, last = range.last;
            if (last == 0 || !addresses_.take_range(first, last - first)) continue;
            range.last.store(0, std::memory_order_release);
            range.first.store(0, std::memory_order_release);
            munmap(reinterpret_cast<void*>(range.mapped.begin), range.mapped.bytes);
        }
    }

    Range ranges_[kMaxRanges];
    std::mutex mutex_;
    FreeList addresses_, small_;
    uintptr_t spare_ = 0;  // a chunk in which nothing is
};

DeviceSpace& space() {
    static auto* const instance = new DeviceSpace;
    return *instance;
}

}  // namespace

size_t large_block_bytes() { return kLarge; }

void* take_device_memory(size_t bytes, size_t alignment) { return space().take(bytes, alignment); }

void return_device_memory(void* base, size_t bytes) { space().give_back(reinterpret_cast<uintptr_t>(base), bytes); }

bool in_device_space(const void* address) { return space().holds(reinterpret_cast<uintptr_t>(address)); }

}  // namespace cuda_shim

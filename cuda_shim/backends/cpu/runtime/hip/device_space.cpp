#include "hip/device_space.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <set>

#include "hip/fork.h"

namespace cuda_shim {
namespace {

constexpr size_t kLarge = size_t{1} << 20;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kChunk = kHugePage;  // what small blocks are cut from
constexpr size_t kLeastRange = size_t{1} << 30;
constexpr size_t kRangesOfMemory = 4;  // addresses for so many times the machine's memory: holes cost nothing

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// Room for nodes of maps and sets, kept from one to the next.
class Nodes {
public:
    // Has room for so many, those in use among them. May throw std::bad_alloc.
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
// back needs no memory: between the blocks that are taken lies at most one stretch each, and one more in each range.
class FreeList {
public:
    // Adds a range of its own. May throw std::bad_alloc.
    void add(uintptr_t base, size_t bytes) {
        reserve(taken_ + ranges_ + 1);
        ++ranges_;
        put(base, bytes);
    }

    void give(uintptr_t base, size_t bytes) {
        --taken_;
        put(base, bytes);
    }

    // 0 when nothing fits. May throw std::bad_alloc.
    uintptr_t take(size_t bytes, size_t alignment) {
        reserve(taken_ + ranges_ + 1);
        for (auto fit = by_size_.lower_bound({bytes, 0}); fit != by_size_.end(); ++fit) {
            const auto [size, base] = *fit;
            const uintptr_t start = round_up(base, alignment);
            if (start - base > size - bytes) continue;
            cut(base, size, start, bytes);
            ++taken_;
            return start;
        }
        return 0;
    }

    // A whole range that lies within the free stretch at `inside`, taken out for good; 0 when there is none.
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
    size_t taken_ = 0, ranges_ = 0;
    ByBase by_base_{FromNodes<ByBase::value_type>(nodes_)};
    BySize by_size_{FromNodes<BySize::value_type>(nodes_)};
};

class DeviceSpace final : public ForkParticipant {
public:
    DeviceSpace() : ForkParticipant(ForkRank::Space) {
        // A limit on addresses is there for memory that is used: none is set aside then.
        rlimit limit;
        if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return;
        const size_t memory = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
        for (size_t bytes = round_up(memory * kRangesOfMemory, kLeastRange); bytes >= kLeastRange; bytes /= 2) {
            void* range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (range == MAP_FAILED) continue;
            first_ = round_up(reinterpret_cast<uintptr_t>(range), kHugePage);
            last_ = (reinterpret_cast<uintptr_t>(range) + bytes) / kHugePage * kHugePage;
            addresses_.add(first_, last_ - first_);
            return;
        }
    }

    bool exists() const { return last_ != 0; }
    bool holds(uintptr_t address) const { return address >= first_ && address < last_; }

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
    // Addresses come in huge pages; behind the last page of a block is nothing that could be read or written.
    uintptr_t take_pages(size_t bytes) {
        const uintptr_t start = addresses_.take(round_up(bytes, kHugePage), kHugePage);
        if (!start) return 0;
        void* pages = reinterpret_cast<void*>(start);
        if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) {
            addresses_.give(start, round_up(bytes, kHugePage));
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

    uintptr_t first_ = 0, last_ = 0;
    std::mutex mutex_;
    FreeList addresses_, small_;
    uintptr_t spare_ = 0;  // a chunk in which nothing is
};

DeviceSpace& space() {
    static auto* const one = new DeviceSpace;
    return *one;
}

// Without a range: pages aligned for huge pages, by mapping more than needed and unmapping both ends.
void* map_pages(size_t bytes) {
    size_t mapped = bytes + kHugePage;
    void* raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    uintptr_t start = reinterpret_cast<uintptr_t>(raw);
    uintptr_t aligned = round_up(start, kHugePage);
    if (aligned > start) munmap(raw, aligned - start);
    uintptr_t end = aligned + bytes;
    if (start + mapped > end) munmap(reinterpret_cast<void*>(end), start + mapped - end);
    void* pages = reinterpret_cast<void*>(aligned);
    madvise(pages, bytes, MADV_HUGEPAGE);
    return pages;
}

}  // namespace

size_t large_block_bytes() { return kLarge; }

void* take_device_memory(size_t bytes, size_t alignment) {
    if (space().exists()) return space().take(bytes, alignment);
    if (bytes >= kLarge) return map_pages(bytes);
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void return_device_memory(void* base, size_t bytes) {
    if (space().exists()) {
        space().give_back(reinterpret_cast<uintptr_t>(base), bytes);
    } else if (bytes >= kLarge) {
        munmap(base, bytes);
    } else {
        free(base);
    }
}

bool in_device_space(const void* address) { return space().holds(reinterpret_cast<uintptr_t>(address)); }

}  // namespace cuda_shim

#include "engine/global_shadow.h"

#include <string.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/per_process.h"

namespace cuda_shim {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kWordBytes = 4;
constexpr size_t kShards = 64;

struct ShadowCell {
    GlobalTouch write, read, earlier_read;  // reads by two different threads
};

class ShadowPage {
public:
    ShadowPage() { std::fill(std::begin(written_), std::end(written_), ~uint64_t{0}); }

    std::mutex mutex;

    bool any_written(size_t first, size_t last) const {
        for (size_t at = first; at < last; at++) {
            if (written_[at / 64] >> at % 64 & 1) return true;
        }
        return false;
    }
    void set_written(size_t first, size_t last, bool written) {
        for (size_t at = first; at < last;) {
            if (at % 64 == 0 && last - at >= 64) {
                written_[at / 64] = written ? ~uint64_t{0} : 0;
                at += 64;
                continue;
            }
            const uint64_t bit = uint64_t{1} << at % 64;
            written_[at / 64] = written ? written_[at / 64] | bit : written_[at / 64] & ~bit;
            at++;
        }
    }
    // Cells of the bytes from `first` to `last`, and how many bytes each is for: one for each word as long as all
    // accesses are of whole words.
    size_t cells_of(size_t first, size_t last, ShadowCell*& begin, ShadowCell*& end) {
        const bool whole_words = first % kWordBytes == 0 && last % kWordBytes == 0;
        if (cells_.empty()) {
            cell_bytes_ = whole_words ? kWordBytes : 1;
            cells_.resize(kPageBytes / cell_bytes_);
        } else if (cell_bytes_ != 1 && !whole_words) {
            split_into_bytes();
        }
        begin = cells_.data() + first / cell_bytes_;
        end = cells_.data() + last / cell_bytes_;
        return cell_bytes_;
    }

private:
    void split_into_bytes() {
        std::vector<ShadowCell> bytes(kPageBytes);
        for (size_t at = 0; at < kPageBytes; at++) bytes[at] = cells_[at / kWordBytes];
        cells_ = std::move(bytes);
        cell_bytes_ = 1;
    }

    uint64_t written_[kPageBytes / 64];
    std::vector<ShadowCell> cells_;
    size_t cell_bytes_ = kWordBytes;
};

// Pages are never given back: threads that have used them before find them without a lock.
class ShadowPages {
public:
    ShadowPage* find(uintptr_t number, bool make) {
        Shard& shard = shards_[number % kShards];
        std::lock_guard<std::mutex> lock(shard.mutex);
        const auto entry = shard.pages.find(number);
        if (entry != shard.pages.end()) return entry->second.get();
        if (!make) return nullptr;
        return (shard.pages[number] = std::make_unique<ShadowPage>()).get();
    }
    std::atomic<bool> trusts_all{false};

private:
    struct Shard {
        std::mutex mutex;
        std::unordered_map<uintptr_t, std::unique_ptr<ShadowPage>> pages;
    };
    Shard shards_[kShards];
};

std::atomic<uint32_t> launches{0};

ShadowPages& shadow_pages() { return PerProcess<ShadowPages>::instance(); }

// The page that the calling thread looked at last.
struct LastPage {
    const ShadowPages* of = nullptr;
    uintptr_t number = 0;
    ShadowPage* page = nullptr;
};
thread_local LastPage last_page;

ShadowPage& page_to_check(uintptr_t number) {
    ShadowPages& pages = shadow_pages();
    if (last_page.page && last_page.number == number && last_page.of == &pages) return *last_page.page;
    last_page = {&pages, number, pages.find(number, true)};
    return *last_page.page;
}

// Calls use(number of the page, first byte in it, byte behind the last one) for each page of a range.
template <class Use>
void for_each_page(uintptr_t address, size_t bytes, Use&& use) {
    const uintptr_t end = address + bytes;
    while (address < end) {
        const uintptr_t number = address / kPageBytes;
        const size_t first = address % kPageBytes;
        const size_t last = std::min<uint64_t>(kPageBytes, first + (end - address));
        use(number, first, last);
        address += last - first;
    }
}

void check_cells(const GlobalAccess& access, const GlobalOrder& order, ShadowCell* begin, ShadowCell* end,
                 const char* memory, size_t cell_bytes, GlobalAnswer& answer) {
    GlobalTouch current = access.current;
    const auto consider = [&](const GlobalTouch& earlier, bool wrote) {
        if (answer.conflict || earlier.epoch != current.epoch) return;
        if (access.writes && earlier.value == current.value) return;
        if (!order.conflicts(earlier, current)) return;
        answer.conflict = true;
        answer.wrote = wrote;
        answer.earlier = earlier;
    };
    for (ShadowCell* cell = begin; cell < end; cell++, memory += cell_bytes) {
        current.value = 0;
        memcpy(&current.value, memory, cell_bytes);
        consider(cell->write, true);
        if (access.writes) {
            consider(cell->read, false);
            consider(cell->earlier_read, false);
            cell->write = current;
        }
        if (!access.reads) continue;
        const bool same_thread = cell->read.thread == current.thread && cell->read.block == current.block;
        if (!same_thread) cell->earlier_read = cell->read;
        cell->read = current;
    }
}

}  // namespace

GlobalAnswer check_global_access(const GlobalAccess& access, const GlobalOrder& order) {
    GlobalAnswer answer;
    bool any_written = false;
    for_each_page(access.address, access.bytes, [&](uintptr_t number, size_t first, size_t last) {
        ShadowPage& page = page_to_check(number);
        std::lock_guard<std::mutex> lock(page.mutex);
        if (access.reads && !any_written) any_written = page.any_written(first, last);
        if (access.writes) page.set_written(first, last, true);
        ShadowCell *begin, *end;
        const size_t cell_bytes = page.cells_of(first, last, begin, end);
        const auto* memory = reinterpret_cast<const char*>(number * kPageBytes + first);
        check_cells(access, order, begin, end, memory, cell_bytes, answer);
    });
    answer.unwritten = access.reads && !any_written && !shadow_pages().trusts_all.load(std::memory_order_relaxed);
    return answer;
}

void forget_writes(const void* memory, size_t bytes) {
    for_each_page(reinterpret_cast<uintptr_t>(memory), bytes, [](uintptr_t number, size_t first, size_t last) {
        ShadowPage& page = *shadow_pages().find(number, true);
        std::lock_guard<std::mutex> lock(page.mutex);
        page.set_written(first, last, false);
    });
}

void note_write(const void* memory, size_t bytes) {
    for_each_page(reinterpret_cast<uintptr_t>(memory), bytes, [](uintptr_t number, size_t first, size_t last) {
        ShadowPage* page = shadow_pages().find(number, false);
        if (!page) return;
        std::lock_guard<std::mutex> lock(page->mutex);
        page->set_written(first, last, true);
    });
}

void trust_all_memory() { shadow_pages().trusts_all.store(true, std::memory_order_relaxed); }

uint32_t first_epoch() {
    const uint32_t number = launches.fetch_add(1) + 1;
    return number * kEpochsOfLaunch | (number * kEpochsOfLaunch == 0);
}

}  // namespace cuda_shim

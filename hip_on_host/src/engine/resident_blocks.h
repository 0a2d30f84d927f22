// Blocks of one launch whose threads have stacks, on one worker. A block whose threads all wait, for memory that
// another block or the host writes, is set aside on its stacks, and further blocks run meanwhile: as many as a device
// keeps resident, so that blocks which wait for each other get on wherever they would on a GPU.
#pragma once
#include <memory>
#include <vector>

#include "engine/faults.h"
#include "engine/worker_memory.h"

namespace cuda_shim {

class ResidentBlocks {
public:
    // `frame` is kept up to date on which block runs. Throws std::bad_alloc.
    ResidentBlocks(const KernelLaunch& launch, bool as_loop, void* grid_scheduler, KernelFrame& frame);
    ~ResidentBlocks();

    // Gets ready for the first block; hipErrorOutOfMemory when there is no room for it.
    hipError_t prepare();
    // Runs a block, to its end or until all of its threads wait. While too many blocks wait, goes on with these first.
    void run(uint64_t block);
    // Runs the blocks that were set aside to their ends.
    void finish();
    bool any_set_aside() const { return !aside_.empty(); }
    // Dynamic shared memory of the first block that runs here, and of all blocks if only one runs at a time.
    void* dynamic_shared() const { return dynamic_shared_; }
    // After a fault: no block of the launch goes on.
    void forget();

private:
    struct Resident {
        WorkerMemoryLease memory;
        FibreBlock* fibres = nullptr;
        uint64_t block = 0;
        // The block's copy of the module's thread-local variables, while another block has their place.
        std::vector<char> variables;
    };
    using ResidentPointer = std::unique_ptr<Resident>;

    hipError_t add_free();
    bool ensure_free();
    void occupy(Resident& resident);
    void resume_one();
    void back_off(bool waits);
    void count_waits_anew();

    const KernelLaunch& launch_;
    const bool as_loop_;
    void* const grid_scheduler_;
    KernelFrame& frame_;
    uint64_t max_blocks_;
    void* dynamic_shared_ = nullptr;
    std::vector<ResidentPointer> free_, aside_;
    Resident* occupant_ = nullptr;  // the block whose variables the worker's copy holds
    size_t next_ = 0;               // index in aside_ of the block that runs next
    unsigned vain_resumes_ = 0;     // times in a row that a resumed block did not finish
    unsigned waiting_resumes_ = 0;  // the last of them whose threads did nothing but wait
    uint64_t waiting_since_ = 0;    // when the first round of these ended, 0 before
    bool reported_idle_ = false;
};

}  // namespace cuda_shim

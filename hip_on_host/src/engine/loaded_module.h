// A kernel module in memory: where its code and variables are, and which lines of the program they came from. Details
// from its file are read on first use: for checks, and to report where a kernel was stopped.
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/kernel_module.h"
#include "common/mapped_file.h"
#include "common/once.h"
#include "engine/call_chain.h"
#include "engine/line_table.h"
#include "engine/memory_lookup.h"
#include "engine/shared_variables.h"

namespace cuda_shim {

// The variable of every module that has the index of the running thread.
constexpr char kThreadState[] = "cuda_shim_thread_state";
constexpr char kNameTable[] = "cuda_shim_lowered_names";

// A thread-local variable of the module, by its place in each worker's copy: a variable that kernels declare
// __shared__.
struct ThreadLocal {
    uint64_t offset;
    uint64_t bytes;
    std::string name;  // as the program has it
};

// A thread's copy of the module's thread-local variables.
struct ThreadLocals {
    char* begin = nullptr;
    size_t bytes = 0;
};

class LoadedModule {
public:
    // `file` holds the module's image and stays mapped while this lives.
    LoadedModule(const CudaShimKernelModule& table, const MappedFile& file);
    ~LoadedModule();
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;

    bool runs_single_threads() const { return (table_.flags & CUDA_SHIM_MODULE_SINGLE_THREADS) != 0; }
    bool is_checked() const { return (table_.flags & CUDA_SHIM_MODULE_CHECKED) != 0; }
    // True for code, constants and variables, except thread-local ones.
    bool contains(uintptr_t address) const { return address - first_ < last_ - first_; }
    // The variable, or the constants, at an address.
    bool find_variable(uintptr_t address, MemoryRange& range) const;
    // Places in 32 bits.
    uint32_t offset_of(uintptr_t place) const { return static_cast<uint32_t>(place - first_); }
    uintptr_t address_of(uint32_t offset) const { return first_ + offset; }

    // The calling thread's copy of all thread-local variables: a block's shared variables, and the index of its running
    // thread. Throws std::bad_alloc.
    ThreadLocals thread_locals_of_worker() const;

    // --- thread-local variables, of checked modules
    // The calling worker's copy; null when the module does not provide it.
    char* thread_locals_here() const;
    uint64_t thread_local_bytes() const { return details().thread_local_bytes; }
    // By offset. The index of the running thread is among them, as cuda_shim_thread_state.
    const std::vector<ThreadLocal>& thread_locals() const { return details().thread_locals; }

    // "prog.cu:12": the line of the program that runs, or that called the running function. Without line information:
    // the function and how far into it. Empty for a place outside the module.
    std::string describe_place(const CallChain& calls) const;
    // True if the instruction before `place` is one of the program's own, not of a header of this runtime or of C++.
    bool is_of_program(uintptr_t place) const;
    // True if it is in one of this runtime's headers, whose path goes on with `name`.
    bool is_from_header(uintptr_t place, const char* name) const;

private:
    class File;
    // By addresses of the file.
    struct Symbol {
        uint64_t address;
        uint64_t bytes;
        std::string name;
    };
    struct Segment {
        uint64_t address;
        uint64_t bytes;
        bool writable;
    };
    struct Details {
        std::vector<ThreadLocal> thread_locals;
        uint64_t thread_local_bytes = 0;
        uint64_t thread_state_offset = 0;
        std::vector<Symbol> functions, variables;  // by address
        std::unique_ptr<LineTable> lines;
    };

    const Details& details() const;
    void read_details() const;
    void read_symbols(const File& file, const Elf64_Shdr& table, const Elf64_Shdr& names) const;
    static const Symbol* symbol_at(const std::vector<Symbol>& symbols, uint64_t address);

    const CudaShimKernelModule& table_;
    const MappedFile& file_;
    uintptr_t first_ = 0, last_ = 0;
    uintptr_t bias_ = 0;  // address in the process less address in the file
    std::vector<Segment> segments_;
    // Thread-local variables: of a module that has the runtime keep them, or by the number that the system's loader
    // gave the module; 0 where it has no such variables.
    std::optional<SharedVariables> shared_variables_;
    size_t thread_local_module_ = 0;
    size_t thread_local_bytes_ = 0;
    mutable Once once_;
    mutable std::unique_ptr<Details> details_;
};

}  // namespace cuda_shim

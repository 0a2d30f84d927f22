// The description of a module's kernels and variables for the runtime, and the functions that run a kernel's threads.
//
// hiprtc writes one entry for each kernel, variable and name expression at the end of the program. An entry is the template
// cuda_shim_entry<index, address>: the mangled name of its `anchor` spells the address's own mangled name, which hiprtc
// reads from the linked module and writes into the entry's slot of cuda_shim_lowered_names. So lowered names are the
// compiler's own, for any signature of the kernel.
#pragma once

// Compilers call this symbol where a function has written beyond its local arrays. Hidden, since the C library's ends the
// process; under a name of ours, since the program may have a function of this one.
extern "C" __attribute__((weak, used, visibility("hidden"), noinline, cold, noreturn)) void cuda_shim_stack_overrun()
    __asm__("__stack_chk_fail");
extern "C" void cuda_shim_stack_overrun() {
    cuda_shim_services->trap(CUDA_SHIM_TRAP_OVERRUN, "a function wrote beyond an array of its own");
    __builtin_trap();
}
#ifndef __x86_64__
// The value behind the arrays; x86-64 has the C library's for each thread.
extern "C" __attribute__((weak, used, visibility("hidden"))) unsigned long cuda_shim_stack_guard
    __asm__("__stack_chk_guard") = 0x00a50dff6b3c971eul;
#endif

// The rounds that a thread makes in its loops before the first of them is taken to wait.
#define CUDA_SHIM_FIRST_ROUNDS 1024

template <size_t... I> struct cuda_shim_indices {};
#ifdef CUDA_SHIM_CLANG
template <class T, T... I> struct cuda_shim_indices_of { typedef cuda_shim_indices<(size_t)I...> type; };
template <size_t N> using cuda_shim_make_indices = typename __make_integer_seq<cuda_shim_indices_of, size_t, N>::type;
#else
template <size_t N> using cuda_shim_make_indices = cuda_shim_indices<__integer_pack(N)...>;
#endif

// A parameter by value out of the launch's memory, which need not be aligned (`extra` buffers are not always).
template <class T> struct cuda_shim_argument {
    union { T value; };  // without construction
    __attribute__((always_inline)) explicit cuda_shim_argument(const void* from) {
        __builtin_memcpy((void*)&value, from, sizeof(T));
    }
    __attribute__((always_inline)) ~cuda_shim_argument() {}
};
// A pointer comes from an instruction that compilers do not look into. Of one that is loaded they would have to assume that
// it may be a constant table's address, and would make no vectors of loops that write there and read the table.
template <class T> struct cuda_shim_argument<T*> {
    T* value;
    __attribute__((always_inline)) explicit cuda_shim_argument(const void* from) {
        __builtin_memcpy((void*)&value, from, sizeof value);
        asm("" : "+r"(value));
    }
};

// A parameter by reference: the launch has the address.
template <class T> struct cuda_shim_argument<T&> {
    T& value;
    __attribute__((always_inline)) explicit cuda_shim_argument(const void* from)
        : value(*cuda_shim_argument<T*>(from).value) {}
};
template <class T> struct cuda_shim_argument<T&&> {
    static_assert(sizeof(T) == 0, "a __global__ function cannot have a parameter with rvalue reference type");
};
// The type that the launch has for a parameter.
template <class T> struct cuda_shim_launched { typedef T type; };
template <class T> struct cuda_shim_launched<T&> { typedef T* type; };
template <class T> using cuda_shim_launched_t = typename cuda_shim_launched<T>::type;

template <class T>
inline constexpr uint32_t cuda_shim_parameter_kind = (__is_class(T) || __is_union(T)) && alignof(T) >= alignof(void*)
                                                         ? CUDA_SHIM_PARAMETER_CLASS
                                                         : CUDA_SHIM_PARAMETER_NUMBER;
template <class T> inline constexpr uint32_t cuda_shim_parameter_kind<T*> = CUDA_SHIM_PARAMETER_POINTER;

template <size_t N> struct cuda_shim_parameters {
    uint32_t size[N + 1] = {}, align[N + 1] = {}, offset[N + 1] = {}, kind[N + 1] = {};
};
template <class... Parameters> constexpr cuda_shim_parameters<sizeof...(Parameters)> cuda_shim_describe_parameters() {
    cuda_shim_parameters<sizeof...(Parameters)> all;
    const uint32_t sizes[] = {(uint32_t)sizeof(cuda_shim_launched_t<Parameters>)..., 0};
    const uint32_t aligns[] = {(uint32_t)alignof(cuda_shim_launched_t<Parameters>)..., 1};
    const uint32_t kinds[] = {cuda_shim_parameter_kind<cuda_shim_launched_t<Parameters>>..., 0};
    uint32_t end = 0;
    for (size_t i = 0; i < sizeof...(Parameters); ++i) {
        all.size[i] = sizes[i];
        all.align[i] = aligns[i];
        all.offset[i] = (end + aligns[i] - 1) / aligns[i] * aligns[i];
        all.kind[i] = kinds[i];
        end = all.offset[i] + sizes[i];
    }
    all.offset[sizeof...(Parameters)] = end;
    return all;
}

// Walks the blocks of a run in linear order without dividing for each.
struct cuda_shim_block_walk {
    uint64_t block, last;
    uint32_t x, y, z, width, height;
    __attribute__((always_inline)) explicit cuda_shim_block_walk(const CudaShimKernelRun* run)
        : block(run->first_block), last(run->last_block), width(run->grid[0]), height(run->grid[1]) {
        x = (uint32_t)(block % width);
        y = (uint32_t)(block / width % height);
        z = (uint32_t)(block / width / height);
        cuda_shim_run = run;
        cuda_shim_block_dim = {run->block[0], run->block[1], run->block[2]};
        cuda_shim_grid_dim = {run->grid[0], run->grid[1], run->grid[2]};
    }
    __attribute__((always_inline)) bool here() {
        if (block >= last) return false;
        cuda_shim_block_index = {x, y, z};
        return true;
    }
    __attribute__((always_inline)) void next() {
        ++block;
        if (++x == width) {
            x = 0;
            if (++y == height) y = 0, ++z;
        }
    }
};

// Room between a walk's own variables and the kernel's. A kernel that writes behind its arrays, and not into the mark there
// that compilers check, must not turn the walk into one without an end. A fibre has a single thread, and small stacks. Clang
// would not align parameters to more than the stack behind it.
#define CUDA_SHIM_STACK_GAP(run) asm volatile("" : : "r"(__builtin_alloca((run)->on_fibres ? 16 : 4096)))

// Calls a function for each thread of a run, one after the other: the loops of all fallbacks, compiled once.
CUDA_SHIM_UNOPTIMISED static void cuda_shim_walk_threads(const CudaShimKernelRun* run,
                                                         void (*call_thread)(const CudaShimKernelRun*)) {
    CUDA_SHIM_STACK_GAP(run);
    for (cuda_shim_block_walk blocks(run); blocks.here(); blocks.next())
        for (uint32_t z = run->thread_lo[2]; z < run->thread_hi[2]; ++z)
            for (uint32_t y = run->thread_lo[1]; y < run->thread_hi[1]; ++y)
                for (uint32_t x = run->thread_lo[0]; x < run->thread_hi[0]; ++x) {
                    cuda_shim_thread_index = {x, y, z};
                    call_thread(run);
                }
}

// A thread loop may assume that 32-bit global indices do not wrap around (see CUDA_SHIM_THREADS); wider launches take
// the plain path.
CUDA_SHIM_INLINE bool cuda_shim_narrow(const CudaShimKernelRun* run) {
    return (uint64_t)run->grid[0] * run->block[0] <= 0x7fffffffu - 1024u;
}

// The symbol of the anchor carries the entry's index and the address's mangled name; nothing else is in it.
template <unsigned int Index, auto Address> struct cuda_shim_entry { static constexpr char anchor = 0; };

template <auto Address> struct cuda_shim_kernel { static constexpr bool is_kernel = false; };
template <class... P, void (*Kernel)(P...)> struct cuda_shim_kernel<Kernel> {
    static constexpr bool is_kernel = true;
    static constexpr uint32_t parameter_count = sizeof...(P);
    static constexpr bool has_plain_alignment = (... && (alignof(P) <= 16));
    static constexpr cuda_shim_parameters<sizeof...(P)> parameters = cuda_shim_describe_parameters<P...>();

    // One thread after the other by calling the kernel as it was written. A fibre comes here with a single thread.
    template <size_t... I>
    __attribute__((always_inline)) static void call_threads(const CudaShimKernelRun* run, cuda_shim_indices<I...>) {
        if constexpr (has_plain_alignment) CUDA_SHIM_STACK_GAP(run);
        for (cuda_shim_block_walk blocks(run); blocks.here(); blocks.next())
            for (uint32_t z = run->thread_lo[2]; z < run->thread_hi[2]; ++z)
                for (uint32_t y = run->thread_lo[1]; y < run->thread_hi[1]; ++y)
                    for (uint32_t x = run->thread_lo[0]; x < run->thread_hi[0]; ++x) {
                        cuda_shim_thread_index = {x, y, z};
                        Kernel(cuda_shim_argument<P>(run->args[I]).value...);
                    }
    }
    static void run_threads(const CudaShimKernelRun* run) { call_threads(run, cuda_shim_make_indices<sizeof...(P)>{}); }

    // The same for kernels that may wait where no barrier is seen. When a thread did, the threads behind it have
    // fibres.
    template <size_t... I>
    __attribute__((always_inline)) static void call_watched(const CudaShimKernelRun* run, cuda_shim_indices<I...>) {
        if constexpr (has_plain_alignment) CUDA_SHIM_STACK_GAP(run);
        for (cuda_shim_block_walk blocks(run); blocks.here(); blocks.next())
            for (uint32_t z = run->thread_lo[2]; z < run->thread_hi[2]; ++z)
                for (uint32_t y = run->thread_lo[1]; y < run->thread_hi[1]; ++y)
                    for (uint32_t x = run->thread_lo[0]; x < run->thread_hi[0]; ++x) {
                        cuda_shim_thread_index = {x, y, z};
                        cuda_shim_rounds = CUDA_SHIM_FIRST_ROUNDS;
                        Kernel(cuda_shim_argument<P>(run->args[I]).value...);
                        if (__atomic_load_n(&run->on_fibres, __ATOMIC_RELAXED)) return;
                    }
    }
    static void run_watched(const CudaShimKernelRun* run) { call_watched(run, cuda_shim_make_indices<sizeof...(P)>{}); }
    // One thread, at the index that is set.
    template <size_t... I> CUDA_SHIM_SELDOM static void call_thread(const CudaShimKernelRun* run) {
        Kernel(cuda_shim_argument<P>(run->args[I]).value...);
    }
    template <size_t... I> static constexpr auto thread_caller(cuda_shim_indices<I...>) { return &call_thread<I...>; }
    // Beside a lowered form: for launches that are too wide for thread loops and, on fibres, for split kernels that are
    // launched with CUDA_SHIM_CPU_SPLIT=0. Not worth the time to compile it well.
    CUDA_SHIM_SELDOM static void run_fallback(const CudaShimKernelRun* run) {
        cuda_shim_walk_threads(run, thread_caller(cuda_shim_make_indices<sizeof...(P)>{}));
    }

    // A whole block at a time, by the form that hiprtc wrote: thread loops between barriers.
    template <auto Split, size_t... I>
    __attribute__((always_inline)) static void call_split(const CudaShimKernelRun* run, cuda_shim_indices<I...>) {
        for (cuda_shim_block_walk blocks(run); blocks.here(); blocks.next())
            Split(run, cuda_shim_argument<P>(run->args[I]).value...);
    }
    template <auto Split> __attribute__((flatten)) static void run_split(const CudaShimKernelRun* run) {
        if (!cuda_shim_narrow(run))
            return cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED,
                                            "more than 2147482623 threads along x and barriers: set CUDA_SHIM_CPU_SPLIT=0");
        call_split<Split>(run, cuda_shim_make_indices<sizeof...(P)>{});
    }
    // All blocks of the run at a time.
    template <auto Run, size_t... I>
    __attribute__((always_inline)) static void call_run(const CudaShimKernelRun* run, cuda_shim_indices<I...>) {
        Run(run, cuda_shim_argument<P>(run->args[I]).value...);
    }
    template <auto Run> __attribute__((flatten)) static void run_blocks(const CudaShimKernelRun* run) {
        if (!cuda_shim_narrow(run)) return run_fallback(run);
        call_run<Run>(run, cuda_shim_make_indices<sizeof...(P)>{});
    }
    template <auto Loop> __attribute__((flatten)) static void run_loop(const CudaShimKernelRun* run) {
        if (!cuda_shim_narrow(run)) return run_fallback(run);
        call_split<Loop>(run, cuda_shim_make_indices<sizeof...(P)>{});
    }
};

// __cluster_dims__ of a kernel.
struct cuda_shim_cluster_dims {
    uint32_t x, y, z;
    constexpr cuda_shim_cluster_dims() : x(0), y(0), z(0) {}
    constexpr cuda_shim_cluster_dims(uint32_t width, uint32_t height = 1, uint32_t depth = 1) : x(width), y(height), z(depth) {}
};

// An entry's fields beyond its address.
struct cuda_shim_symbol_facts {
    const char* source_name;
    const char* lowered_name;
    uint32_t kind;
    uint32_t has_barriers;
    uint32_t may_wait;
    const char* form;
    const char* reason;
    const char* parameter_names;
    uint32_t max_threads_per_block;
    cuda_shim_cluster_dims cluster;
};

template <auto Kernel>
constexpr CudaShimSymbol cuda_shim_kernel_symbol(cuda_shim_symbol_facts facts, void (*threads)(const CudaShimKernelRun*),
                                                 void (*split)(const CudaShimKernelRun*)) {
    typedef cuda_shim_kernel<Kernel> kernel;
    CudaShimSymbol symbol{};
    symbol.source_name = facts.source_name;
    symbol.lowered_name = facts.lowered_name;
    symbol.kind = CUDA_SHIM_SYMBOL_KERNEL;
    symbol.parameter_count = kernel::parameter_count;
    symbol.parameter_size = kernel::parameters.size;
    symbol.parameter_align = kernel::parameters.align;
    symbol.parameter_offset = kernel::parameters.offset;
    symbol.parameter_kind = kernel::parameters.kind;
    symbol.parameter_names = facts.parameter_names;
    symbol.size = kernel::parameters.offset[kernel::parameter_count];
    symbol.run_threads = threads;
    symbol.run_split = split;
    symbol.has_barriers = facts.has_barriers;
    symbol.may_wait = facts.may_wait;
    symbol.form = facts.form;
    symbol.reason = facts.reason;
    symbol.max_threads_per_block = facts.max_threads_per_block;
    symbol.cluster[0] = facts.cluster.x;
    symbol.cluster[1] = facts.cluster.y;
    symbol.cluster[2] = facts.cluster.z;
    return symbol;
}
// A kernel as it was written, or a variable.
template <auto Address> constexpr CudaShimSymbol cuda_shim_symbol(cuda_shim_symbol_facts facts) {
    if constexpr (cuda_shim_kernel<Address>::is_kernel) {
        return cuda_shim_kernel_symbol<Address>(facts, &cuda_shim_kernel<Address>::run_threads, nullptr);
    } else {
        CudaShimSymbol symbol{};
        symbol.source_name = facts.source_name;
        symbol.lowered_name = facts.lowered_name;
        symbol.kind = facts.kind;
        symbol.address = const_cast<void*>(static_cast<const volatile void*>(Address));
        symbol.size = sizeof(*Address);
        return symbol;
    }
}
// The same where threads may wait though no barrier is seen.
template <auto Address> constexpr CudaShimSymbol cuda_shim_watched_symbol(cuda_shim_symbol_facts facts) {
    if constexpr (cuda_shim_kernel<Address>::is_kernel) {
        return cuda_shim_kernel_symbol<Address>(facts, &cuda_shim_kernel<Address>::run_watched, nullptr);
    } else {
        return cuda_shim_symbol<Address>(facts);
    }
}
// With barriers: the split form stands beside the one for fibres.
template <auto Kernel, auto Split> constexpr CudaShimSymbol cuda_shim_split_symbol(cuda_shim_symbol_facts facts) {
    return cuda_shim_kernel_symbol<Kernel>(facts, &cuda_shim_kernel<Kernel>::run_fallback,
                                           &cuda_shim_kernel<Kernel>::template run_split<Split>);
}
// Without: the thread loop is all there is.
template <auto Kernel, auto Loop> constexpr CudaShimSymbol cuda_shim_loop_symbol(cuda_shim_symbol_facts facts) {
    return cuda_shim_kernel_symbol<Kernel>(facts, &cuda_shim_kernel<Kernel>::template run_loop<Loop>, nullptr);
}
template <auto Kernel, auto Run> constexpr CudaShimSymbol cuda_shim_run_symbol(cuda_shim_symbol_facts facts) {
    CudaShimSymbol symbol = cuda_shim_kernel_symbol<Kernel>(facts, &cuda_shim_kernel<Kernel>::template run_blocks<Run>, nullptr);
    symbol.whole_runs = 1;
    return symbol;
}

#if defined(CUDA_SHIM_CHECKED)
#define CUDA_SHIM_MODULE_FLAGS (CUDA_SHIM_MODULE_SINGLE_THREADS | CUDA_SHIM_MODULE_CHECKED)
static void* cuda_shim_find_thread_state() { return &cuda_shim_thread_state; }
#else
#ifdef CUDA_SHIM_SINGLE_THREADS
#define CUDA_SHIM_MODULE_FLAGS CUDA_SHIM_MODULE_SINGLE_THREADS
#else
#define CUDA_SHIM_MODULE_FLAGS 0
#endif
static constexpr void* (*cuda_shim_find_thread_state)() = nullptr;
#endif

#if __has_attribute(retain)
#define CUDA_SHIM_RETAINED __attribute__((used, retain))
#else
#define CUDA_SHIM_RETAINED __attribute__((used))
#endif

// A kernel's text in the section CUDA_SHIM_KERNEL_LIST_SECTION; an empty one where the symbol is a variable.
template <bool IsKernel, size_t Bytes> struct cuda_shim_listed_kernel {
    char text[IsKernel ? Bytes : 1];
    constexpr cuda_shim_listed_kernel(const char (&entry)[Bytes]) : text{} {
        if constexpr (IsKernel)
            for (size_t i = 0; i < Bytes; ++i) text[i] = entry[i];
    }
};
#define CUDA_SHIM_KERNEL_FIELDS(FORM, SHAPE, REASON) \
    FORM CUDA_SHIM_KERNEL_LIST_SEPARATOR SHAPE CUDA_SHIM_KERNEL_LIST_SEPARATOR REASON
#if defined(CUDA_SHIM_CHECKED)
#define CUDA_SHIM_FIELDS_IN_MODULE(FORM, SHAPE, REASON) CUDA_SHIM_KERNEL_FIELDS("each thread by itself, checked", "threads", "")
#elif defined(CUDA_SHIM_SINGLE_THREADS)
#define CUDA_SHIM_FIELDS_IN_MODULE(FORM, SHAPE, REASON) CUDA_SHIM_KERNEL_FIELDS("each thread by itself", "threads", "")
#else
#define CUDA_SHIM_FIELDS_IN_MODULE(FORM, SHAPE, REASON) CUDA_SHIM_KERNEL_FIELDS(FORM, SHAPE, REASON)
#endif
#define CUDA_SHIM_LIST_TEXT(INDEX, TEXT)                                                          \
    CUDA_SHIM_RETAINED __attribute__((section(CUDA_SHIM_KERNEL_LIST_SECTION))) static constexpr    \
        cuda_shim_listed_kernel<cuda_shim_symbols[INDEX].kind == CUDA_SHIM_SYMBOL_KERNEL, sizeof(TEXT)> \
            cuda_shim_listed_kernel_##INDEX(TEXT);
#define CUDA_SHIM_LIST_KERNEL(INDEX, NAME, FORM, SHAPE, REASON) \
    CUDA_SHIM_LIST_TEXT(INDEX, NAME CUDA_SHIM_KERNEL_LIST_SEPARATOR CUDA_SHIM_FIELDS_IN_MODULE(FORM, SHAPE, REASON))

// Ends every module. The tables cuda_shim_symbols, cuda_shim_anchors and cuda_shim_lowered_names come before it.
#ifndef CUDA_SHIM_RELOCATABLE
#define CUDA_SHIM_MODULE(SYMBOL_COUNT)                                                                             \
    extern "C" CUDA_SHIM_UNCHECKED __attribute__((visibility("default"), used))                                    \
    const CudaShimKernelModule* cuda_shim_kernel_module(                                                           \
        const CudaShimRuntimeServices* services) {                                                                 \
        static const CudaShimKernelModule module = {CUDA_SHIM_KERNEL_ABI_VERSION, SYMBOL_COUNT, cuda_shim_symbols, \
                                                    CUDA_SHIM_MODULE_FLAGS, cuda_shim_find_thread_state,           \
                                                    CUDA_SHIM_THREAD_LOCALS};                                      \
        asm volatile("" : : "r"(&cuda_shim_anchors), "r"(&cuda_shim_lowered_names));                               \
        cuda_shim_services = services;                                                                             \
        return &module;                                                                                            \
    }
#else
// One of several programs that may make up a module: each leaves the address of its table in a section, and the module's
// one entry, which all of them bring along, puts the tables together.
struct cuda_shim_unit {
    const CudaShimSymbol* symbols;
    uint32_t symbol_count;
    const CudaShimRuntimeServices** services;
};
extern "C" __attribute__((visibility("hidden"))) const cuda_shim_unit* const __start_cuda_shim_units[];
extern "C" __attribute__((visibility("hidden"))) const cuda_shim_unit* const __stop_cuda_shim_units[];

extern "C" CUDA_SHIM_UNCHECKED __attribute__((weak, visibility("default"), used))
const CudaShimKernelModule* cuda_shim_kernel_module(
    const CudaShimRuntimeServices* services) {
    static CudaShimKernelModule module;
    uint32_t count = 0;
    for (auto unit = __start_cuda_shim_units; unit != __stop_cuda_shim_units; ++unit) {
        *(*unit)->services = services;
        count += (*unit)->symbol_count;
    }
    CudaShimSymbol* all = (CudaShimSymbol*)services->table_memory((count + 1) * sizeof(CudaShimSymbol));
    if (!all) return nullptr;
    uint32_t next = 0;
    for (auto unit = __start_cuda_shim_units; unit != __stop_cuda_shim_units; ++unit) {
        __builtin_memcpy(all + next, (*unit)->symbols, (*unit)->symbol_count * sizeof(CudaShimSymbol));
        next += (*unit)->symbol_count;
    }
    module = {CUDA_SHIM_KERNEL_ABI_VERSION, count, all, CUDA_SHIM_MODULE_FLAGS, cuda_shim_find_thread_state, CUDA_SHIM_THREAD_LOCALS};
    return &module;
}
#define CUDA_SHIM_MODULE(SYMBOL_COUNT)                                                                             \
    static const cuda_shim_unit cuda_shim_this_unit = {cuda_shim_symbols, SYMBOL_COUNT, &cuda_shim_services};      \
    CUDA_SHIM_RETAINED __attribute__((section("cuda_shim_units"))) static const cuda_shim_unit* const              \
        cuda_shim_this_unit_listed = &cuda_shim_this_unit;
#endif

// PTX's memory instructions: atomics, copies, addresses of shared memory. Nothing here reads the thread's index, so
// that a kernel's loops over its threads need not set it in every iteration.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_orders.h>
#if defined(__AMDGCN__)
#include <cuda_shim/atomics.h>
#include <cuda_shim/hardware.h>
#define CUDA_SHIM_ATOMIC(name) cuda_on_hip_##name
#else
#define CUDA_SHIM_ATOMIC(name) name
#endif

namespace cuda_shim_ptx {

// Bytes of dynamic shared memory.
CUDA_SHIM_PTX unsigned dynamic_shared_bytes() {
#if defined(__AMDGCN__)
    return ((const unsigned*)__builtin_amdgcn_dispatch_ptr())[7] - __builtin_amdgcn_groupstaticsize();
#else
    return (unsigned)cuda_shim_run->dynamic_shared_bytes;
#endif
}

// Nanoseconds of the device's clock.
CUDA_SHIM_PTX unsigned long long global_timer() {
#if defined(__AMDGCN__)
    return cuda_on_hip_globaltimer();
#else
    return cuda_shim_services->nanoseconds();
#endif
}

#if defined(__AMDGCN__)
CUDA_SHIM_PTX unsigned multiprocessor() { return cuda_on_hip_multiprocessor(); }
CUDA_SHIM_PTX unsigned multiprocessors() { return cuda_on_hip_multiprocessors(); }
#else
// Errors where a kernel calls them: headers of libraries have functions for all special registers.
extern __attribute__((error("inline PTX '%smid': host cores have no numbers of multiprocessors"))) unsigned multiprocessor();
extern __attribute__((error("inline PTX '%nsmid': host cores have no numbers of multiprocessors"))) unsigned multiprocessors();
#endif

// The pointer whose low 32 bits are the number, within 2 GB of a base.
CUDA_SHIM_PTX char* near_pointer(unsigned low, char* base) { return base + (int)(low - (unsigned)(unsigned long long)base); }

// The pointer to shared memory of which PTX keeps the low 32 bits: the candidate nearest to a base of shared memory.
CUDA_SHIM_PTX char* shared_pointer(unsigned low, char* base) { return near_pointer(low, base); }
CUDA_SHIM_PTX char* shared_pointer(unsigned low, char* first, char* second) {
    const int from_first = (int)(low - (unsigned)(unsigned long long)first);
    const int from_second = (int)(low - (unsigned)(unsigned long long)second);
    const bool nearer = (from_first < 0 ? -(long long)from_first : from_first) <= (from_second < 0 ? -(long long)from_second : from_second);
    return nearer ? first + from_first : second + from_second;
}

// A pointer as it is, or the shared memory pointer whose low 32 bits are the number.
template <class... Bases> CUDA_SHIM_PTX char* shared_generic(char* at, Bases... bases) {
    const unsigned long long number = (unsigned long long)at;
    return number >> 32 ? at : shared_pointer((unsigned)number, bases...);
}

// A pointer as it is, or the pointer to a thread's local memory or parameters whose low 32 bits are the number.
CUDA_SHIM_PTX char* local_generic(unsigned long long number, char* base) {
    return number >> 32 ? (char*)number : near_pointer((unsigned)number, base);
}

// True if a shuffle reads another lane of its segment. How: 0 by index, 1 up, 2 down, 3 by exclusive or.
template <int How> CUDA_SHIM_PTX bool shuffle_reaches(unsigned by, unsigned segment, unsigned lane) {
    const unsigned clamp = segment & 31, mask = (segment >> 8) & 31, highest = (lane & mask) | (clamp & ~mask);
    by &= 31;
    if (How == 1) return (int)(lane - by) >= (int)highest;
    if (How == 2) return lane + by <= highest;
    if (How == 3) return (lane ^ by) <= highest;
    return ((lane & mask) | (by & ~mask)) <= highest;
}

// A shuffle returns the other lane's value, or the thread's own where the clamp lies before that lane. CUDA's function
// returns the own value at a segment's end already, so that only a clamp other than this end is compared.
template <int How, class T, class U>
CUDA_SHIM_PTX T shuffled(T other, U own, unsigned by, unsigned segment, unsigned lane) {
    const bool at_end = (segment & 31) == (How == 1 ? 0 : 31);
    if (__builtin_constant_p(at_end) && at_end) return other;
    return shuffle_reaches<How>(by, segment, lane) ? other : (T)own;
}

// Signed 64-bit integers are added, and swapped, as unsigned ones.
template <class T> CUDA_SHIM_PTX T atomic_add(T* at, T value) { return CUDA_SHIM_ATOMIC(atomicAdd)(at, value); }
CUDA_SHIM_PTX long long atomic_add(long long* at, long long value) {
    return (long long)CUDA_SHIM_ATOMIC(atomicAdd)((unsigned long long*)at, (unsigned long long)value);
}
// An atomic operation on two bytes, by a compare-and-swap loop on the word around them.
template <class Change> CUDA_SHIM_PTX unsigned short atomic_short(unsigned short* at, Change change) {
    unsigned* word = (unsigned*)((unsigned long long)at & ~3ull);
    const unsigned by = ((unsigned long long)at & 2) ? 16 : 0;
    unsigned seen = *(volatile unsigned*)word, before;
    do {
        before = seen;
        const unsigned after = (before & ~(0xffffu << by)) | ((unsigned)change((unsigned short)(before >> by)) << by);
        seen = CUDA_SHIM_ATOMIC(atomicCAS)(word, before, after);
    } while (seen != before);
    return (unsigned short)(before >> by);
}
CUDA_SHIM_PTX _Float16 atomic_add(_Float16* at, _Float16 value) {
    return as<_Float16>(atomic_short((unsigned short*)at, [=](unsigned short old) { return as<unsigned short>((_Float16)(as<_Float16>(old) + value)); }));
}
CUDA_SHIM_PTX bfloat atomic_add(bfloat* at, bfloat value) {
    return bfloat{atomic_short((unsigned short*)at, [=](unsigned short old) { return (bfloat{old} + value).bits; })};
}
CUDA_SHIM_PTX unsigned short atomic_cas(unsigned short* at, unsigned short expected, unsigned short value) {
    return atomic_short(at, [=](unsigned short old) { return old == expected ? value : old; });
}
// Both halves of a pair at once.
template <class T> CUDA_SHIM_PTX unsigned atomic_add_pair(unsigned* at, unsigned value) {
    unsigned seen = *(volatile unsigned*)at, before;
    do {
        before = seen;
        const T low = (T)(half_of<T, 0>(before) + half_of<T, 0>(value)), high = (T)(half_of<T, 1>(before) + half_of<T, 1>(value));
        seen = CUDA_SHIM_ATOMIC(atomicCAS)(at, before, packed(low, high));
    } while (seen != before);
    return before;
}
template <class T> CUDA_SHIM_PTX T atomic_cas(T* at, T expected, T value) { return CUDA_SHIM_ATOMIC(atomicCAS)(at, expected, value); }
template <class T> CUDA_SHIM_PTX T atomic_exch(T* at, T value) { return CUDA_SHIM_ATOMIC(atomicExch)(at, value); }
template <class T> CUDA_SHIM_PTX T atomic_and(T* at, T value) { return CUDA_SHIM_ATOMIC(atomicAnd)(at, value); }
template <class T> CUDA_SHIM_PTX T atomic_or(T* at, T value) { return CUDA_SHIM_ATOMIC(atomicOr)(at, value); }
template <class T> CUDA_SHIM_PTX T atomic_xor(T* at, T value) { return CUDA_SHIM_ATOMIC(atomicXor)(at, value); }
template <class T> CUDA_SHIM_PTX T atomic_min(T* at, T value) { return CUDA_SHIM_ATOMIC(atomicMin)(at, value); }
template <class T> CUDA_SHIM_PTX T atomic_max(T* at, T value) { return CUDA_SHIM_ATOMIC(atomicMax)(at, value); }

CUDA_SHIM_PTX unsigned atomic_inc(unsigned* at, unsigned limit) { return CUDA_SHIM_ATOMIC(atomicInc)(at, limit); }
CUDA_SHIM_PTX unsigned atomic_dec(unsigned* at, unsigned limit) { return CUDA_SHIM_ATOMIC(atomicDec)(at, limit); }
#undef CUDA_SHIM_ATOMIC

// cp.async: the bytes beyond `given` become zero.
CUDA_SHIM_PTX void copy(char* to, const char* from, unsigned size, unsigned given) {
    for (unsigned at = 0; at < size; ++at) to[at] = at < given ? from[at] : 0;
}

}  // namespace cuda_shim_ptx

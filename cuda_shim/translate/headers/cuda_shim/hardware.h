// Clocks of an AMD GPU, and the number of the multiprocessor that a thread runs on.
#pragma once
#pragma GCC system_header
#include <cuda_shim/base.h>

#if defined(__AMDGCN__)
// Ticks of the constant clock in a millisecond. The options give it for the target device; for a GPU that is not
// present, 100 MHz are assumed.
#ifndef CUDA_ON_HIP_WALL_CLOCK_KHZ
#define CUDA_ON_HIP_WALL_CLOCK_KHZ 100000
#endif
// Ticks of clock64() in a millisecond: the clock rate that the device reports.
#ifndef CUDA_ON_HIP_CLOCK_KHZ
#define CUDA_ON_HIP_CLOCK_KHZ 2400000
#endif

// The constant clock in ticks of another rate, without overflow.
template <unsigned long long Rate> CUDA_ON_HIP_DEVICE unsigned long long cuda_on_hip_wall_clock() {
    const unsigned long long ticks = (unsigned long long)wall_clock64(), base = CUDA_ON_HIP_WALL_CLOCK_KHZ;
    return Rate % base == 0 ? ticks * (Rate / base) : ticks / base * Rate + ticks % base * Rate / base;
}
CUDA_ON_HIP_DEVICE unsigned long long cuda_on_hip_globaltimer() { return cuda_on_hip_wall_clock<1000000>(); }

CUDA_ON_HIP_DEVICE long long cuda_on_hip_clock64() {
#if defined(__GFX11__)
    // The counter of cycles has 20 bits here, which are over in half a millisecond.
    return (long long)cuda_on_hip_wall_clock<CUDA_ON_HIP_CLOCK_KHZ>();
#else
    return (long long)__builtin_readcyclecounter();
#endif
}
CUDA_ON_HIP_DEVICE long cuda_on_hip_clock() { return (long)cuda_on_hip_clock64(); }

// A number for each compute unit. The numbers have gaps, and may change when the GPU moves the work.
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_multiprocessor() {
#if defined(__GFX12__)
    // HIP's __smid() reads a register of older GPUs. This is HW_ID1: the workgroup processor, shader array and engine.
    const unsigned processor = __builtin_amdgcn_s_getreg((4 - 1) << 11 | 10 << 6 | 23);
    const unsigned array = __builtin_amdgcn_s_getreg(16 << 6 | 23);
    const unsigned engine = __builtin_amdgcn_s_getreg((3 - 1) << 11 | 18 << 6 | 23);
    return (engine << 1 | array) << 4 | processor;
#else
    return __smid();
#endif
}
// An upper bound of the multiprocessor numbers: the width of the fields in the hardware's register.
CUDA_ON_HIP_DEVICE unsigned cuda_on_hip_multiprocessors() {
#if defined(__gfx942__) || defined(__gfx950__)
    return 1024;
#else
    return 512;
#endif
}
#else
// Host cores have these themselves.
CUDA_ON_HIP_DEVICE long long cuda_on_hip_clock64() { return clock64(); }
CUDA_ON_HIP_DEVICE long cuda_on_hip_clock() { return (long)clock(); }
#endif

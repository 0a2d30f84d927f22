// Block widths: a kernel may have a second form for the width of blocks that it is written for.
//
// Problem: `before = t >= d ? s[t - d] : 0;` in a loop of the block tests every thread in every iteration, in vectors
// under a mask. With the number of threads known, the compiler unrolls the loop of the block: then the test has one
// result for all threads of most vectors, and the elements that they read are those of another vector.
//
//   before: f(width)
//   after:  if (width == 256) f(256); else f(width);
//
// Both forms are the same text, inlined twice, so the compiler makes them do the same. The width is the number of
// elements of the kernel's first shared array: `__shared__ float s[256]`. A launch with other blocks runs the other
// form.
//
// Limits: kernels of one dimension. Only those that test threads in this way get the second form, which takes the
// compiler as long as the first; others gain little, or lose by the unrolled loops.
#pragma once
#include <vector>

#include "kernel_compiler/split/kernel_body.h"

namespace cuda_shim {

class Uniformity;

// The width of blocks that the kernel seems to be written for; 0 where nothing shows one.
unsigned int expected_block_width(const KernelBody& body);

// Do the ranges hold a condition, not of the whole block, that compares a number which grows by one from thread to
// thread?
bool tests_threads(const KernelBody& body, const Uniformity& uniformity, const std::vector<Range>& ranges);

}  // namespace cuda_shim

// CUDA's arithmetic on two 16-bit or four 8-bit integers in a word, lane by lane.
#pragma once
#pragma GCC system_header
#include <cuda_shim/portable_names.h>
#include <portable/packed_integers.h>

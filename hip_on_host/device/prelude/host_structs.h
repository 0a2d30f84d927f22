// Structs of the host API that device code mentions.
#pragma once
// Part for HIP programs with names that begin with: hipExtent hipPos hipPitchedPtr make_hipExtent make_hipPos
//   make_hipPitchedPtr

struct hipExtent { size_t width, height, depth; };
struct hipPos { size_t x, y, z; };
struct hipPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
CUDA_SHIM_INLINE hipExtent make_hipExtent(size_t w, size_t h, size_t d) { return hipExtent{w, h, d}; }
CUDA_SHIM_INLINE hipPos make_hipPos(size_t x, size_t y, size_t z) { return hipPos{x, y, z}; }
CUDA_SHIM_INLINE hipPitchedPtr make_hipPitchedPtr(void* d, size_t p, size_t xsz, size_t ysz) {
    return hipPitchedPtr{d, p, xsz, ysz};
}

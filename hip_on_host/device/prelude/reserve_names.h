// NVRTC declares no integer types of fixed width: a CUDA program may bring its own, of other types than these. So while
// the prelude is read the names are macros for types of its own (restore_names.h undefines them). Where the host's headers are
// included the names are theirs.
#pragma once

#if defined(CUDA_SHIM_CUDA) && !defined(CUDA_SHIM_STANDARD_HEADERS)
#define int8_t cuda_shim_int8_t
#define int16_t cuda_shim_int16_t
#define int32_t cuda_shim_int32_t
#define int64_t cuda_shim_int64_t
#define uint8_t cuda_shim_uint8_t
#define uint16_t cuda_shim_uint16_t
#define uint32_t cuda_shim_uint32_t
#define uint64_t cuda_shim_uint64_t
#define intptr_t cuda_shim_intptr_t
#define uintptr_t cuda_shim_uintptr_t
#endif

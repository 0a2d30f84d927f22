// Undefines the macros of reserve_names.h: from here on the names are the program's.
#pragma once

#if defined(CUDA_SHIM_CUDA) && !defined(CUDA_SHIM_STANDARD_HEADERS)
#undef int8_t
#undef int16_t
#undef int32_t
#undef int64_t
#undef uint8_t
#undef uint16_t
#undef uint32_t
#undef uint64_t
#undef intptr_t
#undef uintptr_t
#endif

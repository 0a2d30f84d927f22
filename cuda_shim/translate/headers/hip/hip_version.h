// hip/hip_version.h: CUDA programs that also support HIP include it under hiprtc, which has the version built in.
#pragma once
#ifndef HIP_VERSION
#ifndef HIP_VERSION_MAJOR
#define HIP_VERSION_MAJOR 5
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 0
#endif
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)
#endif

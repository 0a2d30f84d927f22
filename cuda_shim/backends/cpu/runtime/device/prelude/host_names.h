// Names of the host API that device code mentions: status types and the constants that kernels compare with.
#pragma once

typedef enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorUnknown = 999 } hipError_t;
typedef hipError_t cudaError_t;
typedef struct ihipStream_t* hipStream_t;
typedef hipStream_t cudaStream_t;
#define cudaSuccess hipSuccess
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorUnknown hipErrorUnknown
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long hipTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long hipSurfaceObject_t;

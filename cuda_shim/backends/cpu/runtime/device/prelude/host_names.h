// Handles of the host API that device code mentions. (Statuses are in status_names.h.)
#pragma once

typedef struct ihipStream_t* hipStream_t;
typedef hipStream_t cudaStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef hipEvent_t cudaEvent_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long hipTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long hipSurfaceObject_t;

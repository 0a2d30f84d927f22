// What the libraries are built to show; the rest is hidden.
#pragma once

#define CUDA_SHIM_API __attribute__((visibility("default")))

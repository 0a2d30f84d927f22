// The symbols that the libraries export; all others are hidden.
#pragma once

#define CUDA_SHIM_API __attribute__((visibility("default")))

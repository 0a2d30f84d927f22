// Stands for HIP's header of this name.
#pragma once
#include "../cuda_bf16.h"

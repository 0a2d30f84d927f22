// Stands for HIP's header of this name.
#pragma once
#include "../cuda_fp16.h"

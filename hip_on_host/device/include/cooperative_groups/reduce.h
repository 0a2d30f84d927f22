// Stands for CUDA's header of this name.
#pragma once
#include "../cooperative_groups.h"

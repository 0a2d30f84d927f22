// Stands for CUDA's header of this name: numbers, by their bits.
#pragma once
#include "../portable/math_constants.h"

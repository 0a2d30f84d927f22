// Intrinsics on four bytes or two halves of a word at once, and minima and maxima of three numbers.
#pragma once
// Part for programs with names that begin with: __v
#include "portable_names.h"

#include "../portable/packed_integers.h"

#include "../portable/minima_maxima.h"

// Stands for CUDA's header of this name: what it declares for device code is in every kernel's prelude.
#pragma once
#include "../prelude/host_names.h"

// Stands for CUDA's header of this name: its declarations for device code are in every kernel's prelude.
#pragma once
#include "../prelude/host_names.h"

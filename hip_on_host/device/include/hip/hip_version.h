// Stands for HIP's header of this name.
#pragma once
#include "../../prelude/predefined.h"

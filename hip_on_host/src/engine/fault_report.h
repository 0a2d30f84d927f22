// The report of a kernel that was stopped: a line of the log and, in checked runs, a finding.
#pragma once
#include "engine/faults.h"

namespace cuda_shim {

// Reports the kernel of `frame`, on the thread that ran it; a frame that another thread's fault stopped is not
// reported.
void report_fault(const KernelFrame& frame);

}  // namespace cuda_shim

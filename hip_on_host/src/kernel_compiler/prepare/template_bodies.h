// Bodies of templates that a program never instantiates. NVRTC does not look at them, whatever they hold, while other
// compilers refuse a body with an error that depends on no parameter of the template.
#pragma once
#include <string>

namespace cuda_shim {

// Returns a text in which the bodies of templates that these errors of a compiler are in are errors of their own, but
// only where they are instantiated. Empty if an error is elsewhere, so that the program is wrong in any case.
std::string without_wrong_template_bodies(const std::string& text, const std::string& errors,
                                          const std::string& program_name);

}  // namespace cuda_shim

// Generated code that does not compile although the program does. Some forms of a kernel have requirements that only
// the compiler can judge: those are no faults, and the kernel runs in another form. Everything else is a fault of
// hiprtc.
#pragma once
#include <string>
#include <vector>

namespace cuda_shim {

// Begins the message of a static_assert in generated code, in front of the requirement that does not hold.
inline constexpr char kUnmetRequirement[] = "not split: ";
// The reason of a kernel whose lowered form does not compile for another cause.
inline constexpr char kLoweredFormFault[] = "its rewritten form does not compile";

// The requirement that the compiler's errors name, else empty.
std::string unmet_requirement(const std::string& errors);

// The faults in the code generated for a program, in the order in which they are met.
class GeneratedCodeFaults {
public:
    // `part`: the code's purpose, such as "the loops of kernel saxpy". `errors`: the compiler's.
    void add(const std::string& part, const std::string& errors) { faults_.push_back({part, errors}); }
    // Reports the faults of a program that was compiled without those parts: as warnings, with the errors in the debug
    // log.
    void warn(const std::string& program) const;
    // The log of a program that is refused for its faults (CUDA_SHIM_CPU_FALLBACKS=0), empty where it is not.
    std::string refusal() const;

private:
    struct Fault {
        std::string part, errors;
    };
    std::vector<Fault> faults_;
};

}  // namespace cuda_shim

// The steps that compilers are started for: reading the prelude, compiling a module's text, linking it.
#pragma once
#include <string>
#include <vector>

#include "kernel_compiler/build/compiler.h"
#include "kernel_compiler/read/includes.h"
#include "kernel_compiler/build/process.h"
#include "kernel_compiler/read/translation_unit.h"

namespace cuda_shim {

class CompileSteps {
public:
    enum Step { Reading, Compiling, Linking, kSteps };

    // All arguments must outlive the object. `headers_folder`: where headers given with the program are, if any.
    CompileSteps(const Compiler& compiler, const CompileOptions& options, const HostHeaders& host_headers,
                 const std::string& program_name, const std::string& scratch, const std::string& headers_folder)
        : compiler_(compiler),
          options_(options),
          host_headers_(host_headers),
          program_name_(program_name),
          scratch_(scratch),
          headers_folder_(headers_folder) {}

    // The compiler's command with the flags that decide the prelude's contents; reading the program needs the same.
    std::vector<std::string> prelude_command(const Compiler& compiler, const TranslationUnit& unit) const;

    // Compiles a generated file; `extra_words`: further ones, and for compile() those for its input and output. False
    // with the compiler's messages in errors(), as the other steps.
    bool compile(const TranslationUnit& unit, const std::vector<std::string>& extra_words);
    bool compile_object(const TranslationUnit& unit, const std::string& source, const std::string& object,
                        const std::vector<std::string>& extra_words);
    bool compile_module(const TranslationUnit& unit, const std::string& source, const std::string& module,
                        const std::vector<std::string>& extra_words);
    bool link(const std::string& object, const std::string& module);
    const std::string& errors() const { return errors_; }

    // Counts the time of its life to a step.
    class Timed {
    public:
        Timed(CompileSteps& steps, Step step) : total_(steps.milliseconds_[step]), start_(milliseconds_now()) {}
        ~Timed() { total_ += milliseconds_now() - start_; }
        Timed(const Timed&) = delete;
        Timed& operator=(const Timed&) = delete;

    private:
        int64_t& total_;
        const int64_t start_;
    };
    // Logs the time of each step.
    void log_times() const;

private:
    bool succeeds(const std::vector<std::string>& command);
    void report_slow_compile();

    const Compiler& compiler_;
    const CompileOptions& options_;
    const HostHeaders& host_headers_;
    const std::string& program_name_;
    const std::string& scratch_;
    const std::string& headers_folder_;
    std::string errors_;
    int64_t milliseconds_[kSteps] = {};
    bool reported_slow_compile_ = false;
};

}  // namespace cuda_shim

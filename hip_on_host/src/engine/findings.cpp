#include "engine/findings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "common/files.h"
#include "common/log.h"
#include "common/setting_names.h"
#include "common/settings.h"
#include "engine/program_call.h"

namespace cuda_shim {
namespace {

// Shared with the children that this process forks.
struct Count {
    std::atomic<uint64_t> findings{0};
};
Count* count = nullptr;
void (*last_checks_of_exit)() = nullptr;
pid_t watched_process = 0;

std::string json_text(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        char escaped[8];
        if (c == '"' || c == '\\') {
            quoted += {'\\', c};
        } else if (byte < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            quoted += escaped;
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

std::string json_or_null(const std::string& text) { return text.empty() ? "null" : json_text(text); }

std::string json_index(const int64_t index[3]) {
    if (index[0] < 0) return "null";
    return "[" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + "]";
}

// "kernel.cu:7" as two fields.
std::string json_line(const std::string& place) {
    const size_t colon = place.rfind(':');
    const bool has_line =
        colon != std::string::npos && place.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    if (!has_line) return "\"file\": " + json_or_null(place) + ", \"line\": null";
    return "\"file\": " + json_text(place.substr(0, colon)) + ", \"line\": " + place.substr(colon + 1);
}

std::string json(const Finding& finding) {
    // The call's place in the program: "prog.py:12 in main".
    const std::string call = describe_call(finding.call);
    const size_t name = call.rfind(" in ");
    std::string text = "{\"format\": 1, \"kind\": " + json_text(finding.kind);
    text += ", \"message\": " + json_text(finding.message);
    text += ", \"kernel\": " + json_or_null(finding.kernel);
    text += ", \"block\": " + json_index(finding.block) + ", \"thread\": " + json_index(finding.thread);
    text += ", " + json_line(finding.place);
    text += ", \"address\": " + (finding.address ? std::to_string(finding.address) : "null");
    text += ", \"bytes\": " + (finding.bytes ? std::to_string(finding.bytes) : "null");
    text += ", \"error\": " + (finding.error ? std::to_string(static_cast<int>(finding.error)) : "null");
    text += ", \"device\": " + std::to_string(finding.device);
    text += ", \"call\": {" + json_line(name == std::string::npos ? call : call.substr(0, name));
    text += ", \"function\": " + json_or_null(name == std::string::npos ? "" : call.substr(name + 4)) + "}";
    text += ", \"process\": " + std::to_string(getpid()) + "}\n";
    return text;
}

// Whole lines, however many processes write them.
void write_json(const std::string& line) {
    const std::string& target = settings().check_json;
    if (target.empty()) return;
    Descriptor file;
    int to = STDERR_FILENO;
    if (target != "1") {
        file = Descriptor(open(target.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
        to = file.get();
    }
    if (to < 0 || write(to, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        log(LogLevel::Error, "%s=%s cannot be written: %s", name_of_setting("CUDA_SHIM_CPU_CHECK_JSON").c_str(),
            target.c_str(), strerror(errno));
    }
}

void at_exit() {
    if (getpid() != watched_process) return;  // a forked child that ends as programs do: its parent reports
    if (last_checks_of_exit) last_checks_of_exit();
    if (!settings().error_exitcode || count->findings.load() == 0) return;
    fflush(nullptr);
    _exit(settings().error_exitcode);
}

}  // namespace

void report_finding(const Finding& finding) {
    if (count) count->findings.fetch_add(1);
    write_json(json(finding));
}

void watch_exit(void (*last_checks)()) {
    void* const shared = mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        log(LogLevel::Error, "no memory to count findings: the exit status does not report them");
        return;
    }
    count = new (shared) Count;
    last_checks_of_exit = last_checks;
    watched_process = getpid();
    atexit(at_exit);
}

}  // namespace cuda_shim

#include "kernel_compiler/read/includes.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "kernel_compiler/read/header_facts.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Headers that declare types and limits alone: no C function that the prelude declares too.
bool declares_no_functions(const std::string& name) {
    static const char* const names[] = {"stdint.h",   "stddef.h", "stdbool.h", "stdarg.h", "float.h",
                                        "limits.h",   "cstdint",  "cstddef",   "cfloat",   "climits",
                                        "stdalign.h", "cstdarg",  "limits",    "version",  "type_traits"};
    return std::any_of(std::begin(names), std::end(names), [&](const char* header) { return name == header; });
}

bool exists(const std::string& folder, const std::string& name) {
    return access(concat({folder, "/", name}).c_str(), R_OK) == 0;
}

// The macros that options define as the name of a file, in quotes or angle brackets.
std::map<std::string, HeaderFacts::Include> files_among(const std::vector<std::string>& macros) {
    std::map<std::string, HeaderFacts::Include> files;
    for (const std::string& option : macros) {
        const size_t equals = option.find('=');
        if (!starts_with(option, "-D") || equals == std::string::npos || equals + 3 > option.size()) continue;
        const char open = option[equals + 1], close = option.back();
        if ((open == '"' && close == '"') || (open == '<' && close == '>'))
            files[option.substr(2, equals - 2)] = {option.substr(equals + 2, option.size() - equals - 3), open == '"'};
    }
    return files;
}

class IncludeFinder {
public:
    IncludeFinder(const HeaderList& headers, const std::vector<std::string>& folders,
                  const std::vector<std::string>& macros, const DeviceHeaders& device_headers)
        : headers_(headers), folders_(folders), macros_(files_among(macros)), device_headers_(device_headers) {
        folders_.push_back(device_headers.preprocess_only);
    }

    // `folder`: the including file's folder, for "quoted" names; empty for the program and its headers.
    void add_facts(const HeaderFacts& facts, const std::string& folder) {
        closure.has_include_names.insert(facts.questions.begin(), facts.questions.end());
        for (const std::string& word : facts.computed_questions)
            if (const auto entry = macros_.find(word); entry != macros_.end())
                closure.has_include_names.insert(entry->second.name);
        for (const HeaderFacts::Include& include : facts.includes) follow(include.name, include.quoted ? folder : "");
        for (const std::string& word : facts.computed) {
            const auto entry = macros_.find(word);
            if (entry == macros_.end())
                closure.computed = true;
            else
                follow(entry->second.name, entry->second.quoted ? folder : "");
        }
    }

    void follow(const std::string& name, const std::string& folder) {
        for (const auto& [header, contents] : headers_)
            if (header == name) {
                if (!included_.insert(name).second) return;
                queue_.push_back({std::make_shared<const HeaderFacts>(facts_in(contents)), ""});
                note_embeds(*queue_.back().first, name);
                return;
            }
        const bool is_cuda = is_cuda_header(name);
        if (!is_cuda && !folder.empty() && add_file(concat({folder, "/", name}))) return;
        if (searched_.insert(name).second && (is_cuda || !add_from_folders(name))) closure.outside.insert(name);
    }

    void note_embeds(const HeaderFacts& facts, const std::string& file) {
        if (facts.embeds && closure.embeds.empty())
            closure.embeds = concat({file, "(", std::to_string(facts.embeds), ")"});
    }

    void finish() {
        while (!queue_.empty()) {
            const auto [facts, folder] = queue_.front();
            queue_.pop_front();
            add_facts(*facts, folder);
        }
    }

    IncludeClosure closure;

private:
    bool is_cuda_header(const std::string& name) {
        const auto [entry, is_new] = is_cuda_header_.emplace(name, false);
        if (is_new) entry->second = exists(device_headers_.cuda_headers, name);
        return entry->second;
    }

    bool add_from_folders(const std::string& name) {
        if (!name.empty() && name[0] == '/') return add_file(name);
        return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
            return may_hold(folder, name) && add_file(concat({folder, "/", name}));
        });
    }

    // True if the first folder of a name is there: most names belong to a library that is in one of many places.
    bool may_hold(const std::string& folder, const std::string& name) {
        const size_t slash = name.find('/');
        if (slash == std::string::npos) return true;
        const std::string first = concat({folder, "/", name.substr(0, slash)});
        const auto [entry, is_new] = folder_exists_.emplace(first, false);
        if (is_new) entry->second = access(first.c_str(), F_OK) == 0;
        return entry->second;
    }

    bool add_file(const std::string& path) {
        if (closure.files.count(path)) return true;
        const std::shared_ptr<const HeaderFacts> facts = facts_of(path);
        if (!facts) return false;
        closure.files.emplace(path, facts->digest);
        note_embeds(*facts, path);
        const size_t slash = path.rfind('/');
        queue_.push_back({facts, slash == std::string::npos ? "." : path.substr(0, slash)});
        return true;
    }

    const HeaderList& headers_;
    std::vector<std::string> folders_;
    const std::map<std::string, HeaderFacts::Include> macros_;
    const DeviceHeaders& device_headers_;
    std::set<std::string> included_, searched_;
    std::map<std::string, bool> folder_exists_, is_cuda_header_;
    std::deque<std::pair<std::shared_ptr<const HeaderFacts>, std::string>> queue_;
};

}  // namespace

IncludeClosure find_includes(const std::string& name, const std::string& source, const HeaderList& headers,
                             const std::vector<std::string>& folders, const std::vector<std::string>& first_files,
                             const std::vector<std::string>& macros, const DeviceHeaders& device_headers) {
    IncludeFinder finder(headers, folders, macros, device_headers);
    const HeaderFacts program_facts = facts_in(source);
    finder.closure.has_directives = program_facts.has_directives;
    finder.note_embeds(program_facts, name);
    finder.add_facts(program_facts, "");
    for (const std::string& file : first_files) {
        finder.closure.has_directives = true;
        finder.follow(file, ".");
    }
    finder.finish();
    return std::move(finder.closure);
}

bool is_own_header(const std::string& name, const DeviceHeaders& device_headers) {
    return exists(device_headers.cuda_headers, name) || exists(device_headers.libcudacxx, name);
}

HostHeaders host_headers_among(const std::set<std::string>& outside, const DeviceHeaders& device_headers) {
    HostHeaders headers;
    for (const std::string& name : outside) {
        // CUDA's C++ library is the host's here, where the program brings none.
        const bool of_cuda = starts_with(name, "cuda/std/"), is_cuda = exists(device_headers.cuda_headers, name);
        if (is_cuda || (!of_cuda && exists(device_headers.libcudacxx, name))) continue;
        headers.any = true;
        headers.functions = headers.functions || !declares_no_functions(of_cuda ? name.substr(9) : name);
    }
    return headers;
}

}  // namespace cuda_shim

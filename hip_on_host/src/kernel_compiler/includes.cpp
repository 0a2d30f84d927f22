#include "kernel_compiler/includes.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "kernel_compiler/header_facts.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// Headers that declare types and limits alone: no C function that the prelude declares too.
bool declares_no_functions(const std::string& name) {
    static const char* const names[] = {"stdint.h",   "stddef.h", "stdbool.h", "stdarg.h", "float.h",
                                        "limits.h",   "cstdint",  "cstddef",   "cfloat",   "climits",
                                        "stdalign.h", "cstdarg",  "limits",    "version",  "type_traits"};
    return std::any_of(std::begin(names), std::end(names), [&](const char* known) { return name == known; });
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

class Finder {
public:
    Finder(const HeaderList& headers, const std::vector<std::string>& folders, const std::vector<std::string>& macros,
           const DeviceHeaders& own)
        : headers_(headers), folders_(folders), macros_(files_among(macros)), own_(own) {
        folders_.push_back(own.preprocess_only);
    }

    // `folder`: the including file's folder, for "quoted" names; empty for the program and its headers.
    void read(const HeaderFacts& facts, const std::string& folder) {
        closure.asked_for.insert(facts.questions.begin(), facts.questions.end());
        for (const std::string& word : facts.computed_questions)
            if (const auto known = macros_.find(word); known != macros_.end())
                closure.asked_for.insert(known->second.name);
        for (const HeaderFacts::Include& include : facts.includes) follow(include.name, include.quoted ? folder : "");
        for (const std::string& word : facts.computed) {
            const auto known = macros_.find(word);
            if (known == macros_.end())
                closure.computed = true;
            else
                follow(known->second.name, known->second.quoted ? folder : "");
        }
    }

    void follow(const std::string& name, const std::string& folder) {
        for (const auto& [header, contents] : headers_)
            if (header == name) {
                if (!seen_.insert(name).second) return;
                spin_waits_.push_back({std::make_shared<const HeaderFacts>(facts_in(contents)), ""});
                note_embeds(*spin_waits_.back().first, name);
                return;
            }
        const bool stands_in = is_stand_in(name);
        if (!stands_in && !folder.empty() && read_from(concat({folder, "/", name}))) return;
        if (looked_for_.insert(name).second && (stands_in || !found_in_folders(name))) closure.outside.insert(name);
    }

    void note_embeds(const HeaderFacts& facts, const std::string& file) {
        if (facts.embeds && closure.embeds.empty())
            closure.embeds = concat({file, "(", std::to_string(facts.embeds), ")"});
    }

    void finish() {
        while (!spin_waits_.empty()) {
            const auto [facts, folder] = spin_waits_.front();
            spin_waits_.pop_front();
            read(*facts, folder);
        }
    }

    IncludeClosure closure;

private:
    bool is_stand_in(const std::string& name) {
        const auto [known, fresh] = is_cuda_header_.emplace(name, false);
        if (fresh) known->second = exists(own_.cuda_headers, name);
        return known->second;
    }

    bool found_in_folders(const std::string& name) {
        if (!name.empty() && name[0] == '/') return read_from(name);
        return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& place) {
            return may_hold(place, name) && read_from(concat({place, "/", name}));
        });
    }

    // True if the first folder of a name is there: most names belong to a library that is in one of many places.
    bool may_hold(const std::string& place, const std::string& name) {
        const size_t slash = name.find('/');
        if (slash == std::string::npos) return true;
        const std::string first = concat({place, "/", name.substr(0, slash)});
        const auto [known, fresh] = there_.emplace(first, false);
        if (fresh) known->second = access(first.c_str(), F_OK) == 0;
        return known->second;
    }

    bool read_from(const std::string& path) {
        if (closure.files.count(path)) return true;
        const std::shared_ptr<const HeaderFacts> facts = facts_of(path);
        if (!facts) return false;
        closure.files.emplace(path, facts->digest);
        note_embeds(*facts, path);
        const size_t slash = path.rfind('/');
        spin_waits_.push_back({facts, slash == std::string::npos ? "." : path.substr(0, slash)});
        return true;
    }

    const HeaderList& headers_;
    std::vector<std::string> folders_;
    const std::map<std::string, HeaderFacts::Include> macros_;
    const DeviceHeaders& own_;
    std::set<std::string> seen_, looked_for_;
    std::map<std::string, bool> there_, is_cuda_header_;
    std::deque<std::pair<std::shared_ptr<const HeaderFacts>, std::string>> spin_waits_;
};

}  // namespace

IncludeClosure find_includes(const std::string& name, const std::string& source, const HeaderList& headers,
                             const std::vector<std::string>& folders, const std::vector<std::string>& first_files,
                             const std::vector<std::string>& macros, const DeviceHeaders& own) {
    Finder finder(headers, folders, macros, own);
    const HeaderFacts of_program = facts_in(source);
    finder.closure.has_directives = of_program.has_directives;
    finder.note_embeds(of_program, name);
    finder.read(of_program, "");
    for (const std::string& file : first_files) {
        finder.closure.has_directives = true;
        finder.follow(file, ".");
    }
    finder.finish();
    return std::move(finder.closure);
}

bool is_own_header(const std::string& name, const DeviceHeaders& own) {
    return exists(own.cuda_headers, name) || exists(own.libcudacxx, name);
}

HostHeaders host_headers_among(const std::set<std::string>& outside, const DeviceHeaders& own) {
    HostHeaders found;
    for (const std::string& name : outside) {
        // CUDA's C++ library is the host's here, where the program brings none.
        const bool of_cuda = starts_with(name, "cuda/std/"), stand_in = exists(own.cuda_headers, name);
        if (stand_in || (!of_cuda && exists(own.libcudacxx, name))) continue;
        found.any = true;
        found.functions = found.functions || !declares_no_functions(of_cuda ? name.substr(9) : name);
    }
    return found;
}

}  // namespace cuda_shim

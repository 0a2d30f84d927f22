// The files that a program includes, found before anything is compiled: the cache's key needs the contents of every
// file, and the macro pass must leave the headers of the prelude and of the C++ library alone.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel_compiler/read/device_headers.h"

namespace cuda_shim {

using HeaderList = std::vector<std::pair<std::string, std::string>>;  // include name, contents

struct IncludeClosure {
    std::set<std::string> outside;             // names that neither the program nor its -I folders have
    std::set<std::string> has_include_names;   // names in __has_include(<name>)
    bool computed = false;                     // #include MACRO, and no option says which file that is
    std::map<std::string, std::string> files;  // path and digest of each file found in -I folders
    bool has_directives = false;               // any preprocessor line but #pragma in the program itself
    std::string embeds;                        // "file(line)" of the first #embed, empty where there is none
};

// Follows #include lines from the program's text through its own headers and the -I folders. Conditions are not
// evaluated: a file too many only makes the cache's key finer. `name`: the program's; `macros`: options such as
// -DNAME="file.h".
IncludeClosure find_includes(const std::string& name, const std::string& source, const HeaderList& headers,
                             const std::vector<std::string>& folders, const std::vector<std::string>& first_files,
                             const std::vector<std::string>& macros, const DeviceHeaders& device_headers);

// Is it a header that comes along, in the place of one of CUDA's?
bool is_own_header(const std::string& name, const DeviceHeaders& device_headers);

// A program's includes of the host's own headers: any at all, any with functions of its C or C++ library.
struct HostHeaders {
    bool any = false, functions = false;
};
HostHeaders host_headers_among(const std::set<std::string>& outside, const DeviceHeaders& device_headers);

}  // namespace cuda_shim

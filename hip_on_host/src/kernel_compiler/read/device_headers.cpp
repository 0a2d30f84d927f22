#include "kernel_compiler/read/device_headers.h"

#include <dirent.h>
#include <link.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "common/files.h"
#include "common/readable.h"
#include "common/setting_names.h"
#include "common/settings.h"
#include "common/sha256.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

// A hash of contents that are not chosen to collide; several times as fast as a cryptographic one, since every process
// that compiles a kernel waits for it.
std::string fingerprint(const std::string& contents) {
    uint64_t low = 0x9e3779b97f4a7c15ull, high = contents.size();
    for (size_t at = 0; at < contents.size(); at += 8) {
        uint64_t word = 0;
        memcpy(&word, contents.data() + at, std::min<size_t>(8, contents.size() - at));
        low = (low ^ word) * 0xff51afd7ed558ccdull;
        low ^= low >> 32;
        high = (high + low) * 0xc4ceb9fe1a85ec53ull;
        high ^= high >> 29;
    }
    return concat({std::to_string(low), "-", std::to_string(high)});
}

void add_folder(Sha256& hash, const std::string& path) {
    DIR* folder = opendir(path.c_str());
    if (!folder) return;
    std::vector<std::string> names;
    while (const dirent* item = readdir(folder))
        if (item->d_name[0] != '.') names.push_back(item->d_name);
    closedir(folder);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        std::string contents;
        const std::string inside = concat({path, "/", name});
        if (name.find('.') == std::string::npos || !read_file(inside, contents)) {
            add_folder(hash, inside);  // a folder: headers alone have a dot in their names, or are extensionless files
        }
        hash.add(name);
        hash.add(contents);
    }
}

DeviceHeaders find() {
    DeviceHeaders headers;
    const std::string folder = real_path(settings().device_headers);
    headers.folder = folder;
    headers.prelude = folder + "/prelude/prelude.h";
    headers.ast_pass = folder + "/prelude/ast_pass.h";
    headers.expansion_pass = folder + "/prelude/expansion_pass.h";
    headers.language_macros = folder + "/prelude/nvrtc_language_macros.h";
    headers.cuda_headers = folder + "/include";
    headers.libcudacxx = folder + "/libcudacxx";
    headers.preprocess_only = folder + "/preprocess_only";
    std::string contents;
    if (!read_file(headers.prelude, contents) || !read_file(folder + "/../src/abi/kernel_module.h", contents)) {
        headers.problem = concat({"the headers for kernels are not in ", folder, ": install cuda-shim anew, or set ",
                                  name_of_setting("CUDA_SHIM_CPU_DEVICE_HEADERS"), " to its folder device/\n"});
        return headers;
    }
    Sha256 hash;
    hash.add(contents);
    add_folder(hash, folder);
    headers.identity = hash.hex();
    return headers;
}

// The segments of this library that are loaded and never written to; its file may be another version's by now.
struct LibraryImage {
    const void* anchor;  // anything in it
    std::string contents;
};

int copy_library_image(dl_phdr_info* object, size_t, void* context) {
    auto& image = *static_cast<LibraryImage*>(context);
    const auto anchor = reinterpret_cast<uintptr_t>(image.anchor);
    const ElfW(Phdr)* const end = object->dlpi_phdr + object->dlpi_phnum;
    const auto address_of = [&](const ElfW(Phdr) & part) { return object->dlpi_addr + part.p_vaddr; };
    const bool contains_anchor = std::any_of(object->dlpi_phdr, end, [&](const ElfW(Phdr) & part) {
        return part.p_type == PT_LOAD && anchor - address_of(part) < part.p_memsz;
    });
    if (!contains_anchor) return 0;
    for (const ElfW(Phdr)* part = object->dlpi_phdr; part != end; ++part) {
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_R) || (part->p_flags & PF_W)) continue;
        // Read by the system: in a build with sanitizers this process must not look between its own objects.
        const size_t before = image.contents.size();
        image.contents.resize(before + part->p_filesz);
        const auto* const begin = reinterpret_cast<const void*>(address_of(*part));
        if (!copy_readable(image.contents.data() + before, begin, part->p_filesz)) image.contents.resize(before);
    }
    return 1;
}

}  // namespace

const DeviceHeaders& device_headers() {
    static const DeviceHeaders* const headers = new DeviceHeaders(find());
    return *headers;
}

const std::string& library_identity() {
    static const std::string* const identity = [] {
        static const char anchor = 0;
        LibraryImage image{&anchor, {}};
        dl_iterate_phdr(copy_library_image, &image);
        return new std::string(fingerprint(image.contents));
    }();
    return *identity;
}

}  // namespace cuda_shim

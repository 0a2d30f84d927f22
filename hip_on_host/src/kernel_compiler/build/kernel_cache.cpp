#include "kernel_compiler/build/kernel_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "common/checksum.h"
#include "common/log.h"
#include "common/settings.h"
#include "kernel_compiler/build/process.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr uint64_t kMaxBytes = 512ull << 20;  // all modules together
constexpr time_t kSecondsBetweenSweeps = 600;
constexpr time_t kAbandonedAfterSeconds = 3600;  // temporary folders of processes that were killed

struct FolderEntry {
    std::string name;
    struct stat status;
};

std::vector<FolderEntry> list_folder(const std::string& path) {
    std::vector<FolderEntry> entries;
    DIR* folder = opendir(path.c_str());
    if (!folder) return entries;
    while (const dirent* item = readdir(folder)) {
        FolderEntry entry{item->d_name, {}};
        if (entry.name == "." || entry.name == "..") continue;
        if (lstat(concat({path, "/", entry.name}).c_str(), &entry.status) == 0) entries.push_back(entry);
    }
    closedir(folder);
    return entries;
}

void remove_tree(const std::string& path) {
    for (const FolderEntry& entry : list_folder(path)) {
        const std::string inside = concat({path, "/", entry.name});
        if (S_ISDIR(entry.status.st_mode))
            remove_tree(inside);
        else
            unlink(inside.c_str());
    }
    rmdir(path.c_str());
}

// The line behind the contents of an entry: the checksum of its file's name and of them. A file that is another entry's
// under this name is damaged, too.
std::string checksum_line(const std::string& path, const std::string& contents) {
    const std::string name = base_name(path);
    const uint64_t sum = checksum(contents.data(), contents.size(), checksum(name.data(), name.size()));
    char text[24];
    snprintf(text, sizeof text, "%016llx\n", static_cast<unsigned long long>(sum));
    return text;
}

// Takes the checksum off an entry as it was read; false when it is not that of the rest.
bool remove_checksum(const std::string& path, std::string& entry) {
    constexpr size_t kBytes = 17;
    if (entry.size() < kBytes) return false;
    const std::string stored_line = entry.substr(entry.size() - kBytes);
    entry.resize(entry.size() - kBytes);
    return stored_line == checksum_line(path, entry);
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& parent) {
    std::string pattern = parent + "/tmp-XXXXXX";
    if (!mkdtemp(pattern.data())) return;
    path_ = pattern;
    temporaries_before_ = set_compiler_temporaries(path_);
}

ScratchFolder::~ScratchFolder() {
    if (path_.empty()) return;
    set_compiler_temporaries(temporaries_before_);
    if (!keep_) remove_tree(path_);
}

KernelCache& KernelCache::instance() {
    static KernelCache* const cache = new KernelCache();
    return *cache;
}

KernelCache::KernelCache() {
    const std::string parent = settings().cache_dir;
    if (parent.empty()) {
        log(LogLevel::Warn,
            "no folder for compiled kernels (neither HOME nor XDG_CACHE_HOME is set): each process compiles "
            "its own; set CUDA_SHIM_CACHE_DIR");
        return;
    }
    const std::string folder = parent + "/kernels";
    if (!make_private_folder(parent) || !make_private_folder(folder)) {
        log(LogLevel::Warn,
            "kernels are not cached: %s: %s; make it a folder that is yours alone, or set "
            "CUDA_SHIM_CACHE_DIR",
            folder.c_str(),
            errno == EPERM ? "it or a folder above it is not owned by you, or others may write into it"
                           : strerror(errno));
        return;
    }
    folder_ = folder;
    writable_ = access(folder.c_str(), W_OK) == 0;
    if (!writable_) log(LogLevel::Info, "kernels are not cached: %s: %s", folder.c_str(), strerror(errno));
}

std::string KernelCache::scratch_parent() const { return writable_ ? folder_ : temporary_folder(); }

bool KernelCache::load_entry(const std::string& path, std::string& contents) const {
    if (folder_.empty() || access(path.c_str(), R_OK) != 0 || !read_file(path, contents)) return false;
    if (!remove_checksum(path, contents)) {
        log(LogLevel::Warn, "a file of the kernel cache is damaged and is made again: %s", path.c_str());
        unlink(path.c_str());
        return false;
    }
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // now: the oldest by use go first
    return true;
}

bool KernelCache::store_entry(const std::string& path, const std::string& contents) {
    if (!writable_) return false;
    if (write_file_atomically(path, contents + checksum_line(path, contents))) return true;
    log(LogLevel::Warn, "a compiled kernel cannot be cached in %s: %s", folder_.c_str(), strerror(errno));
    return false;
}

void KernelCache::store(const std::string& key, const std::string& module) {
    if (store_entry(entry(key), module)) remove_oldest();
}

void KernelCache::forget_answer(const std::string& key) { unlink(answer(key).c_str()); }

std::unique_ptr<FileLock> KernelCache::lock(const std::string& key) const { return lock_byte("/lock-modules", key); }

std::unique_ptr<FileLock> KernelCache::lock_prelude(const std::string& key) const {
    return lock_byte("/lock-preludes", key);
}

std::unique_ptr<FileLock> KernelCache::lock_byte(const char* name, const std::string& key) const {
    if (!writable_) return nullptr;
    // One file for all keys, so that none must ever be removed; programs that are compiled at once have a byte each.
    return std::make_unique<FileLock>(folder_ + name, strtoull(key.substr(0, 16).c_str(), nullptr, 16));
}

void KernelCache::remove_oldest() {
    const std::string stamp = folder_ + "/last-sweep";
    struct stat sweep_status;
    const time_t now = time(nullptr);
    if (stat(stamp.c_str(), &sweep_status) == 0 && now - sweep_status.st_mtime < kSecondsBetweenSweeps) return;
    write_file_atomically(stamp, "");
    std::vector<FolderEntry> modules;
    uint64_t bytes = 0;
    for (FolderEntry& entry : list_folder(folder_)) {
        if (entry.name.compare(0, 4, "tmp-") == 0 && now - entry.status.st_mtime > kAbandonedAfterSeconds) {
            remove_tree(concat({folder_, "/", entry.name}));
        } else if (ends_with(entry.name, ".so") || ends_with(entry.name, ".pch") || ends_with(entry.name, ".answer")) {
            bytes += static_cast<uint64_t>(entry.status.st_size);
            modules.push_back(std::move(entry));
        }
    }
    std::sort(modules.begin(), modules.end(),
              [](const FolderEntry& a, const FolderEntry& b) { return a.status.st_mtime < b.status.st_mtime; });
    for (const FolderEntry& entry : modules) {
        if (bytes <= kMaxBytes) break;
        if (unlink(concat({folder_, "/", entry.name}).c_str()) == 0)
            bytes -= static_cast<uint64_t>(entry.status.st_size);
    }
}

}  // namespace cuda_shim

#include "common/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace cuda_shim {
namespace {

bool write_all(int descriptor, std::string_view contents) {
    while (!contents.empty()) {
        ssize_t count = write(descriptor, contents.data(), contents.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        contents.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

// True if a user number stands for all users that have no number in this namespace, root among them, as in an
// unprivileged container.
bool has_no_name(uid_t user) {
    std::string overflow, map;
    if (!read_file("/proc/sys/kernel/overflowuid", overflow) || !read_file("/proc/self/uid_map", map)) return false;
    if (strtoul(overflow.c_str(), nullptr, 10) != user) return false;
    const char* place = map.c_str();
    while (true) {
        char* end;
        const unsigned long first = strtoul(place, &end, 10);
        if (end == place) return true;
        strtoul(end, &end, 10);  // the number outside
        const unsigned long count = strtoul(end, &end, 10);
        if (first <= user && user - first < count) return false;
        place = end;
    }
}

// True if no other user can put another folder in the place of one that is in this folder.
bool keeps_names(const std::string& folder) {
    struct stat status;
    if (stat(folder.c_str(), &status) != 0) return false;
    if (status.st_uid != geteuid() && status.st_uid != 0 && !has_no_name(status.st_uid)) return false;
    if (status.st_mode & S_ISVTX) return true;
    // A group of the user's own has the user's number.
    const bool own_group = status.st_gid == getegid() && status.st_gid == geteuid();
    return !(status.st_mode & S_IWOTH) && (own_group || !(status.st_mode & S_IWGRP));
}

bool ancestors_keep_names(std::string path) {
    while (path.size() > 1) {
        const size_t slash = path.rfind('/');
        if (slash == std::string::npos) break;
        path.resize(slash == 0 ? 1 : slash);
        if (!keeps_names(path)) {
            errno = EPERM;
            return false;
        }
    }
    return true;
}

bool is_private_folder(const std::string& path) {
    struct stat link, status;
    if (lstat(path.c_str(), &link) != 0 || stat(path.c_str(), &status) != 0) return false;
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    const bool link_of_other_user = link.st_uid != geteuid() && link.st_uid != 0;
    if (link_of_other_user || status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH))) {
        errno = EPERM;
        return false;
    }
    return true;
}

}  // namespace

bool read_file(const std::string& path, std::string& contents) {
    Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return false;
    struct stat status;
    if (fstat(file.get(), &status) != 0) return false;
    // Straight into the string: programs may call from threads with stacks of a few pages.
    constexpr size_t kPiece = 65536;
    size_t length = 0;
    contents.resize(static_cast<size_t>(status.st_size) + kPiece);
    while (true) {
        if (contents.size() == length) contents.resize(length + kPiece);
        const ssize_t count = read(file.get(), &contents[length], contents.size() - length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        length += static_cast<size_t>(count);
        if (count > 0) continue;
        contents.resize(length);
        return true;
    }
}

bool make_private_folder(const std::string& path) {
    if (path.empty()) {
        errno = ENOENT;
        return false;
    }
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        std::string parent = path.substr(0, slash);
        if (mkdir(parent.c_str(), 0700) != 0 && errno != EEXIST) return false;
    }
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (!is_private_folder(path)) return false;
    return ancestors_keep_names(path) && ancestors_keep_names(real_path(path));
}

std::string real_path(const std::string& path) {
    char resolved[PATH_MAX];
    return realpath(path.c_str(), resolved) ? resolved : path;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string normal_path(const std::string& path) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        const std::string part = path.substr(at, end - at);
        if (part == ".." && !parts.empty()) parts.pop_back();
        if (part != ".." && part != "." && !part.empty()) parts.push_back(part);
        at = end + 1;
    }
    std::string result;
    for (const std::string& part : parts) result += "/" + part;
    return result.empty() ? "/" : result;
}

std::string absolute_path(const std::string& path) {
    if (!path.empty() && path[0] == '/') return normal_path(path);
    char* const working_folder = getcwd(nullptr, 0);
    const std::string absolute = working_folder ? normal_path(std::string(working_folder) + "/" + path) : "";
    free(working_folder);
    return absolute;
}

std::string temporary_folder() {
    const char* folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

bool write_file_atomically(const std::string& path, std::string_view contents, unsigned mode) {
    std::string temporary = path + ".XXXXXX";
    Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
    if (!file.valid()) return false;
    bool success = write_all(file.get(), contents) && fchmod(file.get(), mode) == 0;
    if (success && rename(temporary.c_str(), path.c_str()) == 0) return true;
    int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    return false;
}

bool sync_file(const std::string& path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file.valid() && fsync(file.get()) == 0;
}

FileLock::FileLock(const std::string& path, uint64_t offset) {
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file.valid()) return;
    struct flock byte = {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = static_cast<off_t>(offset >> 2);  // no further than files reach
    byte.l_len = 1;
    int outcome;
    do {
        outcome = fcntl(file.get(), F_OFD_SETLKW, &byte);
    } while (outcome != 0 && errno == EINTR);
    if (outcome == 0) descriptor_ = file.release();
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) close(descriptor_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        reset();
        value_ = other.release();
    }
    return *this;
}

int Descriptor::release() {
    int value = value_;
    value_ = -1;
    return value;
}

void Descriptor::reset() {
    if (value_ >= 0) close(value_);
    value_ = -1;
}

}  // namespace cuda_shim

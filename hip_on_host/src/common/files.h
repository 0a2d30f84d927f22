// Files and private folders, without exceptions: failures are false or empty and set errno.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_shim {

// Reads a whole file; false when it cannot be opened or read.
bool read_file(const std::string& path, std::string& contents);

// Creates the folder and its parents with mode 0700 where missing; false with errno on failure, EPERM when the folder
// exists but belongs to another user or other users may write into it. It may be a link of the user's or root's.
bool make_private_folder(const std::string& path);

// An absolute path without doubled slashes, "." and "..": as Python's os.path.normpath.
std::string normal_path(const std::string& path);

// The same for a path that may start at the working folder: as Python's os.path.abspath. "" where that is gone.
std::string absolute_path(const std::string& path);

// The file behind all links; the path itself where there is none.
std::string real_path(const std::string& path);

// The part behind the last slash, as Python's os.path.basename.
std::string base_name(const std::string& path);

// The folder for temporary files: TMPDIR, else /tmp.
std::string temporary_folder();

// Writes beside the target and renames, so that readers see the old file or the whole new one.
bool write_file_atomically(const std::string& path, std::string_view contents, unsigned mode = 0600);

// Waits until a file is on its disk; false where there is no room for it, which a write does not always tell. For files
// that will be mapped: a missing block ends the process that touches it.
bool sync_file(const std::string& path);

// An exclusive lock on one byte of a file (created when missing) that lasts as long as the object, for processes and
// threads alike: a file has locks for as many things as there are offsets.
class FileLock {
public:
    FileLock(const std::string& path, uint64_t offset);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    bool is_locked() const { return descriptor_ >= 0; }

private:
    int descriptor_ = -1;
};

// An owned descriptor, closed at the end of its life.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    int get() const { return value_; }
    bool valid() const { return value_ >= 0; }
    int release();
    void reset();

private:
    int value_ = -1;
};

}  // namespace cuda_shim

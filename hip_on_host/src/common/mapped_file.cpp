#include "common/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

namespace cuda_shim {

MappedFile::MappedFile(int file) {
    struct stat status;
    if (fstat(file, &status) != 0 || status.st_size <= 0) return;
    void* mapped = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) return;
    data_ = static_cast<const char*>(mapped);
    size_ = static_cast<size_t>(status.st_size);
}

MappedFile::~MappedFile() { unmap(); }

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    if (this != &other) {
        unmap();
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

void MappedFile::unmap() {
    if (data_) munmap(const_cast<char*>(data_), size_);
}

}  // namespace cuda_shim

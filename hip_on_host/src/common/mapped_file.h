// A file's contents in memory, without a descriptor.
#pragma once
#include <cstddef>

namespace cuda_shim {

class MappedFile {
public:
    MappedFile() = default;
    // Maps the whole of an open file, which may be closed then. Empty where that cannot be.
    explicit MappedFile(int file);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    const char* data() const { return data_; }
    size_t size() const { return size_; }

private:
    void unmap();

    const char* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace cuda_shim

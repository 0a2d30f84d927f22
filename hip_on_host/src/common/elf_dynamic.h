// The dynamic segment of a shared object: what the loader reads of an image, and acts on.
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_shim {

class ElfDynamic {
public:
    // `image`: elf_image_size bytes, which must outlive the object.
    ElfDynamic(const char* image, size_t size);

    // False where the image has no dynamic segment, or a damaged one.
    bool is_readable() const { return readable_; }
    const std::vector<Elf64_Dyn>& entries() const { return entries_; }
    // Where the entries are in the image.
    size_t offset() const { return offset_; }
    // The names of the libraries that the loader opens with this one.
    std::vector<std::string> libraries() const;
    // Is any relocation the result of a function, which the loader runs for it?
    bool has_resolver() const;

private:
    void read_entries(const Elf64_Phdr& segment);
    size_t file_offset(uint64_t address, uint64_t bytes) const;
    uint64_t value(int64_t tag) const;
    bool has_resolver_in(uint64_t address, uint64_t bytes) const;

    const char* image_;
    size_t size_;
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Dyn> entries_;
    size_t offset_ = 0;
    bool readable_ = false;
};

}  // namespace cuda_shim

#include "common/elf_dynamic.h"

#include <string.h>

namespace cuda_shim {
namespace {

constexpr size_t kNowhere = SIZE_MAX;
#if defined(__x86_64__)
constexpr uint32_t kResolved = R_X86_64_IRELATIVE;
#else
constexpr uint32_t kResolved = R_AARCH64_IRELATIVE;
#endif

}  // namespace

ElfDynamic::ElfDynamic(const char* image, size_t size) : image_(image), size_(size) {
    Elf64_Ehdr header;
    if (size < sizeof header) return;
    memcpy(&header, image, sizeof header);
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > size) return;
    if ((size - header.e_phoff) / sizeof(Elf64_Phdr) < header.e_phnum) return;
    segments_.resize(header.e_phnum);
    if (!segments_.empty()) memcpy(segments_.data(), image + header.e_phoff, segments_.size() * sizeof(Elf64_Phdr));
    const Elf64_Phdr* dynamic = nullptr;
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type != PT_DYNAMIC) continue;
        if (dynamic) return;  // loaders differ in which one they read
        dynamic = &segment;
    }
    if (dynamic) read_entries(*dynamic);
}

void ElfDynamic::read_entries(const Elf64_Phdr& segment) {
    // The loader reads them where they are mapped.
    offset_ = file_offset(segment.p_vaddr, segment.p_filesz);
    if (offset_ == kNowhere || offset_ != segment.p_offset) return;
    for (size_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, image_ + offset_ + at, sizeof entry);
        readable_ = entry.d_tag == DT_NULL;
        if (readable_) return;
        entries_.push_back(entry);
    }
}

size_t ElfDynamic::file_offset(uint64_t address, uint64_t bytes) const {
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
        const uint64_t within = address - segment.p_vaddr;
        if (within > segment.p_filesz || bytes > segment.p_filesz - within) continue;
        const uint64_t offset = segment.p_offset + within;
        return offset <= size_ && bytes <= size_ - offset ? offset : kNowhere;
    }
    return kNowhere;
}

uint64_t ElfDynamic::value(int64_t tag) const {
    for (const Elf64_Dyn& entry : entries_)
        if (entry.d_tag == tag) return entry.d_un.d_val;
    return 0;
}

std::vector<std::string> ElfDynamic::libraries() const {
    std::vector<std::string> names;
    const uint64_t bytes = value(DT_STRSZ);
    const size_t strings = file_offset(value(DT_STRTAB), bytes);
    for (const Elf64_Dyn& entry : entries_) {
        if (entry.d_tag != DT_NEEDED) continue;
        const uint64_t at = entry.d_un.d_val;
        const bool inside = strings != kNowhere && at < bytes;
        names.push_back(inside ? std::string(image_ + strings + at, strnlen(image_ + strings + at, bytes - at)) : "");
    }
    return names;
}

bool ElfDynamic::has_resolver() const {
    return has_resolver_in(value(DT_RELA), value(DT_RELASZ)) || has_resolver_in(value(DT_JMPREL), value(DT_PLTRELSZ));
}

// A table that cannot be read may have one.
bool ElfDynamic::has_resolver_in(uint64_t address, uint64_t bytes) const {
    if (bytes == 0) return false;
    const size_t table = file_offset(address, bytes);
    if (table == kNowhere) return true;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= bytes; at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, image_ + table + at, sizeof relocation);
        if (ELF64_R_TYPE(relocation.r_info) == kResolved) return true;
    }
    return false;
}

}  // namespace cuda_shim

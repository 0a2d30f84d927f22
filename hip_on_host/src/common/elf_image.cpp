#include "common/elf_image.h"

#include <elf.h>
#include <string.h>

#include <algorithm>
#include <set>

#include "common/checksum.h"
#include "common/readable.h"

namespace cuda_shim {
namespace {

constexpr uint32_t kCudaFatBinary = 0xBA55ED50;
constexpr uint32_t kCudaFatBinaryWrapper = 0x466243B1;
constexpr uint32_t kCudaLtoIr = 0x7F4E43ED;
constexpr uint32_t kLlvmBitcode = 0xDEC04342;  // 'B' 'C' 0xC0 0xDE
constexpr uint32_t kLlvmBitcodeWrapper = 0x0B17C0DE;
constexpr uint32_t kSpirv = 0x07230203;
constexpr char kAmdBundle[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint16_t kMachineCuda = 190;
constexpr uint16_t kMachineAmdGpu = 224;
constexpr uint64_t kLargestImage = uint64_t{2} << 30;
#if defined(__x86_64__)
constexpr uint16_t kHostMachine = EM_X86_64;
#else
constexpr uint16_t kHostMachine = EM_AARCH64;
#endif

bool starts_with(const char* image, const char* text) { return strncmp(image, text, strlen(text)) == 0; }

// PTX starts with ".version", after blanks and comments.
bool is_ptx(const char* text) {
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (strncmp(text, "//", 2) == 0) {
            text += strcspn(text, "\n");
        } else if (strncmp(text, "/*", 2) == 0) {
            const char* end = strstr(text + 2, "*/");
            if (!end) return false;
            text = end + 2;
        } else {
            return strncmp(text, ".version", 8) == 0;
        }
    }
}

ImageKind recognise_elf(const unsigned char* image) {
    const unsigned char width = image[EI_CLASS], order = image[EI_DATA];
    if ((width != ELFCLASS32 && width != ELFCLASS64) || (order != ELFDATA2LSB && order != ELFDATA2MSB))
        return ImageKind::Unknown;
    if (width != ELFCLASS64 || order != ELFDATA2LSB) return ImageKind::OtherMachine;
    Elf64_Half machine;
    memcpy(&machine, image + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
    switch (machine) {
        case kHostMachine:
            return ImageKind::HostModule;
        case kMachineAmdGpu:
            return ImageKind::AmdCodeObject;
        case kMachineCuda:
            return ImageKind::CudaBinary;
        default:
            return ImageKind::OtherMachine;
    }
}

bool plausible(const Elf64_Ehdr& header) {
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
    if (header.e_phnum && header.e_phentsize != sizeof(Elf64_Phdr)) return false;
    if (header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr)) return false;
    return header.e_phoff < kLargestImage && header.e_shoff < kLargestImage;
}

// The end of [offset, offset + bytes); UINT64_MAX when no image can hold that.
uint64_t end_of(uint64_t offset, uint64_t bytes) {
    return offset < kLargestImage && bytes < kLargestImage ? offset + bytes : UINT64_MAX;
}

template <class Entry>
bool read_table(const void* image, uint64_t offset, uint16_t count, size_t available, std::vector<Entry>& entries) {
    if (offset + count * sizeof(Entry) > available) return false;
    entries.resize(count);
    return count == 0 || copy_readable(entries.data(), static_cast<const char*>(image) + offset, count * sizeof(Entry));
}

// Calls visit(name, symbol) for each symbol of one table, if the table's bytes lie within the image.
template <class Visit>
void visit_table(const char* image, size_t size, const Elf64_Shdr& table, const Elf64_Shdr& strings, Visit& visit) {
    if (end_of(table.sh_offset, table.sh_size) > size || end_of(strings.sh_offset, strings.sh_size) > size) return;
    if (strings.sh_size == 0 || image[strings.sh_offset + strings.sh_size - 1] != '\0') return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, image + table.sh_offset + at, sizeof symbol);
        if (symbol.st_name < strings.sh_size) visit(image + strings.sh_offset + symbol.st_name, symbol);
    }
}

// The same for all tables of an image; for none where it is damaged.
template <class Visit>
void visit_symbols(const void* image, size_t size, Visit visit) {
    Elf64_Ehdr header;
    std::vector<Elf64_Shdr> sections;
    if (size < sizeof header) return;
    memcpy(&header, image, sizeof header);
    if (!plausible(header) || !read_table(image, header.e_shoff, header.e_shnum, size, sections)) return;
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
        if (section.sh_link >= sections.size()) continue;
        visit_table(static_cast<const char*>(image), size, section, sections[section.sh_link], visit);
    }
}

}  // namespace

ImageKind recognise_image(const void* address) {
    constexpr size_t kMaxCommentBytes = 64u << 10;
    std::string start = readable_prefix(address, 64);
    if (start.find_first_of("\177_", 0, 2) != 0) start = readable_prefix(address, kMaxCommentBytes);  // perhaps a text
    const char* image = start.c_str();
    const auto* bytes = reinterpret_cast<const unsigned char*>(image);
    if (bytes[0] == '\0') return ImageKind::Unknown;
    if (starts_with(image, ELFMAG)) return start.size() < EI_NIDENT + 4 ? ImageKind::Unknown : recognise_elf(bytes);
    if (starts_with(image, kAmdBundle)) return ImageKind::AmdCodeObject;
    if (is_ptx(image)) return ImageKind::PtxText;
    uint32_t magic;
    if (start.size() < sizeof magic) return ImageKind::Unknown;
    memcpy(&magic, image, sizeof magic);
    switch (magic) {
        case kCudaFatBinary:
        case kCudaFatBinaryWrapper:
            return ImageKind::CudaFatBinary;
        case kCudaLtoIr:
        case kLlvmBitcode:
        case kLlvmBitcodeWrapper:
        case kSpirv:
            return ImageKind::IntermediateCode;
        default:
            return ImageKind::Unknown;
    }
}

const char* describe_image_kind(ImageKind kind) {
    switch (kind) {
        case ImageKind::HostModule:
            return "a shared object for this machine";
        case ImageKind::OtherMachine:
            return "a shared object for another machine";
        case ImageKind::AmdCodeObject:
            return "a code object for an AMD GPU";
        case ImageKind::CudaBinary:
            return "a cubin";
        case ImageKind::CudaFatBinary:
            return "a CUDA fat binary";
        case ImageKind::PtxText:
            return "PTX";
        case ImageKind::IntermediateCode:
            return "intermediate code (LTO-IR, LLVM bitcode or SPIR-V)";
        case ImageKind::Unknown:
            break;
    }
    return "in no known format (no ELF header, fat binary or PTX)";
}

size_t elf_image_size(const void* image, size_t available) {
    Elf64_Ehdr header;
    if (available < sizeof header || !copy_readable(&header, image, sizeof header) || !plausible(header)) return 0;
    std::vector<Elf64_Phdr> segments;
    std::vector<Elf64_Shdr> sections;
    if (!read_table(image, header.e_phoff, header.e_phnum, available, segments)) return 0;
    if (!read_table(image, header.e_shoff, header.e_shnum, available, sections)) return 0;
    uint64_t end = std::max(header.e_phoff + segments.size() * sizeof(Elf64_Phdr),
                            header.e_shoff + sections.size() * sizeof(Elf64_Shdr));
    for (const Elf64_Phdr& segment : segments) {
        end = std::max(end, end_of(segment.p_offset, segment.p_filesz));
    }
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
        end = std::max(end, end_of(section.sh_offset, section.sh_size));
    }
    return end <= std::min<uint64_t>(available, kLargestImage) ? end : 0;
}

namespace {

// The seal is where an executable has the address that it starts at: a shared object and an object file have none.
constexpr size_t kSealOffset = offsetof(Elf64_Ehdr, e_entry);

uint64_t checksum_without_seal(const char* image, size_t size) {
    constexpr size_t kBehind = kSealOffset + sizeof(uint64_t);
    return checksum(image + kBehind, size - kBehind, checksum(image, kSealOffset));
}

}  // namespace

void seal_image(char* image, size_t size) {
    if (size < sizeof(Elf64_Ehdr)) return;
    const uint64_t seal = checksum_without_seal(image, size);
    memcpy(image + kSealOffset, &seal, sizeof seal);
}

void mark_gpu(char* image, size_t size, unsigned machine) {
    if (size < sizeof(Elf64_Ehdr)) return;
    const Elf64_Word flags = machine;
    memcpy(image + offsetof(Elf64_Ehdr, e_flags), &flags, sizeof flags);
    seal_image(image, size);
}

unsigned marked_gpu(const char* image, size_t size) {
    Elf64_Word flags = 0;
    if (size >= sizeof(Elf64_Ehdr)) memcpy(&flags, image + offsetof(Elf64_Ehdr, e_flags), sizeof flags);
    return flags;
}

ImageSeal check_seal(const char* image, size_t size) {
    if (size < sizeof(Elf64_Ehdr)) return ImageSeal::Broken;
    uint64_t seal;
    memcpy(&seal, image + kSealOffset, sizeof seal);
    if (seal == 0) return ImageSeal::None;
    return seal == checksum_without_seal(image, size) ? ImageSeal::Whole : ImageSeal::Broken;
}

std::vector<ElfSymbol> elf_symbols(const void* image, size_t size) {
    std::vector<ElfSymbol> symbols;
    visit_symbols(image, size, [&](const char* name, const Elf64_Sym& symbol) {
        const int type = ELF64_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_OBJECT)) return;
        symbols.push_back({name, symbol.st_value, symbol.st_shndx, symbol.st_size, type == STT_FUNC});
    });
    return symbols;
}

std::vector<std::string> elf_undefined_symbols(const void* image, size_t size) {
    std::set<std::string> names;
    visit_symbols(image, size, [&](const char* name, const Elf64_Sym& symbol) {
        const bool undefined = symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
        if (undefined && *name) names.insert(std::string(name, strcspn(name, "@")));  // without its version
    });
    return {names.begin(), names.end()};
}

std::vector<std::string> elf_defined_symbols(const void* image, size_t size) {
    std::set<std::string> names;
    visit_symbols(image, size, [&](const char* name, const Elf64_Sym& symbol) {
        const int type = ELF64_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE)
            names.insert(std::string(name, strcspn(name, "@")));
    });
    return {names.begin(), names.end()};
}

std::vector<std::string> elf_mapped_sections(const void* image, size_t size) {
    std::vector<std::string> names;
    Elf64_Ehdr header;
    std::vector<Elf64_Shdr> sections;
    if (size < sizeof header) return names;
    memcpy(&header, image, sizeof header);
    if (!plausible(header) || !read_table(image, header.e_shoff, header.e_shnum, size, sections)) return names;
    if (header.e_shstrndx >= sections.size()) return names;
    const Elf64_Shdr& strings = sections[header.e_shstrndx];
    if (end_of(strings.sh_offset, strings.sh_size) > size) return names;
    const char* const text = static_cast<const char*>(image) + strings.sh_offset;
    for (const Elf64_Shdr& section : sections)
        if ((section.sh_flags & SHF_ALLOC) && section.sh_name < strings.sh_size)
            names.emplace_back(text + section.sh_name,
                               strnlen(text + section.sh_name, strings.sh_size - section.sh_name));
    return names;
}

ElfStarts elf_starts(const void* image, size_t size) {
    ElfStarts starts;
    Elf64_Ehdr header;
    std::vector<Elf64_Shdr> sections;
    if (size < sizeof header) return starts;
    memcpy(&header, image, sizeof header);
    if (!plausible(header) || !read_table(image, header.e_shoff, header.e_shnum, size, sections)) return starts;
    for (const Elf64_Shdr& section : sections) {
        const size_t entries = section.sh_size / sizeof(uint64_t);
        if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_PREINIT_ARRAY) starts.constructors += entries;
        if (section.sh_type == SHT_FINI_ARRAY) starts.destructors += entries;
    }
    visit_symbols(image, size, [&](const char*, const Elf64_Sym& symbol) {
        starts.resolvers = starts.resolvers || ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
    });
    return starts;
}

}  // namespace cuda_shim

// Compiled modules as programs hand them over: telling the kinds apart, and reading ELF images.
//
// Module images come as an address without a length (hipModuleLoadData), at times padded with blanks, so nothing here
// reads beyond the extent that the image's own headers give.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_shim {

enum class ImageKind {
    HostModule,     // a shared object for this machine
    OtherMachine,   // a shared object for another machine
    AmdCodeObject,  // an ELF for an AMD GPU, or a bundle of such
    CudaBinary,     // a cubin
    CudaFatBinary,
    PtxText,
    IntermediateCode,  // LTO-IR, LLVM bitcode or SPIR-V
    Unknown,
};

// Reads at most as far as is needed to recognise the kind: some bytes, or leading blanks and comments of a text. An
// address that cannot be read from is of no kind.
ImageKind recognise_image(const void* image);
const char* describe_image_kind(ImageKind kind);

// Bytes of the 64-bit ELF image at `image`, from its headers; 0 when they are damaged. `available`: the bytes that
// are there, when known.
size_t elf_image_size(const void* image, size_t available = SIZE_MAX);

// Images that hiprtc makes carry a checksum of themselves, so that a damaged one is refused before it is mapped.
enum class ImageSeal { None, Whole, Broken };
// Writes the checksum into an image of elf_image_size bytes.
void seal_image(char* image, size_t size);
ImageSeal check_seal(const char* image, size_t size);

// Module images name their GPU in EF_AMDGPU_MACH, as AMD's code objects do: the GPU that the runtime was asked to
// behave like. 0: any.
void mark_gpu(char* image, size_t size, unsigned machine);  // also seals the image again
unsigned marked_gpu(const char* image, size_t size);

struct ElfSymbol {
    std::string name;
    uint64_t value;  // address relative to where the image is loaded; in an object file, to its section
    uint16_t section;
    uint64_t size;
    bool is_function;
};

// Defined symbols of .symtab and .dynsym: hidden ones, which the dynamic loader does not find, are there too.
// Empty when the image (of elf_image_size bytes) is damaged.
std::vector<ElfSymbol> elf_symbols(const void* image, size_t size);

// Names that the image uses without defining them, weak ones included.
std::vector<std::string> elf_undefined_symbols(const void* image, size_t size);

// Names that the image defines, each once, in order: functions, variables, places without a type.
std::vector<std::string> elf_defined_symbols(const void* image, size_t size);

// Names of the sections that are a part of the image in memory.
std::vector<std::string> elf_mapped_sections(const void* image, size_t size);

// Code of an image that the dynamic loader runs by itself.
struct ElfStarts {
    size_t constructors = 0, destructors = 0;  // entries of their tables
    bool resolvers = false;                    // functions that say which function a name stands for
};
ElfStarts elf_starts(const void* image, size_t size);

}  // namespace cuda_shim

// The parts that a kernel module may consist of. The loader runs code that an image names in its dynamic segment, opens
// libraries, and binds names; a module has a place for none of that (module_imports.h lists the functions it may use).
#pragma once
#include <cstddef>
#include <string>

namespace cuda_shim {

// A part of an image of elf_image_size bytes that no module has, in words that end "the module has ..."; empty for
// none.
std::string refused_content(const char* image, size_t size);

// Takes the entries out of the dynamic segment by which the loader runs functions at the start and at the end.
void remove_starts(char* image, size_t size);

}  // namespace cuda_shim

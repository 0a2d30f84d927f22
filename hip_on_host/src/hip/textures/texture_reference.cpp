#include "hip/textures/texture_reference.h"

#include <string.h>

#include "common/log.h"
#include "common/readable.h"
#include "hip/contexts/context.h"
#include "hip/contexts/device.h"
#include "hip/graphs/graph_exec.h"
#include "hip/handle_table.h"
#include "hip/memory/array.h"
#include "hip/memory/memory_pool.h"
#include "hip/modules/code_object.h"
#include "hip/streams/event.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

bool is_array(const hipResourceDesc& resource) {
    return resource.resType == hipResourceTypeArray || resource.resType == hipResourceTypeMipmappedArray;
}

bool is_integer(const textureReference& reference) {
    return reference.format != HIP_AD_FORMAT_HALF && reference.format != HIP_AD_FORMAT_FLOAT;
}

// The reference's settings, without those that do not apply to its format: references are set step by step, and
// NVIDIA's driver passes over them too.
hipTextureDesc settings_of(const textureReference& reference, const TextureBinding& binding) {
    hipTextureDesc settings = {};
    memcpy(settings.addressMode, reference.addressMode, sizeof settings.addressMode);
    memcpy(settings.borderColor, binding.border, sizeof settings.borderColor);
    settings.filterMode = reference.filterMode;
    settings.readMode = reference.readMode;
    settings.sRGB = reference.sRGB && reference.format == HIP_AD_FORMAT_UNSIGNED_INT8;
    settings.normalizedCoords = reference.normalized;
    settings.maxAnisotropy = reference.maxAnisotropy;
    settings.mipmapFilterMode = reference.mipmapFilterMode;
    settings.mipmapLevelBias = reference.mipmapLevelBias;
    settings.minMipmapLevelClamp = reference.minMipmapLevelClamp;
    settings.maxMipmapLevelClamp = reference.maxMipmapLevelClamp;
    if (!is_integer(reference)) return settings;
    if (format_bytes(reference.format) == 4) settings.readMode = hipReadModeElementType;
    if (settings.readMode == hipReadModeElementType) settings.filterMode = hipFilterModePoint;
    return settings;
}

// An array with its texels taken for those of the reference.
hipResourceViewDesc view_of(const textureReference& reference, const hipResourceDesc& resource) {
    hipResourceViewDesc view = {};
    view.format = view_format(reference.format, static_cast<unsigned>(reference.numChannels));
    if (resource.resType != hipResourceTypeMipmappedArray) return view;
    if (const MipmappedArray* array = MipmappedArray::resolve(resource.res.mipmap.mipmap))
        view.lastMipmapLevel = static_cast<unsigned>(array->level_count() - 1);
    return view;
}

hipError_t make_texture(const textureReference& reference, const TextureBinding& binding,
                        std::unique_ptr<Texture>& texture) {
    const hipTextureDesc settings = settings_of(reference, binding);
    if (is_array(binding.resource)) {
        const hipResourceViewDesc view = view_of(reference, binding.resource);
        return Texture::create(binding.resource, settings, &view, texture);
    }
    hipResourceDesc resource = binding.resource;
    hipChannelFormatDesc& desc =
        resource.resType == hipResourceTypeLinear ? resource.res.linear.desc : resource.res.pitch2D.desc;
    const bool is_known_format = channels_of(reference.format, static_cast<unsigned>(reference.numChannels), desc);
    return is_known_format ? Texture::create(resource, settings, nullptr, texture) : hipErrorInvalidValue;
}

bool is_mode(int mode) { return mode >= hipAddressModeWrap && mode <= hipAddressModeBorder; }

template <class... Kinds>
bool is_handle_of(const void* address) {
    return (live_handles<Kinds>().contains(address) || ...);
}

// True if an unknown address can be that of a struct of the program's: it can be read, and has the values of a
// reference before its first use. Memory that is no reference must not be written to.
bool may_be_struct(const textureReference* reference) {
    if (is_handle_of<Array, Context, Event, Function, Graph, GraphExec, GraphNode, Library, MemoryPool, MipmappedArray,
                     Module, Stream, Surface, Texture, UserObject>(reference)) {
        return false;
    }
    textureReference copy;
    if (reinterpret_cast<uintptr_t>(reference) % alignof(textureReference) != 0) return false;
    if (!copy_readable(static_cast<void*>(&copy), reference, sizeof copy)) return false;
    int numbers[8];  // as numbers: memory that is something else holds no constants of the enums
    memcpy(&numbers[0], &copy.readMode, sizeof(int));
    memcpy(&numbers[1], &copy.filterMode, sizeof(int));
    memcpy(&numbers[2], copy.addressMode, 3 * sizeof(int));
    memcpy(&numbers[5], &copy.mipmapFilterMode, sizeof(int));
    const auto flag = [](int value) { return value == 0 || value == 1; };
    return !copy.textureObject && flag(copy.normalized) && flag(copy.sRGB) && flag(numbers[0]) && flag(numbers[1]) &&
           is_mode(numbers[2]) && is_mode(numbers[3]) && is_mode(numbers[4]) && flag(numbers[5]) &&
           copy.numChannels >= 0 && copy.numChannels <= 4 && copy.maxAnisotropy <= 16;
}

}  // namespace

TextureReferences& TextureReferences::get() {
    static auto* const references = new TextureReferences;
    return *references;
}

void TextureReferences::add(const textureReference* reference, int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    TextureBinding binding;
    binding.device = device;
    bindings_[reference] = std::move(binding);
}

void TextureReferences::retire(const textureReference* reference) {
    std::lock_guard<std::mutex> lock(mutex_);
    bindings_[reference].retired = true;
}

void TextureReferences::remove(const textureReference* reference) {
    std::lock_guard<std::mutex> lock(mutex_);
    bindings_[reference].texture.reset();  // the rest stays, so that the stale address is known as such
}

TextureBinding* TextureReferences::find(const textureReference* reference) {
    const auto entry = bindings_.find(reference);
    if (entry == bindings_.end()) {  // a struct of the program's own
        if (!may_be_struct(reference)) return nullptr;
        TextureBinding& binding = bindings_[reference];
        binding.device = current_device().ordinal();
        return &binding;
    }
    TextureBinding& binding = entry->second;
    if (binding.retired) return nullptr;
    // Another struct of the program's where an earlier one was.
    if (binding.texture && reference->textureObject != binding.texture->handle()) {
        binding = TextureBinding();
        binding.device = current_device().ordinal();
    }
    return &binding;
}

hipError_t TextureReferences::wait_for_kernels(const textureReference* reference) {
    int device = 0;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const TextureBinding* binding = find(reference);
        if (!binding) return hipErrorInvalidValue;
        device = binding->device;
    }
    device_at(device)->wait_for_all();
    return hipSuccess;
}

void TextureReferences::publish(textureReference& reference, TextureBinding& binding) {
    std::unique_ptr<Texture> texture;
    if (binding.bound && make_texture(reference, binding, texture) != hipSuccess) {
        log(LogLevel::Info,
            "a texture reference's format or flags do not fit the memory bound to it: it reads as zero until they do");
    }
    binding.texture = std::move(texture);
    reference.textureObject = binding.texture ? binding.texture->handle() : nullptr;
}

hipError_t bind_texture(TextureBinding& binding, const hipResourceDesc& resource) {
    hipTextureDesc plain = {};
    plain.readMode = hipReadModeElementType;
    std::unique_ptr<Texture> texture;
    if (!covers_image(resource)) return hipErrorInvalidValue;
    CUDA_SHIM_TRY(Texture::create(resource, plain, nullptr, texture));
    binding.resource = resource;
    binding.bound = true;
    return hipSuccess;
}

void unbind_texture(TextureBinding& binding) {
    binding.resource = {};
    binding.bound = false;
}

bool set_texture_format(textureReference& reference, hipArray_Format format, int channels) {
    hipChannelFormatDesc desc;
    if (!channels_of(format, static_cast<unsigned>(channels), desc)) return false;
    reference.channelDesc = desc;
    reference.format = format;
    reference.numChannels = channels;
    return true;
}

bool set_texture_format(textureReference& reference, const hipChannelFormatDesc& desc) {
    hipArray_Format format;
    unsigned channels;
    return format_of(desc, format, channels) && set_texture_format(reference, format, static_cast<int>(channels));
}

}  // namespace cuda_shim

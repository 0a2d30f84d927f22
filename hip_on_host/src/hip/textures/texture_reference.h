// Texture references: HIP's struct, which is in a module's memory or in a program's own, with the resource that it is
// bound to.
//
// The struct's members are its settings; kernels read the texture object in its `textureObject`. Every change makes
// that object again, so that settings and bindings may come in any order.
#pragma once
#include <memory>
#include <mutex>
#include <unordered_map>

#include "hip/api.h"
#include "hip/fork.h"
#include "hip/textures/texture.h"

namespace cuda_shim {

// State that the struct has no member for.
struct TextureBinding {
    int device = 0;
    bool retired = false;  // its module is unloaded
    float border[4] = {};
    bool bound = false;
    hipResourceDesc resource = {};     // the bound resource, when bound
    std::unique_ptr<Texture> texture;  // null when unbound, or when the settings do not fit the resource
};

class TextureReferences final : public ForkParticipant {
public:
    static TextureReferences& get();

    // A module brings a reference of its own: as good as new.
    void add(const textureReference* reference, int device);
    // Called when the module is unloaded: the program may not name the reference any longer, but kernels that wait may
    // still read it.
    void retire(const textureReference* reference);
    // Called when its memory is freed.
    void remove(const textureReference* reference);

    // Calls `use(reference, binding)` and makes the texture object again, when no kernel runs that might read the old
    // one. hipErrorInvalidValue if it is not a reference, else the result of `use`.
    template <class Use>
    hipError_t change(const textureReference* reference, Use&& use) {
        CUDA_SHIM_TRY(wait_for_kernels(reference));
        std::lock_guard<std::mutex> lock(mutex_);
        TextureBinding* binding = find(reference);
        if (!binding) return hipErrorInvalidValue;
        // Programs own the memory: HIP takes it as constant in some calls and changes it all the same.
        textureReference& target = const_cast<textureReference&>(*reference);
        CUDA_SHIM_TRY(use(target, *binding));
        publish(target, *binding);
        return hipSuccess;
    }
    // The same without a change; null where an output may not be.
    template <class Out, class Use>
    hipError_t ask(const textureReference* reference, Out* out, Use&& use) {
        std::lock_guard<std::mutex> lock(mutex_);
        TextureBinding* binding = out ? find(reference) : nullptr;
        return binding ? use(*reference, *binding) : hipErrorInvalidValue;
    }

    void before_fork() override { mutex_.lock(); }
    void after_fork_in_parent() override { mutex_.unlock(); }
    void after_fork_in_child() override { mutex_.unlock(); }

private:
    TextureReferences() : ForkParticipant(ForkRank::TextureReferences) {}
    TextureBinding* find(const textureReference* reference);
    hipError_t wait_for_kernels(const textureReference* reference);
    static void publish(textureReference& reference, TextureBinding& binding);

    std::mutex mutex_;
    std::unordered_map<const textureReference*, TextureBinding> bindings_;
};

// Binds to the resource. hipErrorInvalidValue for a resource that no texture can have.
hipError_t bind_texture(TextureBinding& binding, const hipResourceDesc& resource);
void unbind_texture(TextureBinding& binding);
// Texels of this format from now on; false for a format that textures have not.
bool set_texture_format(textureReference& reference, hipArray_Format format, int channels);
bool set_texture_format(textureReference& reference, const hipChannelFormatDesc& desc);

}  // namespace cuda_shim

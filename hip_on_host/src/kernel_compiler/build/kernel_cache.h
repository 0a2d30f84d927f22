// Compiled kernel modules on disk: private to the user, whole or absent, bounded in size.
#pragma once
#include <memory>
#include <string>

#include "common/files.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {

// A folder of one's own that vanishes with everything in it. The compilers that this thread runs meanwhile have their
// temporary files there.
class ScratchFolder {
public:
    explicit ScratchFolder(const std::string& parent);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    bool exists() const { return !path_.empty(); }
    const std::string& path() const { return path_; }
    void keep() { keep_ = true; }

private:
    std::string path_, temporaries_before_;
    bool keep_ = false;
};

class KernelCache {
public:
    // The cache in the folder that the settings name. Where that folder cannot be used (not ours, a full disk),
    // compiling goes on without a cache and a warning says why, once. Entries in a folder that can only be read are
    // used.
    static KernelCache& instance();

    bool writable() const { return writable_; }
    // The module stored under this key; false when there is none, or it is damaged.
    bool load(const std::string& key, std::string& module) const { return load_entry(entry(key), module); }
    void store(const std::string& key, const std::string& module);
    // The same for an answer of a compiler: its version, the command by which it starts its linker.
    bool load_answer(const std::string& key, std::string& text) const { return load_entry(answer(key), text); }
    void store_answer(const std::string& key, const std::string& text) { store_entry(answer(key), text); }
    void forget_answer(const std::string& key);
    // The path of this key's precompiled prelude, which need not exist yet.
    std::string prelude(const std::string& key) const { return concat({folder_, "/", key, ".pch"}); }
    // Held while a module is made, so that processes that need the same one at once compile it once.
    std::unique_ptr<FileLock> lock(const std::string& key) const;
    // The same for a precompiled prelude, which is made while the lock of a module is held: its locks are never those
    // of modules, so processes do not wait for each other in a circle.
    std::unique_ptr<FileLock> lock_prelude(const std::string& key) const;
    // The folder in which temporary folders may be made.
    std::string scratch_parent() const;

private:
    KernelCache();
    std::string entry(const std::string& key) const { return folder_ + "/" + key + ".so"; }
    std::string answer(const std::string& key) const { return folder_ + "/" + key + ".answer"; }
    bool load_entry(const std::string& path, std::string& contents) const;
    bool store_entry(const std::string& path, const std::string& contents);
    std::unique_ptr<FileLock> lock_byte(const char* name, const std::string& key) const;
    void remove_oldest();

    std::string folder_;  // empty: there is no cache
    bool writable_ = false;
};

}  // namespace cuda_shim

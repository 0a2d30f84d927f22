// User objects: things of the program that graphs keep alive, with a destructor to call at the end.
#pragma once
#include <map>
#include <mutex>

#include "abi/hip_types.h"

namespace cuda_shim {

class UserObject {
public:
    UserObject(void* pointer, hipHostFn_t destroy, unsigned references);
    ~UserObject();
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

    static UserObject* resolve(hipUserObject_t handle);
    hipUserObject_t handle() { return reinterpret_cast<hipUserObject_t>(this); }

    void retain(unsigned count);
    // Destroys the object with its last reference. False when there are not that many references.
    bool release(unsigned count);

private:
    void* pointer_;
    hipHostFn_t destroy_;
    std::mutex mutex_;
    unsigned long long references_;
};

// The references that a graph, or an instantiated graph, holds; given up at the end of its life.
class ObjectReferences {
public:
    ObjectReferences() = default;
    ObjectReferences(const ObjectReferences& other) { add_all(other); }
    ObjectReferences& operator=(const ObjectReferences& other) = delete;
    ~ObjectReferences();

    // Retains everything that another holder holds.
    void add_all(const ObjectReferences& other);

    // Takes over references that the caller held.
    void adopt(UserObject& object, unsigned count) { held_[&object] += count; }
    // Gives up references; false when fewer are held.
    bool release(UserObject& object, unsigned count);

private:
    std::map<UserObject*, unsigned> held_;
};

}  // namespace cuda_shim

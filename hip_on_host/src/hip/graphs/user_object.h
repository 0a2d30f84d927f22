// User objects: things of the program that graphs keep alive, with a destructor to call at the end.
#pragma once
#include <cstdint>
#include <map>

#include "abi/hip_types.h"

namespace cuda_shim {

class UserObject {
public:
    UserObject(void* pointer, hipHostFn_t destroy, unsigned references);
    ~UserObject();
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

    hipUserObject_t handle() { return reinterpret_cast<hipUserObject_t>(this); }

    // The program's own references, by handle. hipErrorInvalidValue if it is not an object, and for more references
    // than the program has: it cannot give up those that graphs hold. The object is destroyed with the last of all
    // references.
    static hipError_t retain(hipUserObject_t handle, unsigned count);
    static hipError_t release(hipUserObject_t handle, unsigned count);

private:
    friend class ObjectReferences;
    void* pointer_;
    hipHostFn_t destroy_;
    // Both are changed with the lock of all user objects held.
    uint64_t own_references_;
    uint64_t held_by_graphs_ = 0;
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

    // Retains an object of the program's, or takes over references that the program has. hipErrorInvalidValue if
    // it is not an object, and where the program has fewer references than are to be taken over.
    hipError_t add(hipUserObject_t handle, unsigned count, bool take_over);
    // Gives up references; hipErrorInvalidValue when fewer are held.
    hipError_t release(hipUserObject_t handle, unsigned count);

private:
    std::map<UserObject*, uint64_t> references_;
};

}  // namespace cuda_shim

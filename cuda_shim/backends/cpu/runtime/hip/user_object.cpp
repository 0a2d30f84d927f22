// hipUserObject*, and the references of graphs to them.
#include "hip/user_object.h"

#include "hip/api.h"
#include "hip/graph.h"
#include "hip/handle_table.h"

namespace cuda_shim {

UserObject::UserObject(void* pointer, hipHostFn_t destroy, unsigned references)
    : pointer_(pointer), destroy_(destroy), references_(references) {
    live_handles<UserObject>().add(this);
}

UserObject::~UserObject() {
    live_handles<UserObject>().remove(this);
    destroy_(pointer_);
}

UserObject* UserObject::resolve(hipUserObject_t handle) {
    UserObject* object = reinterpret_cast<UserObject*>(handle);
    return live_handles<UserObject>().contains(object) ? object : nullptr;
}

void UserObject::retain(unsigned count) {
    std::lock_guard<std::mutex> lock(mutex_);
    references_ += count;
}

bool UserObject::release(unsigned count) {
    bool last;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (count > references_) return false;
        references_ -= count;
        last = references_ == 0;
    }
    if (last) delete this;
    return true;
}

void ObjectReferences::add_all(const ObjectReferences& other) {
    for (const auto& [object, count] : other.held_) {
        object->retain(count);
        held_[object] += count;
    }
}

ObjectReferences::~ObjectReferences() {
    for (auto& [object, count] : held_) object->release(count);
}

bool ObjectReferences::release(UserObject& object, unsigned count) {
    auto found = held_.find(&object);
    if (found == held_.end() || found->second < count) return false;
    found->second -= count;
    if (found->second == 0) held_.erase(found);
    return object.release(count);
}

namespace {

hipError_t retain_for_graph(hipGraph_t graph_handle, hipUserObject_t handle, unsigned count, unsigned flags) {
    Graph* graph = Graph::resolve(graph_handle);
    UserObject* object = UserObject::resolve(handle);
    if (!graph || !object || count == 0 || count > 2147483647u) return hipErrorInvalidValue;
    if (flags != 0 && flags != hipGraphUserObjectMove) return hipErrorInvalidValue;
    // "Move" hands the caller's own references over.
    if (flags != hipGraphUserObjectMove) object->retain(count);
    graph->user_objects().adopt(*object, count);
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipUserObjectCreate(hipUserObject_t* out, void* pointer, hipHostFn_t destroy, unsigned int references,
                               unsigned int flags) {
    return api(__func__, [&] {
        if (!out || !destroy || references == 0 || references > 2147483647u) return hipErrorInvalidValue;
        if (flags != hipUserObjectNoDestructorSync) return hipErrorInvalidValue;
        *out = (new UserObject(pointer, destroy, references))->handle();
        return hipSuccess;
    });
}

hipError_t hipUserObjectRetain(hipUserObject_t handle, unsigned int count) {
    return api(__func__, [&] {
        UserObject* object = UserObject::resolve(handle);
        if (!object || count == 0 || count > 2147483647u) return hipErrorInvalidValue;
        object->retain(count);
        return hipSuccess;
    });
}

hipError_t hipUserObjectRelease(hipUserObject_t handle, unsigned int count) {
    return api(__func__, [&] {
        UserObject* object = UserObject::resolve(handle);
        if (!object || count == 0 || count > 2147483647u) return hipErrorInvalidValue;
        return object->release(count) ? hipSuccess : hipErrorInvalidValue;
    });
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count, unsigned int flags) {
    return api(__func__, [&] { return retain_for_graph(graph, object, count, flags); });
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph_handle, hipUserObject_t handle, unsigned int count) {
    return api(__func__, [&] {
        Graph* graph = Graph::resolve(graph_handle);
        UserObject* object = UserObject::resolve(handle);
        if (!graph || !object || count == 0) return hipErrorInvalidValue;
        return graph->user_objects().release(*object, count) ? hipSuccess : hipErrorInvalidValue;
    });
}

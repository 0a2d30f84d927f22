// hipUserObject*, and the references of graphs to them.
#include "hip/graphs/user_object.h"

#include <memory>
#include <mutex>

#include "hip/api.h"
#include "hip/graphs/graph.h"
#include "hip/handle_table.h"
#include "hip/streams/host_commands.h"

namespace cuda_shim {

namespace {

std::mutex& objects_mutex() {
    static auto* const mutex = new std::mutex;
    return *mutex;
}

// Null if it is not an object; with the lock held.
UserObject* find(hipUserObject_t handle) {
    auto* object = reinterpret_cast<UserObject*>(handle);
    return live_handles<UserObject>().contains(object) ? object : nullptr;
}

}  // namespace

UserObject::UserObject(void* pointer, hipHostFn_t destroy, unsigned references)
    : pointer_(pointer), destroy_(destroy), own_references_(references) {
    live_handles<UserObject>().add(this);
}

UserObject::~UserObject() { call_program(destroy_, pointer_); }

hipError_t UserObject::retain(hipUserObject_t handle, unsigned count) {
    std::lock_guard<std::mutex> lock(objects_mutex());
    UserObject* object = find(handle);
    if (!object) return hipErrorInvalidValue;
    object->own_references_ += count;
    return hipSuccess;
}

hipError_t UserObject::release(hipUserObject_t handle, unsigned count) {
    std::unique_ptr<UserObject> last;  // ends with the lock released: its destructor is the program's
    std::lock_guard<std::mutex> lock(objects_mutex());
    UserObject* object = find(handle);
    if (!object || count > object->own_references_) return hipErrorInvalidValue;
    object->own_references_ -= count;
    if (object->own_references_ + object->held_by_graphs_ == 0) last = claim_handle<UserObject>(object);
    return hipSuccess;
}

void ObjectReferences::add_all(const ObjectReferences& other) {
    std::lock_guard<std::mutex> lock(objects_mutex());
    for (const auto& [object, count] : other.references_) {
        object->held_by_graphs_ += count;
        references_[object] += count;
    }
}

ObjectReferences::~ObjectReferences() {
    for (auto& [object, count] : references_) {
        std::unique_ptr<UserObject> last;  // ends with the lock released
        std::lock_guard<std::mutex> lock(objects_mutex());
        object->held_by_graphs_ -= count;
        if (object->own_references_ + object->held_by_graphs_ == 0) last = claim_handle<UserObject>(object);
    }
}

hipError_t ObjectReferences::add(hipUserObject_t handle, unsigned count, bool take_over) {
    std::lock_guard<std::mutex> lock(objects_mutex());
    UserObject* object = find(handle);
    if (!object || (take_over && count > object->own_references_)) return hipErrorInvalidValue;
    if (take_over) object->own_references_ -= count;
    object->held_by_graphs_ += count;
    references_[object] += count;
    return hipSuccess;
}

hipError_t ObjectReferences::release(hipUserObject_t handle, unsigned count) {
    std::unique_ptr<UserObject> last;
    std::lock_guard<std::mutex> lock(objects_mutex());
    UserObject* object = find(handle);
    auto entry = references_.find(object);
    if (!object || entry == references_.end() || entry->second < count) return hipErrorInvalidValue;
    entry->second -= count;
    if (entry->second == 0) references_.erase(entry);
    object->held_by_graphs_ -= count;
    if (object->own_references_ + object->held_by_graphs_ == 0) last = claim_handle<UserObject>(object);
    return hipSuccess;
}

namespace {

bool valid_count(unsigned count) { return count != 0 && count <= 2147483647u; }

hipError_t retain_for_graph(hipGraph_t graph_handle, hipUserObject_t handle, unsigned count, unsigned flags) {
    Graph* graph = Graph::resolve(graph_handle);
    if (!graph || !valid_count(count)) return hipErrorInvalidValue;
    if (flags != 0 && flags != hipGraphUserObjectMove) return hipErrorInvalidValue;
    // "Move" hands the caller's own references over.
    return graph->user_objects().add(handle, count, flags == hipGraphUserObjectMove);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipUserObjectCreate(hipUserObject_t* out, void* pointer, hipHostFn_t destroy, unsigned int references,
                               unsigned int flags) {
    return api(__func__, [&] {
        if (!out || !destroy || !valid_count(references)) return hipErrorInvalidValue;
        if (flags != hipUserObjectNoDestructorSync) return hipErrorInvalidValue;
        *out = (new UserObject(pointer, destroy, references))->handle();
        return hipSuccess;
    });
}

hipError_t hipUserObjectRetain(hipUserObject_t handle, unsigned int count) {
    return api(__func__, [&] { return valid_count(count) ? UserObject::retain(handle, count) : hipErrorInvalidValue; });
}

hipError_t hipUserObjectRelease(hipUserObject_t handle, unsigned int count) {
    return api(__func__,
               [&] { return valid_count(count) ? UserObject::release(handle, count) : hipErrorInvalidValue; });
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count, unsigned int flags) {
    return api(__func__, [&] { return retain_for_graph(graph, object, count, flags); });
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph_handle, hipUserObject_t handle, unsigned int count) {
    return api(__func__, [&] {
        Graph* graph = Graph::resolve(graph_handle);
        if (!graph || !valid_count(count)) return hipErrorInvalidValue;
        return graph->user_objects().release(handle, count);
    });
}

// Values that a runtime keeps with a context, by keys of its own, until it removes them or the context ends.
namespace {

// CUresult
constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;
constexpr int invalid_context = 201;
constexpr int invalid_handle = 400;
constexpr int not_supported = 801;

using ContextEnds = void (*)(void* context, void* key, void* value);

struct StoredValue {
    void* context;
    void* key;
    void* value;
    ContextEnds ends;
    StoredValue* next;
};

class Lock {
public:
    explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    ~Lock() { pthread_mutex_unlock(&mutex_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    pthread_mutex_t& mutex_;
};

// A list: a process has a few runtimes, with a value for each device.
class ContextStorage {
public:
    int put(void* context, void* key, void* value, ContextEnds ends) {
        Lock lock(mutex_);
        if (*find(context, key)) return invalid_handle;
        auto* added = static_cast<StoredValue*>(malloc(sizeof(StoredValue)));
        if (!added) return out_of_memory;
        *added = {context, key, value, ends, first_};
        first_ = added;
        return success;
    }

    int get(void* context, void* key, void*& value) {
        Lock lock(mutex_);
        const StoredValue* present = *find(context, key);
        if (!present) return invalid_handle;
        value = present->value;
        return success;
    }

    int remove(void* context, void* key) {
        Lock lock(mutex_);
        StoredValue** place = find(context, key);
        StoredValue* removed = *place;
        if (!removed) return invalid_handle;
        *place = removed->next;
        free(removed);
        return success;
    }

    // Drops a context's values. Their runtimes are called without the lock, since they may come back for other values.
    void end(void* context) {
        while (StoredValue* ended = take(context)) {
            if (ended->ends) ended->ends(ended->context, ended->key, ended->value);
            free(ended);
        }
    }

private:
    // The pointer that leads to a value, or to the end of the list.
    StoredValue** find(void* context, void* key) {
        StoredValue** place = &first_;
        while (*place && ((*place)->context != context || (*place)->key != key)) place = &(*place)->next;
        return place;
    }

    StoredValue* take(void* context) {
        Lock lock(mutex_);
        StoredValue** place = &first_;
        while (*place && (*place)->context != context) place = &(*place)->next;
        StoredValue* taken = *place;
        if (taken) *place = taken->next;
        return taken;
    }

    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    StoredValue* first_ = nullptr;
};

ContextStorage context_storage;

}  // namespace

// Drops the values that runtimes keep with a context, which is about to end.
CUDA_SHIM_EXPORT void cuda_shim_end_context(void* context) { context_storage.end(context); }

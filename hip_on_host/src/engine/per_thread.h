// Objects that every thread has for itself, made on the thread's first use and destroyed as the thread ends.
//
// Like thread_local, but for lack of memory: there the C library ends the process, here the first use throws
// std::bad_alloc. The first thread's objects last as long as the process.
#pragma once
#include <pthread.h>

#include <memory>
#include <new>

#include "engine/faults.h"

namespace cuda_shim {

template <class Object>
class PerThread {
public:
    PerThread() {
        if (pthread_key_create(&key_, destroy) != 0) throw std::bad_alloc();
        keep_library_loaded();  // threads that end call into it
    }
    PerThread(const PerThread&) = delete;
    PerThread& operator=(const PerThread&) = delete;

    Object& get() {
        if (void* object = pthread_getspecific(key_)) return *static_cast<Object*>(object);
        auto created = std::make_unique<Object>();
        if (pthread_setspecific(key_, created.get()) != 0) throw std::bad_alloc();
        return *created.release();
    }

private:
    static void destroy(void* object) { delete static_cast<Object*>(object); }

    pthread_key_t key_;
};

// The calling thread's object of a type that has one use: a struct of its user.
template <class Object>
Object& thread_object() {
    static auto* const objects = new PerThread<Object>;
    return objects->get();
}

}  // namespace cuda_shim

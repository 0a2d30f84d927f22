// Atomic objects by the names of CUDA's C++ core libraries: <cuda/atomic>.
//
// Who includes this defines `cuda_portable_memory<T, Scope>` behind it: how atomic operations reach memory, in functions
// load, store, exchange, compare_exchange, add, subtract, update and wait of a place and an order.
#pragma once

namespace cuda {
namespace std {
typedef enum memory_order {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_consume = __ATOMIC_CONSUME,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

template <class T, thread_scope Scope> struct cuda_portable_memory;

// The common part of atomic and atomic_ref: operations on the memory that `cuda_portable_place()` leads to.
template <class Self, class T, thread_scope Scope> struct cuda_portable_operations {
    typedef T value_type;
    static constexpr bool is_always_lock_free = sizeof(T) <= 8;

    __device__ bool is_lock_free() const { return is_always_lock_free; }
    __device__ T load(memory_order order = memory_order_seq_cst) const { return memory::load(place(), (int)order); }
    __device__ operator T() const { return load(); }
    __device__ void store(T value, memory_order order = memory_order_seq_cst) const { memory::store(place(), value, (int)order); }
    __device__ T exchange(T value, memory_order order = memory_order_seq_cst) const {
        return memory::exchange(place(), value, (int)order);
    }
    __device__ bool compare_exchange_strong(T& expected, T value, memory_order order, memory_order otherwise) const {
        return memory::compare_exchange(place(), expected, value, (int)order, (int)otherwise);
    }
    __device__ bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, value, order, order_of_failed(order));
    }
    __device__ bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, value, order);
    }
    __device__ bool compare_exchange_weak(T& expected, T value, memory_order order, memory_order otherwise) const {
        return compare_exchange_strong(expected, value, order, otherwise);
    }

    __device__ T fetch_add(T by, memory_order order = memory_order_seq_cst) const { return memory::add(place(), by, (int)order); }
    __device__ T fetch_sub(T by, memory_order order = memory_order_seq_cst) const {
        return memory::subtract(place(), by, (int)order);
    }
    __device__ T fetch_and(T by, memory_order order = memory_order_seq_cst) const {
        return memory::update(place(), [=](T old) { return (T)(old & by); }, (int)order);
    }
    __device__ T fetch_or(T by, memory_order order = memory_order_seq_cst) const {
        return memory::update(place(), [=](T old) { return (T)(old | by); }, (int)order);
    }
    __device__ T fetch_xor(T by, memory_order order = memory_order_seq_cst) const {
        return memory::update(place(), [=](T old) { return (T)(old ^ by); }, (int)order);
    }
    __device__ T fetch_min(T by, memory_order order = memory_order_seq_cst) const {
        return memory::update(place(), [=](T old) { return by < old ? by : old; }, (int)order);
    }
    __device__ T fetch_max(T by, memory_order order = memory_order_seq_cst) const {
        return memory::update(place(), [=](T old) { return old < by ? by : old; }, (int)order);
    }
    __device__ T operator++() const { return (T)(fetch_add((T)1) + 1); }
    __device__ T operator++(int) const { return fetch_add((T)1); }
    __device__ T operator--() const { return (T)(fetch_sub((T)1) - 1); }
    __device__ T operator--(int) const { return fetch_sub((T)1); }
    __device__ T operator+=(T by) const { return (T)(fetch_add(by) + by); }
    __device__ T operator-=(T by) const { return (T)(fetch_sub(by) - by); }
    __device__ T operator&=(T by) const { return (T)(fetch_and(by) & by); }
    __device__ T operator|=(T by) const { return (T)(fetch_or(by) | by); }
    __device__ T operator^=(T by) const { return (T)(fetch_xor(by) ^ by); }

    __device__ void wait(T old, memory_order order = memory_order_seq_cst) const { memory::wait(place(), old, (int)order); }
    __device__ void notify_one() const {}
    __device__ void notify_all() const {}

private:
    typedef cuda_portable_memory<T, Scope> memory;

    __device__ T* place() const { return static_cast<const Self*>(this)->cuda_portable_place(); }
    // The order of the load in an exchange that fails.
    __device__ static constexpr memory_order order_of_failed(memory_order order) {
        return order == memory_order_acq_rel ? memory_order_acquire : order == memory_order_release ? memory_order_relaxed : order;
    }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public cuda_portable_operations<atomic<T, Scope>, T, Scope> {
    mutable T value_;

public:
    atomic() noexcept = default;
    __device__ constexpr atomic(T value) noexcept : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    __device__ T operator=(T value) {
        this->store(value);
        return value;
    }
    __device__ T* cuda_portable_place() const { return &value_; }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public cuda_portable_operations<atomic_ref<T, Scope>, T, Scope> {
    T* place_;

public:
    static constexpr size_t required_alignment = alignof(T);
    __device__ explicit atomic_ref(T& value) : place_(&value) {}
    __device__ T operator=(T value) const {
        this->store(value);
        return value;
    }
    __device__ T* cuda_portable_place() const { return place_; }
};

template <thread_scope Scope = thread_scope_system> class atomic_flag {
    atomic<int, Scope> set_;

public:
    atomic_flag() noexcept = default;
    __device__ bool test_and_set(memory_order order = memory_order_seq_cst) { return set_.exchange(1, order) != 0; }
    __device__ bool test(memory_order order = memory_order_seq_cst) const { return set_.load(order) != 0; }
    __device__ void clear(memory_order order = memory_order_seq_cst) { set_.store(0, order); }
};

namespace std {
template <class T> using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
}  // namespace std
}  // namespace cuda

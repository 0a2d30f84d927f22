// std::initializer_list, which NVRTC has built in. Compilers know its layout; the macros keep a C++ library's own out.
#pragma once
#pragma GCC system_header
#if !defined(_INITIALIZER_LIST) && !defined(_LIBCPP_INITIALIZER_LIST)
#define _INITIALIZER_LIST
#define _LIBCPP_INITIALIZER_LIST

namespace std {
template <class T> class initializer_list {
public:
    typedef T value_type;
    typedef const T& reference;
    typedef const T& const_reference;
    typedef __SIZE_TYPE__ size_type;
    typedef const T* iterator;
    typedef const T* const_iterator;
    __host__ __device__ constexpr initializer_list() noexcept : first(nullptr), count(0) {}
    __host__ __device__ constexpr size_type size() const noexcept { return count; }
    __host__ __device__ constexpr const T* begin() const noexcept { return first; }
    __host__ __device__ constexpr const T* end() const noexcept { return first + count; }

private:
    const T* first;
    size_type count;
};
template <class T> __host__ __device__ constexpr const T* begin(initializer_list<T> list) noexcept { return list.begin(); }
template <class T> __host__ __device__ constexpr const T* end(initializer_list<T> list) noexcept { return list.end(); }
}  // namespace std
#endif

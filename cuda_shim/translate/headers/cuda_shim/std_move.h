// std::move and std::forward, which NVRTC has built in.
#pragma once
#pragma GCC system_header

namespace cuda_on_hip_std {
template <class T> struct plain {
    typedef T type;
};
template <class T> struct plain<T&> {
    typedef T type;
};
template <class T> struct plain<T&&> {
    typedef T type;
};
}  // namespace cuda_on_hip_std

namespace std {
template <class T> __host__ __device__ constexpr typename cuda_on_hip_std::plain<T>::type&& move(T&& value) noexcept {
    return static_cast<typename cuda_on_hip_std::plain<T>::type&&>(value);
}
template <class T> __host__ __device__ constexpr T&& forward(typename cuda_on_hip_std::plain<T>::type& value) noexcept {
    return static_cast<T&&>(value);
}
template <class T> __host__ __device__ constexpr T&& forward(typename cuda_on_hip_std::plain<T>::type&& value) noexcept {
    return static_cast<T&&>(value);
}
}  // namespace std

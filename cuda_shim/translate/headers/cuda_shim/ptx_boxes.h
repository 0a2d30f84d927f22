// PTX's copies between shared memory and boxes of tensors. `cuda_shim/adapters/tensor_maps.py` makes the maps, whose
// bytes programs may not look into.
#pragma once
#pragma GCC system_header
#include <cuda_shim/ptx_transactions.h>

namespace cuda_shim_ptx {

// The 128 bytes of a tensor map.
struct tensor_map {
    unsigned long long address;
    unsigned last[5];  // of each axis, its extent less one
    unsigned char rank, type, interleave, swizzle;
    unsigned long long strides[4];  // in bytes, of all axes but the innermost
    unsigned short box[5];          // elements; of im2col, channels and pixels
    unsigned char steps[5];
    unsigned char fills_with_nan;
    short low[3], high[3];  // corners of im2col's bounding box, of the axes between channels and images
    unsigned char im2col;
    unsigned char padding[27];
    unsigned long long mark;
};
static_assert(sizeof(tensor_map) == 128, "CUDA's maps have 128 bytes");
constexpr unsigned long long tensor_map_mark = 0x3170616d726f736eull;

enum tensor_type { type_u8, type_u16, type_u32, type_s32, type_u64, type_s64, type_f16, type_f32, type_f64, type_bf16, type_f32_ftz, type_tf32, type_tf32_ftz };
struct box_position {
    int at[5];
    int count;
};
template <class... Coordinates> CUDA_SHIM_PTX box_position box_at(Coordinates... coordinates) {
    return {{(int)coordinates...}, (int)sizeof...(coordinates)};
}

CUDA_SHIM_PTX unsigned element_bytes(const tensor_map& map) {
    switch (map.type) {
        case type_u8: return 1;
        case type_u16: case type_f16: case type_bf16: return 2;
        case type_u64: case type_s64: case type_f64: return 8;
        default: return 4;
    }
}

CUDA_SHIM_PTX const tensor_map& checked_map(const char* at, const box_position& position) {
    const tensor_map& map = *(const tensor_map*)at;
    if (map.mark != tensor_map_mark)
        cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "this is no tensor map: make it with cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col");
    if (map.rank != position.count)
        cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "the copy has another number of axes than its tensor map");
    if (map.interleave)
        cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "copies of interleaved tensors have no counterpart here");
    if ((long long)position.at[0] * element_bytes(map) % 16 != 0)
        cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "the copy's innermost coordinate is not at a multiple of 16 bytes, which a GPU refuses as an illegal instruction");
    return map;
}

// The number of elements of a box along an axis.
CUDA_SHIM_PTX unsigned box_extent(const tensor_map& map, int axis) {
    const unsigned step = map.steps[axis] ? map.steps[axis] : 1;
    return axis >= map.rank ? 1 : (map.box[axis] + step - 1u) / step;
}

// The bytes from one row of a box to the next in shared memory: a swizzle's width at least.
CUDA_SHIM_PTX unsigned long row_pitch(const tensor_map& map) {
    const unsigned bytes = (map.im2col ? map.box[0] : box_extent(map, 0)) * element_bytes(map), width = map.swizzle ? 16u << map.swizzle : 0;
    return bytes < width ? width : bytes;
}

// The place in shared memory that stands for an offset in a box: a swizzle exchanges pieces of 16 bytes.
CUDA_SHIM_PTX char* swizzled_place(char* box, unsigned long offset, unsigned swizzle) {
    const unsigned long at = (unsigned long)box + offset;
    return (char*)(at ^ ((at >> 7 & ((1u << swizzle) - 1)) << 4));
}

// The global address of an element, null if it is outside the tensor, or if so many elements before it are.
CUDA_SHIM_PTX char* element_place(const tensor_map& map, const long long (&at)[5], unsigned bytes, unsigned before = 0) {
    for (int axis = 0; axis < map.rank; ++axis)
        if (at[axis] < 0 || at[axis] - (axis ? 0 : before) > (long long)map.last[axis]) return nullptr;
    unsigned long long offset = (unsigned long long)at[0] * bytes;
    for (int axis = 1; axis < map.rank; ++axis) offset += (unsigned long long)at[axis] * map.strides[axis - 1];
    return (char*)(map.address + offset);
}

// Calls visit(offset in the box, global address or null) for the elements of a box, the innermost axis first.
// Elements that are moved together are inside the tensor if the first one is.
template <class Visit> CUDA_SHIM_PTX void visit_box(const tensor_map& map, const box_position& position, unsigned together, Visit visit) {
    const unsigned bytes = element_bytes(map);
    unsigned extent[5];
    for (int axis = 0; axis < 5; ++axis) extent[axis] = box_extent(map, axis);
    const unsigned long pitch = row_pitch(map);
    unsigned long row = 0;
    unsigned i[5];
    for (i[4] = 0; i[4] < extent[4]; ++i[4])
        for (i[3] = 0; i[3] < extent[3]; ++i[3])
            for (i[2] = 0; i[2] < extent[2]; ++i[2])
                for (i[1] = 0; i[1] < extent[1]; ++i[1], row += pitch)
                    for (i[0] = 0; i[0] < extent[0]; ++i[0]) {
                        long long at[5];
                        for (int axis = 0; axis < 5; ++axis) at[axis] = (long long)position.at[axis] + (long long)i[axis] * (axis < map.rank ? map.steps[axis] : 1);
                        visit(row + i[0] * bytes, element_place(map, at, bytes, i[0] % together));
                    }
}

// im2col: a column of pixels, each with some channels. The pixels are those of the bounding box, in rows and images; the
// offsets move each of them within its filter.
template <class Visit>
CUDA_SHIM_PTX void visit_columns(const tensor_map& map, const box_position& position, const box_position& filter, Visit visit) {
    const unsigned bytes = element_bytes(map), spatial = map.rank - 2;
    long long pixel[5];
    for (int axis = 0; axis < 5; ++axis) pixel[axis] = position.at[axis];
    const unsigned long pitch = row_pitch(map);
    for (unsigned column = 0; column < map.box[1]; ++column) {
        for (unsigned channel = 0; channel < map.box[0]; ++channel) {
            long long at[5] = {pixel[0] + channel, pixel[1], pixel[2], pixel[3], pixel[4]};
            for (unsigned axis = 0; axis < spatial; ++axis) at[axis + 1] += (unsigned short)filter.at[axis];
            visit(column * pitch + channel * bytes, element_place(map, at, bytes));
        }
        for (unsigned axis = 0; axis <= spatial; ++axis) {
            pixel[axis + 1] += axis < spatial ? map.steps[axis + 1] : 1;
            if (axis == spatial || pixel[axis + 1] < (long long)map.last[axis + 1] + 1 + map.high[axis]) break;
            pixel[axis + 1] = map.low[axis];
        }
    }
}

// An element as a copy leaves it in shared memory: TF32 is rounded. Denormal numbers stay, with the types of .ftz too.
CUDA_SHIM_PTX unsigned loaded_word(const tensor_map& map, unsigned word) {
    return map.type == type_tf32 || map.type == type_tf32_ftz ? tf32(as<float>(word)) : word;
}
CUDA_SHIM_PTX void load_element(const tensor_map& map, char* to, const char* from) {
    const unsigned bytes = element_bytes(map);
    if (!from) {
        const unsigned long long word = map.fills_with_nan ? 0x7ff77ff77ff77ff7ull : 0;
        __builtin_memcpy(to, &word, bytes);
    } else if (bytes == 4) {
        *(unsigned*)to = loaded_word(map, *(const unsigned*)from);
    } else {
        __builtin_memcpy(to, from, bytes);
    }
}

// The bytes of shared memory that a copy fills.
CUDA_SHIM_PTX unsigned box_bytes(const tensor_map& map) {
    unsigned count = map.im2col ? map.box[0] * map.box[1] : 1;
    for (int axis = 0; axis < map.rank && !map.im2col; ++axis) count *= box_extent(map, axis);
    return count * element_bytes(map);
}
CUDA_SHIM_PTX void box_load(char* to, const char* map_at, box_position position, char* barrier) {
    const tensor_map& map = checked_map(map_at, position);
    visit_box(map, position, 1, [&](unsigned long offset, const char* from) { load_element(map, swizzled_place(to, offset, map.swizzle), from); });
    mbarrier_complete(barrier, box_bytes(map));
}
CUDA_SHIM_PTX void box_load(char* to, const char* map_at, box_position position, char* barrier, box_position filter) {
    const tensor_map& map = checked_map(map_at, position);
    visit_columns(map, position, filter, [&](unsigned long offset, const char* from) { load_element(map, swizzled_place(to, offset, map.swizzle), from); });
    mbarrier_complete(barrier, box_bytes(map));
}
CUDA_SHIM_PTX void box_multicast(char* to, const char* map_at, box_position position, char* barrier, unsigned mask) {
    for (unsigned rank = 0; rank < cluster_blocks(); ++rank)
        if (mask >> rank & 1) box_load(place_of_rank(to, rank), map_at, position, place_of_rank(barrier, rank));
}
CUDA_SHIM_PTX void box_multicast(char* to, const char* map_at, box_position position, char* barrier, box_position filter, unsigned mask) {
    for (unsigned rank = 0; rank < cluster_blocks(); ++rank)
        if (mask >> rank & 1) box_load(place_of_rank(to, rank), map_at, position, place_of_rank(barrier, rank), filter);
}

// Elements outside the tensor are not written, but a row's last 16 bytes are written as a whole.
CUDA_SHIM_PTX const tensor_map& checked_target(const char* at, const box_position& position) {
    for (int axis = 0; axis < position.count; ++axis)
        if (position.at[axis] < 0)
            cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "the box that is stored begins before the tensor, which a GPU refuses as an illegal instruction");
    return checked_map(at, position);
}
CUDA_SHIM_PTX void box_store(const char* map_at, box_position position, char* from) {
    const tensor_map& map = checked_target(map_at, position);
    const unsigned bytes = element_bytes(map);
    visit_box(map, position, 16 / bytes, [&](unsigned long offset, char* to) {
        if (to) __builtin_memcpy(to, swizzled_place(from, offset, map.swizzle), bytes);
    });
}
template <class T, class Operation> CUDA_SHIM_PTX void box_reduce_as(const tensor_map& map, const box_position& position, char* from) {
    visit_box(map, position, 16 / element_bytes(map), [&](unsigned long offset, char* to) {
        if (to) Operation::run((T*)to, *(const T*)swizzled_place(from, offset, map.swizzle));
    });
}
struct box_add { typedef reduce_add type; static constexpr bool bits = false, counts = false; };
struct box_min { typedef reduce_min type; static constexpr bool bits = false, counts = false; };
struct box_max { typedef reduce_max type; static constexpr bool bits = false, counts = false; };
struct box_inc { typedef reduce_inc type; static constexpr bool bits = false, counts = true; };
struct box_dec { typedef reduce_dec type; static constexpr bool bits = false, counts = true; };
struct box_and { typedef reduce_and type; static constexpr bool bits = true, counts = false; };
struct box_or { typedef reduce_or type; static constexpr bool bits = true, counts = false; };
struct box_xor { typedef reduce_xor type; static constexpr bool bits = true, counts = false; };
template <class Box> CUDA_SHIM_PTX void box_reduce(const char* map_at, box_position position, char* from) {
    typedef typename Box::type operation;
    const tensor_map& map = checked_target(map_at, position);
    if constexpr (Box::counts) {
        if (map.type == type_u32) return box_reduce_as<unsigned, operation>(map, position, from);
    } else if constexpr (Box::bits) {
        if (map.type == type_u32 || map.type == type_s32) return box_reduce_as<unsigned, operation>(map, position, from);
        if (map.type == type_u64) return box_reduce_as<unsigned long long, operation>(map, position, from);
    } else {
        switch (map.type) {
            case type_u32: return box_reduce_as<unsigned, operation>(map, position, from);
            case type_s32: return box_reduce_as<int, operation>(map, position, from);
            case type_u64: return box_reduce_as<unsigned long long, operation>(map, position, from);
            case type_s64:
                if constexpr (!__is_same(operation, reduce_add)) return box_reduce_as<long long, operation>(map, position, from);
                break;
            case type_f16: return box_reduce_as<_Float16, operation>(map, position, from);
            case type_bf16: return box_reduce_as<bfloat, operation>(map, position, from);
            case type_f32: case type_f32_ftz: case type_tf32:
                if constexpr (__is_same(operation, reduce_add)) return box_reduce_as<float, operation>(map, position, from);
                break;
            case type_f64:
                if constexpr (__is_same(operation, reduce_add)) return box_reduce_as<double, operation>(map, position, from);
                break;
            default: break;
        }
    }
    cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "a GPU refuses this reduction for the elements of its tensor map as an illegal instruction");
}

// Fields of maps that kernels replace, in one that a function of the driver has made or in 128 bytes of zeros. PTX counts
// the types of elements otherwise than cuTensorMapEncodeTiled.
CUDA_SHIM_PTX tensor_map& writable_map(void* at) {
    tensor_map& map = *(tensor_map*)at;
    if (map.mark == 0) map.mark = tensor_map_mark;
    if (map.mark != tensor_map_mark)
        cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "the fields of a tensor map are replaced in memory that holds neither a map nor zeros");
    return map;
}
CUDA_SHIM_PTX unsigned map_axis(unsigned axis, unsigned count) {
    if (axis >= count) cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "a tensor map has no such axis");
    return axis;
}
CUDA_SHIM_PTX void box_map_global_address(void* at, unsigned long long address) { writable_map(at).address = address; }
CUDA_SHIM_PTX void box_map_rank(void* at, unsigned last_axis) { writable_map(at).rank = (unsigned char)(map_axis(last_axis, 5) + 1); }
CUDA_SHIM_PTX void box_map_box_dim(void* at, unsigned axis, unsigned count) { writable_map(at).box[map_axis(axis, 5)] = (unsigned short)count; }
CUDA_SHIM_PTX void box_map_global_dim(void* at, unsigned axis, unsigned count) { writable_map(at).last[map_axis(axis, 5)] = count - 1; }
CUDA_SHIM_PTX void box_map_global_stride(void* at, unsigned axis, unsigned long long bytes) { writable_map(at).strides[map_axis(axis, 4)] = bytes; }
CUDA_SHIM_PTX void box_map_element_stride(void* at, unsigned axis, unsigned step) {
    // The innermost axis has no step.
    writable_map(at).steps[map_axis(axis, 5)] = (unsigned char)(axis > 0 ? step : 1);
}
CUDA_SHIM_PTX void box_map_elemtype(void* at, unsigned type) {
    constexpr unsigned char types[] = {type_u8, type_u16, type_u32, type_s32, type_u64, type_s64, type_f16, type_f32, type_f32_ftz, type_f64, type_bf16, type_tf32, type_tf32_ftz};
    if (type >= sizeof types) cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "tensor maps have no such type of elements here");
    writable_map(at).type = types[type];
}
CUDA_SHIM_PTX void box_map_interleave_layout(void* at, unsigned layout) { writable_map(at).interleave = (unsigned char)layout; }
CUDA_SHIM_PTX void box_map_swizzle_mode(void* at, unsigned mode) {
    if (mode > 3) cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "tensor maps have no such swizzle here");
    writable_map(at).swizzle = (unsigned char)mode;
}
CUDA_SHIM_PTX void box_map_fill_mode(void* at, unsigned mode) { writable_map(at).fills_with_nan = mode != 0; }
// The lanes of a warp copy a map together.
CUDA_SHIM_PTX void box_map_copy(char* to, const char* from, unsigned bytes) {
    if ((__lane_id() & 31) == 0) __builtin_memcpy(to, from, bytes);
}

}  // namespace cuda_shim_ptx

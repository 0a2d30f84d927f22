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
    return axis >= map.rank ? 1 : (map.box[axis] + map.steps[axis] - 1u) / map.steps[axis];
}

// The place in shared memory that stands for an offset in a box: a swizzle exchanges pieces of 16 bytes.
CUDA_SHIM_PTX char* swizzled_place(char* box, unsigned long offset, unsigned swizzle) {
    const unsigned long at = (unsigned long)box + offset;
    return (char*)(at ^ ((at >> 7 & ((1u << swizzle) - 1)) << 4));
}

// The global address of an element, null outside the tensor.
CUDA_SHIM_PTX char* element_place(const tensor_map& map, const long long (&at)[5], unsigned bytes) {
    for (int axis = 0; axis < map.rank; ++axis)
        if (at[axis] < 0 || at[axis] > (long long)map.last[axis]) return nullptr;
    unsigned long long offset = (unsigned long long)at[0] * bytes;
    for (int axis = 1; axis < map.rank; ++axis) offset += (unsigned long long)at[axis] * map.strides[axis - 1];
    return (char*)(map.address + offset);
}

// Calls visit(offset in the box, global address or null) for the elements of a box, the innermost axis first.
template <class Visit> CUDA_SHIM_PTX void visit_box(const tensor_map& map, const box_position& position, Visit visit) {
    const unsigned bytes = element_bytes(map);
    unsigned extent[5];
    for (int axis = 0; axis < 5; ++axis) extent[axis] = box_extent(map, axis);
    unsigned long offset = 0;
    unsigned i[5];
    for (i[4] = 0; i[4] < extent[4]; ++i[4])
        for (i[3] = 0; i[3] < extent[3]; ++i[3])
            for (i[2] = 0; i[2] < extent[2]; ++i[2])
                for (i[1] = 0; i[1] < extent[1]; ++i[1])
                    for (i[0] = 0; i[0] < extent[0]; ++i[0], offset += bytes) {
                        long long at[5];
                        for (int axis = 0; axis < 5; ++axis) at[axis] = (long long)position.at[axis] + (long long)i[axis] * (axis < map.rank ? map.steps[axis] : 1);
                        visit(offset, element_place(map, at, bytes));
                    }
}

// im2col: a column of pixels, each with some channels. The pixels are those of the bounding box, in rows and images; the
// offsets move each of them within its filter.
template <class Visit>
CUDA_SHIM_PTX void visit_columns(const tensor_map& map, const box_position& position, const box_position& filter, Visit visit) {
    const unsigned bytes = element_bytes(map), spatial = map.rank - 2;
    long long pixel[5];
    for (int axis = 0; axis < 5; ++axis) pixel[axis] = position.at[axis];
    unsigned long offset = 0;
    for (unsigned column = 0; column < map.box[1]; ++column) {
        for (unsigned channel = 0; channel < map.box[0]; ++channel, offset += bytes) {
            long long at[5] = {pixel[0] + channel, pixel[1], pixel[2], pixel[3], pixel[4]};
            for (unsigned axis = 0; axis < spatial; ++axis) at[axis + 1] += (unsigned short)filter.at[axis];
            visit(offset, element_place(map, at, bytes));
        }
        for (unsigned axis = 0; axis <= spatial; ++axis) {
            pixel[axis + 1] += axis < spatial ? map.steps[axis + 1] : 1;
            if (axis == spatial || pixel[axis + 1] < (long long)map.last[axis + 1] + 1 + map.high[axis]) break;
            pixel[axis + 1] = map.low[axis];
        }
    }
}

// An element as a copy leaves it in shared memory: some types are rounded, or lose denormal numbers.
CUDA_SHIM_PTX unsigned loaded_word(const tensor_map& map, unsigned word) {
    const bool flushes = map.type == type_f32_ftz || map.type == type_tf32_ftz;
    if (flushes && !(word & 0x7f800000u)) return word & 0x80000000u;
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
    visit_box(map, position, [&](unsigned long offset, const char* from) { load_element(map, swizzled_place(to, offset, map.swizzle), from); });
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

// Elements outside the tensor are not written.
CUDA_SHIM_PTX void box_store(const char* map_at, box_position position, char* from) {
    const tensor_map& map = checked_map(map_at, position);
    const unsigned bytes = element_bytes(map);
    visit_box(map, position, [&](unsigned long offset, char* to) {
        if (to) __builtin_memcpy(to, swizzled_place(from, offset, map.swizzle), bytes);
    });
}
template <class T, class Operation> CUDA_SHIM_PTX void box_reduce_as(const tensor_map& map, const box_position& position, char* from) {
    visit_box(map, position, [&](unsigned long offset, char* to) {
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
    const tensor_map& map = checked_map(map_at, position);
    if constexpr (Box::counts) {
        if (map.type == type_u32) return box_reduce_as<unsigned, operation>(map, position, from);
    } else if constexpr (Box::bits) {
        const unsigned bytes = element_bytes(map);
        if (bytes == 4) return box_reduce_as<unsigned, operation>(map, position, from);
        if (bytes == 8) return box_reduce_as<unsigned long long, operation>(map, position, from);
    } else {
        switch (map.type) {
            case type_u32: return box_reduce_as<unsigned, operation>(map, position, from);
            case type_s32: return box_reduce_as<int, operation>(map, position, from);
            case type_u64: return box_reduce_as<unsigned long long, operation>(map, position, from);
            case type_s64: return box_reduce_as<long long, operation>(map, position, from);
            case type_f16: return box_reduce_as<_Float16, operation>(map, position, from);
            case type_bf16: return box_reduce_as<bfloat, operation>(map, position, from);
            case type_f32: case type_f32_ftz:
                if constexpr (__is_same(operation, reduce_add)) return box_reduce_as<float, operation>(map, position, from);
                break;
            default: break;
        }
    }
    cuda_shim_services->trap(CUDA_SHIM_TRAP_UNSUPPORTED, "this reduction has no counterpart for the elements of its tensor map");
}

}  // namespace cuda_shim_ptx

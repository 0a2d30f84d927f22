/* A struct argument in HIP's layout: its own memory where the layouts are the same, else a copy made of its pieces. */
#pragma once
#include <string.h>

#include "numbers.h"

enum { GIVEN_BYTES = 1024 };

/* As `structs.packing.Piece`: bytes that move from one place to another; a constant, read as `size` bytes and written
 * as four, is looked up in the dictionary at `numbers`. */
typedef struct {
    int32_t source, target, size, is_signed, numbers;
} StructPiece;
enum { MOVED_AS_IT_IS = -1 };

/* The memory that the pieces are moved to; a call has one such struct at most, or Python converts its structs. */
typedef struct {
    _Alignas(16) unsigned char bytes[GIVEN_BYTES];
} GivenStruct;

static int constant_piece(const StructPiece* piece, PyObject* dictionaries, const unsigned char* from, unsigned char* to) {
    uint64_t bits = 0;
    memcpy(&bits, from + piece->source, (size_t)piece->size);
    unsigned unused = 64 - 8 * (unsigned)piece->size;
    PyObject* number = piece->is_signed ? PyLong_FromLongLong((int64_t)(bits << unused) >> unused)
                                        : PyLong_FromUnsignedLongLong(bits);
    PyObject* found = number ? PyObject_GetItem(PyTuple_GetItem(dictionaries, piece->numbers), number) : NULL;
    int right = found && whole(found, 0, UINT32_MAX, &bits);
    uint32_t written = (uint32_t)bits;
    if (right) memcpy(to + piece->target, &written, sizeof written);
    if (!found) PyErr_Clear(); /* Python meets the same error, and raises it */
    if (number) Py_DecRef(number);
    if (found) Py_DecRef(found);
    return right;
}

/* `pieces` is bytes, an array of StructPiece. The bytes between them become zero. */
static int moved_pieces(PyObject* pieces, Py_ssize_t count, PyObject* dictionaries, const unsigned char* from,
                        size_t size, GivenStruct* made) {
    const StructPiece* piece = (const void*)PyBytes_AsString(pieces);
    memset(made->bytes, 0, size);
    for (const StructPiece* end = piece + count; piece < end; piece++) {
        if (piece->numbers == MOVED_AS_IT_IS)
            memcpy(made->bytes + piece->target, from + piece->source, (size_t)piece->size);
        else if (!constant_piece(piece, dictionaries, from, made->bytes))
            return 0;
    }
    return 1;
}

/* A struct that is given, in HIP's layout: its own memory where the layouts are one, else what its pieces make of it. */
#pragma once
#include <string.h>

#include "numbers.h"

enum { GIVEN_BYTES = 1024 };

/* As `structs.packing.Piece`: what moves from one place to another; a constant, read as `size` bytes and written as four,
 * becomes what the dictionary at `numbers` has for it. */
typedef struct {
    int32_t source, target, size, is_signed, numbers;
} StructPiece;
enum { MOVED_AS_IT_IS = -1 };

/* What the pieces are made into; a call has one such struct at most, or Python converts them. */
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
    if (!found) PyErr_Clear(); /* Python finds the same, and says so */
    if (number) Py_DecRef(number);
    if (found) Py_DecRef(found);
    return right;
}

/* `pieces` is bytes, an array of StructPiece. What lies between them becomes zero. */
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

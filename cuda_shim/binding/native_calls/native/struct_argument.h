/* A struct argument in HIP's layout: its own memory where the layouts are the same, else a copy of its fields. */
#pragma once
#include <string.h>

#include "numbers.h"

enum { STRUCT_BYTES = 1024 };

/* As `structs.packing.Piece`: bytes that are copied from one place to another; a constant, read as `size` bytes and
 * written as four, is looked up in the dictionary at `numbers`. */
typedef struct {
    int32_t source, target, size, is_signed, numbers;
} StructField;
enum { NO_CONSTANT = -1 };

/* The memory that the fields are copied to; a call has one such struct at most, or Python converts its structs. */
typedef struct {
    _Alignas(16) unsigned char bytes[STRUCT_BYTES];
} StructArgument;

static int copy_constant(const StructField* field, PyObject* dictionaries, const unsigned char* from,
                         unsigned char* to) {
    uint64_t bits = 0;
    memcpy(&bits, from + field->source, (size_t)field->size);
    unsigned unused = 64 - 8 * (unsigned)field->size;
    PyObject* number =
        field->is_signed ? PyLong_FromLongLong((int64_t)(bits << unused) >> unused) : PyLong_FromUnsignedLongLong(bits);
    PyObject* constant = number ? PyObject_GetItem(PyTuple_GetItem(dictionaries, field->numbers), number) : NULL;
    int fits = constant && integer(constant, 0, UINT32_MAX, &bits);
    uint32_t written = (uint32_t)bits;
    if (fits) memcpy(to + field->target, &written, sizeof written);
    if (!constant) PyErr_Clear(); /* Python meets the same error, and raises it */
    if (number) Py_DecRef(number);
    if (constant) Py_DecRef(constant);
    return fits;
}

/* `fields` is bytes, an array of StructField. The bytes between them become zero. */
static int copy_fields(PyObject* fields, Py_ssize_t count, PyObject* dictionaries, const unsigned char* from,
                       size_t size, StructArgument* argument) {
    const StructField* field = (const void*)PyBytes_AsString(fields);
    memset(argument->bytes, 0, size);
    for (const StructField* end = field + count; field < end; field++) {
        if (field->numbers == NO_CONSTANT)
            memcpy(argument->bytes + field->target, from + field->source, (size_t)field->size);
        else if (!copy_constant(field, dictionaries, from, argument->bytes))
            return 0;
    }
    return 1;
}

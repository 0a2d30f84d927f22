/* The values of a launch, packed as the driver takes them: a slot of 8 bytes for each, and an array of their addresses.
 *
 * A null address ends the array, as in `binding/kernel_parameters.py`, which packs everything that is not packed here.
 */
#pragma once
#include <string.h>

#include "numbers.h"

enum { MOST_VALUES = 64, HELD = 256 };

typedef struct {
    uint64_t slots[MOST_VALUES];
    void* addresses[MOST_VALUES + 1];
} KernelValues;

/* Returns the number of bytes of a code of `struct`, and stores the limits of an int in them. */
static int limits(int code, int64_t* low, uint64_t* high) {
    int bytes = strchr("bB?", code) ? 1 : strchr("hH", code) ? 2 : strchr("iIf", code) ? 4 : 8;
    int is_signed = strchr("bhiq", code) != NULL;
    *low = is_signed ? -(int64_t)(1ULL << (8 * bytes - 1)) : 0;
    *high = bytes == 8 && !is_signed ? UINT64_MAX : (1ULL << (8 * bytes - is_signed)) - 1;
    return bytes;
}

/* Packs one value. `codes` has the code of `struct` for each type that is copied as it is, and for each class of values
 * that may be given without a type: a handle is packed as its number (HELD), an enum constant as an int. */
static int packed(const Names* names, PyObject* codes, PyObject* type, PyObject* value, uint64_t* slot) {
    *slot = 0;
    int typed = type != &_Py_NoneStruct;
    PyObject* cls = PyObject_Type(value);
    Py_DecRef(cls); /* the value keeps it */
    PyObject* known = found_in(codes, typed ? type : cls);
    if (!known) return 0;
    int code = (int)PyLong_AsLongLong(known);
    if (typed && cls == type) return copied(value, 0, slot);
    int64_t low;
    uint64_t high;
    limits(code & ~HELD, &low, &high);
    if (code & HELD) return !typed && held(names, value, low, high, slot);
    if (code == 'f' || code == 'd') {
        if (cls != &PyFloat_Type) return 0;
        double number = PyFloat_AsDouble(value);
        float single = (float)number;
        if (code == 'd') memcpy(slot, &number, sizeof number);
        if (code == 'f') memcpy(slot, &single, sizeof single);
        return 1;
    }
    if (typed && cls != (code == '?' ? &PyBool_Type : &PyLong_Type)) return 0;
    return whole(value, low, high, slot);
}

/* An array of addresses in a buffer, which is read now. */
static int buffered_addresses(PyObject* given, KernelValues* made) {
    Py_buffer memory;
    if (PyObject_GetBuffer(given, &memory, PyBUF_SIMPLE)) {
        PyErr_Clear();
        return 0;
    }
    int fits = memory.len <= MOST_VALUES * (Py_ssize_t)sizeof(void*);
    if (fits) {
        memcpy(made->addresses, memory.buf, (size_t)memory.len);
        memset((char*)made->addresses + memory.len, 0, sizeof(void*));
    }
    PyBuffer_Release(&memory);
    return fits;
}

/* The array of addresses for `kernelParams`: (values, types), a buffer or None. 0: Python converts it. */
static int packed_values(const Names* names, PyObject* codes, PyObject* given, KernelValues* made, uint64_t* bits) {
    *bits = 0;
    if (given == &_Py_NoneStruct) return 1;
    if (!is_of(given, &PyTuple_Type)) {
        *bits = (uint64_t)(uintptr_t)made->addresses;
        return buffered_addresses(given, made);
    }
    if (PyTuple_Size(given) != 2) return 0;
    PyObject *values = PyTuple_GetItem(given, 0), *types = PyTuple_GetItem(given, 1);
    if (!is_of(values, &PyTuple_Type) || !is_of(types, &PyTuple_Type)) return 0;
    Py_ssize_t count = PyTuple_Size(values);
    if (count != PyTuple_Size(types) || count > MOST_VALUES) return 0;
    for (Py_ssize_t at = 0; at < count; at++) {
        if (!packed(names, codes, PyTuple_GetItem(types, at), PyTuple_GetItem(values, at), &made->slots[at])) return 0;
        made->addresses[at] = &made->slots[at];
    }
    made->addresses[count] = NULL;
    if (count) *bits = (uint64_t)(uintptr_t)made->addresses;
    return 1;
}

/* The values of a launch, pack_value as the driver takes them: a slot of 8 bytes for each, and an array of their
 * addresses.
 *
 * A null address ends the array, as in `binding/kernel_parameters.py`, which packs everything that is not pack_value
 * here.
 */
#pragma once
#include <string.h>

#include "numbers.h"

enum { MAX_VALUES = 64, IS_HANDLE = 256 };

typedef struct {
    uint64_t slots[MAX_VALUES];
    void* addresses[MAX_VALUES + 1];
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
 * that may be given without a type: a handle is packed as its number (IS_HANDLE), an enum constant as an int. */
static int pack_value(const Names* names, PyObject* codes, PyObject* type, PyObject* value, uint64_t* slot) {
    *slot = 0;
    int typed = type != &_Py_NoneStruct;
    PyObject* cls = PyObject_Type(value);
    Py_DecRef(cls); /* the value keeps it */
    PyObject* number_of_code = lookup(codes, typed ? type : cls);
    if (!number_of_code) return 0;
    int code = (int)PyLong_AsLongLong(number_of_code);
    if (typed && cls == type) return memory_as_number(value, 0, slot);
    int64_t low;
    uint64_t high;
    limits(code & ~IS_HANDLE, &low, &high);
    if (code & IS_HANDLE) return !typed && handle_number(names, value, low, high, slot);
    if (code == 'f' || code == 'd') {
        if (cls != &PyFloat_Type) return 0;
        double number = PyFloat_AsDouble(value);
        float single = (float)number;
        if (code == 'd') memcpy(slot, &number, sizeof number);
        if (code == 'f') memcpy(slot, &single, sizeof single);
        return 1;
    }
    if (typed && cls != (code == '?' ? &PyBool_Type : &PyLong_Type)) return 0;
    return integer(value, low, high, slot);
}

/* An array of addresses in a buffer, which is read now. */
static int copy_addresses(PyObject* parameters, KernelValues* packed) {
    Py_buffer memory;
    if (PyObject_GetBuffer(parameters, &memory, PyBUF_SIMPLE)) {
        PyErr_Clear();
        return 0;
    }
    int fits = memory.len <= MAX_VALUES * (Py_ssize_t)sizeof(void*);
    if (fits) {
        memcpy(packed->addresses, memory.buf, (size_t)memory.len);
        memset((char*)packed->addresses + memory.len, 0, sizeof(void*));
    }
    PyBuffer_Release(&memory);
    return fits;
}

/* The array of addresses for `kernelParams`: (values, types), a buffer or None. 0: Python converts it. */
static int pack_values(const Names* names, PyObject* codes, PyObject* parameters, KernelValues* packed,
                       uint64_t* bits) {
    *bits = 0;
    if (parameters == &_Py_NoneStruct) return 1;
    if (!is_of(parameters, &PyTuple_Type)) {
        *bits = (uint64_t)(uintptr_t)packed->addresses;
        return copy_addresses(parameters, packed);
    }
    if (PyTuple_Size(parameters) != 2) return 0;
    PyObject *values = PyTuple_GetItem(parameters, 0), *types = PyTuple_GetItem(parameters, 1);
    if (!is_of(values, &PyTuple_Type) || !is_of(types, &PyTuple_Type)) return 0;
    Py_ssize_t count = PyTuple_Size(values);
    if (count != PyTuple_Size(types) || count > MAX_VALUES) return 0;
    for (Py_ssize_t at = 0; at < count; at++) {
        if (!pack_value(names, codes, PyTuple_GetItem(types, at), PyTuple_GetItem(values, at), &packed->slots[at]))
            return 0;
        packed->addresses[at] = &packed->slots[at];
    }
    packed->addresses[count] = NULL;
    if (count) *bits = (uint64_t)(uintptr_t)packed->addresses;
    return 1;
}

/* The numbers that objects stand for; each function returns 0, without an error, for an object it does not take. */
#pragma once
#include <string.h>

#include "python.h"

/* The names of the attributes of a handle and a struct object (`binding/handles.py`, `binding/structs/memory.py`). */
typedef struct {
    PyObject *cell, *value, *storage, *unread, *memory;
} Names;

static int is_of(PyObject* value, const PyObject* cls) {
    PyObject* type = PyObject_Type(value);
    Py_DecRef(type); /* the value keeps it */
    return type == cls;
}

/* The value of a key in a dictionary: borrowed, NULL where it has none or the lookup fails. */
static PyObject* lookup(PyObject* table, PyObject* key) {
    PyObject* value = PyDict_GetItemWithError(table, key);
    if (!value) PyErr_Clear();
    return value;
}

/* The 64 bits of an int between two limits. */
static int integer(PyObject* value, int64_t low, uint64_t high, uint64_t* bits) {
    long long number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        if (low < 0) return 0;
        *bits = PyLong_AsUnsignedLongLong(value);
        if (*bits == UINT64_MAX && PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
        return *bits <= high;
    }
    *bits = (uint64_t)number;
    return number >= low && (number < 0 || (uint64_t)number <= high);
}

/* The bytes of an object's memory, as a number of 64 bits. */
static int memory_as_number(PyObject* value, int is_signed, uint64_t* bits) {
    Py_buffer memory;
    if (PyObject_GetBuffer(value, &memory, PyBUF_SIMPLE)) {
        PyErr_Clear();
        return 0;
    }
    int fits = memory.len > 0 && memory.len <= (Py_ssize_t)sizeof *bits;
    if (fits) {
        int unused = 64 - 8 * (int)memory.len;
        *bits = 0;
        memcpy(bits, memory.buf, (size_t)memory.len);
        if (is_signed) *bits = (uint64_t)((int64_t)(*bits << unused) >> unused);
    }
    PyBuffer_Release(&memory);
    return fits;
}

/* The number of a handle: its own value, or the value in the memory that the program has the address of. */
static int handle_number(const Names* names, PyObject* value, int64_t low, uint64_t high, uint64_t* bits) {
    PyObject* cell = PyObject_GetAttr(value, names->cell);
    PyObject* number = cell == &_Py_NoneStruct ? PyObject_GetAttr(value, names->value) : NULL;
    int fits = number                            ? is_of(number, &PyLong_Type) && integer(number, low, high, bits)
               : cell && cell != &_Py_NoneStruct ? memory_as_number(cell, low < 0, bits)
                                                 : 0;
    if (!cell || (cell == &_Py_NoneStruct && !number)) PyErr_Clear();
    if (cell) Py_DecRef(cell);
    if (number) Py_DecRef(number);
    return fits;
}

/* The functions and objects used of Python's stable ABI: a machine that runs Python need not have its headers. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct PyObject PyObject;
typedef intptr_t Py_ssize_t;
typedef struct {
    const char* name;
    PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t);
    int flags;
    const char* text;
} PyMethodDef;
typedef struct {
    void* buf;
    PyObject* obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char* format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void* internal;
} Py_buffer;
enum { METH_FASTCALL = 0x80, PyBUF_SIMPLE = 0, PyBUF_ANY_CONTIGUOUS = 0x98 };

extern PyObject PyLong_Type, PyFloat_Type, PyBool_Type, PyBytes_Type, PyByteArray_Type, PyTuple_Type, _Py_NoneStruct;
extern void Py_IncRef(PyObject*), Py_DecRef(PyObject*);
extern PyObject *PyObject_Type(PyObject*), *PyObject_GetAttr(PyObject*, PyObject*);
extern int PyObject_SetAttr(PyObject*, PyObject*, PyObject*), PyObject_IsInstance(PyObject*, PyObject*);
extern PyObject *PyObject_GetItem(PyObject*, PyObject*), *PyDict_GetItemWithError(PyObject*, PyObject*);
extern PyObject *PyObject_Call(PyObject*, PyObject*, PyObject*), *PyType_GenericAlloc(PyObject*, Py_ssize_t);
extern int PyObject_GetBuffer(PyObject*, Py_buffer*, int);
extern void PyBuffer_Release(Py_buffer*);
extern PyObject *PyLong_FromLongLong(long long), *PyLong_FromUnsignedLongLong(unsigned long long);
extern long long PyLong_AsLongLong(PyObject*);
extern unsigned long long PyLong_AsUnsignedLongLong(PyObject*);
extern double PyFloat_AsDouble(PyObject*);
extern char* PyBytes_AsString(PyObject*);
extern PyObject *PyTuple_New(Py_ssize_t), *PyTuple_GetItem(PyObject*, Py_ssize_t);
extern Py_ssize_t PyTuple_Size(PyObject*);
extern int PyTuple_SetItem(PyObject*, Py_ssize_t, PyObject*);
extern PyObject* PyUnicode_InternFromString(const char*);
extern PyObject* PyErr_Occurred(void);
extern void PyErr_Clear(void);
extern void* PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void*);
extern PyObject* PyCapsule_New(void*, const char*, void (*)(PyObject*));
extern void* PyCapsule_GetPointer(PyObject*, const char*);
extern PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject*, PyObject*);

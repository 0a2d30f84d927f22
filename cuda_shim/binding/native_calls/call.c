/* Calls of HIP's C functions with arguments that are right already.
 *
 * A call is described by words, one for each of its C arguments (`cuda_shim/binding/native_calls/words.py`). Arguments
 * of exactly the classes that the words name are converted here; with any other one, before anything has happened, the
 * Python function is called that does the same for everything. So no error, and no conversion, is made twice.
 *
 * Only functions and objects of Python's stable ABI are used, which are declared here: a machine that runs Python need
 * not have its headers.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
enum { METH_FASTCALL = 0x80 };

extern PyObject PyLong_Type, PyBytes_Type, PyByteArray_Type, _Py_NoneStruct;
extern void Py_IncRef(PyObject*), Py_DecRef(PyObject*);
extern PyObject *PyObject_Type(PyObject*), *PyObject_GetAttr(PyObject*, PyObject*);
extern int PyObject_SetAttr(PyObject*, PyObject*, PyObject*);
extern PyObject *PyObject_GetItem(PyObject*, PyObject*), *PyDict_GetItemWithError(PyObject*, PyObject*);
extern PyObject *PyObject_Call(PyObject*, PyObject*, PyObject*), *PyType_GenericAlloc(PyObject*, Py_ssize_t);
extern int PyObject_GetBuffer(PyObject*, Py_buffer*, int);
extern void PyBuffer_Release(Py_buffer*);
extern PyObject *PyLong_FromLongLong(long long), *PyLong_FromUnsignedLongLong(unsigned long long);
extern long long PyLong_AsLongLong(PyObject*);
extern unsigned long long PyLong_AsUnsignedLongLong(PyObject*);
extern char* PyBytes_AsString(PyObject*);
extern PyObject *PyTuple_New(Py_ssize_t), *PyUnicode_InternFromString(const char*);
extern int PyTuple_SetItem(PyObject*, Py_ssize_t, PyObject*);
extern PyObject* PyErr_Occurred(void);
extern void PyErr_Clear(void);
extern void* PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void*);
extern PyObject* PyCapsule_New(void*, const char*, void (*)(PyObject*));
extern void* PyCapsule_GetPointer(PyObject*, const char*);
extern PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject*, PyObject*);

enum { MOST_WORDS = 12, BUFFERS = 2 };

/* As `words.Word` says. */
typedef struct {
    int32_t kind, at, bytes, is_signed;
    int64_t low;
    uint64_t high;
    PyObject *cls, *table;
} Word;
enum { NUMBER, HANDLE, ADDRESS, ENUM, RESULT };

typedef struct {
    int (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    int (*longer)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                  uint64_t, uint64_t);
    PyObject *python, *answers, *failures, *success, *succeeded;
    int count, arguments, results;
    Word words[MOST_WORDS];
} Call;

static PyObject *cell_name, *value_name;

static int is_of(PyObject* value, PyObject* cls) {
    PyObject* type = PyObject_Type(value);
    Py_DecRef(type); /* the value keeps it */
    return type == cls;
}

/* The 64 bits of an int that lies between the word's limits. */
static int whole(const Word* word, PyObject* value, uint64_t* bits) {
    long long number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        if (word->low < 0) return 0;
        *bits = PyLong_AsUnsignedLongLong(value);
        if (*bits == UINT64_MAX && PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
        return *bits <= word->high;
    }
    *bits = (uint64_t)number;
    return number >= word->low && (number < 0 || (uint64_t)number <= word->high);
}

/* The number of a handle that has no memory of its own. */
static int held(const Word* word, PyObject* value, uint64_t* bits) {
    PyObject* cell = PyObject_GetAttr(value, cell_name);
    if (!cell) {
        PyErr_Clear();
        return 0;
    }
    Py_DecRef(cell);
    if (cell != &_Py_NoneStruct) return 0;
    PyObject* number = PyObject_GetAttr(value, value_name);
    if (!number) {
        PyErr_Clear();
        return 0;
    }
    int fits = is_of(number, &PyLong_Type) && whole(word, number, bits);
    Py_DecRef(number);
    return fits;
}

static int argument(const Word* word, PyObject* value, uint64_t* bits, Py_buffer* buffers, int* buffered) {
    if (word->kind != ENUM && is_of(value, &PyLong_Type)) return whole(word, value, bits);
    if (word->kind == NUMBER) return 0;
    if (word->kind == HANDLE) return (!word->cls || is_of(value, word->cls)) && held(word, value, bits);
    if (word->kind == ENUM) {
        PyObject* number = is_of(value, word->cls) ? PyDict_GetItemWithError(word->table, value) : NULL;
        if (!number) PyErr_Clear();
        return number && whole(word, number, bits);
    }
    if (is_of(value, &PyBytes_Type)) {
        *bits = (uint64_t)(uintptr_t)PyBytes_AsString(value);
        return 1;
    }
    if (!is_of(value, &PyByteArray_Type) || *buffered == BUFFERS) return 0;
    if (PyObject_GetBuffer(value, &buffers[*buffered], 0)) {
        PyErr_Clear();
        return 0;
    }
    *bits = (uint64_t)(uintptr_t)buffers[*buffered].buf;
    return buffers[(*buffered)++].len > 0;
}

static PyObject* result(const Word* word, uint64_t bits) {
    unsigned unused = 64 - 8 * (unsigned)word->bytes;
    PyObject* number = word->is_signed ? PyLong_FromLongLong((int64_t)(bits << unused) >> unused)
                                       : PyLong_FromUnsignedLongLong(bits << unused >> unused);
    if (!number || !word->cls) return number;
    PyObject* made = PyType_GenericAlloc(word->cls, 0);
    if (made && (PyObject_SetAttr(made, cell_name, &_Py_NoneStruct) || PyObject_SetAttr(made, value_name, number))) {
        Py_DecRef(made);
        made = NULL;
    }
    Py_DecRef(number);
    return made;
}

static PyObject* answer(const Call* call, int status, const uint64_t* cells) {
    if (!status && !call->results) {
        Py_IncRef(call->succeeded);
        return call->succeeded;
    }
    if (status) {
        PyObject* code = PyLong_FromLongLong(status);
        PyObject* found = code ? PyObject_GetItem(call->results ? call->failures : call->answers, code) : NULL;
        if (code) Py_DecRef(code);
        return found;
    }
    PyObject* returned = PyTuple_New(call->results + 1);
    if (!returned) return NULL;
    Py_IncRef(call->success);
    PyTuple_SetItem(returned, 0, call->success);
    for (int at = 0; at < call->count; at++) {
        const Word* word = &call->words[at];
        if (word->kind != RESULT || word->at < 0) continue;
        PyObject* one = result(word, cells[at]);
        if (!one) {
            Py_DecRef(returned);
            return NULL;
        }
        PyTuple_SetItem(returned, word->at, one);
    }
    return returned;
}

static PyObject* in_python(const Call* call, PyObject* const* arguments, Py_ssize_t count) {
    PyObject* given = PyTuple_New(count);
    if (!given) return NULL;
    for (Py_ssize_t at = 0; at < count; at++) {
        Py_IncRef(arguments[at]);
        PyTuple_SetItem(given, at, arguments[at]);
    }
    PyObject* returned = PyObject_Call(call->python, given, NULL);
    Py_DecRef(given);
    return returned;
}

static PyObject* made(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    const Call* call = PyCapsule_GetPointer(self, NULL);
    if (!call) return NULL;
    uint64_t w[MOST_WORDS] = {0}, cells[MOST_WORDS] = {0};
    Py_buffer buffers[BUFFERS];
    int buffered = 0, right = count == call->arguments;
    for (int at = 0; right && at < call->count; at++) {
        const Word* word = &call->words[at];
        if (word->kind == RESULT) {
            w[at] = (uint64_t)(uintptr_t)&cells[at];
        } else {
            right = argument(word, arguments[word->at], &w[at], buffers, &buffered);
        }
    }
    int status = 0;
    if (right) {
        void* thread = PyEval_SaveThread();
        status = call->count <= 6
                     ? call->function(w[0], w[1], w[2], w[3], w[4], w[5])
                     : call->longer(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]);
        PyEval_RestoreThread(thread);
    }
    while (buffered) PyBuffer_Release(&buffers[--buffered]);
    return right ? answer(call, status, cells) : in_python(call, arguments, count);
}

static PyMethodDef definition = {"call", made, METH_FASTCALL, NULL};

/* A new function; what it is made of is kept for as long as the process lives, as functions that are bound are. */
__attribute__((visibility("default"))) PyObject* cuda_shim_make_call(void* function, const Word* words, int count,
                                                                     int arguments, int results, PyObject* python,
                                                                     PyObject* answers, PyObject* failures,
                                                                     PyObject* success, PyObject* succeeded) {
    if (!cell_name) cell_name = PyUnicode_InternFromString("__cell__");
    if (!value_name) value_name = PyUnicode_InternFromString("__value__");
    Call* call = count <= MOST_WORDS && cell_name && value_name ? calloc(1, sizeof(Call)) : NULL;
    PyObject* capsule = call ? PyCapsule_New(call, NULL, NULL) : NULL;
    if (!capsule) {
        free(call);
        return NULL;
    }
    memcpy(&call->function, &function, sizeof function);
    memcpy(&call->longer, &function, sizeof function);
    memcpy(call->words, words, (size_t)count * sizeof(Word));
    call->count = count, call->arguments = arguments, call->results = results;
    call->python = python, call->answers = answers, call->failures = failures;
    call->success = success, call->succeeded = succeeded;
    PyObject* kept[] = {python, answers, failures, success, succeeded};
    for (size_t at = 0; at < sizeof kept / sizeof *kept; at++) Py_IncRef(kept[at]);
    for (int at = 0; at < count; at++) {
        if (words[at].cls) Py_IncRef(words[at].cls);
        if (words[at].table) Py_IncRef(words[at].table);
    }
    return PyCFunction_NewEx(&definition, capsule, NULL);
}

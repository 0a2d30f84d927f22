/* Calls of HIP's C functions with arguments that are right already.
 *
 * A call has a descriptor for each of its C arguments (`cuda_shim/binding/native_calls/argument_descriptors.py`).
 * Arguments of exactly the classes that the descriptors name are converted here; with any other one the Python
 * function, which takes all arguments, is called before HIP is. So errors come from Python alone, and HIP is called
 * once, except for queries whose answer Python has to treat.
 */
#include <stdlib.h>
#include <string.h>

#include "struct_argument.h"
#include "kernel_values.h"
#include "numbers.h"
#include "python.h"

enum { MAX_ARGUMENTS = 12, BUFFERS = 4 };

/* As `argument_descriptors.ArgumentDescriptor`. */
typedef struct {
    int32_t kind, at, bytes, is_signed;
    int64_t low;
    uint64_t high;
    PyObject *cls, *table, *room, *storage;
} ArgumentDescriptor;
enum { NUMBER, HANDLE, ADDRESS, ENUM, VALUES, ARRAY, RESULT, STRUCT_RESULT, STRUCT_ARGUMENT };

/* A C function for adapters: it returns HIP's number, and takes the arguments as ctypes would pass them. */
enum { STATUS_ALONE = -1 };

typedef struct {
    int (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    int (*longer)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                  uint64_t, uint64_t);
    PyObject *python, *answers, *failures, *success, *succeeded, *nothing;
    Names names;
    int count, arguments, results;
    int watched;       /* the descriptor of a struct whose number may leave the call to Python, -1 for none */
    int minds_context; /* the Python function is called unless the thread is known to have a context */
    ArgumentDescriptor descriptors[MAX_ARGUMENTS];
} Call;

/* The state of one call: the C arguments, the memory for results, and the objects that live until HIP has returned. */
typedef struct {
    uint64_t arguments[MAX_ARGUMENTS], cells[MAX_ARGUMENTS];
    PyObject* structs[MAX_ARGUMENTS];
    Py_buffer buffers[BUFFERS];
    int buffered, structs_converted;
    KernelValues values;
    StructArgument converted;
} Frame;

/* The memory of a buffer, which stays in place until the frame ends. Python decides on memory of no bytes. */
static int pin_buffer(Frame* frame, PyObject* value, int kind, uint64_t* bits) {
    Py_buffer* buffer = &frame->buffers[frame->buffered];
    if (frame->buffered == BUFFERS || PyObject_GetBuffer(value, buffer, kind)) {
        PyErr_Clear();
        return 0;
    }
    frame->buffered++;
    *bits = (uint64_t)(uintptr_t)buffer->buf;
    return buffer->len > 0 && buffer->ndim > 0;
}

/* Memory: bytes, a bytearray, a handle, or an array of a class that the descriptor's table has. */
static int memory(const Call* call, const ArgumentDescriptor* descriptor, PyObject* value, Frame* frame,
                  uint64_t* bits) {
    if (is_of(value, &PyBytes_Type)) {
        *bits = (uint64_t)(uintptr_t)PyBytes_AsString(value);
        return 1;
    }
    if (is_of(value, &PyByteArray_Type)) return pin_buffer(frame, value, PyBUF_SIMPLE, bits);
    PyObject* cls = PyObject_Type(value);
    Py_DecRef(cls); /* the value keeps it */
    PyObject* kind = lookup(descriptor->table, cls);
    if (!kind) return 0;
    return kind == &_Py_NoneStruct ? pin_buffer(frame, value, PyBUF_ANY_CONTIGUOUS, bits)
                                   : handle_number(&call->names, value, descriptor->low, descriptor->high, bits);
}

/* The address of memory as ctypes passes it: a ctypes array, bytes or None. */
static int array(const ArgumentDescriptor* descriptor, PyObject* value, Frame* frame, uint64_t* bits) {
    *bits = 0;
    if (value == &_Py_NoneStruct) return 1;
    if (is_of(value, &PyBytes_Type)) {
        *bits = (uint64_t)(uintptr_t)PyBytes_AsString(value);
        return 1;
    }
    int is_array = PyObject_IsInstance(value, descriptor->cls);
    if (is_array < 0) PyErr_Clear();
    return is_array == 1 && pin_buffer(frame, value, PyBUF_SIMPLE, bits);
}

/* A pointer to a struct of the descriptor's class, or None. HIP's struct of `bytes` is made from `low` fields; without
 * fields HIP gets the object's own memory. */
static int struct_argument(const Call* call, const ArgumentDescriptor* descriptor, PyObject* value, Frame* frame,
                           uint64_t* bits) {
    *bits = 0;
    if (value == &_Py_NoneStruct) return 1;
    if (!is_of(value, descriptor->cls) || (descriptor->table && frame->structs_converted)) return 0;
    PyObject* storage = PyObject_GetAttr(value, call->names.storage);
    PyObject* memory = storage ? PyObject_GetAttr(storage, call->names.memory) : NULL;
    int fits = memory && pin_buffer(frame, memory, PyBUF_SIMPLE, bits);
    if (!memory) PyErr_Clear();
    if (memory) Py_DecRef(memory); /* the buffer keeps it */
    if (storage) Py_DecRef(storage);
    if (!fits || !descriptor->table) return fits;
    const unsigned char* from = (const void*)(uintptr_t)*bits;
    *bits = (uint64_t)(uintptr_t)frame->converted.bytes;
    frame->structs_converted = 1;
    return copy_fields(descriptor->table, descriptor->low, descriptor->room, from, (size_t)descriptor->bytes,
                       &frame->converted);
}

static int argument(const Call* call, const ArgumentDescriptor* descriptor, PyObject* value, Frame* frame,
                    uint64_t* bits) {
    if (descriptor->kind == STRUCT_ARGUMENT) return struct_argument(call, descriptor, value, frame, bits);
    if (descriptor->kind != ENUM && is_of(value, &PyLong_Type))
        return integer(value, descriptor->low, descriptor->high, bits);
    switch (descriptor->kind) {
        case HANDLE:
            return (!descriptor->cls || is_of(value, descriptor->cls)) &&
                   handle_number(&call->names, value, descriptor->low, descriptor->high, bits);
        case ADDRESS:
            return memory(call, descriptor, value, frame, bits);
        case ENUM: {
            PyObject* number = is_of(value, descriptor->cls) ? lookup(descriptor->table, value) : NULL;
            return number && integer(number, descriptor->low, descriptor->high, bits);
        }
        case VALUES:
            return pack_values(&call->names, descriptor->table, value, &frame->values, bits);
        case ARRAY:
            return array(descriptor, value, frame, bits);
        default:
            return 0;
    }
}

/* The memory that HIP writes a struct into. */
static int struct_room(const Call* call, const ArgumentDescriptor* descriptor, int at, Frame* frame) {
    frame->structs[at] = PyObject_Call(descriptor->room, call->nothing, NULL);
    Py_buffer view;
    if (!frame->structs[at] || PyObject_GetBuffer(frame->structs[at], &view, PyBUF_SIMPLE)) {
        PyErr_Clear();
        return 0;
    }
    frame->arguments[at] = (uint64_t)(uintptr_t)view.buf; /* the object's own, which it keeps for good */
    PyBuffer_Release(&view);
    return 1;
}

static int argument_or_room(const Call* call, int at, PyObject* const* arguments, Frame* frame) {
    const ArgumentDescriptor* descriptor = &call->descriptors[at];
    if (descriptor->kind == STRUCT_RESULT) return struct_room(call, descriptor, at, frame);
    if (descriptor->kind != RESULT)
        return argument(call, descriptor, arguments[descriptor->at], frame, &frame->arguments[at]);
    frame->arguments[at] = (uint64_t)(uintptr_t)&frame->cells[at];
    return 1;
}

/* A new object with one attribute, without its constructor; takes `value` over. */
static PyObject* new_object(PyObject* cls, PyObject* name, PyObject* value) {
    PyObject* object = value ? PyType_GenericAlloc(cls, 0) : NULL;
    if (object && PyObject_SetAttr(object, name, value)) {
        Py_DecRef(object);
        object = NULL;
    }
    if (value) Py_DecRef(value);
    return object;
}

/* A struct that is converted when the program accesses it (`structs.memory.Unread`). */
static PyObject* unread_struct(const Call* call, const ArgumentDescriptor* descriptor, PyObject* room) {
    PyObject* unread = PyTuple_New(2);
    if (!unread) return NULL;
    Py_IncRef(descriptor->table);
    PyTuple_SetItem(unread, 0, descriptor->table);
    Py_IncRef(room);
    PyTuple_SetItem(unread, 1, room);
    return new_object(descriptor->cls, call->names.storage,
                      new_object(descriptor->storage, call->names.unread, unread));
}

static PyObject* result(const Call* call, const ArgumentDescriptor* descriptor, uint64_t bits) {
    unsigned unused = 64 - 8 * (unsigned)descriptor->bytes;
    PyObject* number = descriptor->is_signed ? PyLong_FromLongLong((int64_t)(bits << unused) >> unused)
                                             : PyLong_FromUnsignedLongLong(bits << unused >> unused);
    if (!number || !descriptor->cls) return number;
    PyObject* handle = new_object(descriptor->cls, call->names.value, number);
    if (handle && PyObject_SetAttr(handle, call->names.cell, &_Py_NoneStruct)) {
        Py_DecRef(handle);
        return NULL;
    }
    return handle;
}

static PyObject* results(const Call* call, const Frame* frame) {
    PyObject* returned = PyTuple_New(call->results + 1);
    if (!returned) return NULL;
    Py_IncRef(call->success);
    PyTuple_SetItem(returned, 0, call->success);
    for (int at = 0; at < call->count; at++) {
        const ArgumentDescriptor* descriptor = &call->descriptors[at];
        if ((descriptor->kind != RESULT && descriptor->kind != STRUCT_RESULT) || descriptor->at < 0) continue;
        PyObject* one = descriptor->kind == STRUCT_RESULT ? unread_struct(call, descriptor, frame->structs[at])
                                                          : result(call, descriptor, frame->cells[at]);
        if (!one) {
            Py_DecRef(returned);
            return NULL;
        }
        PyTuple_SetItem(returned, descriptor->at, one);
    }
    return returned;
}

static PyObject* answer(const Call* call, int status, const Frame* frame) {
    if (call->results == STATUS_ALONE) return PyLong_FromLongLong(status);
    if (!status && call->results) return results(call, frame);
    if (!status) {
        Py_IncRef(call->succeeded);
        return call->succeeded;
    }
    PyObject* code = PyLong_FromLongLong(status);
    PyObject* outcome = code ? PyObject_GetItem(call->results ? call->failures : call->answers, code) : NULL;
    if (code) Py_DecRef(code);
    return outcome;
}

static PyObject* call_python(const Call* call, PyObject* const* arguments, Py_ssize_t count) {
    PyObject* tuple = PyTuple_New(count);
    if (!tuple) return NULL;
    for (Py_ssize_t at = 0; at < count; at++) {
        Py_IncRef(arguments[at]);
        PyTuple_SetItem(tuple, at, arguments[at]);
    }
    PyObject* returned = PyObject_Call(call->python, tuple, NULL);
    Py_DecRef(tuple);
    return returned;
}

static int call_hip(const Call* call, const uint64_t* a) {
    void* thread = PyEval_SaveThread();
    int status = call->count <= 6
                     ? call->function(a[0], a[1], a[2], a[3], a[4], a[5])
                     : call->longer(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    PyEval_RestoreThread(thread);
    return status;
}

/* Whether HIP has answered a query with a failure or a number that Python treats by itself. It calls HIP again. */
static int is_for_python(const Call* call, int status, const Frame* frame) {
    if (call->watched < 0) return 0;
    const ArgumentDescriptor* descriptor = &call->descriptors[call->watched];
    int32_t number;
    memcpy(&number, (const char*)(uintptr_t)frame->arguments[call->watched] + descriptor->low, sizeof number);
    return status || number == (int32_t)descriptor->high;
}

/* Whether the calling thread is known to have a current context, as `context_state.thread.has_context`. */
static __thread int has_context __attribute__((tls_model("initial-exec")));

__attribute__((visibility("default"))) void cuda_shim_mark_thread(int context_is_known) {
    has_context = context_is_known;
}

static PyObject* compiled_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    const Call* call = PyCapsule_GetPointer(self, NULL);
    if (!call) return NULL;
    Frame frame; /* its values are not cleared: only pack_value ones are read */
    memset(&frame, 0, offsetof(Frame, values));
    int fits = count == call->arguments && (has_context || !call->minds_context);
    for (int at = 0; fits && at < call->count; at++) fits = argument_or_room(call, at, arguments, &frame);
    PyObject* returned = NULL;
    if (fits) {
        int status = call_hip(call, frame.arguments);
        fits = !is_for_python(call, status, &frame);
        if (fits) returned = answer(call, status, &frame);
    }
    while (frame.buffered) PyBuffer_Release(&frame.buffers[--frame.buffered]);
    for (int at = 0; at < call->count; at++)
        if (frame.structs[at]) Py_DecRef(frame.structs[at]);
    return fits ? returned : call_python(call, arguments, count);
}

static PyMethodDef definition = {"call", compiled_call, METH_FASTCALL, NULL};

static void keep(Call* call) {
    PyObject* own[] = {call->python, call->answers, call->failures, call->success, call->succeeded, call->nothing};
    for (size_t at = 0; at < sizeof own / sizeof *own; at++) Py_IncRef(own[at]);
    for (int at = 0; at < call->count; at++) {
        PyObject* descriptor[] = {call->descriptors[at].cls, call->descriptors[at].table, call->descriptors[at].room,
                                  call->descriptors[at].storage};
        for (size_t one = 0; one < sizeof descriptor / sizeof *descriptor; one++)
            if (descriptor[one]) Py_IncRef(descriptor[one]);
    }
}

/* Returns a new function; the objects that it refers to are kept until the process ends, as bound functions are. */
__attribute__((visibility("default"))) PyObject* cuda_shim_make_call(
    void* function, const ArgumentDescriptor* descriptors, int count, int arguments, int results, int minds_context,
    PyObject* python, PyObject* answers, PyObject* failures, PyObject* success, PyObject* succeeded) {
    Call* call = count <= MAX_ARGUMENTS ? calloc(1, sizeof(Call)) : NULL;
    if (!call) return NULL;
    memcpy(&call->function, &function, sizeof function);
    memcpy(&call->longer, &function, sizeof function);
    memcpy(call->descriptors, descriptors, (size_t)count * sizeof(ArgumentDescriptor));
    call->count = count, call->arguments = arguments, call->results = results;
    call->minds_context = minds_context, call->watched = -1;
    for (int at = 0; at < count; at++)
        if (descriptors[at].kind == STRUCT_RESULT && descriptors[at].low >= 0) call->watched = at;
    call->python = python, call->answers = answers, call->failures = failures;
    call->success = success, call->succeeded = succeeded, call->nothing = PyTuple_New(0);
    call->names = (Names){PyUnicode_InternFromString("__cell__"), PyUnicode_InternFromString("__value__"),
                          PyUnicode_InternFromString("__storage__"), PyUnicode_InternFromString("unread"),
                          PyUnicode_InternFromString("memory")};
    PyObject* capsule = PyCapsule_New(call, NULL, NULL);
    if (!capsule) {
        free(call);
        return NULL;
    }
    keep(call);
    return PyCFunction_NewEx(&definition, capsule, NULL);
}

"""The public header of an emitted module."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.emit_c.helpers.caller_arena import size_head
from lowering.emit_c.syntax.c_source import ABI_VERSION

TEMPLATE = """/* @NAME@.h: the public functions of the model '@NAME@'.
@DOC@ */
#ifndef @UPPER@_H
#define @UPPER@_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Include <dlpack/dlpack.h> before this file to use its own definitions. */
#if !defined(DLPACK_DLPACK_H_) && !defined(RELAX_DLTENSOR)
#define RELAX_DLTENSOR
typedef enum { kDLCPU = 1 } DLDeviceType;
typedef enum {
    kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLOpaqueHandle = 3, kDLBfloat = 4, kDLBool = 6
} DLDataTypeCode;

typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} DLTensor;
#endif

/* The calling convention. Since version 2 there are objects as well as tensors, and what a model calls may
   have several results, and strings, element types and devices among its arguments. */
#if !defined(RELAX_ABI_VERSION)
#define RELAX_ABI_VERSION @ABI@
#elif RELAX_ABI_VERSION != @ABI@
#error "the headers of models that are used together must have one RELAX_ABI_VERSION"
#endif
@OBJECTS@
#ifndef @UPPER@_API
#if defined(_WIN32)
#define @UPPER@_API __declspec(dllexport)
#elif defined(__GNUC__)
#define @UPPER@_API __attribute__((visibility("default")))
#else
#define @UPPER@_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

@BODY@

#ifdef __cplusplus
}
#endif

#endif
"""

ENTRY_DOC = """
   Every function returns 0, or another number after an error: @NAME@_last_error() tells which.
   A result whose `data` is NULL is allocated, to be freed with @NAME@_release; otherwise it is
   checked and written in place. After an error no result has been touched.
  """

ARENA_DOC = """
   Every function returns 0, or another number after an error: @NAME@_last_error() tells which.
   None allocates: they work in the memory that @NAME@_use_arena gives. A result whose `data` is NULL lies
   there until the next call of this thread; otherwise it is checked and written in place. After an
   error no result has been touched.
  """

API_ERROR = """/* The message of this thread's last error. */
@UPPER@_API const char *@NAME@_last_error(void);"""

API_OWN_MEMORY = """\
/* Frees a result that a function below has allocated; NULL and empty ones are ignored. */
@UPPER@_API void @NAME@_release(DLTensor *tensor);

/* Gives back the memory that calls keep for the next call of this thread; how many bytes that was. What
   other threads keep is given back when they call this or end. */
@UPPER@_API size_t @NAME@_trim(void);"""

API_ARENA = """\
/* How many bytes of memory the functions below need for these sizes; SIZE_MAX for too many. */
@UPPER@_API @SIZE_HEAD@;

/* Lets the calls of this thread work in `bytes` of memory at `data`, until this is called again; with NULL
   they have none. */
@UPPER@_API void @NAME@_use_arena(void *data, size_t bytes);

/* Forgets a result; there is nothing to free. */
@UPPER@_API void @NAME@_release(DLTensor *tensor);"""

API_ARENA_BYTES = """/* What @NAME@_arena_size() gives, for arrays of that size. */
#define @UPPER@_ARENA_BYTES @BYTES@"""

API_ORIGIN = """/* The RELAX_ABI_VERSION of this model, for those who load it without its header. */
@UPPER@_API int @NAME@_abi_version(void);

/* The digest that @NAME@.json states as "interface" if both are of one build. */
@UPPER@_API const char *@NAME@_interface(void);

/* The CPU that this model is built for, as --cpu names it. */
@UPPER@_API const char *@NAME@_built_for(void);

/* Whether this machine is such a CPU; the functions below fail where it is not. */
@UPPER@_API int @NAME@_check_cpu(void);"""

OBJECTS = """
/* An object is a value that models hold and pass on without looking into it; NULL is one too, nothing.
   It is counted by its references. What a function takes it borrows: to keep an object, retain it. What
   a function gives is a reference, to be released. Objects may go from one model to another.
   One whose `call` is set is a function value: it takes `count` arguments like a packed function, and
   gives `results`, one for each part; those whose `data` is NULL are allocated by @NAME@_allocate. */
#ifndef RELAX_OBJECT
#define RELAX_OBJECT
typedef int (*relax_function)(
    void *data, const DLTensor *const *args, int count, DLTensor *results);

typedef struct relax_object_header {
    void *data;                   /* what it stands for */
    void (*release)(void *data);  /* called once nobody holds the object any more, unless NULL */
    relax_function call;
    int64_t references;           /* changed by retaining and releasing alone */
} *relax_object;
#endif
"""

API_OBJECTS = """/* An object with one reference; NULL if there is no memory. */
@UPPER@_API relax_object @NAME@_object_new(void *data, void (*release)(void *data));

/* One more reference to an object, which it returns. */
@UPPER@_API relax_object @NAME@_object_retain(relax_object object);

/* Gives up a reference, and with the last one the object. */
@UPPER@_API void @NAME@_object_release(relax_object object);

/* A function value that calls `call` with `data`; NULL if there is no memory. */
@UPPER@_API relax_object @NAME@_closure_new(
    relax_function call, void *data, void (*release)(void *data));

/* What errors call a function value of this model, and its parameters, line by line; "" for another. */
@UPPER@_API const char *@NAME@_closure_names(relax_object closure);

/* Calls a function value: tuples part by part, a shape as a tensor of int64, a scalar as a tensor of
   rank 0, an object as a tensor of rank 0 and type kDLOpaqueHandle whose data is a relax_object. What it
   allocates is to be freed with @NAME@_release. */
@UPPER@_API int @NAME@_call_closure(
    relax_object closure, const DLTensor *const *args, int count, DLTensor *results);

/* Gives a tensor, of the type and shape that stand in it, memory that @NAME@_release frees. */
@UPPER@_API int @NAME@_allocate(DLTensor *tensor);"""

API_WEIGHTS = """/* Reads @NAME@.weights, before any other call; a second time does nothing. */
@UPPER@_API int @NAME@_load(const char *path);"""

API_USE_WEIGHTS = """\
/* Takes what stands in @NAME@.weights: `bytes` at `data`, aligned to 64 bytes, where they must stay. Before
   any other call. */
@UPPER@_API int @NAME@_use_weights(const void *data, size_t bytes);"""

API_UNLOAD = """/* Frees @WHAT@; no function may be running. */
@UPPER@_API void @NAME@_unload(void);"""


def header(
    name: str,
    prototypes: Sequence[str],
    *,
    has_api: bool,
    has_weights: bool,
    has_objects: bool,
    has_frames: bool,
    arena: Sequence[str] | None = None,
    arena_bytes: int | None = None,
) -> str:
    """Return the text of `name.h`; `arena` are the symbolic variables if the caller provides the memory."""
    doc = ENTRY_DOC if arena is None else ARENA_DOC
    memory = (
        [API_OWN_MEMORY]
        if arena is None
        else [API_ARENA.replace("@SIZE_HEAD@", size_head(name, arena))]
    )
    if arena_bytes is not None:
        memory.append(API_ARENA_BYTES.replace("@BYTES@", str(arena_bytes)))
    parts = [API_ERROR, *memory, API_ORIGIN] if has_api else []
    parts += [API_OBJECTS] if has_objects else []
    if has_weights:
        parts.append(API_WEIGHTS if arena is None else API_USE_WEIGHTS)
    if (has_weights or has_frames) and arena is None:
        kept = "what calls of all threads keep in memory"
        what = f"the weights, and {kept}" if has_weights and has_frames else ""
        parts.append(API_UNLOAD.replace("@WHAT@", what or ("the weights" if has_weights else kept)))
    parts += prototypes
    text = TEMPLATE.replace("@BODY@", "\n\n".join(parts))
    text = text.replace("@OBJECTS@", OBJECTS if has_objects else "")
    text = text.replace("@DOC@ ", doc if has_api else "").replace("'.\n */", "'. */")
    text = text.replace("@ABI@", str(ABI_VERSION))
    return text.replace("@NAME@", name).replace("@UPPER@", name.upper())

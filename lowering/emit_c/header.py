"""The public header of an emitted module."""

from __future__ import annotations

from collections.abc import Sequence

TEMPLATE = """/* @NAME@.h: the public functions of the model '@NAME@'.
@DOC@ */
#ifndef @UPPER@_H
#define @UPPER@_H

#include <stdbool.h>
#include <stdint.h>

/* Include <dlpack/dlpack.h> before this file to use its own definitions. */
#if !defined(DLPACK_DLPACK_H_) && !defined(RELAX_DLTENSOR)
#define RELAX_DLTENSOR
typedef enum { kDLCPU = 1 } DLDeviceType;
typedef enum {
    kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6
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

API_ENTRY = """/* The message of this thread's last error. */
@UPPER@_API const char *@NAME@_last_error(void);

/* Frees a result that a function below has allocated; NULL and empty ones are ignored. */
@UPPER@_API void @NAME@_release(DLTensor *tensor);"""

API_WEIGHTS = """/* Reads @NAME@.weights, before any other call; a second time does nothing. */
@UPPER@_API int @NAME@_load(const char *path);

/* Frees the weights; no function may be running. */
@UPPER@_API void @NAME@_unload(void);"""


def header(name: str, prototypes: Sequence[str], *, has_api: bool, has_weights: bool) -> str:
    """The text of `name.h`."""
    parts = [API_ENTRY] if has_api else []
    parts += [API_WEIGHTS] if has_weights else []
    parts += prototypes
    text = TEMPLATE.replace("@BODY@", "\n\n".join(parts))
    text = text.replace("@DOC@ ", ENTRY_DOC if has_api else "").replace("'.\n */", "'. */")
    return text.replace("@NAME@", name).replace("@UPPER@", name.upper())

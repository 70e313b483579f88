/* kernels_of_loops.h: the public functions of the model 'kernels_of_loops'.

   Every function returns 0, or another number after an error: kernels_of_loops_last_error() tells which.
   A result whose `data` is NULL is allocated, to be freed with kernels_of_loops_release; otherwise it is
   checked and written in place. After an error no result has been touched.
  */
#ifndef KERNELS_OF_LOOPS_H
#define KERNELS_OF_LOOPS_H

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
#define RELAX_ABI_VERSION 2
#elif RELAX_ABI_VERSION != 2
#error "the headers of models that are used together must have one RELAX_ABI_VERSION"
#endif

#ifndef KERNELS_OF_LOOPS_API
#if defined(_WIN32)
#define KERNELS_OF_LOOPS_API __declspec(dllexport)
#elif defined(__GNUC__)
#define KERNELS_OF_LOOPS_API __attribute__((visibility("default")))
#else
#define KERNELS_OF_LOOPS_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The message of this thread's last error. */
KERNELS_OF_LOOPS_API const char *kernels_of_loops_last_error(void);

/* Frees a result that a function below has allocated; NULL and empty ones are ignored. */
KERNELS_OF_LOOPS_API void kernels_of_loops_release(DLTensor *tensor);

/* Gives back the memory that calls keep for the next call of this thread; how many bytes that was. What
   other threads keep is given back when they call this or end. */
KERNELS_OF_LOOPS_API size_t kernels_of_loops_trim(void);

/* The RELAX_ABI_VERSION of this model, for those who load it without its header. */
KERNELS_OF_LOOPS_API int kernels_of_loops_abi_version(void);

/* The CPU that this model is built for, as --cpu names it. */
KERNELS_OF_LOOPS_API const char *kernels_of_loops_built_for(void);

/* Whether this machine is such a CPU; the functions below fail where it is not. */
KERNELS_OF_LOOPS_API int kernels_of_loops_check_cpu(void);

/* Frees what calls of all threads keep in memory; no function may be running. */
KERNELS_OF_LOOPS_API void kernels_of_loops_unload(void);

/* @main(%k: memref<[], i64>, %x: memref<[100], f32>) -> (memref<[100], f32>) */
KERNELS_OF_LOOPS_API int kernels_of_loops_main(const DLTensor *k, const DLTensor *x,
    DLTensor *out0);

#ifdef __cplusplus
}
#endif

#endif

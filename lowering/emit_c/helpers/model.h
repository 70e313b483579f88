/// title
/* NAME.h: the public functions of the model 'NAME'.
*/

/// title_with_functions
/* NAME.h: the public functions of the model 'NAME'.

   Every function returns 0, or another number after an error: NAME_last_error() tells which.
   A result whose `data` is NULL is allocated, to be freed with NAME_release; otherwise it is
   checked and written in place. After an error no result has been touched.
  */

/// title_with_arena
/* NAME.h: the public functions of the model 'NAME'.

   Every function returns 0, or another number after an error: NAME_last_error() tells which.
   None allocates: they work in the memory that NAME_use_arena gives. A result whose `data` is NULL lies
   there until the next call of this thread; otherwise it is checked and written in place. After an
   error no result has been touched.
  */

/// types
#ifndef UPPER_H
#define UPPER_H

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
#define RELAX_ABI_VERSION ABI_NUMBER
#elif RELAX_ABI_VERSION != ABI_NUMBER
#error "the headers of models that are used together must have one RELAX_ABI_VERSION"
#endif

/// objects
/* An object is a value that models hold and pass on without looking into it; NULL is one too, nothing.
   It is counted by its references. What a function takes it borrows: to keep an object, retain it. What
   a function gives is a reference, to be released. Objects may go from one model to another.
   One whose `call` is set is a function value: it takes `count` arguments like a packed function, and
   gives `results`, one for each part; those whose `data` is NULL are allocated by NAME_allocate. */
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

/// begin
#ifndef UPPER_API
#if defined(_WIN32)
#define UPPER_API __declspec(dllexport)
#elif defined(__GNUC__)
#define UPPER_API __attribute__((visibility("default")))
#else
#define UPPER_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// last_error
/* The message of this thread's last error. */
UPPER_API const char *NAME_last_error(void);

/// own_memory
/* Frees a result that a function below has allocated; NULL and empty ones are ignored. */
UPPER_API void NAME_release(DLTensor *tensor);

/* Gives back the memory that calls keep for the next call of this thread; how many bytes that was. What
   other threads keep is given back when they call this or end. */
UPPER_API size_t NAME_trim(void);

/// arena
/* How many bytes of memory the functions below need for these sizes; SIZE_MAX for too many. */
UPPER_API size_t NAME_arena_size(SIZES);

/* Lets the calls of this thread work in `bytes` of memory at `data`, until this is called again; with NULL
   they have none. */
UPPER_API void NAME_use_arena(void *data, size_t bytes);

/* Forgets a result; there is nothing to free. */
UPPER_API void NAME_release(DLTensor *tensor);

/// arena_bytes
/* What NAME_arena_size() gives, for arrays of that size. */
#define UPPER_ARENA_BYTES ARENA_SIZE

/// origin
/* The RELAX_ABI_VERSION of this model, for those who load it without its header. */
UPPER_API int NAME_abi_version(void);

/* The digest that NAME.json states as "interface" if both are of one build. */
UPPER_API const char *NAME_interface(void);

/* The CPU that this model is built for, as --cpu names it. */
UPPER_API const char *NAME_built_for(void);

/* Whether this machine is such a CPU; the functions below fail where it is not. */
UPPER_API int NAME_check_cpu(void);

/// threads
/* Sets the number of threads that calls use, which shared loops are split among: 1 to MOST_THREADS. Results
   are the same bits for any number. Calls use one thread before, unless the environment has
   OMP_NUM_THREADS. */
UPPER_API int NAME_set_threads(int count);

/* The number of threads that calls use at most. */
UPPER_API int NAME_threads(void);

/// rank_functions
/* The number of this process among the ranks, from 0, and their number; -1 after an error. The first of these
   calls, or of those that communicate, starts MPI unless the program has; all ranks make it. */
UPPER_API int NAME_rank(void);

UPPER_API int NAME_ranks(void);

/* Instead of a call that the other ranks make: it fails on all of them, with this message. */
UPPER_API int NAME_fail(const char *message);

/// object_functions
/* An object with one reference; NULL if there is no memory. */
UPPER_API relax_object NAME_object_new(void *data, void (*release)(void *data));

/* One more reference to an object, which it returns. */
UPPER_API relax_object NAME_object_retain(relax_object object);

/* Gives up a reference, and with the last one the object. */
UPPER_API void NAME_object_release(relax_object object);

/* A function value that calls `call` with `data`; NULL if there is no memory. */
UPPER_API relax_object NAME_closure_new(
    relax_function call, void *data, void (*release)(void *data));

/* What errors call a function value of this model, and its parameters, line by line; "" for another. */
UPPER_API const char *NAME_closure_names(relax_object closure);

/* Calls a function value: tuples part by part, a shape as a tensor of int64, a scalar as a tensor of
   rank 0, an object as a tensor of rank 0 and type kDLOpaqueHandle whose data is a relax_object. What it
   allocates is to be freed with NAME_release. */
UPPER_API int NAME_call_closure(
    relax_object closure, const DLTensor *const *args, int count, DLTensor *results);

/* Gives a tensor, of the type and shape that stand in it, memory that NAME_release frees. */
UPPER_API int NAME_allocate(DLTensor *tensor);

/// load
/* Reads NAME.weights, before any other call; a second time does nothing. */
UPPER_API int NAME_load(const char *path);

/// use_weights
/* Takes what stands in NAME.weights: `bytes` at `data`, aligned to 64 bytes, where they must stay. Before
   any other call. */
UPPER_API int NAME_use_weights(const void *data, size_t bytes);

/// unload
/* Frees WHAT; no function may be running. */
UPPER_API void NAME_unload(void);

/// packed_type
/* A function that the model calls: `args` are its arguments, a shape as a tensor of int64.
   Where `result->data` is NULL it fills in `result`, whose memory stays its own and valid until
   its next call; otherwise it writes its result there. It returns 0, or another number to fail.
   Several results stand one after the other from `result` on. A scalar is a tensor of rank 0, an object
   one of type kDLOpaqueHandle whose data is a relax_object; a string is a row of bytes, an element type
   or a device a tensor that has it and no data. */
typedef int (*NAME_packed)(
    void *context, const DLTensor *const *args, int count, DLTensor *result);

/// register
/* Gives the function that calls of `name` reach, and its first argument; a later one replaces it,
   NULL takes it away. No call may be running. The model calls: FUNCTIONS. */
UPPER_API int NAME_register(const char *name, NAME_packed function, void *context);

/// end
#ifdef __cplusplus
}
#endif

#endif

/* kernels_of_loops.c: emitted from loop-level IR for native (-march=native -mprefer-vector-width=512). C11,
    to be linked with -lm. */
#include "kernels_of_loops.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#define NOINLINE __attribute__((noipa))
#else
#define NOINLINE __attribute__((noinline))
#endif

static _Thread_local char last_error[512];

/* Remembers why the current call fails. */
static void set_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
}

/* Stands 64 bytes before every buffer and links those not given away. */
struct buffer {
    struct buffer *next;
    struct buffer **link; /* what points to this one, NULL if given away */
};

/* The buffer is no longer freed by free_all. */
static inline void detach(void *data)
{
    struct buffer *b = (struct buffer *)((char *)data - 64);
    if (b->link == NULL)
        return;
    *b->link = b->next;
    if (b->next != NULL)
        b->next->link = b->link;
    b->link = NULL;
}

static inline void deallocate(void *data)
{
    if (data == NULL)
        return;
    detach(data);
    free((char *)data - 64);
}

/* From now on free_all(live) frees the buffer. */
static inline void attach(struct buffer **live, void *data)
{
    struct buffer *b = (struct buffer *)((char *)data - 64);
    b->next = *live;
    b->link = live;
    if (b->next != NULL)
        b->next->link = &b->next;
    *live = b;
}

static inline void free_all(struct buffer **live)
{
    while (*live != NULL)
        deallocate((char *)*live + 64);
}

/* Asks Linux for pages of 2 MB in a new buffer: few page faults, few misses of the TLB. */
#if defined(__linux__)
extern int madvise(void *address, size_t bytes, int advice); /* not in the headers of strict C */
#endif

static inline void large_pages(char *data, size_t bytes)
{
#if defined(__linux__)
    const uintptr_t page = 2 << 20, begin = ((uintptr_t)data + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)data + bytes) / page * page;
    const int huge_page = 14; /* MADV_HUGEPAGE */
    if (begin < end)
        (void)madvise((void *)begin, end - begin, huge_page);
#else
    (void)data;
    (void)bytes;
#endif
}

/* A buffer aligned to 64 bytes, or NULL with an error set. */
static void *allocate(
    struct buffer **live, const char *what, size_t size, int rank, const int64_t *sizes)
{
    int64_t bytes = (int64_t)size;
    bool empty = false;
    for (int i = 0; i < rank; ++i) {
        if (sizes[i] < 0) {
            set_error("%s: expected sizes of at least 0, found %lld", what, (long long)sizes[i]);
            return NULL;
        }
        empty = empty || sizes[i] == 0;
    }
    for (int i = 0; i < rank && !empty; ++i) {
        if (sizes[i] > (int64_t)((PTRDIFF_MAX - 128) / bytes)) {
            set_error("%s: the sizes are too large for memory", what);
            return NULL;
        }
        bytes *= sizes[i];
    }
    char *data = aligned_alloc(64, 64 + (empty ? 64 : ((size_t)bytes + 63) / 64 * 64));
    if (data == NULL) {
        set_error("%s: out of memory for %lld bytes", what, (long long)bytes);
        return NULL;
    }
    large_pages(data, (size_t)bytes);
    data += 64;
    attach(live, data);
    return data;
}

/* Whether `t` is a compact tensor on the CPU, of the element type and rank given; `dims` is the
   shape as the type spells it. */
static int check_tensor(const char *what, const DLTensor *t, int code, int bits, const char *type,
    int rank, const char *dims)
{
    static const char *const kinds[] = {"i", "ui", "f", "handle", "bf", "complex", "i"};
    if (t == NULL) {
        set_error("%s: expected a tensor, found NULL", what);
        return -1;
    }
    if (t->device.device_type != kDLCPU) {
        set_error("%s: expected a tensor on the CPU, found device type %d; copy it there first",
            what, (int)t->device.device_type);
        return -1;
    }
    if (t->dtype.lanes != 1) {
        set_error("%s: expected elements of one lane, found %d lanes", what, (int)t->dtype.lanes);
        return -1;
    }
    if (t->dtype.code != code || t->dtype.bits != bits) {
        const char *kind = t->dtype.code < 7 ? kinds[t->dtype.code] : "unknown";
        set_error("%s: expected element type %s, found %s%d; convert the array with astype", what,
            type, kind, t->dtype.code == kDLBool ? 1 : (int)t->dtype.bits);
        return -1;
    }
    if (t->ndim != rank) {
        char found[256] = "";
        size_t used = 0;
        for (int i = 0; t->shape != NULL && i < t->ndim && used < sizeof found; ++i)
            used += (size_t)snprintf(found + used, sizeof found - used, "%s%lld", i ? ", " : "",
                (long long)t->shape[i]);
        set_error("%s: expected %d dimensions, %s, found %d, [%s]", what, rank, dims, (int)t->ndim,
            found);
        return -1;
    }
    if (rank > 0 && t->shape == NULL) {
        set_error("%s: the shape is NULL", what);
        return -1;
    }
    bool empty = false;
    for (int i = 0; i < rank; ++i) {
        if (t->shape[i] < 0) {
            set_error("%s: dimension %d is negative: %lld", what, i, (long long)t->shape[i]);
            return -1;
        }
        if (t->shape[i] > 281474976710656) {
            set_error("%s: expected sizes of at most 281474976710656, found %lld in dimension %d", what,
                (long long)t->shape[i], i);
            return -1;
        }
        empty = empty || t->shape[i] == 0;
    }
    if (empty)
        return 0;
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0 && t->strides != NULL; --i) {
        if (t->shape[i] != 1 && t->strides[i] != stride) {
            set_error("%s: expected compact row-major data, found stride %lld instead of %lld in "
                "dimension %d; make the tensor contiguous first", what, (long long)t->strides[i],
                (long long)stride, i);
            return -1;
        }
        stride *= t->shape[i];
    }
    if (t->data == NULL) {
        set_error("%s: the data is NULL", what);
        return -1;
    }
    if (((uintptr_t)t->data + t->byte_offset) % (((unsigned)bits + 7) / 8) != 0) {
        set_error("%s: the data is not aligned to its element type %s", what, type);
        return -1;
    }
    return 0;
}

/* The first element of a tensor. */
static inline void *data_of(const DLTensor *t)
{
    return t->data == NULL ? NULL : (char *)t->data + t->byte_offset;
}

/* Whether a dimension is as expected; `spelled` is "2 * n = " if it is not a constant. */
static int check_dim(
    const char *what, const DLTensor *t, int dim, int64_t expected, const char *spelled)
{
    if (t->shape[dim] == expected)
        return 0;
    set_error("%s: expected size %s%lld in dimension %d, found %lld", what, spelled,
        (long long)expected, dim, (long long)t->shape[dim]);
    return -1;
}

/* A result's shape: a copy for the caller, checked if the caller gave the tensor. */
static int64_t *prepare(
    struct buffer **live, const char *what, const DLTensor *out, int rank, const int64_t *sizes)
{
    for (int i = 0; i < rank && out->data != NULL; ++i)
        if (check_dim(what, out, i, sizes[i], "") != 0)
            return NULL;
    const int64_t count = rank;
    int64_t *shape = allocate(live, what, sizeof(int64_t), 1, &count);
    for (int i = 0; i < rank && shape != NULL; ++i)
        shape[i] = sizes[i];
    return shape;
}

/* Copies a result into the caller's tensor, or gives it away to be released. */
static void deliver(
    DLTensor *out, void *data, int64_t *shape, int code, int bits, int rank)
{
    if (out->data != NULL) {
        size_t all = (size_t)bits;
        for (int i = 0; i < rank; ++i)
            all *= (size_t)shape[i];
        memcpy(data_of(out), data, (all + 7) / 8);
        return;
    }
    detach(data);
    detach(shape);
    *out = (DLTensor){.data = data, .ndim = rank, .shape = shape};
    out->device.device_type = kDLCPU;
    out->dtype.code = (uint8_t)code;
    out->dtype.bits = (uint8_t)bits;
    out->dtype.lanes = 1;
}

/* Where RELAX_ARENA is 0 every buffer is allocated by itself, which sanitizers look into. */
#ifndef RELAX_ARENA
#if defined(__SANITIZE_ADDRESS__) || !(defined(__unix__) || defined(__APPLE__))
#define RELAX_ARENA 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RELAX_ARENA 0
#endif
#endif
#endif
#ifndef RELAX_ARENA
#define RELAX_ARENA 1
#endif

#if RELAX_ARENA
#include <pthread.h>
#include <sched.h>

/* The memory that the calls of one thread share: a stack of frames, one for each function that is
   running. It is as large as they have needed at once, and kept between calls. */
struct arena {
    char *data;
    size_t size;  /* of data */
    size_t top;   /* where the next frame starts, which may be after the end of data */
    size_t most;  /* that top has been */
    int64_t frames; /* how many there are */
    bool is_listed; /* among the arenas of all threads, as follows */
    struct arena *next, **link;
};

/* Stands 64 bytes before a frame's memory. */
struct frame {
    size_t start;
    bool is_own; /* not in the arena, which has no room for it */
};

/* The list of all arenas, whether a thread is changing it, and what tells of threads that end. */
static _Thread_local struct arena arena;
static struct arena *arenas;
static bool arenas_busy;
static bool arenas_have_key;
static pthread_key_t arenas_key;

static void lock_arenas(void)
{
    while (__atomic_test_and_set(&arenas_busy, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock_arenas(void)
{
    __atomic_clear(&arenas_busy, __ATOMIC_RELEASE);
}

static size_t empty_arena(struct arena *a)
{
    const size_t size = a->frames == 0 ? a->size : 0;
    if (size == 0)
        return 0;
    free(a->data);
    a->data = NULL;
    a->size = a->most = 0;
    return size;
}

static void end_thread(void *own)
{
    struct arena *const a = own;
    lock_arenas();
    *a->link = a->next;
    if (a->next != NULL)
        a->next->link = a->link;
    unlock_arenas();
    a->is_listed = false;
    empty_arena(a);
}

__attribute__((destructor)) static void end_arenas(void)
{
    if (arenas_have_key)
        pthread_key_delete(arenas_key); /* end_thread is about to leave memory */
    arenas_have_key = false;
}

/* Lets this thread's arena be found when the thread ends, and by empty_arenas. */
static void join_arenas(void)
{
    if (arena.is_listed)
        return;
    arena.is_listed = true;
    lock_arenas();
    if (!arenas_have_key)
        arenas_have_key = pthread_key_create(&arenas_key, end_thread) == 0;
    arena.next = arenas;
    arena.link = &arenas;
    if (arenas != NULL)
        arenas->link = &arena.next;
    arenas = &arena;
    unlock_arenas();
    if (arenas_have_key)
        pthread_setspecific(arenas_key, &arena);
}

/* Makes room for a frame where none is in use: for those that have been active at once, if more. */
static void grow_arena(size_t size)
{
    size = size > arena.most ? size : arena.most;
    if (size <= arena.size)
        return;
    const size_t more = (arena.size + arena.size / 8) / 64 * 64;
    size = size > more ? size : more;
    free(arena.data);
    arena.data = aligned_alloc(64, size);
    arena.size = arena.data == NULL ? 0 : size;
    join_arenas();
}
#endif

/* Memory for the values of a call, or NULL: then each is allocated by itself. */
static char *enter_frame(int64_t bytes)
{
#if RELAX_ARENA
    const size_t size = 64 + (size_t)bytes;
    if (arena.frames == 0)
        grow_arena(size);
    const size_t start = arena.top, end = start + size;
    const bool is_own = end > arena.size;
    char *const data = is_own ? aligned_alloc(64, size) : arena.data + start;
    if (data == NULL)
        return NULL;
    *(struct frame *)(void *)data = (struct frame){start, is_own};
    arena.top = end;
    arena.most = end > arena.most ? end : arena.most;
    ++arena.frames;
    return data + 64;
#else
    (void)bytes;
    return NULL;
#endif
}

static void leave_frame(char *data)
{
#if RELAX_ARENA
    if (data == NULL)
        return;
    const struct frame frame = *(struct frame *)(void *)(data - 64);
    arena.top = frame.start;
    --arena.frames;
    if (frame.is_own)
        free(data - 64);
#else
    (void)data;
#endif
}

/* A value has had its last use. What takes its place in the frame may be of another type: compilers must
   not move writes of that before this. */
static inline void drop(const char *frame, void *data)
{
    if (frame == NULL)
        deallocate(data);
    else
        __asm__ volatile("" : : : "memory");
}

/* Wraps on overflow. */
static inline int64_t sub_i64(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* @zero: i64 */
static const _Alignas(64) int64_t zero[1] = {0};

/* @one: i64 */
static const _Alignas(64) int64_t one[1] = {1};

static void subtract_in_place(const int64_t *restrict rhs, int64_t *restrict out);
static void multiply(const float *lhs, const float *rhs, float *out);
static void greater(const int64_t *restrict lhs, const int64_t *restrict rhs,
    uint8_t *restrict out);
static void negative_in_place(float *restrict out);

/* @main(%k: memref<[], i64>, %x: memref<[100], f32>) -> (memref<[100], f32>) */
/* from kernels_of_loops.mlir:5 */
static int main_(const int64_t *restrict k, const float *restrict x, float **result)
{
    int status = -1;
    struct buffer *live = NULL;
    char *const frame = enter_frame(576);
    int64_t *const buffer = frame != NULL ? (void *)(frame + 448)
        : allocate(&live, "main: buffer", sizeof(int64_t), 0, NULL);
    if (buffer == NULL)
        goto fail;
    memcpy(buffer, k, (size_t)1 * sizeof(int64_t));
    float *const y = allocate(&live, "main: y", sizeof(float), 1, (const int64_t[]){100});
    if (y == NULL)
        goto fail;
    memcpy(y, x, (size_t)100 * sizeof(float));
    float *const buffer_1 = frame != NULL ? (void *)frame
        : allocate(&live, "main: buffer_1", sizeof(float), 1, (const int64_t[]){100});
    if (buffer_1 == NULL)
        goto fail;
    int64_t *n = buffer;
    float *s = y;
    float *carried = buffer_1;
    int64_t *i = NULL;
    float *y_1 = NULL;
    float *t = NULL;
    for (;;) {
        uint8_t *const more = frame != NULL ? (void *)(frame + 512)
            : allocate(&live, "main: more", sizeof(uint8_t), 0, NULL);
        if (more == NULL)
            goto fail;
        greater(n, zero, more);
        const bool t_1 = more[0];
        drop(frame, more);
        i = n;
        y_1 = s;
        t = carried;
        if (!t_1)
            break;
        subtract_in_place(one, i);
        multiply(y_1, y_1, t);
        n = i;
        s = t;
        carried = y_1;
    }
    if (y != y_1)
        memcpy(y, y_1, (size_t)100 * sizeof(float));
    drop(frame, buffer_1);
    drop(frame, buffer);
    negative_in_place(y);
    detach(y);
    *result = y;
    status = 0;
fail:
    free_all(&live);
    leave_frame(frame);
    return status;
}

/* @greater(%lhs: memref<[], i64>, %rhs: memref<[], i64>, %out: memref<[], i1>) */
/* from kernels_of_loops.mlir:8 */
static void greater(const int64_t *restrict lhs, const int64_t *restrict rhs, uint8_t *restrict out)
{
    out[0] = lhs[0] > rhs[0];
}

/* @subtract_in_place(%rhs: memref<[], i64>, %out: memref<[], i64>) */
/* from kernels_of_loops.mlir:12 */
static void subtract_in_place(const int64_t *restrict rhs, int64_t *restrict out)
{
    out[0] = sub_i64(out[0], rhs[0]);
}

/* @multiply(%lhs: memref<[100], f32>, %rhs: memref<[100], f32>, %out: memref<[100], f32>) */
/* from kernels_of_loops.mlir:13 */
NOINLINE
static void multiply(const float *lhs, const float *rhs, float *out)
{
    for (int64_t i = 0; i < 100; ++i) {
        out[i] = lhs[i] * rhs[i];
    }
}

/* @negative_in_place(%out: memref<[100], f32>) */
/* from kernels_of_loops.mlir:16 */
static void negative_in_place(float *restrict out)
{
    for (int64_t i = 0; i < 100; ++i) {
        out[i] = -out[i];
    }
}

/* @main(%k: memref<[], i64>, %x: memref<[100], f32>) -> (memref<[100], f32>) */
int kernels_of_loops_main(const DLTensor *k, const DLTensor *x, DLTensor *out0)
{
    if (kernels_of_loops_check_cpu() != 0)
        return -1;
    if (check_tensor("@main: argument 'k'", k, kDLInt, 64, "i64", 0, "[]") != 0)
        return -1;
    if (check_tensor("@main: argument 'x'", x, kDLFloat, 32, "f32", 1, "[100]") != 0)
        return -1;
    if (check_dim("@main: argument 'x'", x, 0, 100, "") != 0)
        return -1;
    if (out0 == NULL) {
        set_error("%s: expected a place for the result, found NULL", "@main: result");
        return -1;
    }
    if (out0->data != NULL) {
        if (check_tensor("@main: result", out0, kDLFloat, 32, "f32", 1, "[100]") != 0)
            return -1;
        if (check_dim("@main: result", out0, 0, 100, "") != 0)
            return -1;
    }
    int status = -1;
    struct buffer *live = NULL;
    float *out0_data = NULL;
    if (main_(data_of(k), data_of(x), &out0_data) != 0)
        goto fail;
    attach(&live, out0_data);
    int64_t *out0_shape = prepare(&live, "@main: result", out0, 1, (const int64_t[]){100});
    if (out0_shape == NULL)
        goto fail;
    deliver(out0, out0_data, out0_shape, kDLFloat, 32, 1);
    status = 0;
fail:
    free_all(&live);
    return status;
}

const char *kernels_of_loops_last_error(void)
{
    return last_error;
}

int kernels_of_loops_abi_version(void)
{
    return RELAX_ABI_VERSION;
}

const char *kernels_of_loops_built_for(void)
{
    return "native: avx2 bmi2 fma avx512f avx512bw avx512cd avx512dq avx512vl avx512ifma "
        "avx512vbmi avx512vbmi2 avx512vnni avx512bitalg avx512vpopcntdq avx512bf16 "
        "avxvnni gfni";
}

int kernels_of_loops_check_cpu(void)
{
#if defined(__GNUC__) && defined(__AVX2__)
#define WITHOUT(feature) !__builtin_cpu_supports(feature) ? feature :
    const char *missing = NULL;
#if !defined(__clang__) || __clang_major__ >= 19
    missing = WITHOUT("avxvnni") missing;
#endif
    missing = WITHOUT("gfni") missing;
    missing = WITHOUT("avx512bitalg") WITHOUT("avx512vpopcntdq") WITHOUT("avx512bf16") missing;
    missing = WITHOUT("avx512vbmi") WITHOUT("avx512vbmi2") WITHOUT("avx512vnni") missing;
    missing = WITHOUT("avx512dq") WITHOUT("avx512vl") WITHOUT("avx512ifma") missing;
    missing = WITHOUT("avx512f") WITHOUT("avx512bw") WITHOUT("avx512cd") missing;
    missing = WITHOUT("avx2") WITHOUT("bmi2") WITHOUT("fma") missing;
    if (missing != NULL) {
        set_error(
            "kernels_of_loops: expected a CPU with %s, since this was built for native, "
            "found one without; build it with --cpu native on this machine, or --cpu generic for any", missing);
        return -1;
    }
#endif
    return 0;
}

void kernels_of_loops_release(DLTensor *tensor)
{
    if (tensor == NULL || tensor->data == NULL)
        return;
    deallocate(tensor->data);
    deallocate(tensor->shape);
    tensor->data = NULL;
    tensor->shape = NULL;
}

size_t kernels_of_loops_trim(void)
{
#if RELAX_ARENA
    return empty_arena(&arena);
#else
    return 0;
#endif
}

void kernels_of_loops_unload(void)
{
#if RELAX_ARENA
    lock_arenas();
    for (struct arena *a = arenas; a != NULL; a = a->next)
        empty_arena(a);
    unlock_arenas();
#endif
}

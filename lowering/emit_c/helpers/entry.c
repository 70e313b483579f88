/* Entry points: checks of the caller's tensors, and their results. */
#include "memory.c"

/// spell_sizes
/* Writes sizes as a type spells them. */
static void spell_sizes(char *text, size_t room, int rank, const int64_t *sizes)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; sizes != NULL && i < rank && used < room; ++i)
        used += (size_t)snprintf(text + used, room - used, "%s%lld", i ? ", " : "",
            (long long)sizes[i]);
}

/// check_tensor: set_error, spell_sizes
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
        char found[256];
        spell_sizes(found, sizeof found, (int)t->ndim, t->shape);
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
        if (t->shape[i] > MAX_EXTENT) {
            set_error("%s: expected sizes of at most MAX_EXTENT, found %lld in dimension %d", what,
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

/// check_extent: set_error
/* Whether an argument can be a size. */
static int check_extent(const char *what, int64_t size)
{
    if (size >= 0 && size <= MAX_EXTENT)
        return 0;
    set_error("%s: expected a size of 0 to MAX_EXTENT, found %lld", what, (long long)size);
    return -1;
}

/// solve_size
/* The number of at least 0 whose product with the coefficient, plus the rest, is the size, rounded
   down if there is none. */
static inline int64_t solve_size(int64_t size, int64_t rest, int64_t coefficient)
{
    int64_t multiple;
    if (__builtin_sub_overflow(size, rest, &multiple) || multiple == INT64_MIN)
        return (rest < 0) == (coefficient > 0) ? INT64_MAX : 0;
    if ((multiple < 0) != (coefficient < 0))
        return 0;
    return multiple / coefficient;
}

/// check_solved: set_error
/* Whether a dimension, or the number -1, is equal to its affine type for the solution of a symbol. */
static int check_solved(const char *what, int dim, int64_t found, int64_t expected,
    const char *spelled, const char *symbol)
{
    char place[32] = "";
    if (found == expected)
        return 0;
    if (dim >= 0)
        snprintf(place, sizeof place, " in dimension %d", dim);
    set_error("%s: expected %s %s%s for an integer %s of at least 0, such as %lld, found %lld", what,
        dim >= 0 ? "size" : "the number", spelled, place, symbol, (long long)expected,
        (long long)found);
    return -1;
}

/// check_product: set_error
/* Whether a product of sizes, and of a number in the program, is one. */
static int check_product(const char *what, int64_t factor, int count, const int64_t *sizes)
{
    int64_t product = factor;
    for (int i = 0; i < count; ++i) {
        const int is_small = i == 0 && factor >= -SMALL_FACTOR && factor <= SMALL_FACTOR;
        const int64_t limit = is_small ? MAX_SUM : MAX_EXTENT;
        if (__builtin_mul_overflow(product, sizes[i], &product) || product > limit
            || product < -limit) {
            set_error("%s: LARGE_PRODUCT", what);
            return -1;
        }
    }
    return 0;
}

/// check_sum: set_error
/* Whether a sum of sizes is far from the end of 64 bits. */
static int check_sum(const char *what, int count, const int64_t *terms)
{
    int64_t sum = 0;
    for (int i = 0; i < count; ++i)
        if (__builtin_add_overflow(sum, terms[i], &sum) || terms[i] > MAX_SUM
            || terms[i] < -MAX_SUM || sum > MAX_SUM || sum < -MAX_SUM) {
            set_error("%s: LARGE_SUM", what);
            return -1;
        }
    return 0;
}

/// check_divisor: set_error
/* Whether a size can be divided by. */
static int check_divisor(const char *what, int64_t divisor, const char *message)
{
    if (divisor != 0)
        return 0;
    set_error("%s: %s", what, message);
    return -1;
}

/// check_broadcast: set_error
/* Whether sizes broadcast. */
static int check_broadcast(const char *what, int count, const int64_t *sizes)
{
    int64_t size = 1;
    for (int i = 0; i < count; ++i) {
        const int64_t a = size, b = sizes[i];
        if (a != b && a != 1 && b != 1) {
            set_error("%s: expected BROADCAST, found %lld and %lld", what,
                (long long)(a < b ? a : b), (long long)(a < b ? b : a));
            return -1;
        }
        size = a == 1 ? b : a;
    }
    return 0;
}

/// data_of
/* The first element of a tensor. */
static inline void *data_of(const DLTensor *t)
{
    return t->data == NULL ? NULL : (char *)t->data + t->byte_offset;
}

/// check_apart: set_error, data_of
static uint64_t bytes_of(const DLTensor *t)
{
    uint64_t bits = t->dtype.bits;
    for (int i = 0; i < t->ndim; ++i)
        bits *= (uint64_t)t->shape[i];
    return (bits + 7) / 8;
}

/* Whether the first tensors, which are written over, share no memory with others. */
static int check_apart(const char *what, int written, int count, const DLTensor *const tensors[],
    const char *const names[])
{
    for (int i = 0; i < written; ++i) {
        const uintptr_t begin = (uintptr_t)data_of(tensors[i]), end = begin + bytes_of(tensors[i]);
        for (int j = i + 1; j < count; ++j) {
            const uintptr_t other = (uintptr_t)data_of(tensors[j]);
            if (other < end && begin < other + bytes_of(tensors[j])) {
                set_error("%s: argument '%s': expected memory of its own, since it is written over, found "
                    "some that argument '%s' has too; pass a copy", what, names[i], names[j]);
                return -1;
            }
        }
    }
    return 0;
}

/// check_dim: set_error
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

/// check_shape: set_error, spell_sizes, check_dim
/* Whether the caller's tensor, if it gave one, has the shape of a result of any rank. */
static int check_shape(const char *what, const DLTensor *out, int rank, const int64_t *sizes)
{
    if (out->data == NULL)
        return 0;
    if (out->ndim == rank) {
        for (int i = 0; i < rank; ++i)
            if (check_dim(what, out, i, sizes[i], "") != 0)
                return -1;
        return 0;
    }
    char expected[256], found[256];
    spell_sizes(expected, sizeof expected, rank, sizes);
    spell_sizes(found, sizeof found, (int)out->ndim, out->shape);
    set_error("%s: expected %d dimensions, [%s], found %d, [%s]", what, rank, expected,
        (int)out->ndim, found);
    return -1;
}

/// check_number: set_error
/* Whether a number is as expected; `spelled` is "2 * n = " if that is not a constant. */
static int check_number(const char *what, int64_t found, int64_t expected, const char *spelled)
{
    if (found == expected)
        return 0;
    set_error("%s: expected the number %s%lld, found %lld", what, spelled, (long long)expected,
        (long long)found);
    return -1;
}

/// prepare: allocate, check_dim
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

/// deliver: detach, data_of
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

/* Objects and function values. */
#include "entry.c"

/// new_object: set_error
/* An object with one reference, or NULL with an error set. */
static relax_object new_object(
    void *data, void (*release)(void *), relax_function call)
{
    relax_object o = malloc(sizeof *o);
    if (o == NULL) {
        set_error("out of memory for an object");
        return NULL;
    }
    *o = (struct relax_object_header){data, release, call, 1};
    return o;
}

/// retain_object
static inline relax_object retain_object(relax_object o)
{
    if (o != NULL)
        __atomic_add_fetch(&o->references, 1, __ATOMIC_RELAXED);
    return o;
}

/// release_object
/* Gives up a reference. Objects that hold each other go one after the other, not one inside the
   other, as chains of them may be long. */
static void release_object(relax_object *at)
{
    static _Thread_local relax_object waiting;
    static _Thread_local bool busy;
    relax_object o = *at;
    *at = NULL;
    if (o == NULL || __atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    o->references = (int64_t)(intptr_t)waiting; /* which is the next from now on */
    waiting = o;
    if (busy)
        return;
    busy = true;
    while ((o = waiting) != NULL) {
        waiting = (relax_object)(intptr_t)o->references;
        if (o->release != NULL)
            o->release(o->data);
        free(o);
    }
    busy = false;
}

/// check_function: set_error
/* Whether an object is a function value. */
static int check_function(const char *what, relax_object o)
{
    if (o != NULL && o->call != NULL)
        return 0;
    set_error("%s: expected a function, found %s; pass a closure or a Python callable", what,
        o == NULL ? "nothing" : "another object");
    return -1;
}

/// check_count: set_error
/* Whether a function value is called with an argument for each of its parameters. */
static int check_count(const char *what, const char *const *names, int expected, int found)
{
    char listed[256] = "none";
    size_t used = 0;
    if (found == expected)
        return 0;
    for (int i = 0; i < expected && used < sizeof listed; ++i) {
        const int length = snprintf(
            listed + used, sizeof listed - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += length < 0 ? 0 : (size_t)length;
    }
    set_error("%s: expected %d arguments (%s), found %d", what, expected, listed, found);
    return -1;
}

/// check_object: set_error
/* Whether a tensor stands for an object. */
static int check_object(const char *what, const DLTensor *t)
{
    if (t != NULL && t->dtype.code == kDLOpaqueHandle && t->ndim == 0 && t->data != NULL)
        return 0;
    set_error("%s: expected an object, found %s", what, t == NULL ? "NULL" : "a tensor");
    return -1;
}

/// call_function: set_error, check_function
/* Calls a function value; one of another model has its message there. */
static int call_function(const char *what, relax_object o, const DLTensor *const *args, int count,
    DLTensor *results)
{
    static _Thread_local int64_t active;
    if (check_function(what, o) != 0)
        return -1;
    if (active >= RECURSION_LIMIT) {
        set_error("%s: TOO_DEEP", what);
        return -1;
    }
    set_error("%s", "");
    ++active;
    const int code = o->call(o->data, args, count, results);
    --active;
    if (code != 0 && last_error[0] == '\0')
        set_error("%s: the function failed with code %d", what, code);
    return code;
}

/// free_tensor: deallocate
/* Frees a tensor that was allocated for its receiver. */
static void free_tensor(DLTensor *t)
{
    deallocate(t->data);
    deallocate(t->shape);
    t->data = NULL;
    t->shape = NULL;
}

/// make_function: new_object, retain_object, release_object, data_of, allocate, deallocate
/* What a function value has captured: copies of tensors, references to objects. */
struct captures {
    int count;
    bool pure; /* whether its calls have no effect */
    const char *names; /* what errors call it, and on lines of their own its parameters */
    DLTensor tensors[];
};

static void release_captures(void *data)
{
    struct captures *const c = data;
    for (int i = 0; i < c->count; ++i) {
        if (c->tensors[i].dtype.code == kDLOpaqueHandle && c->tensors[i].data != NULL)
            release_object(c->tensors[i].data);
        deallocate(c->tensors[i].data);
        deallocate(c->tensors[i].shape);
    }
    free(c);
}

/* Copies a tensor for a function value that keeps it. */
static int capture(DLTensor *copy, const DLTensor *t)
{
    struct buffer *live = NULL;
    const int64_t rank = t->ndim;
    size_t bytes = t->dtype.bits / 8u;
    for (int i = 0; i < t->ndim; ++i)
        bytes *= (size_t)t->shape[i];
    *copy = *t;
    copy->strides = NULL;
    copy->byte_offset = 0;
    copy->shape = allocate(&live, "a captured shape", sizeof(int64_t), 1, &rank);
    copy->data = copy->shape == NULL ? NULL
        : allocate(&live, "a captured tensor", t->dtype.bits / 8u, t->ndim, t->shape);
    if (copy->data == NULL) {
        deallocate(copy->shape);
        return -1;
    }
    for (int i = 0; i < t->ndim; ++i)
        copy->shape[i] = t->shape[i];
    if (bytes > 0)
        memcpy(copy->data, data_of(t), bytes);
    if (t->dtype.code == kDLOpaqueHandle)
        retain_object(*(relax_object *)copy->data);
    detach(copy->data);
    detach(copy->shape);
    return 0;
}

/* A function value, or NULL with an error set. */
static relax_object make_function(
    relax_function call, const DLTensor *const *args, int count, bool pure,
    const char *names)
{
    struct captures *const c = malloc(sizeof *c + (size_t)count * sizeof(DLTensor));
    relax_object o = c == NULL ? NULL : new_object(c, release_captures, call);
    if (o == NULL) {
        set_error("out of memory for a function value");
        free(c);
        return NULL;
    }
    c->pure = pure;
    c->names = names;
    for (c->count = 0; c->count < count; ++c->count) {
        if (capture(&c->tensors[c->count], args[c->count]) != 0) {
            release_object(&o);
            return NULL;
        }
    }
    return o;
}

/// check_pure: set_error, check_function, make_function
/* Whether an object is a function value without effects; one from elsewhere is taken for one. */
static int check_pure(const char *what, relax_object o)
{
    if (check_function(what, o) != 0)
        return -1;
    if (o->release != release_captures || ((const struct captures *)o->data)->pure)
        return 0;
    set_error("%s: expected a function without effects, found one that may have some; write 'impure' "
              "in its type", what);
    return -1;
}

/// give_value: allocate, deallocate, detach, data_of, set_error
/* Gives numbers that are no tensor in C as one: in the place given, or newly allocated. */
static int give_value(const char *what, DLTensor *out, const void *values, int code, int bits,
    int rank, int64_t length)
{
    const size_t bytes = (size_t)(bits / 8) * (size_t)(rank == 0 ? 1 : length);
    const int64_t dims = rank;
    if (out->data == NULL) {
        struct buffer *live = NULL;
        int64_t *const shape = allocate(&live, what, sizeof(int64_t), 1, &dims);
        void *const data = shape == NULL ? NULL : allocate(&live, what, (size_t)bits / 8, rank, &length);
        if (data == NULL) {
            deallocate(shape);
            return -1;
        }
        if (rank == 1)
            shape[0] = length;
        detach(shape);
        detach(data);
        *out = (DLTensor){.data = data, .ndim = rank, .shape = shape};
        out->device.device_type = kDLCPU;
        out->dtype.code = (uint8_t)code;
        out->dtype.bits = (uint8_t)bits;
        out->dtype.lanes = 1;
    } else if (out->dtype.code != code || out->dtype.bits != bits || out->ndim != rank
        || (rank == 1 && out->shape[0] != length)) {
        set_error("%s: the place for it is of another type or size", what);
        return -1;
    }
    if (bytes > 0)
        memcpy(data_of(out), values, bytes);
    return 0;
}

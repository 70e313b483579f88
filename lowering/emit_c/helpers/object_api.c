/* The functions for C callers of models with objects. */
#include "objects.c"

/// object_new
relax_object NAME_object_new(void *data, void (*release)(void *data))
{
    return new_object(data, release, NULL);
}

/// closure_new
relax_object NAME_closure_new(
    relax_function call, void *data, void (*release)(void *data))
{
    return new_object(data, release, call);
}

/// object_retain
relax_object NAME_object_retain(relax_object object)
{
    return retain_object(object);
}

/// object_release
void NAME_object_release(relax_object object)
{
    release_object(&object);
}

/// call_closure
int NAME_call_closure(
    relax_object closure, const DLTensor *const *args, int count, DLTensor *results)
{
    return call_function("NAME_call_closure", closure, args, count, results);
}

/// closure_names
const char *NAME_closure_names(relax_object closure)
{
    if (closure == NULL || closure->release != release_captures)
        return "";
    return ((const struct captures *)closure->data)->names;
}

///
#define NAME_closure_names NAME_closure_names_of_none

/// closure_names_of_none
const char *NAME_closure_names(relax_object closure)
{
    (void)closure;
    return "";
}

/// allocate
int NAME_allocate(DLTensor *tensor)
{
    struct buffer *live = NULL;
    const int64_t rank = tensor->ndim;
    int64_t *const shape = allocate(&live, "NAME_allocate", sizeof(int64_t), 1, &rank);
    void *const data = shape == NULL ? NULL : allocate(
        &live, "NAME_allocate", tensor->dtype.bits / 8u, tensor->ndim, tensor->shape);
    if (data == NULL) {
        deallocate(shape);
        return -1;
    }
    for (int i = 0; i < tensor->ndim; ++i)
        shape[i] = tensor->shape[i];
    detach(shape);
    detach(data);
    tensor->data = data;
    tensor->shape = shape;
    tensor->strides = NULL;
    tensor->byte_offset = 0;
    return 0;
}

/* The functions for C callers that provide the memory (`--arena`). */
#include "caller_arena.c"

/// release
void NAME_release(DLTensor *tensor)
{
    if (tensor == NULL)
        return;
    tensor->data = NULL;
    tensor->shape = NULL;
}

/// use_arena
void NAME_use_arena(void *data, size_t bytes)
{
    const size_t before = data == NULL ? 0 : (64 - (uintptr_t)data % 64) % 64;
    arena.given = data == NULL ? 0 : bytes;
    arena.size = arena.given > before ? arena.given - before : 0;
    arena.data = arena.size == 0 ? NULL : (char *)data + before;
}

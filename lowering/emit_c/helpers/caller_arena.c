/* Memory that the caller provides (`--arena`). These helpers replace others of the same names. */
#define allocate allocate_from_system
#define deallocate deallocate_to_system
#include "memory.c"
#undef allocate
#undef deallocate

/// given_arena
/* The memory that the caller has given to the calls of this thread. Frames are a stack from its
   start; what else is allocated lies at its end, until the next call. */
struct arena {
    char *data;   /* aligned to 64 bytes */
    size_t size;  /* of data */
    size_t given; /* with what stands before it */
    size_t top;   /* where the next frame starts */
    size_t most;  /* that a frame has ended at in this call */
    size_t end;   /* where the values at the end start */
    bool outside; /* whether a call of this thread waits for a function from outside */
};
static _Thread_local struct arena arena;

/// deallocate: detach
/* What is not needed any more stays in the arena until the next call. */
__attribute__((noinline))
static void deallocate(void *data)
{
    if (data != NULL)
        detach(data);
}

/// allocate: set_error, attach, given_arena
/* Memory at the end of the arena, aligned to 64 bytes, or NULL with an error set. */
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
    const size_t taken = 64 + (empty ? 64 : ((size_t)bytes + 63) / 64 * 64);
    if (arena.most > arena.end || taken > arena.end - arena.most) {
        set_error("%s: the arena has no room for %lld bytes", what, (long long)bytes);
        return NULL;
    }
    arena.end -= taken;
    char *data = arena.data + arena.end + 64;
    attach(live, data);
    return data;
}

/// enter_frame: deallocate, given_arena
/* Memory for the values of a function, or NULL where the arena has no room for it. */
static char *enter_frame(int64_t bytes)
{
    const size_t size = 64 + (size_t)bytes, start = arena.top;
    if (start > arena.end || size > arena.end - start)
        return NULL;
    char *const data = arena.data + start;
    *(size_t *)(void *)data = start;
    arena.top = start + size;
    arena.most = arena.top > arena.most ? arena.top : arena.most;
    return data + 64;
}

static void leave_frame(char *data)
{
    if (data != NULL)
        arena.top = *(size_t *)(void *)(data - 64);
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

/// call_at: enter_frame
/* The next frame starts there in this one. */
static inline void call_at(const char *frame, int64_t offset)
{
    if (frame != NULL)
        arena.top = *(const size_t *)(const void *)(frame - 64) + 64 + (size_t)offset;
}

/// call_packed: set_error, given_arena
/* Calls a function from outside; if it fails in a call of this model, that tells why. */
static int call_packed(const char *name, int (*function)(void *, const DLTensor *const *, int,
    DLTensor *), void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    if (function == NULL) {
        set_error("packed function '%s' is not registered: call NAME_register first", name);
        return -1;
    }
    set_error("%s", "");
    arena.outside = true;
    const int code = function(context, args, count, result);
    arena.outside = false;
    if (code != 0 && last_error[0] == '\0')
        set_error("packed function '%s' failed with code %d", name, code);
    return code;
}

/// begin_call: set_error, given_arena
/* Gives the arena to a call that needs so many bytes. */
static int begin_call(const char *what, size_t bytes)
{
    if (arena.outside) {
        set_error("%s: expected no call from within a function that a call of this thread waits for, whose "
            "arena it would write over, found one; call it after that", what);
        return -1;
    }
    arena.top = arena.most = 0;
    arena.end = arena.size / 64 * 64;
    if (bytes <= arena.size)
        return 0;
    const size_t needed = bytes > SIZE_MAX - SLACK ? bytes : bytes + SLACK;
    set_error("%s: expected an arena of %llu bytes, found %llu; pass as many as NAME_arena_size says "
        "to NAME_use_arena", what, (unsigned long long)needed, (unsigned long long)arena.given);
    return -1;
}

/* Whether a tensor lies where calls do not write. */
static int check_outside(const char *what, const DLTensor *t)
{
    if (t->data == NULL || (uintptr_t)t->data - (uintptr_t)arena.data >= arena.size)
        return 0;
    set_error("%s: expected data outside of the arena, found what another call has left there, which this "
        "one writes over; copy it first", what);
    return -1;
}

/* Call frames: one piece of memory for each thread, kept between calls. */
#include "memory.c"

/// empty_arena
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
    struct { char *data; size_t size; } rooms[2]; /* left by what has grown in loops */
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
    size_t size = a->frames == 0 ? a->size : 0;
    for (int i = 0; i < 2; ++i) {
        size += a->rooms[i].size;
        free(a->rooms[i].data);
        a->rooms[i].data = NULL;
        a->rooms[i].size = 0;
    }
    if (a->frames == 0) {
        free(a->data);
        a->data = NULL;
        a->size = a->most = 0;
    }
    return size;
}

__attribute__((destructor)) static void end_arenas(void)
{
    if (arenas_have_key)
        pthread_key_delete(arenas_key); /* end_thread is about to leave memory */
    arenas_have_key = false;
}
#endif

/// join_arenas: empty_arena
#if RELAX_ARENA
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
#endif

/// enter_frame: join_arenas, deallocate
#if RELAX_ARENA
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

/// call_at: enter_frame
/* The next frame starts there in this one. */
static inline void call_at(const char *frame, int64_t offset)
{
#if RELAX_ARENA
    if (frame != NULL)
        arena.top = ((const struct frame *)(const void *)(frame - 64))->start + 64 + (size_t)offset;
#else
    (void)frame;
    (void)offset;
#endif
}

/// deallocate_room: join_arenas, deallocate
/* Leaves room to what grows next, if it is of some size, and none of those left is smaller. */
static void deallocate_room(void *data, int64_t bytes)
{
#if RELAX_ARENA
    const int i = arena.rooms[1].size < arena.rooms[0].size;
    const size_t size = (size_t)bytes;
    if (data != NULL && size >= 1 << 16 && size <= 1 << 22 && size > arena.rooms[i].size) {
        detach(data);
        join_arenas();
        free(arena.rooms[i].data);
        arena.rooms[i].data = (char *)data - 64;
        arena.rooms[i].size = size;
        return;
    }
#else
    (void)bytes;
#endif
    deallocate(data);
}

/// allocate_room: empty_arena, allocate
/* Room for what grows in a loop: what another has left, whose pages are there, if that fits. */
static void *allocate_room(struct buffer **live, const char *what, int64_t bytes)
{
#if RELAX_ARENA
    const int i = arena.rooms[0].size < (size_t)bytes || arena.rooms[0].size / 4 > (size_t)bytes;
    const size_t size = arena.rooms[i].size;
    if (size > 0 && size >= (size_t)bytes && size / 4 <= (size_t)bytes) {
        char *const data = arena.rooms[i].data + 64;
        arena.rooms[i].data = NULL;
        arena.rooms[i].size = 0;
        attach(live, data);
        return data;
    }
#endif
    return allocate(live, what, 1, 1, &bytes);
}

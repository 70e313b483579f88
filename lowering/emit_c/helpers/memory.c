/* Buffers: allocations, and the list of live ones.

   `detach` and `deallocate` are not inlined: a function calls them for each of its buffers, of which there may
   be thousands, and mostly in branches that are not taken. gcc would take longer for those than for kernels. */
#include "errors.c"

/// detach
/* Stands 64 bytes before every buffer and links those not given away. */
struct buffer {
    struct buffer *next;
    struct buffer **link; /* what points to this one, NULL if given away */
};

/* The buffer is no longer freed by free_all. */
__attribute__((noinline))
static void detach(void *data)
{
    struct buffer *b = (struct buffer *)((char *)data - 64);
    if (b->link == NULL)
        return;
    *b->link = b->next;
    if (b->next != NULL)
        b->next->link = b->link;
    b->link = NULL;
}

/// deallocate: detach
__attribute__((noinline))
static void deallocate(void *data)
{
    if (data == NULL)
        return;
    detach(data);
    free((char *)data - 64);
}

/// attach: detach
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

/// free_all: deallocate
static inline void free_all(struct buffer **live)
{
    while (*live != NULL)
        deallocate((char *)*live + 64);
}

/// copy_row
/* memcpy of what may be a few bytes: two pieces that overlap, instead of a call. */
static inline void copy_row(void *restrict to, const void *restrict from, size_t bytes)
{
    char *const t = to;
    const char *const f = from;
    if (bytes > 64) {
        memcpy(t, f, bytes);
    } else if (bytes >= 32) {
        memcpy(t, f, 32);
        memcpy(t + bytes - 32, f + bytes - 32, 32);
    } else if (bytes >= 16) {
        memcpy(t, f, 16);
        memcpy(t + bytes - 16, f + bytes - 16, 16);
    } else if (bytes >= 8) {
        memcpy(t, f, 8);
        memcpy(t + bytes - 8, f + bytes - 8, 8);
    } else if (bytes >= 4) {
        memcpy(t, f, 4);
        memcpy(t + bytes - 4, f + bytes - 4, 4);
    } else if (bytes > 0) {
        t[0] = f[0];
        t[bytes / 2] = f[bytes / 2];
        t[bytes - 1] = f[bytes - 1];
    }
}

/// large_pages
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

/// allocate: set_error, attach, large_pages
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

/* The functions for C callers that set and return the number of threads. */
#include "threads.c"

/// set_threads: set_error, thread_limit
int NAME_set_threads(int count)
{
    if (count < 1 || count > MOST_THREADS) {
        set_error("NAME_set_threads: expected 1 to MOST_THREADS threads, found %d; pass one of these",
            count);
        return -1;
    }
#if !RELAX_THREADS
    if (count > 1) {
        set_error("NAME_set_threads: expected a build with POSIX threads for %d threads, found one "
            "without; compile NAME.c without -DRELAX_THREADS=0", count);
        return -1;
    }
#endif
    __atomic_store_n(&wanted_threads, count, __ATOMIC_RELAXED);
    return 0;
}

/// threads: thread_limit
int NAME_threads(void)
{
    return thread_limit();
}

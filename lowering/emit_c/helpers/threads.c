/* Loops whose iterations are split among threads, where the compiler has OpenMP. */
#include "errors.c"

/// thread_limit
/* The threads of calls before NAME_set_threads and without OMP_NUM_THREADS. */
#ifndef UPPER_THREADS
#define UPPER_THREADS 1
#endif

/* The threads that calls may use: what was set, -1 to ask OpenMP, 0 if it is not known yet. */
static int wanted_threads;

#if defined(_OPENMP)
#include <omp.h>
#include <pthread.h>
#define PRAGMA(text) _Pragma(#text)
#define IN_PARALLEL(count) PRAGMA(omp parallel num_threads(count))

static bool is_forked, knows_forks;

static void note_fork(void)
{
    is_forked = true;
}

/* OpenMP's threads are not there after a fork, and some of its libraries wait for them. */
static inline void watch_forks(void)
{
    if (!__atomic_exchange_n(&knows_forks, true, __ATOMIC_RELAXED))
        pthread_atfork(NULL, NULL, note_fork);
}
#else
#define IN_PARALLEL(count)
#endif

/* The number of threads that calls of this model use at most. */
static inline int thread_limit(void)
{
#if defined(_OPENMP)
    int count = __atomic_load_n(&wanted_threads, __ATOMIC_RELAXED);
    if (count == 0) {
        count = getenv("OMP_NUM_THREADS") == NULL ? UPPER_THREADS : -1;
        __atomic_store_n(&wanted_threads, count, __ATOMIC_RELAXED);
    }
    return count > 0 ? count : omp_get_max_threads();
#else
    return 1;
#endif
}

/// split_loop: set_error, thread_limit
/* A loop in parts of `size` iterations, the last of which has the rest too. */
struct split {
    int64_t first, last, step, size;
    int64_t parts, next;
    int threads;
    int64_t failed; /* where the first part begins that failed, `last` if none did */
    bool is_noting;
    char error[sizeof last_error];
};

/* Splits a loop if that is `worth` it; one that `nests` others leaves it to them if threads would be idle. */
static inline struct split split_loop(
    bool worth, int64_t first, int64_t last, int64_t step, int64_t least, bool nests)
{
    struct split s;
    s.threads = 1;
#if defined(_OPENMP)
    const int threads = worth ? thread_limit() : 1;
    const int64_t trips = (last - first + step - 1) / step;
    if (threads < 2 || trips < 2 * least || is_forked || omp_in_parallel())
        return s;
    const int64_t rounds = (trips + threads - 1) / threads;
    if (nests && 8 * trips < 7 * rounds * threads)
        return s;
    watch_forks();
    s.first = first;
    s.last = s.failed = last;
    s.step = step;
    s.size = trips / (4 * threads);
    s.size = s.size < least ? least : s.size < 64 ? s.size : s.size / 64 * 64;
    s.parts = trips / s.size;
    s.next = 0;
    s.threads = s.parts < threads ? (int)s.parts : threads;
    s.is_noting = false;
#else
    (void)worth, (void)first, (void)last, (void)step, (void)least, (void)nests;
#endif
    return s;
}

/* The next part that no thread has taken, if there is one. */
static inline bool next_part(struct split *s, int64_t *first, int64_t *last)
{
    const int64_t part = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
    if (part >= s->parts)
        return false;
    *first = s->first + part * s->size * s->step;
    *last = part + 1 < s->parts ? *first + s->size * s->step : s->last;
    return true;
}

/// note_failure: split_loop
/* Keeps the error of the first part that fails, which one thread would have met. */
static inline void note_failure(struct split *s, int64_t first)
{
    while (__atomic_test_and_set(&s->is_noting, __ATOMIC_ACQUIRE))
        ;
    if (first < s->failed) {
        s->failed = first;
        memcpy(s->error, last_error, sizeof last_error);
    }
    __atomic_clear(&s->is_noting, __ATOMIC_RELEASE);
}

/* Whether a part has failed; its error is this thread's then. */
static inline bool has_failed(const struct split *s)
{
    if (s->failed == s->last)
        return false;
    memcpy(last_error, s->error, sizeof last_error);
    return true;
}

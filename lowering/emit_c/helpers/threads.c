/* Loops whose iterations are split among threads, where the system has POSIX threads. */
#include "errors.c"

/// thread_limit
/* Builds with -DRELAX_THREADS=0 are serial, and so are those for systems without POSIX threads. */
#ifndef RELAX_THREADS
#if defined(__unix__) || defined(__APPLE__)
#define RELAX_THREADS 1
#else
#define RELAX_THREADS 0
#endif
#endif

/* The threads of calls before NAME_set_threads and without OMP_NUM_THREADS. */
#ifndef UPPER_THREADS
#define UPPER_THREADS 1
#endif

/* The threads that calls may use; 0 if that is not known yet. */
static int wanted_threads;

/* The number of threads that calls of this model use at most. */
static inline int thread_limit(void)
{
#if RELAX_THREADS
    int count = __atomic_load_n(&wanted_threads, __ATOMIC_RELAXED);
    if (count == 0) {
        const char *const given = getenv("OMP_NUM_THREADS");
        count = given == NULL ? UPPER_THREADS : atoi(given);
        count = count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count;
        __atomic_store_n(&wanted_threads, count, __ATOMIC_RELAXED);
    }
    return count;
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

/* Runs the parts of a loop that no other thread has taken. */
typedef void parts_function(struct split *s, const void *arguments);

/* Whether this thread runs parts: loops inside them are not split. */
static _Thread_local bool is_in_part;

/* Splits a loop if that is `worth` it; one that `nests` others leaves it to them if threads would be idle. */
static inline struct split split_loop(
    bool worth, int64_t first, int64_t last, int64_t step, int64_t least, bool nests)
{
    struct split s;
    s.threads = 1;
    const int threads = worth ? thread_limit() : 1;
    const int64_t trips = (last - first + step - 1) / step;
    if (threads < 2 || trips < 2 * least || is_in_part)
        return s;
    const int64_t rounds = (trips + threads - 1) / threads;
    if (nests && 8 * trips < 7 * rounds * threads)
        return s;
    s.first = first;
    s.last = s.failed = last;
    s.step = step;
    s.size = trips / (4 * threads);
    s.size = s.size < least ? least : s.size < 64 ? s.size : s.size / 64 * 64;
    s.parts = trips / s.size;
    s.next = 0;
    s.threads = s.parts < threads ? (int)s.parts : threads;
    s.is_noting = false;
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

/// run_parts: split_loop
#if RELAX_THREADS
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

/* The threads that help calls of this model. One call at a time has their help. It waits for those that run a part of
   its loop, never for one to come: it runs all parts that no other thread takes. */
struct pool {
    parts_function *run;
    struct split *split;
    const void *arguments;
    uint64_t guests; /* how many may still come; in the low half, how many run parts */
    uint32_t turn;   /* counts loops */
    int threads, sleepers;
    int64_t patience; /* the nanoseconds for which a thread spins before it sleeps */
    bool is_taken, is_ending, knows_forks;
    pthread_mutex_t mutex;
    pthread_cond_t woken;
    pthread_t handles[MOST_THREADS];
};

#define EMPTY_POOL .mutex = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER
static struct pool pool = {EMPTY_POOL};

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Spins, then sleeps, until there is a loop after the one that was `seen` last; its number. */
static uint32_t await_loop(uint32_t seen)
{
    uint32_t turn;
    const int64_t end = nanoseconds() + __atomic_load_n(&pool.patience, __ATOMIC_RELAXED);
    do {
        for (int i = 0; i < 32; ++i) {
            turn = __atomic_load_n(&pool.turn, __ATOMIC_ACQUIRE);
            if (turn != seen)
                return turn;
            pause_briefly();
        }
    } while (nanoseconds() < end);
    pthread_mutex_lock(&pool.mutex);
    __atomic_fetch_add(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
    while ((turn = __atomic_load_n(&pool.turn, __ATOMIC_SEQ_CST)) == seen)
        pthread_cond_wait(&pool.woken, &pool.mutex);
    __atomic_fetch_sub(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&pool.mutex);
    return turn;
}

/* Whether the call that has the pool lets this thread run parts. */
static bool may_help(void)
{
    uint64_t guests = __atomic_load_n(&pool.guests, __ATOMIC_RELAXED);
    while (guests >> 32 != 0) {
        const uint64_t more = guests - ((uint64_t)1 << 32) + 1;
        if (__atomic_compare_exchange_n(
                &pool.guests, &guests, more, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

static void *help(void *turn)
{
    is_in_part = true;
    for (uint32_t seen = (uint32_t)(uintptr_t)turn;;) {
        seen = await_loop(seen);
        if (__atomic_load_n(&pool.is_ending, __ATOMIC_ACQUIRE))
            return NULL;
        if (!may_help())
            continue;
        pool.run(pool.split, pool.arguments);
        __atomic_fetch_sub(&pool.guests, 1, __ATOMIC_RELEASE);
    }
}

/* Lets all threads look at the pool. */
static void announce(void)
{
    __atomic_fetch_add(&pool.turn, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&pool.sleepers, __ATOMIC_SEQ_CST) > 0) {
        pthread_mutex_lock(&pool.mutex);
        pthread_cond_broadcast(&pool.woken);
        pthread_mutex_unlock(&pool.mutex);
    }
}

/* A forked child has none of the threads. */
static void forget_threads(void)
{
    pool = (struct pool){EMPTY_POOL, .knows_forks = true};
}

/* Makes the pool have so many threads, or as many as the system has room for. */
static void add_threads(int count)
{
    if (pool.threads >= count)
        return;
    if (!pool.knows_forks)
        pool.knows_forks = pthread_atfork(NULL, NULL, forget_threads) == 0;
    void *const turn = (void *)(uintptr_t)pool.turn;
    while (pool.threads < count
        && pthread_create(&pool.handles[pool.threads], NULL, help, turn) == 0)
        ++pool.threads;
    const bool has_cores = pool.threads < sysconf(_SC_NPROCESSORS_ONLN);
    __atomic_store_n(&pool.patience, has_cores ? 200000 : 0, __ATOMIC_RELAXED);
}

/* Before the library is closed: its threads run its code. A call in progress keeps them, as the process ends. */
__attribute__((destructor)) static void end_threads(void)
{
    if (pool.threads == 0 || __atomic_test_and_set(&pool.is_taken, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&pool.is_ending, true, __ATOMIC_RELEASE);
    announce();
    while (pool.threads > 0)
        pthread_join(pool.handles[--pool.threads], NULL);
}

/* Runs the parts of a loop on several threads. */
static void run_parts(struct split *s, parts_function *run, const void *arguments)
{
    const bool has_help = !__atomic_test_and_set(&pool.is_taken, __ATOMIC_ACQUIRE);
    if (has_help) {
        add_threads(s->threads - 1);
        pool.run = run;
        pool.split = s;
        pool.arguments = arguments;
        __atomic_store_n(&pool.guests, (uint64_t)(s->threads - 1) << 32, __ATOMIC_RELEASE);
        announce();
    }
    is_in_part = true;
    run(s, arguments);
    is_in_part = false;
    if (!has_help)
        return;
    __atomic_fetch_and(&pool.guests, UINT32_MAX, __ATOMIC_RELAXED);
    for (int i = 0; __atomic_load_n(&pool.guests, __ATOMIC_ACQUIRE) != 0; ++i) {
        if (i < 1000)
            pause_briefly();
        else
            sched_yield();
    }
    __atomic_clear(&pool.is_taken, __ATOMIC_RELEASE);
}
#else
static void run_parts(struct split *s, parts_function *run, const void *arguments)
{
    run(s, arguments);
}
#endif

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

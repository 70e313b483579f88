/* What emitted C takes from OpenMP, made of POSIX threads, which ThreadSanitizer follows: it does not know how
   the threads of gcc's library wait for each other. */
#include <pthread.h>

static _Thread_local int depth;

struct task {
    void (*run)(void *);
    void *data;
};

static void *start(void *own)
{
    const struct task *const task = own;
    ++depth;
    task->run(task->data);
    --depth;
    return NULL;
}

void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags)
{
    struct task task = {run, data};
    pthread_t others[256];
    (void)flags;
    for (unsigned i = 1; i < threads; ++i)
        pthread_create(&others[i], NULL, start, &task);
    start(&task);
    for (unsigned i = 1; i < threads; ++i)
        pthread_join(others[i], NULL);
}

int omp_in_parallel(void)
{
    return depth > 0;
}

int omp_get_max_threads(void)
{
    return 3;
}

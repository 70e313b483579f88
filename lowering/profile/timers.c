/* The timers of kernels, which a profiled model calls before and after each of them. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdint.h>
#include <time.h>

#include "model.h"

#define MOST_TIMERS 65536
#define EXPORTED __attribute__((visibility("default")))

static double began[MOST_TIMERS], seconds[MOST_TIMERS];
static int64_t calls[MOST_TIMERS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int relax_timer_start(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)context, (void)count, (void)result;
    began[*(const int64_t *)args[0]->data] = now();
    return 0;
}

int relax_timer_stop(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    const double time = now();
    const int64_t timer = *(const int64_t *)args[0]->data;
    (void)context, (void)count, (void)result;
    seconds[timer] += time - began[timer];
    calls[timer]++;
    return 0;
}

EXPORTED double relax_timer_seconds(int64_t timer)
{
    return seconds[timer];
}

EXPORTED int64_t relax_timer_calls(int64_t timer)
{
    return calls[timer];
}

EXPORTED void relax_timer_reset(void)
{
    for (int64_t i = 0; i < MOST_TIMERS; i++) {
        seconds[i] = 0.0;
        calls[i] = 0;
    }
}

/* What one core of this machine can do: multiplications with additions in f32, and reads of memory. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORTED __attribute__((visibility("default")))
#define ACCUMULATORS 12
#define ROUNDS 10
#define STEPS 200000

typedef float vector __attribute__((vector_size(LANES * 4)));

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The most operations a second: chains of a * x + y that do not wait for each other. */
EXPORTED double peak_flops(void)
{
    double best = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        vector sums[ACCUMULATORS], x, y;
        memset(sums, 0, sizeof sums);
        for (int i = 0; i < LANES; i++) {
            x[i] = 0.999f;
            y[i] = 0.001f;
        }
        __asm__ volatile("" : "+x"(x), "+x"(y));
        const double began = now();
        for (int64_t step = 0; step < STEPS; step++)
            for (int i = 0; i < ACCUMULATORS; i++)
                sums[i] = sums[i] * x + y;
        const double time = now() - began;
        for (int i = 0; i < ACCUMULATORS; i++)
            __asm__ volatile("" : : "x"(sums[i]));
        const double found = 2.0 * STEPS * ACCUMULATORS * LANES / time;
        best = found > best ? found : best;
    }
    return best;
}

/* The most bytes a second that a sum reads from memory, beyond the caches. */
EXPORTED double peak_bytes(int64_t size)
{
    double best = 0.0;
    vector *data = aligned_alloc(sizeof(vector), (size_t)size);
    if (data == NULL)
        return best;
    memset(data, 0, (size_t)size);
    const int64_t count = size / (int64_t)sizeof(vector);
    for (int round = 0; round < 3; round++) {
        vector sums[4];
        memset(sums, 0, sizeof sums);
        const double began = now();
        for (int64_t i = 0; i + 4 <= count; i += 4)
            for (int k = 0; k < 4; k++)
                sums[k] += data[i + k];
        const double time = now() - began;
        for (int k = 0; k < 4; k++)
            __asm__ volatile("" : : "x"(sums[k]));
        best = (double)size / time > best ? (double)size / time : best;
    }
    free(data);
    return best;
}

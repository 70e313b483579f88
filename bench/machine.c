/* What one core can do: fused multiply-adds of whole vectors, and copying. */
#include <stddef.h>
#include <string.h>

#define API __attribute__((visibility("default")))

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float vector __attribute__((vector_size(LANES * sizeof(float))));

API int lanes(void) { return LANES; }

/* Twelve sums that do not wait for each other: more than the units of any core take in flight. */
enum { SUMS = 12 };

API double multiply_adds(long turns)
{
    const vector x = 0.999f - (vector){0}, y = 0.001f - (vector){0};
    vector a = y, b = a + y, c = b + y, d = c + y, e = d + y, f = e + y;
    vector g = f + y, h = g + y, i = h + y, j = i + y, k = j + y, l = k + y;
    for (long turn = 0; turn < turns; turn++) {
        a = a * x + y; b = b * x + y; c = c * x + y; d = d * x + y; e = e * x + y; f = f * x + y;
        g = g * x + y; h = h * x + y; i = i * x + y; j = j * x + y; k = k * x + y; l = l * x + y;
    }
    vector sum = a + b + c + d + e + f + g + h + i + j + k + l;
    volatile float kept = sum[0] + sum[LANES - 1];
    (void)kept;
    return 2.0 * SUMS * LANES * (double)turns;
}

API void copy(void *target, const void *source, size_t bytes)
{
    memcpy(target, source, bytes);
    __asm__ volatile("" : : "r"(target) : "memory");
}

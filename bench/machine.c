/* What one core can do: fused multiply-adds of whole vectors, products of bytes, and copying. */
#include <stddef.h>
#include <stdint.h>
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

typedef int32_t integers __attribute__((vector_size(LANES * sizeof(int32_t))));

/* Adds four products of bytes to each sum; the instructions are those of `lowering.support.target.INTRINSICS`. */
static inline integers dot4(integers sums, integers a, integers b)
{
#if defined(__x86_64__)
    __asm__ volatile("" : "+v"(a)); /* compilers would take the products of constants out of the loop */
#endif
@DOT4@
    const uint8_t *left = (const uint8_t *)&a;
    const int8_t *right = (const int8_t *)&b;
    for (int k = 0; k < 4 * LANES; k++)
        sums[k / 4] += left[k] * right[k];
    return sums;
}

API double byte_products(long turns)
{
    const integers one = (integers){0} + 1, x = one * 0x01010101, y = one * 0x01ff01ff;
    integers a = one, b = a + one, c = b + one, d = c + one, e = d + one, f = e + one;
    integers g = f + one, h = g + one, i = h + one, j = i + one, k = j + one, l = k + one;
    for (long turn = 0; turn < turns; turn++) {
        a = dot4(a, x, y); b = dot4(b, x, y); c = dot4(c, x, y); d = dot4(d, x, y);
        e = dot4(e, x, y); f = dot4(f, x, y); g = dot4(g, x, y); h = dot4(h, x, y);
        i = dot4(i, x, y); j = dot4(j, x, y); k = dot4(k, x, y); l = dot4(l, x, y);
    }
    integers sum = a + b + c + d + e + f + g + h + i + j + k + l;
    volatile int32_t kept = sum[0] + sum[LANES - 1];
    (void)kept;
    return 2.0 * 4 * SUMS * LANES * (double)turns;
}

API void copy(void *target, const void *source, size_t bytes)
{
    memcpy(target, source, bytes);
    __asm__ volatile("" : : "r"(target) : "memory");
}

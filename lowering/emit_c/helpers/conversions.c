/* Conversions that a cast does not do: of narrow floats, held as their bits, and of floats to integers. */
#include "prelude.h"

float u32_bits_as_f32(uint32_t a);
uint32_t f32_bits_as_u32(float a);

/* FROM and TO are the suffixes of S and T. LEAST and MOST are the bounds of T as numbers of S; LOW and END
   are so, too, but END is not in T. */
typedef float S;
typedef int32_t T;
#define LOW -0x1p31f
#define END 0x1p31f
#define MIN INT32_MIN
#define MAX INT32_MAX
#define LEAST -128.0f
#define MOST 127.0f

/// bits_as
static inline T FROM_bits_as_TO(S a)
{
    T b;
    memcpy(&b, &a, sizeof b);
    return b;
}

/// f16_to_f32
/* Exact; the product puts the exponent right, of subnormals too. */
static inline float f16_to_f32(uint16_t a)
{
    const uint32_t bits = (uint32_t)(int16_t)a << 13 & 0x8fffe000;
    const float number = u32_bits_as_f32(bits) * 0x1p112f;
    return (a & 0x7c00) == 0x7c00 ? u32_bits_as_f32(bits | 0x7f800000) : number;
}

/// f32_to_f16
/* Rounds to nearest, ties to even, by adding what puts the last bit of f16 last. */
static inline uint16_t f32_to_f16(float a)
{
    const uint32_t bits = f32_bits_as_u32(a) & 0x7fffffff, sign = f32_bits_as_u32(a) >> 16 & 0x8000;
    const uint32_t inside = bits < 0x38800000 ? 0x38800000 : bits < 0x47800000 ? bits : 0x47800000;
    const uint32_t adder = (inside & 0x7f800000) + (13 << 23);
    const float small = u32_bits_as_f32(bits < 0x47800000 ? bits : 0x47800000);
    const uint32_t sum = f32_bits_as_u32(small + u32_bits_as_f32(adder));
    const uint32_t number = sum - adder + (adder >> 13) - (126 << 10);
    return (uint16_t)(sign | (bits > 0x7f800000 ? 0x7e00 | (bits >> 13 & 0x3ff) : number));
}

/// bf16_to_f32
/* Exact. */
static inline float bf16_to_f32(uint16_t a)
{
    return u32_bits_as_f32((uint32_t)a << 16);
}

/// f32_to_bf16
/* Rounds to nearest, ties to even. */
static inline uint16_t f32_to_bf16(float a)
{
    const uint32_t bits = f32_bits_as_u32(a);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
}

/// f64_to_f16: f32_to_f16
/* Rounds once: what f32 cannot hold is odd there, so no tie arises that was none. */
static inline uint16_t f64_to_f16(double a)
{
    const float near = (float)a;
    const uint32_t bits = f32_bits_as_u32(near), over = a < 0 ? near < a : near > a;
    return f32_to_f16(u32_bits_as_f32((double)near != a ? (bits - over) | 1 : bits));
}

/// f16_row_to_f32
/* Converts a row; gcc does not vectorise what the machine has for it. */
static inline void f16_row_to_f32(const uint16_t *from, float *to, int64_t count)
{
    int64_t i = 0;
#if defined(__F16C__) && defined(__GNUC__) && !defined(__clang__)
    typedef short halves __attribute__((vector_size(16)));
    typedef float floats __attribute__((vector_size(32)));
    for (; i + 8 <= count; i += 8) {
        halves a;
        memcpy(&a, from + i, sizeof a);
        const floats b = __builtin_ia32_vcvtph2ps256(a);
        memcpy(to + i, &b, sizeof b);
    }
#endif
    for (; i < count; ++i)
        to[i] = f16_to_f32(from[i]);
}

/// f32_row_to_f16
/* Converts a row; gcc does not vectorise what the machine has for it. */
static inline void f32_row_to_f16(const float *from, uint16_t *to, int64_t count)
{
    int64_t i = 0;
#if defined(__F16C__) && defined(__GNUC__) && !defined(__clang__)
    typedef short halves __attribute__((vector_size(16)));
    typedef float floats __attribute__((vector_size(32)));
    for (; i + 8 <= count; i += 8) {
        floats a;
        memcpy(&a, from + i, sizeof a);
        const halves b = __builtin_ia32_vcvtps2ph256(a, 0);
        memcpy(to + i, &b, sizeof b);
    }
#endif
    for (; i < count; ++i)
        to[i] = f32_to_f16(from[i]);
}

/// saturated
/* Truncates; the nearest number of the type beyond its range, 0 for NaN. */
static inline T FROM_to_TO(S a)
{
    const S inside = a >= LOW && a < END ? a : 0;
    return a >= END ? MAX : a < LOW ? MIN : (T)inside;
}

///
#define FROM_to_TO FROM_clamped_to_TO

/// clamped
/* Truncates; the nearest number of the type beyond its range, 0 for NaN. */
static inline T FROM_to_TO(S a)
{
    const S above = a > LEAST ? a : LEAST;
    const int32_t inside = (int32_t)(above < MOST ? above : MOST);
    return (T)(a != a ? 0 : inside);
}

#include "prelude.h"

/* Helpers on one type T, whose unsigned twin is U. Names end in the SUFFIX of T. */
typedef int64_t T;
typedef uint64_t U;
#define BITS 64

/// add
/* Wraps on overflow. */
static inline T add_SUFFIX(T a, T b)
{
    return (T)((U)a + (U)b);
}

/// sub
/* Wraps on overflow. */
static inline T sub_SUFFIX(T a, T b)
{
    return (T)((U)a - (U)b);
}

/// mul
/* Wraps on overflow. */
static inline T mul_SUFFIX(T a, T b)
{
    return (T)((U)a * (U)b);
}

/// floordiv
/* Rounds towards minus infinity. */
static inline T floordiv_SUFFIX(T a, T b)
{
    return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

/// ceildiv
/* Rounds towards plus infinity. */
static inline T ceildiv_SUFFIX(T a, T b)
{
    return (T)(a / b + (a % b != 0 && (a < 0) == (b < 0)));
}

/// ceildivu
/* Rounds up. */
static inline T ceildivu_SUFFIX(T a, T b)
{
    return (T)(a / b + (a % b != 0));
}

/// safe_div
/* Wraps on overflow; 0 for b = 0. */
static inline T safe_div_SUFFIX(T a, T b)
{
    if (b == 0 || b == -1)
        return b == 0 ? 0 : (T)(0 - (U)a);
    return (T)(a / b);
}

/// safe_rem
/* Has the sign of a; 0 for b = 0. */
static inline T safe_rem_SUFFIX(T a, T b)
{
    if (b == 0 || b == -1)
        return 0;
    return (T)(a % b);
}

/// safe_floordiv
/* Rounds towards minus infinity; 0 for b = 0. */
static inline T safe_floordiv_SUFFIX(T a, T b)
{
    if (b == 0 || b == -1)
        return b == 0 ? 0 : (T)(0 - (U)a);
    return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

/// safe_ceildiv
/* Rounds towards plus infinity; 0 for b = 0. */
static inline T safe_ceildiv_SUFFIX(T a, T b)
{
    if (b == 0 || b == -1)
        return b == 0 ? 0 : (T)(0 - (U)a);
    return (T)(a / b + (a % b != 0 && (a < 0) == (b < 0)));
}

/// safe_divu
/* Divides; 0 for b = 0. */
static inline T safe_divu_SUFFIX(T a, T b)
{
    return (T)(b == 0 ? 0 : a / b);
}

/// safe_remu
/* The rest of a division; 0 for b = 0. */
static inline T safe_remu_SUFFIX(T a, T b)
{
    return (T)(b == 0 ? 0 : a % b);
}

/// safe_ceildivu
/* Rounds up; 0 for b = 0. */
static inline T safe_ceildivu_SUFFIX(T a, T b)
{
    return (T)(b == 0 ? 0 : a / b + (a % b != 0));
}

/// safe_shl
/* 0 for b out of range. */
static inline T safe_shl_SUFFIX(T a, T b)
{
    return (T)((U)b < BITS ? (U)a << b : 0);
}

/// safe_shru
/* 0 for b out of range. */
static inline T safe_shru_SUFFIX(T a, T b)
{
    return (T)(b < BITS ? a >> b : 0);
}

/// safe_shr
/* The sign for b out of range. */
static inline T safe_shr_SUFFIX(T a, T b)
{
    return (T)(a >> ((U)b < BITS ? b : BITS - 1));
}

/// popcount
/* The number of ones. */
static inline T popcount_SUFFIX(T a)
{
    return (T)__builtin_popcountll((U)a);
}

/// clz
/* The number of leading zeros. */
static inline T clz_SUFFIX(T a)
{
    return (T)(a == 0 ? BITS : __builtin_clzll((U)a) - (64 - BITS));
}

/// ctz
/* The number of trailing zeros. */
static inline T ctz_SUFFIX(T a)
{
    return (T)(a == 0 ? BITS : __builtin_ctzll((U)a));
}

/// max
static inline T max_SUFFIX(T a, T b)
{
    return a > b ? a : b;
}

/// min
static inline T min_SUFFIX(T a, T b)
{
    return a < b ? a : b;
}

/// abs
/* Wraps on overflow. */
static inline T abs_SUFFIX(T a)
{
    return a < 0 ? (T)(0 - (U)a) : a;
}

/// ipow
/* By squaring; wraps on overflow. */
static inline T ipow_SUFFIX(T a, T b)
{
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (T)(b % 2 == 0 ? 1 : -1) : 0;
    U result = 1;
    for (U base = (U)a; b > 0; b = (T)(b / 2), base = (U)(base * base))
        if (b % 2 == 1)
            result = (U)(result * base);
    return (T)result;
}

///
#define T double /* NaN differs from itself */

/// maximum
/* NaN if either is. */
static inline T maximum_SUFFIX(T a, T b)
{
    T const larger = a < b ? b : a;
    return b != b ? b : larger;
}

/// minimum
/* NaN if either is. */
static inline T minimum_SUFFIX(T a, T b)
{
    T const smaller = a > b ? b : a;
    return b != b ? b : smaller;
}

/// maxnum
/* The other if one is NaN. */
static inline T maxnum_SUFFIX(T a, T b)
{
    return a > b || b != b ? a : b;
}

/// minnum
/* The other if one is NaN. */
static inline T minnum_SUFFIX(T a, T b)
{
    return a < b || b != b ? a : b;
}

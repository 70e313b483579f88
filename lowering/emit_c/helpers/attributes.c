/* Attributes that compilers spell in different ways, as macros. */
#include "prelude.h"

/// KEEP_BRANCHES
/* gcc 12 loads from wrong places where it masks a branch in a loop of two turns. */
#if defined(__GNUC__) && !defined(__clang__)
#define KEEP_BRANCHES __attribute__((optimize("no-tree-loop-if-convert")))
#else
#define KEEP_BRANCHES
#endif

/// NOINLINE
#if defined(__GNUC__) && !defined(__clang__)
#define NOINLINE __attribute__((noipa))
#else
#define NOINLINE __attribute__((noinline))
#endif

/// PREFETCH
#if defined(__GNUC__)
#define PREFETCH(place, is_write, locality) __builtin_prefetch(place, is_write, locality)
#else
#define PREFETCH(place, is_write, locality) ((void)0)
#endif

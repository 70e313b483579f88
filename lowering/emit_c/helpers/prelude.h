/* Lets compilers and editors read each file of this folder alone; nothing of it is emitted. */
#ifndef PRELUDE_H
#define PRELUDE_H

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Examples of the names that emission fills in. */
#define ABI_NUMBER 2
#define ARENA_SIZE 4096
#define ASKED {"avx2", 0x7, 0, 1, 5, 0x6},
#define BUILT_FOR "x86-64-v3"
#define BYTES char
#define DIGEST "0123456789abcdef"
#define EXPECTED "expected one of add"
#define FORMAT_VERSION 1
#define MACRO __AVX2__
#define MAX_EXTENT 281474976710656
#define MAX_SUM 4611686018427387903
#define MESSAGE "expected a CPU with %s"
#define MOST_THREADS 256
#define RECURSION_LIMIT 1000
#define SET_POINTERS
#define SIZES int64_t n
#define SLACK 63
#define SMALL_FACTOR 4096
#define UPPER_THREADS 1
#define WEIGHTS_CHECKSUM 0x0123456789abcdefu
#define WEIGHTS_MAGIC "WEIGHTS!"
#define WEIGHTS_SIZE 64u

#include "model.h"

#endif

"""Random calls of an entry point from C, under sanitizers: a right one is computed, a wrong one is refused.

The driver makes tensors with one fault or none, in memory of just their size, and knows what must come:
a result that it computes itself, or an error that leaves the results as they were.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from sanitizers import FLAGS, STRICT

import lowering
from relax_dialect.parsing import parse

from .cases import Fault

PROGRAM = """
relax.func @f(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[m], f32>)
    -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>> {
  %a = relax.add %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
  %b = relax.negative %y : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %t = relax.tuple %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>>
  relax.return %t : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>>
}
"""

DRIVER = r"""
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static unsigned below(unsigned bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % bound;
}

/* A tensor with its own memory, as large as its elements and no larger. */
struct held {
    DLTensor t;
    int64_t shape[4], strides[4];
    void *memory;
};

static void make(struct held *h, int rank, int64_t rows, int64_t columns)
{
    memset(h, 0, sizeof *h);
    h->t.device.device_type = kDLCPU;
    h->t.dtype.code = kDLFloat;
    h->t.dtype.bits = 32;
    h->t.dtype.lanes = 1;
    h->t.ndim = rank;
    h->shape[0] = rank == 2 ? rows : columns;
    h->shape[1] = columns;
    h->t.shape = h->shape;
    int64_t count = rank == 2 ? rows * columns : columns;
    size_t offset = below(4) == 0 ? 4 * below(5) : 0;
    h->memory = malloc(offset + 4 * (size_t)count + (count == 0));
    h->t.byte_offset = offset;
    h->t.data = h->memory;
    float *data = (float *)((char *)h->memory + offset);
    for (int64_t i = 0; i < count; i++)
        data[i] = (float)(int)below(2001) - 1000.0f;
    if (below(2)) { /* strides of a contiguous tensor; that of a size of 1 or 0 may be any */
        h->strides[1] = columns == 1 && below(2) ? 77 : 1;
        h->strides[0] = rank == 2 ? (rows == 1 && below(2) ? -5 : columns) : h->strides[1];
        h->t.strides = h->strides;
    }
}

static float at(const DLTensor *t, int64_t i)
{
    return ((const float *)((const char *)t->data + t->byte_offset))[i];
}

/* Makes one thing wrong; 0 where the tensor at hand has no such thing. */
static int damage(struct held *h, int64_t count)
{
    switch (below(13)) {
    case 0: h->t.dtype.code = (uint8_t)(below(2) ? kDLInt : kDLBfloat); return 1;
    case 1: h->t.dtype.bits = (uint8_t)(below(2) ? 64 : 16); return 1;
    case 2: h->t.dtype.lanes = (uint16_t)(below(2) ? 4 : 0); return 1;
    case 3: h->t.ndim += below(2) ? 1 : -1; return 1;
    case 4: h->t.ndim = below(2) ? -1 : 0; return 1;
    case 5: h->t.shape = NULL; return 1;
    case 6: h->t.device.device_type = (DLDeviceType)2; return 1;
    case 7: h->shape[0] = -1 - (int64_t)below(3); return 1;
    case 8: h->shape[h->t.ndim - 1] = INT64_MAX - below(3); return 1;
    case 9: if (count == 0) return 0; h->t.data = NULL; h->t.byte_offset = 0; return 1;
    case 10: if (count == 0) return 0; h->t.byte_offset += 1 + below(3); return 1;
    case 11:
        if (h->t.ndim != 2 || h->shape[0] < 2 || h->shape[1] < 2) return 0;
        h->strides[0] = 1, h->strides[1] = h->shape[0], h->t.strides = h->strides;
        return h->shape[0] != 1;
    default:
        if (h->shape[0] < 2 || count == 0) return 0;
        h->strides[0] = below(2) ? 0 : -h->shape[1], h->strides[1] = 1, h->t.strides = h->strides;
        return 1;
    }
}

static int fail(const char *what, unsigned long number)
{
    printf("call %lu: %s; the last error: %s\n", number, what, model_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, accepted = 0;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    for (unsigned long number = 0; number < calls; number++) {
        struct held x, y, a, b;
        int64_t n = below(5), m = below(4);
        make(&x, 2, n, m);
        make(&y, 1, 0, m);
        int given = (int)below(4); /* which results have memory of the caller's */
        make(&a, 2, n, m);
        make(&b, 1, 0, m);
        DLTensor fresh = {0}, *results[2] = {given & 1 ? &a.t : &fresh, NULL};
        DLTensor other = {0};
        results[1] = given & 2 ? &b.t : &other;
        int wrong = 0;
        if (below(2)) {
            struct held *all[4] = {&x, &y, &a, &b};
            int which = (int)below(2 + (given != 0));
            struct held *h = all[which < 2 ? which : given & 1 ? 2 : 3];
            wrong = h == &x || h == &a ? damage(h, n * m) : damage(h, m);
            if (which == 2 && h->t.data == NULL)
                wrong = 0, h->t = (DLTensor){0}; /* a result without memory is to be allocated */
        }
        int status = model_f(&x.t, &y.t, results[0], results[1]);
        if (wrong != (status != 0))
            return fail(wrong ? "a wrong call is accepted" : "a right call is refused", number);
        if (status != 0 && (fresh.data != NULL || other.data != NULL))
            return fail("an error leaks memory", number);
        if (status != 0 && strlen(model_last_error()) < 10)
            return fail("an error says nothing", number);
        if (status == 0) {
            for (int64_t i = 0; i < n * m; i++)
                if (at(results[0], i) != at(&x.t, i) + at(&y.t, i % m))
                    return fail("a wrong element", number);
            for (int64_t i = 0; i < m; i++)
                if (at(results[1], i) != -at(&y.t, i))
                    return fail("a wrong element", number);
            accepted++;
            for (int i = 0; i < 2; i++)
                if (results[i]->data != a.memory && results[i]->data != b.memory)
                    model_release(results[i]);
        }
        free(x.memory), free(y.memory), free(a.memory), free(b.memory);
    }
    printf("%lu\n", accepted);
    return 0;
}
"""


@cache
def driver(cc: str = "gcc") -> Path:
    """The driver, built with sanitizers; it takes a seed and a number of calls."""
    folder = Path(tempfile.mkdtemp(prefix="relax-fuzz-"))
    lowering.to_c(parse(PROGRAM)).write(folder)
    (folder / "driver.c").write_text(DRIVER)
    command = [cc, *STRICT, *FLAGS, "model.c", "driver.c", "-o", "driver", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "driver"


def batch(rng: random.Random, count: int) -> int:
    """Make calls; how many of them were right. Raises `Fault`."""
    cc = rng.choice([c for c in ("gcc", "clang") if shutil.which(c)])
    seed = rng.getrandbits(63)
    command = [str(driver(cc)), str(seed), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        raise Fault(f"{cc}, seed {seed}: {done.stdout}{done.stderr[:3000]}", PROGRAM)
    return int(done.stdout)

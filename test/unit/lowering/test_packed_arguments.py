"""Literals among the arguments of functions from outside, several results, and arguments that are written."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import run_sanitized

import lowering
from lowering.driver import to_c
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import register_packed, run
from relax_dialect.ir.types import DeviceAttr, TensorType
from relax_dialect.ops.calls import CallPackedOp
from relax_dialect.parsing import parse

V = "!relax.tensor<[n], f32>"
W = "!relax.tensor<[n + 1], i64>"

PROGRAM = f"""
relax.func @see(%x: {V}) -> !relax.object {{
  %u = relax.call_packed "see"("a \\"text\\" ?", %x, bf16, 5 : i32, #relax.device<cuda, 1>, 2.5, true) : ({V}) -> !relax.object
  relax.return %u : !relax.object
}}
relax.func @two(%x: {V}) -> tuple<{V}, {W}, {V}, {W}> {{
  %a, %b = relax.call_dps_packed "two"(%x, "k") : ({V}) -> ({V}, {W})
  %t = relax.call_dps_packed "two"(%x, "l") : ({V}) -> tuple<{V}, {W}>
  %c = relax.tuple_get_item %t {{index = 0 : i64}} : (tuple<{V}, {W}>) -> {V}
  %d = relax.tuple_get_item %t {{index = 1 : i64}} : (tuple<{V}, {W}>) -> {W}
  %r = relax.tuple %a, %b, %c, %d : ({V}, {W}, {V}, {W}) -> tuple<{V}, {W}, {V}, {W}>
  relax.return %r : tuple<{V}, {W}, {V}, {W}>
}}
relax.func @update(%x: {V}, %o: !relax.object) -> tuple<{V}, !relax.shape<[?]>, !relax.object, {V}> {{
  %a, %s, %p = relax.call_inplace_packed "update"(%o, "by", %x)
    {{inplace_indices = array<i64: 2, -1, -1>}} : (!relax.object, {V}) -> ({V}, !relax.shape<[?]>, !relax.object)
  %b = relax.call_inplace_packed "double"(%x) {{inplace_indices = array<i64: 0>}} : ({V}) -> {V}
  %c = relax.call_inplace_packed "double"(%b) {{inplace_indices = array<i64: 0>}} : ({V}) -> {V}
  %r = relax.tuple %a, %s, %p, %c : ({V}, !relax.shape<[?]>, !relax.object, {V}) -> tuple<{V}, !relax.shape<[?]>, !relax.object, {V}>
  relax.return %r : tuple<{V}, !relax.shape<[?]>, !relax.object, {V}>
}}
"""

X = np.array([1, 2, 3], np.float32)


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    """The program compiled, and one whose functions are interpreted."""
    module = parse(PROGRAM)

    class Interpreted:
        def __getattr__(self, name: str) -> Any:
            return lambda *args: run(module, name, *args)

    return lowering.compile(module, extra_flags=["-O0"]), Interpreted()


def test_literals_arrive_as_python_has_them(both: tuple[Any, Any]):
    for model in both:
        seen: list[Any] = []
        register_packed("see", lambda *args: seen.append(copy.deepcopy(args)))  # noqa: B023
        model.see(X)
        text, x, dtype, number, device, real, flag = seen[0]
        assert (text, dtype.name, number, device, real, flag) == (
            'a "text" ?', "bfloat16", 5, (2, 1), 2.5, True,
        )  # fmt: skip
        assert (number.dtype, real.dtype) == (np.int32, np.float64)
        assert x.shape == (3,)


def two(x: Any, name: str, first: Any, second: Any) -> None:
    first[...] = 2 * x
    second[...] = ord(name)


def test_several_results_and_tuples_are_written(both: tuple[Any, Any]):
    register_packed("two", two)
    for model in both:
        a, b, c, d = model.two(X)
        for vector, other, number in ((a, b, ord("k")), (c, d, ord("l"))):
            np.testing.assert_array_equal(vector, 2 * X)
            np.testing.assert_array_equal(other, [number] * 4)


def update(o: Any, by: str, x: Any) -> Any:
    x += len(by)
    return x, (7,), o


def double(x: Any) -> None:
    x *= 2


def test_arguments_are_written_and_values_never_change(both: tuple[Any, Any]):
    register_packed("update", update)
    register_packed("double", double)
    thing = object()
    for model in both:
        x = X.copy()
        a, shape, o, c = model.update(x, thing)
        np.testing.assert_array_equal(a, X + 2)
        np.testing.assert_array_equal(c, 4 * X)
        np.testing.assert_array_equal(x, X)
        assert shape == (7,)
        assert o is thing
    # %x is copied twice, %b is overwritten
    lowered = str(lowering.lower(parse(PROGRAM)))
    assert lowered[lowered.index("@update") :].split("func.return")[0].count("memref.copy") == 2


@pytest.mark.parametrize(
    ("name", "function", "message"),
    [
        ("double", lambda x: x * 2, "expected argument 0, which it writes, as result 0, found another"),
        ("update", lambda o, by, x: None, "expected 3 results, as a tuple, found a Python NoneType"),
        ("update", lambda o, by, x: (None, 5, o), "result.*: expected a shape, as a tuple of ints"),
    ],
)  # fmt: skip
def test_wrong_results_are_told(name: str, function: Any, message: str, both: tuple[Any, Any]):
    register_packed("update", update)
    register_packed("double", double)
    register_packed(name, function)
    for model in both:
        with pytest.raises(RelaxError, match=message):
            model.update(X, None)


def test_the_builder_takes_literals():
    builder = BlockBuilder()
    x = TensorType(["n"], "float32")
    with builder.function("main", [("x", x)]) as (value,):
        given = [value, "text", 1, 2.5, True, DeviceAttr("cpu")]
        builder.emit_func_output(builder.emit(op.call_packed("see", given, x)))
    text = '"see"(%x, "text", 1 : i64, 2.500000e+00 : f64, true, #relax.device<cpu, 0>)'
    assert text in str(builder.get())
    with pytest.raises(
        RelaxError, match=r"numbers and devices as arguments .*, found a Python list"
    ):
        CallPackedOp("see", [[1]], x)  # pyright: ignore


DRIVER = r"""
#include <stdio.h>
#include <string.h>
#include "model.h"

static int see(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)context;
    (void)result;
    printf("%d %s %d %d %d %d %d\n", count, (const char *)args[0]->data, (int)args[0]->shape[0],
        args[2]->dtype.code, args[2]->dtype.bits, (int)args[4]->device.device_type,
        (int)args[4]->device.device_id);
    printf("%d %g %d\n", *(const int32_t *)args[3]->data, *(const double *)args[5]->data,
        *(const bool *)args[6]->data);
    return 0;
}

static int two(void *context, const DLTensor *const *args, int count, DLTensor *results)
{
    (void)context;
    (void)count;
    for (int64_t i = 0; i < results[0].shape[0]; ++i)
        ((float *)results[0].data)[i] = 2 * ((const float *)args[0]->data)[i];
    for (int64_t i = 0; i < results[1].shape[0]; ++i)
        ((int64_t *)results[1].data)[i] = *(const char *)args[1]->data;
    return 0;
}

static int64_t seven = 7, one = 1;
static int fails;

static int update(void *context, const DLTensor *const *args, int count, DLTensor *results)
{
    (void)context;
    (void)count;
    for (int64_t i = 0; i < args[2]->shape[0]; ++i)
        ((float *)results[0].data)[i] += (float)args[1]->shape[0];
    if (!fails) {
        results[1].data = &seven;
        results[1].ndim = 1;
        results[1].dtype = (DLDataType){kDLInt, 64, 1};
        results[1].shape = &one;
    }
    *(relax_object *)results[2].data = model_object_retain(*(relax_object *)args[0]->data);
    return 0;
}

static int twice(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)context;
    (void)args;
    (void)count;
    for (int64_t i = 0; i < result->shape[0]; ++i)
        ((float *)result->data)[i] *= 2;
    return 0;
}

int main(void)
{
    float x[] = {1, 2, 3};
    int64_t three = 3;
    const DLTensor t = {.data = x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &three};
    DLTensor a = {0}, b = {0}, c = {0}, d = {0};
    relax_object o = NULL, p = model_object_new(NULL, NULL);
    int64_t size = 0;
    model_register("see", see, NULL);
    model_register("two", two, NULL);
    model_register("update", update, NULL);
    model_register("double", twice, NULL);
    printf("%d\n", model_see(&t, &o));
    printf("%d\n", model_two(&t, &a, &b, &c, &d));
    printf("%g %d %g %d\n", ((float *)a.data)[2], (int)((int64_t *)b.data)[3], ((float *)c.data)[0],
        (int)((int64_t *)d.data)[0]);
    model_release(&a);
    model_release(&b);
    model_release(&c);
    model_release(&d);
    printf("%d\n", model_update(&t, p, &a, &size, &o, &d));
    printf("%g %d %d %g %g\n", ((float *)a.data)[2], (int)size, o == p, ((float *)d.data)[2], x[2]);
    model_release(&a);
    model_release(&d);
    model_object_release(o);
    fails = 1;
    if (model_update(&t, p, &a, &size, &o, &d) != 0)
        printf("%s\n", model_last_error());
    model_object_release(p);
    return 0;
}
"""

PRINTED = """7 a "text" ? 10 4 16 2 1
5 2.5 1
0
0
6 107 2 108
0
5 7 1 12 3
packed function 'update': result, field 0: expected a tensor, found none: the function must fill it in
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_functions_in_c(cc: str, tmp_path: Path):
    to_c(parse(PROGRAM), "model").write(tmp_path)
    assert run_sanitized(cc, tmp_path, DRIVER) == PRINTED

"""Results whose rank only a call determines: from branches of several ranks to the caller's `DLTensor`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import run_sanitized

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect import RelaxError, interpret, parse

B = "!relax.tensor<[], i1>"
TYPES = {"f32": np.float32, "i64": np.int64, "i1": np.bool_, "bf16": ml_dtypes.bfloat16}
SIZES = [(0, 2), (2, 0), (1, 1), (3, 2)]


def t(dims: str, dtype: str = "f32") -> str:
    return f"!relax.tensor<{dims if dims == '*' else f'[{dims}]'}, {dtype}>"


def flat_or_not(name: str, dtype: str = "f32") -> str:
    """`%r`: x as a vector if the condition holds, else x."""
    return f"""
  %{name} = relax.if %c : ({B}) -> {t("*", dtype)} {{
    %s = relax.flatten %x : ({t("n, m", dtype)}) -> {t("n * m", dtype)}
    relax.yield %s : {t("n * m", dtype)}
  }} else {{
    relax.yield %x : {t("n, m", dtype)}
  }}"""


def function(
    name: str, body: str, value: str, result: str = t("*"), more: str = "", returned: str = ""
) -> str:
    params, returned = f"%c: {B}, %x: {t('n, m')}{more}", returned or result
    return f"relax.func {name}({params}) -> {result} {{{body}\n  relax.return %{value} : {returned}\n}}\n"


PICK = f"\n  %p = relax.call @picked(%c, %x) : ({B}, {t('n, m')}) -> {t('*')}"
PAIR = f"tuple<{t('*')}, {t('*')}>"
TRIPLE = f"tuple<{t('*')}, {t('n, m')}, {t('*')}>"
PROGRAM = "".join(
    [
        *(
            f"relax.func @of_{d}(%c: {B}, %x: {t('n, m', d)}) -> {t('*', d)} {{{flat_or_not('r', d)}\n"
            f"  relax.return %r : {t('*', d)}\n}}\n"
            for d in TYPES
        ),
        function("private @picked", flat_or_not("r"), "r"),
        function(
            "@nested",
            f"""{PICK}
  %r = relax.if %d : ({B}) -> {t("*")} {{
    relax.yield %p : {t("*")}
  }} else {{
    %s = relax.max %x : ({t("n, m")}) -> {t("")}
    relax.yield %s : {t("")}
  }}
  %t = relax.tuple %r, %p : ({t("*")}, {t("*")}) -> {PAIR}""",
            "t",
            PAIR,
            f", %d: {B}",
        ),
        function(
            "@shared",
            f"""
  %e = relax.abs %x : ({t("n, m")}) -> {t("n, m")}
  %w = relax.match_cast %e : {t("n, m")} -> {t("*")}
  %t = relax.tuple %w, %e, %w : ({t("*")}, {t("n, m")}, {t("*")}) -> {TRIPLE}""",
            "t",
            TRIPLE,
        ),
        function(
            "@cast",
            f"""{PICK}
  %y = relax.match_cast %p : {t("*")} -> {t("k")}
  %z = relax.negative %y : ({t("k")}) -> {t("k")}""",
            "z",
            t("?"),
            returned=t("k"),
        ),
        f"""relax.func private @vector(%v: {t("k")}) -> {t("k")} {{
  %z = relax.negative %v : ({t("k")}) -> {t("k")}
  relax.return %z : {t("k")}
}}
""",
        function(
            "@argument",
            f"{PICK}\n  %y = relax.call @vector(%p) : ({t('*')}) -> {t('?')}",
            "y",
            t("?"),
        ),
    ]
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CompiledModule]:
    """The program, loaded from its artifact."""
    folder = tmp_path_factory.mktemp("ranks")
    lowering.compile(parse(PROGRAM), "ranks", directory=folder, extra_flags=("-O0",)).close()
    with lowering.load(folder / "ranks") as loaded:
        yield loaded


def array(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 5 - 2).reshape(shape).astype(dtype)


def outcome(call: Any) -> Any:
    try:
        found = call()
    except RelaxError as error:
        return str(error)
    return [
        (v.dtype, v.shape, v.tolist()) for v in (found if isinstance(found, tuple) else [found])
    ]


@pytest.mark.parametrize("shape", SIZES)
def test_as_interpreted(model: CompiledModule, shape: tuple[int, ...]):
    program = parse(PROGRAM)
    calls = [(f"of_{d}", array(shape, dtype)) for d, dtype in TYPES.items()]
    calls += [("shared", array(shape))] + [("nested", array(shape))] * (0 not in shape)
    for name, x in calls:
        for more in ([np.array(True)], [np.array(False)]) if name == "nested" else ([],):
            for c in (True, False):
                args = [np.array(c), x, *more]
                expected = outcome(lambda name=name, args=args: interpret.run(program, name, *args))
                assert outcome(lambda name=name, args=args: model[name](*args)) == expected
                assert not isinstance(expected, str), expected
    for name in ("cast", "argument"):
        assert (
            model[name](np.array(True), array(shape)).tolist() == (-array(shape).ravel()).tolist()
        )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cast", "@cast: relax.match_cast (%y): expected 1 dimensions, [k], found 2"),
        ("argument", "@vector: argument 'v': expected 1 dimensions, [k], found 2"),
    ],
)
def test_another_rank_than_its_users_take(model: CompiledModule, name: str, message: str):
    args = [np.array(False), array((3, 2))]
    assert outcome(lambda: model[name](*args)) == message
    assert outcome(lambda: interpret.run(parse(PROGRAM), name, *args)) == f"{message}, [3, 2]"


def test_from_python(model: CompiledModule):
    """`out` has the rank of the result, and the manifest says that there is none to know."""
    c, x, place = np.array(True), array((3, 2)), np.zeros(6, np.float32)
    assert model.of_f32(c, x, out=place) is place and place.tolist() == x.ravel().tolist()
    with pytest.raises(RelaxError, match="shape"):
        model.of_f32(c, x, out=np.zeros((3, 2), np.float32))
    assert repr(model.of_f32).endswith("-> !relax.tensor<*, f32>>")
    assert [str(r) for r in model.of_f32.entry.results] == ["[*] float32"]


DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include "model.h"
@READY@
/* A call that prints its result, to be allocated if the rank is below -9; else written to d0 x d1 elements. */
#define CALL(NAME, CODE, BITS, TYPE)                                                               \
    static void call_##NAME(bool c, int64_t n, int64_t m, int rank, int64_t d0, int64_t d1)        \
    {                                                                                              \
        const DLDataType dtype = {CODE, BITS, 1}, boolean = {kDLBool, 8, 1};                       \
        int64_t shape[] = {n, m}, sizes[] = {d0, d1};                                              \
        TYPE *data = malloc((size_t)(n * m + 1) * sizeof(TYPE));                                   \
        TYPE *place = malloc((size_t)(d0 * d1 + 1) * sizeof(TYPE));                                \
        for (int64_t i = 0; i < n * m; i++)                                                        \
            data[i] = (TYPE)(i % 2);                                                               \
        for (int64_t i = 0; i < d0 * d1; i++)                                                      \
            place[i] = 1;                                                                          \
        const DLTensor flag = {&c, {kDLCPU, 0}, 0, boolean, NULL, NULL, 0};                        \
        const DLTensor x = {data, {kDLCPU, 0}, 2, dtype, shape, NULL, 0};                          \
        DLTensor out = {0};                                                                        \
        if (rank >= -9)                                                                            \
            out = (DLTensor){place, {kDLCPU, 0}, rank, dtype, sizes, NULL, 0};                     \
        READY                                                                                      \
        if (model_##NAME(&flag, &x, &out) != 0) {                                                  \
            printf("%s;", model_last_error());                                                     \
            for (int64_t i = 0; i < d0 * d1; i++)                                                  \
                printf("%s", place[i] == 1 ? "" : " touched");                                     \
            puts(out.data == (rank < -9 ? NULL : (void *)place) ? "" : " touched");                \
        } else {                                                                                   \
            printf("%d:", (int)out.ndim);                                                          \
            for (int i = 0; i < out.ndim; i++)                                                     \
                printf(" %lld", (long long)out.shape[i]);                                          \
            printf(" |");                                                                          \
            for (int64_t i = 0; i < n * m; i++)                                                    \
                printf(" %d", (int)((TYPE *)out.data)[i]);                                         \
            puts("");                                                                              \
            if (rank < -9)                                                                         \
                model_release(&out);                                                               \
        }                                                                                          \
        free(data);                                                                                \
        free(place);                                                                               \
    }

CALL(of_f32, kDLFloat, 32, float)
CALL(of_i64, kDLInt, 64, int64_t)
CALL(of_i1, kDLBool, 8, uint8_t)

int main(void)
{
@CALLS@
    return 0;
}
"""
ARENA = """
static char arena[4096];
#define READY model_use_arena(arena, model_arena_size(n, m));
"""
NEW = -10


def c_calls() -> Iterator[tuple[str, str]]:
    """Calls in C, and the lines that they print."""
    for name in ("of_f32", "of_i64", "of_i1"):
        for n, m in SIZES:
            numbers = "".join(f" {i % 2}" for i in range(n * m))
            for rank, flat, full in ((NEW, (0, 0), (0, 0)), (None, (n * m, 1), (n, m))):
                flat_rank, full_rank = (rank, rank) if rank is not None else (1, 2)
                yield _call(name, True, n, m, flat_rank, *flat), f"1: {n * m} |{numbers}"
                yield _call(name, False, n, m, full_rank, *full), f"2: {n} {m} |{numbers}"
        wrong = f"@{name}: result: expected"
        yield _call(name, True, 3, 2, 2, 3, 2), f"{wrong} 1 dimensions, [6], found 2, [3, 2];"
        yield _call(name, False, 3, 2, 1, 6, 1), f"{wrong} 2 dimensions, [3, 2], found 1, [6];"
        yield _call(name, False, 3, 2, 0, 6, 1), f"{wrong} 2 dimensions, [3, 2], found 0, [];"
        yield _call(name, False, 3, 2, -1, 6, 1), f"{wrong} 2 dimensions, [3, 2], found -1, [];"
        yield _call(name, True, 3, 2, 1, 5, 1), f"{wrong} size 6 in dimension 0, found 5;"
        yield _call(name, False, 3, 2, 2, 3, 1), f"{wrong} size 2 in dimension 1, found 1;"


def _call(name: str, c: bool, *numbers: int) -> str:
    return f"call_{name}({str(c).lower()}, {', '.join(map(str, numbers))});"


@pytest.mark.slow
@pytest.mark.parametrize("arena", [False, True])
@pytest.mark.parametrize("cc", SANITIZED)
def test_from_c(tmp_path: Path, cc: str, arena: bool):
    """Under sanitizers, with memory of the model's own and exactly as much of the caller's as it asks for."""
    program = "".join(f"{f}\n}}\n" for f in PROGRAM.split("\n}\n")[:3])
    lowering.to_c(parse(program), "model", arena=arena).write(tmp_path)
    calls, expected = zip(*c_calls())
    driver = DRIVER.replace("@READY@", ARENA if arena else "#define READY")
    printed = run_sanitized(cc, tmp_path, driver.replace("@CALLS@", "\n".join(calls)))
    assert printed.splitlines() == list(expected)


ANY = t("*")
REFUSED = {
    "operator": (
        function("@main", f"{PICK}\n  %y = relax.exp %p : ({ANY}) -> {ANY}", "y"),
        "relax.exp: cannot be legalized: .* whose rank is unknown; insert a relax.match_cast",
    ),
    "function from outside": (
        function(
            "@main", f'{PICK}\n  %y = relax.call_packed "f"(%p) : ({ANY}) -> {t("2")}', "y", t("2")
        ),
        r"@main: relax.call_packed \(%y\): expected operands of known rank, found one of "
        r"!relax.tensor<\*, f32>; insert a relax.match_cast to the rank that it has",
    ),
    "its result": (
        function("@main", f'\n  %y = relax.call_packed "f"(%x) : ({t("n, m")}) -> {ANY}', "y"),
        r"@main: relax.call_packed \(%y\): expected a result of \"f\" that is a tensor of known rank",
    ),
    "loop": (
        function(
            "@main",
            f"""{PICK}
  %y = relax.while (%s = %p) : ({ANY}) -> {ANY} {{
    relax.yield %c : {B}
  }} do {{
    relax.yield %s : {ANY}
  }}""",
            "y",
        ),
        r"@main: relax.while \(%y\): expected operands of known rank",
    ),
    "function value": (
        function(
            "@main",
            f"\n  %f = relax.closure () -> {ANY} {{{PICK}\n  relax.return %p : {ANY}\n  }}",
            "f",
            f"!relax.func<() -> {ANY}>",
        ),
        r"@main: relax.closure \(%f\): the result of a function value: expected a tensor of known rank",
    ),
    "parameter": (
        f"relax.func @main(%x: {ANY}) -> {ANY} {{\n  relax.return %x : {ANY}\n}}\n",
        "relax.func @main: parameter 'x': expected a tensor of known rank",
    ),
    "element type": (
        function(
            "@main",
            f"{PICK}\n  %y = relax.match_cast %p : {ANY} -> !relax.tensor<*>",
            "y",
            "!relax.tensor<*>",
        ),
        r"relax.func @main: the result: expected a tensor of known rank and element type, found !relax.tensor<\*>",
    ),
    "contradiction": (
        function(
            "@main",
            f"""{PICK}
  %o = relax.match_cast %p : {ANY} -> !relax.object
  %y = relax.match_cast %o : !relax.object -> {t("n", "f64")}""",
            "y",
            t("n", "f64"),
        ),
        r"@main: relax.match_cast \(%y\): expected a type that the value can have, .* found !relax.tensor<\[n\], f64>",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    text, message = REFUSED[name]
    with pytest.raises(RelaxError, match=message):
        lowering.to_c(parse(function("private @picked", flat_or_not("r"), "r") + text))


@pytest.mark.parametrize("following", ["", ", f32", ", memref<?xi32>"])
def test_elements_without_sizes(following: str):
    """The attribute on functions on memrefs is checked."""
    first = following.removeprefix(", ")
    made = {"f32": "arith.constant 1.0 : f32", "memref<?xi32>": "memref.alloc(%n) : memref<?xi32>"}
    more = f"%z = {made[first]}" if first else ""
    text = f"""
func.func @main(%n: index {{relax.symbol = "n"}}) -> (memref<?xf32> {{relax.unranked}}{following})
    attributes {{relax.entry}} {{
  %y = memref.alloc(%n) : memref<?xf32>
  {more}
  func.return %y{", %z" if first else ""} : memref<?xf32>{following}
}}"""
    with pytest.raises(RelaxError, match=r"relax\.unranked: expected the sizes as the next result"):
        lowering.to_c(parse(text), passes=())

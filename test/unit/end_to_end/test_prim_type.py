"""`!relax.prim<n>`, a number whose value is known: the same in interpreter, passes and C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.context import Context

import lowering
from relax_dialect import interpret, parse
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.rewrites import GRAPH_PASSES

T, U = "!relax.tensor<[n], f32>", "!relax.tensor<[?], f32>"
PROGRAM = f"""
relax.func @added(%x: !relax.tensor<[2 * n], i64>, %n: !relax.prim<n>) -> !relax.tensor<[2 * n], i64> {{
  %0 = relax.add %x, %n : (!relax.tensor<[2 * n], i64>, !relax.prim<n>) -> !relax.tensor<[2 * n], i64>
  relax.return %0 : !relax.tensor<[2 * n], i64>
}}
relax.func @checked(%n: !relax.prim<n>, %m: !relax.prim<2 * n - 3>, %s: !relax.shape<[n]>, %x: {T})
    -> tuple<{T}, !relax.prim<2 * n - 3>> {{
  %0 = relax.tuple %x, %m : ({T}, !relax.prim<2 * n - 3>) -> tuple<{T}, !relax.prim<2 * n - 3>>
  relax.return %0 : tuple<{T}, !relax.prim<2 * n - 3>>
}}
relax.func private @narrow(%k: !relax.prim<k>, %x: {U}) -> !relax.tensor<[k], f32> {{
  %0 = relax.match_cast %x : {U} -> !relax.tensor<[k], f32>
  relax.return %0 : !relax.tensor<[k], f32>
}}
relax.func @known(%s: !relax.shape<[n]>, %x: !relax.tensor<[n + 1], f32>) -> !relax.tensor<[n + 1], f32> {{
  %n = relax.prim_value [n + 1]
  %0 = relax.call @narrow(%n, %x) : (!relax.prim<n + 1>, !relax.tensor<[n + 1], f32>) -> !relax.tensor<[n + 1], f32>
  relax.return %0 : !relax.tensor<[n + 1], f32>
}}
relax.func @literal(%x: {U}) -> !relax.tensor<[3], f32> {{
  %three = relax.prim_value [3]
  %0 = relax.call @narrow(%three, %x) : (!relax.prim<3>, {U}) -> !relax.tensor<[3], f32>
  relax.return %0 : !relax.tensor<[3], f32>
}}
relax.func @unknown(%v: i64, %x: {U}) -> {U} {{
  %0 = relax.call @narrow(%v, %x) : (i64, {U}) -> {U}
  relax.return %0 : {U}
}}
relax.func @cast(%v: i64) -> {U} {{
  %k = relax.match_cast %v : i64 -> !relax.prim<k>
  %s = relax.shape [k + 1]
  %0 = relax.ones %s {{dtype = f32}} : (!relax.shape<[k + 1]>) -> !relax.tensor<[k + 1], f32>
  relax.return %0 : !relax.tensor<[k + 1], f32>
}}
relax.func @chosen(%c: i1, %n: !relax.prim<n>, %m: !relax.prim<m>) -> i64 {{
  %0 = relax.if %c : (i1) -> i64 {{
    relax.yield %n : !relax.prim<n>
  }} else {{
    relax.yield %m : !relax.prim<m>
  }}
  relax.return %0 : i64
}}
relax.func @counted(%n: !relax.prim<n>) -> {U} {{
  %zero = arith.constant 0 : i64
  %x = relax.constant dense<1.0> : tensor<1xf32>
  %0, %1 = relax.while (%i = %n, %y = %x) : (!relax.prim<n>, !relax.tensor<[1], f32>) -> (i64, {U}) {{
    %more = arith.cmpi sgt, %i, %zero : i64
    relax.yield %more : i1
  }} do {{
    %k = relax.match_cast %i : i64 -> !relax.prim<k>
    %down = relax.symbolic_value [k - 1]
    %t = relax.shape [k]
    %z = relax.ones %t {{dtype = f32}} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
    %p = relax.match_cast %y : {U} -> !relax.tensor<[p], f32>
    %next = relax.concat %p, %z {{axis = 0 : i64}} : (!relax.tensor<[p], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k + p], f32>
    relax.yield %down, %next : i64, !relax.tensor<[k + p], f32>
  }}
  relax.return %1 : {U}
}}
relax.func @closed(%n: !relax.prim<n>, %x: {T}) -> !relax.tensor<[?], f32> {{
  %f = relax.closure [k](%k: !relax.prim<k>) -> !relax.tensor<[k], f32> {{
    %s = relax.shape [k]
    %0 = relax.ones %s {{dtype = f32}} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
    relax.return %0 : !relax.tensor<[k], f32>
  }}
  %m = relax.prim_value [n + 2]
  %1 = relax.call_closure %f, %m : (!relax.func<[k] (!relax.prim<k>) -> !relax.tensor<[k], f32>>, !relax.prim<n + 2>) -> !relax.tensor<[n + 2], f32>
  relax.return %1 : !relax.tensor<[n + 2], f32>
}}
relax.func @fields(%t: tuple<!relax.prim<n>, tuple<i8, f32>>) -> tuple<!relax.prim<2 * n>, tuple<i8, f32>> {{
  %n = relax.prim_value [2 * n]
  %0 = relax.tuple_get_item %t {{index = 1 : i64}} : (tuple<!relax.prim<n>, tuple<i8, f32>>) -> tuple<i8, f32>
  %1 = relax.tuple %n, %0 : (!relax.prim<2 * n>, tuple<i8, f32>) -> tuple<!relax.prim<2 * n>, tuple<i8, f32>>
  relax.return %1 : tuple<!relax.prim<2 * n>, tuple<i8, f32>>
}}
relax.func @maker(%n: !relax.prim<n>) -> !relax.func<[k, m] (!relax.prim<k>, !relax.shape<[k, m]>, !relax.prim<2 * m>) -> !relax.tensor<[?], f32>> {{
  %f = relax.closure [k, m](%k: !relax.prim<k>, %s: !relax.shape<[k, m]>, %t: !relax.prim<2 * m>) -> !relax.tensor<[?], f32> {{
    %z = relax.shape [k + n]
    %0 = relax.ones %z {{dtype = f32}} : (!relax.shape<[k + n]>) -> !relax.tensor<[k + n], f32>
    relax.return %0 : !relax.tensor<[k + n], f32>
  }}
  relax.return %f : !relax.func<[k, m] (!relax.prim<k>, !relax.shape<[k, m]>, !relax.prim<2 * m>) -> !relax.tensor<[?], f32>>
}}
relax.func @outside(%n: !relax.prim<n>) -> tuple<!relax.prim<2 * n>, {T}> {{
  %0 = relax.call_pure_packed "test.twice_and_ones"(%n) : (!relax.prim<n>) -> tuple<!relax.prim<2 * n>, {T}>
  relax.return %0 : tuple<!relax.prim<2 * n>, {T}>
}}
"""


def f32(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.float32)


FITTING: dict[str, list[list[Any]]] = {
    "added": [[np.arange(6), 3], [np.zeros(0, np.int64), 0]],
    "checked": [[2, 1, (2,), f32(2)], [0, -3, (0,), f32(0)]],
    "known": [[(3,), f32(4)]],
    "literal": [[f32(3)]],
    "unknown": [[np.int64(2), f32(2)]],
    "cast": [[4]],
    "chosen": [[True, 3, 4], [False, 3, np.int32(4)]],
    "counted": [[3]],
    "closed": [[1, f32(1)]],
    "fields": [[(3, (-2, 1.5))], [(np.int64(3), (np.int8(7), 2))]],
}
REFUSED: dict[str, list[tuple[list[Any], str]]] = {
    "added": [
        ([np.arange(6), 2], "argument 'x': expected size 2 * n = 4 in dimension 0, found 6"),
        ([np.arange(6), -3], "argument 'n': expected a size of 0 to 281474976710656, found -3"),
        ([np.arange(6), 2**50], f"argument 'n': expected a size of 0 to {2**48}, found {2**50}"),
        ([np.arange(6), 3.0], "argument 'n': expected a scalar of type i64, found a Python float"),
        ([np.arange(6), (3,)], "argument 'n': expected a scalar of type i64, found a Python tuple"),
        ([np.arange(6), 2**70], "argument 'n': expected a scalar of type i64, found a Python int"),
    ],
    "checked": [
        ([2, 2, (2,), f32(2)], "argument 'm': expected the number 2 * n - 3 = 1, found 2"),
        ([2, 1, (3,), f32(2)], "argument 's': expected size n = 2 in dimension 0, found 3"),
        ([2, 1, (2,), f32(3)], "argument 'x': expected size n = 2 in dimension 0, found 3"),
    ],
    "fields": [
        (
            [(3, (300, 1.5))],
            "argument 't', field 1, field 0: expected a scalar of type i8, found a Python int",
        ),
        ([(3, (1,))], "argument 't', field 1: expected a tuple of 2 fields, found 1"),
    ],
    "literal": [
        ([f32(4)], "@narrow: relax.match_cast: expected size k = 3 in dimension 0, found 4")
    ],
    "unknown": [
        ([-1, f32(2)], f"@narrow: argument 'k': expected a size of 0 to {2**48}, found -1")
    ],
    "cast": [([-1], f"@cast: relax.match_cast (%k): expected a size of 0 to {2**48}, found -1")],
}
PASSES = [
    "relax-normalize",
    "relax-to-graph-normal-form",
    "relax-to-basic-block-normal-form",
    "relax-lambda-lift",
    "relax-lambda-lift,relax-defunctionalize",
    "relax-inline-private-functions",
    "relax-propagate-shapes",
    "relax-canonicalize-bindings",
    "relax-remove-unused-parameters",
    "relax-fold-constant",
    "relax-tail-calls-to-loops",
    "relax-cse",
]


@pytest.fixture(scope="module")
def module():
    return parse(PROGRAM)


@pytest.fixture(scope="module")
def compiled(module):
    return lowering.compile(module, extra_flags=["-O0"])


def same(a: object, b: object) -> bool:
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(np.asarray(a), np.asarray(b)))


@pytest.mark.parametrize("name", FITTING)
def test_numbers_are_passed(module, compiled, name: str):
    for args in FITTING[name]:
        assert same(interpret.run(module, name, *args), compiled[name](*args))


def test_functions_that_are_handed_out(module, compiled):
    for make in (lambda: interpret.run(module, "maker", 2), lambda: compiled["maker"](2)):
        made = make()
        assert made(3, (3, 1), 2).shape == (5,)
        for args, message in [
            ((3, (3, 1), 5), r"expected the number 2 \* m = 2, found 5"),
            ((3, (3, 1), 4), r"expected the number 2 \* m = 2, found 4"),
            ((3, (4, 1), 2), "expected size k = 3 in dimension 0, found 4"),
            (
                (-3, (-3, 1), 2),
                r"argument '[sk]': expected .* of (at least )?0.*, found (-3|\[-3, 1\])$",
            ),
        ]:
            with pytest.raises(RelaxError, match=message):
                made(*args)


@pytest.mark.parametrize("given", [8, 9])
def test_functions_from_outside(module, compiled, given: int):
    def twice_and_ones(n):
        return np.int64(given), np.ones(int(n), np.float32)

    interpret.register_packed("test.twice_and_ones", twice_and_ones)
    for run in (lambda: interpret.run(module, "outside", 4), lambda: compiled["outside"](4)):
        if given == 8:
            assert same(run(), (8, np.ones(4)))
            continue
        with pytest.raises(ExecutionError, match=r"expected the number 2 \* n = 8, found 9"):
            run()


def test_what_the_numbers_say(module):
    assert interpret.run(module, "added", np.arange(6), 3).tolist() == [3, 4, 5, 6, 7, 8]
    assert interpret.run(module, "counted", 3).shape == (7,)
    assert interpret.run(module, "closed", 1, f32(1)).shape == (3,)
    assert interpret.run(module, "checked", 0, -3, (0,), f32(0))[1] == -3


@pytest.mark.parametrize("name", REFUSED)
def test_numbers_are_checked(module, compiled, name: str):
    for args, message in REFUSED[name]:
        for run in (
            lambda a=args: interpret.run(module, name, *a),
            lambda a=args: compiled[name](*a),
        ):
            with pytest.raises(ExecutionError) as error:
                run()
            assert message in str(error.value)


@pytest.mark.parametrize("name", PASSES)
def test_passes_keep_the_meaning(module, name: str):
    changed = module.clone()
    for each in name.split(","):
        GRAPH_PASSES[each]()().apply(Context(), changed)
    parse(str(changed))
    for name, several in FITTING.items():
        for args in several:
            assert same(interpret.run(changed, name, *args), interpret.run(module, name, *args))

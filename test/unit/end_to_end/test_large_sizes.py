"""Sizes that cannot be computed: the same error in interpreter and C, before 64 bits overflow or a division
by zero."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from relax_dialect import interpret, parse, te
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import (
    BROADCAST,
    LARGE_PRODUCT,
    LARGE_SUM,
    MAX_EXTENT,
    Expr,
    var,
    zero_divisor,
)

PROGRAM = """
relax.func @shape(%s: !relax.shape<[n]>) -> !relax.shape<[n * n]> {
  %0 = relax.shape [n * n]
  relax.return %0 : !relax.shape<[n * n]>
}
relax.func @zeros(%s: !relax.shape<[n]>) -> !relax.tensor<[n * n], f32> {
  %0 = relax.shape [n * n]
  %1 = relax.zeros %0 {dtype = f32} : (!relax.shape<[n * n]>) -> !relax.tensor<[n * n], f32>
  relax.return %1 : !relax.tensor<[n * n], f32>
}
relax.func @match(%s: !relax.shape<[n]>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[n * n], f32> {
  %0 = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n * n], f32>
  relax.return %0 : !relax.tensor<[n * n], f32>
}
relax.func @entry(%x: !relax.tensor<[n, n * n, 2], f32>) -> !relax.tensor<[n, n * n, 2], f32> {
  relax.return %x : !relax.tensor<[n, n * n, 2], f32>
}
relax.func @minimum(%s: !relax.shape<[n, m]>) -> !relax.shape<[max(0, m * min(n - m, 7))]> {
  %0 = relax.shape [max(0, m * min(n - m, 7))]
  relax.return %0 : !relax.shape<[max(0, m * min(n - m, 7))]>
}
relax.func @scaled(%s: !relax.shape<[n]>) -> !relax.shape<[1000000007 * n]> {
  %0 = relax.shape [1000000007 * n]
  relax.return %0 : !relax.shape<[1000000007 * n]>
}
relax.func @chain(%s: !relax.shape<[n]>) -> !relax.shape<[?]> {
  %0 = relax.shape [4096 * n]
  %1 = relax.match_shape %0 [m] : (!relax.shape<[4096 * n]>) -> !relax.shape<[m]>
  relax.return %1 : !relax.shape<[m]>
}
relax.func @quotient(%s: !relax.shape<[n, m]>) -> !relax.shape<[n floordiv m]> {
  %0 = relax.shape [n floordiv m]
  relax.return %0 : !relax.shape<[n floordiv m]>
}
relax.func @value(%s: !relax.shape<[n, m]>) -> i64 {
  %0 = relax.symbolic_value [7 floordiv (n - m) + n mod (m - 2)]
  relax.return %0 : i64
}
relax.func @sum(%s: !relax.shape<[n]>) -> !relax.shape<[n + 9223372036854775807]> {
  %0 = relax.shape [n + 9223372036854775807]
  relax.return %0 : !relax.shape<[n + 9223372036854775807]>
}
relax.func @bounded(%s: !relax.shape<[n]>) -> !relax.shape<[4096 * min(n, 9223372036854775807) + 1]> {
  %0 = relax.shape [4096 * min(n, 9223372036854775807) + 1]
  relax.return %0 : !relax.shape<[4096 * min(n, 9223372036854775807) + 1]>
}
relax.func @cast(%s: !relax.shape<[n, m]>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[n mod m], f32> {
  %0 = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n mod m], f32>
  relax.return %0 : !relax.tensor<[n mod m], f32>
}
relax.func @divided(%s: !relax.shape<[n, m]>, %x: !relax.tensor<[n floordiv m], f32>) -> !relax.tensor<[n floordiv m], f32> {
  relax.return %x : !relax.tensor<[n floordiv m], f32>
}
relax.func @added(%s: !relax.shape<[n]>, %x: !relax.tensor<[n + 4611686018427387904], f32>) -> !relax.object {
  relax.return %s : !relax.shape<[n]>
}
relax.func @multiplied(%s: !relax.shape<[n]>, %x: !relax.tensor<[1000000007 * n], f32>) -> !relax.object {
  relax.return %s : !relax.shape<[n]>
}
relax.func @broadcast(%s: !relax.shape<[n, m]>, %x: !relax.tensor<[broadcast(m, n)], f32>) -> !relax.object {
  relax.return %s : !relax.shape<[n, m]>
}
relax.func private @callee(%s: !relax.shape<[n, m]>, %x: !relax.tensor<[n floordiv m], f32>) -> !relax.tensor<[n floordiv m], f32> {
  relax.return %x : !relax.tensor<[n floordiv m], f32>
}
relax.func @caller(%s: !relax.shape<[n, m]>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[n floordiv m], f32> {
  %0 = relax.call @callee(%s, %x) : (!relax.shape<[n, m]>, !relax.tensor<[?], f32>) -> !relax.tensor<[n floordiv m], f32>
  relax.return %0 : !relax.tensor<[n floordiv m], f32>
}
func.func private @ones(%k: index {relax.symbol = "k"}) -> (tensor<?xf32> {relax.dims = ["k * k"]}) {
  %kk = arith.muli %k, %k : index
  %e = tensor.empty(%kk) : tensor<?xf32>
  %c = arith.constant 1.0 : f32
  %r = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
relax.func @bracketed(%s: !relax.shape<[n, m]>) -> !relax.tensor<[?], f32> {
  %0 = relax.call_tir @ones()[n floordiv m] : () -> !relax.tensor<[?], f32>
  relax.return %0 : !relax.tensor<[?], f32>
}
relax.func @stage(%x: !relax.tensor<[n, 0], f32>) -> !relax.tensor<[1], f32> {
  %0 = relax.call_tir @squares(%x) : (!relax.tensor<[n, 0], f32>) -> !relax.tensor<[1], f32>
  relax.return %0 : !relax.tensor<[1], f32>
}
relax.func @stage_quotient(%x: !relax.tensor<[n, 0], f32>) -> !relax.tensor<[1], f32> {
  %0 = relax.call_tir @quotients(%x) : (!relax.tensor<[n, 0], f32>) -> !relax.tensor<[1], f32>
  relax.return %0 : !relax.tensor<[1], f32>
}
func.func private @fewer(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n - 5"]}) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %k = arith.subi %n, %c5 : index
  %e = tensor.empty(%k) : tensor<?xf32>
  %c = arith.constant 1.0 : f32
  %r = linalg.fill ins(%c : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
relax.func @negative(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n - 5], f32> {
  %0 = relax.call_tir @fewer(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n - 5], f32>
  relax.return %0 : !relax.tensor<[n - 5], f32>
}
relax.func @counted(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m, 0], f32>) -> !relax.tensor<[n], i64> {
  %0 = relax.call_tir @counters(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[m, 0], f32>) -> !relax.tensor<[n], i64>
  relax.return %0 : !relax.tensor<[n], i64>
}
func.func private @quotients_of(%x: tensor<?xi64> {relax.dims = ["n"]}) -> (tensor<?xi64> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %seven = arith.constant 7 : index
    %d = arith.index_cast %a : i64 to index
    %q = arith.floordivsi %seven, %d : index
    %c = arith.ceildivsi %seven, %d : index
    %m = arith.remsi %seven, %d : index
    %qc = arith.addi %q, %c : index
    %s = arith.subi %qc, %m : index
    %v = arith.index_cast %s : index to i64
    linalg.yield %v : i64
  } -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}
func.func private @quotients_by(%x: tensor<?xi64> {relax.dims = ["n"]}, %k: index {relax.symbol = "k"}) -> (tensor<?xi64> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %i = linalg.index 0 : index
    %q = arith.floordivsi %i, %k : index
    %p = arith.divsi %n, %k : index
    %m = arith.remsi %i, %k : index
    %qp = arith.addi %q, %p : index
    %s = arith.subi %qp, %m : index
    %v = arith.index_cast %s : index to i64
    linalg.yield %v : i64
  } -> tensor<?xi64>
  func.return %r : tensor<?xi64>
}
relax.func @by_size(%x: !relax.tensor<[n], i64>, %s: !relax.shape<[k]>) -> !relax.tensor<[n], i64> {
  %0 = relax.call_tir @quotients_by(%x)[k] : (!relax.tensor<[n], i64>) -> !relax.tensor<[n], i64>
  relax.return %0 : !relax.tensor<[n], i64>
}
relax.func @by_elements(%x: !relax.tensor<[n], i64>) -> !relax.tensor<[n], i64> {
  %0 = relax.call_tir @quotients_of(%x) : (!relax.tensor<[n], i64>) -> !relax.tensor<[n], i64>
  relax.return %0 : !relax.tensor<[n], i64>
}
relax.func @read(%x: !relax.tensor<[2], i64>) -> !relax.shape<[?, ?]> {
  %0 = relax.tensor_to_shape %x : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
  relax.return %0 : !relax.shape<[?, ?]>
}
"""


def staged(name: str, size: Expr) -> str:
    """A prim func with a tensor in between of a size, the sum of its indices."""
    x = te.placeholder((var("n"), 0), "f32", name="x")
    between = te.compute((size,), lambda i: te.cast(i, "f32"), name="between")
    k = te.reduce_axis((0, size))
    return str(
        te.create_prim_func([x, te.compute((1,), lambda _: te.sum(between[k], axis=k))], name)
    )


def counters() -> str:
    """A prim func that divides counters by sizes."""
    n, m = var("n"), var("m")
    x, y = te.placeholder((n,), "f32", name="x"), te.placeholder((m, 0), "f32", name="y")
    result = te.compute((n,), lambda i: te.cast(i // m + 10 * (i % m) + (i - 3) // (m - 2), "i64"))
    return str(te.create_prim_func([x, y, result], "counters"))


TOO_MUCH = f"expected sizes of at most {MAX_EXTENT}, found {{}} in dimension {{}}"
EMPTY = np.zeros(0, np.float32)
CASES = {
    "shape": ([(2**33,)], LARGE_PRODUCT),
    "zeros": ([(2**32,)], LARGE_PRODUCT),
    "match": ([(2**32,), EMPTY], LARGE_PRODUCT),
    "entry": ([np.empty((2**33, 0, 2), np.float32)], LARGE_PRODUCT),
    "scaled": ([(2**40,)], LARGE_PRODUCT),
    "quotient": ([(6, 0)], zero_divisor("n floordiv m")),
    "value": ([(5, 5)], zero_divisor("7 floordiv (-m + n) + n mod (m - 2)")),
    "sum": ([(3,)], LARGE_SUM),
    "cast": ([(6, 0), EMPTY], zero_divisor("n mod m")),
    "divided": ([(6, 0), EMPTY], "argument 'x': " + zero_divisor("n floordiv m")),
    "added": ([(6,), EMPTY], "argument 'x': " + LARGE_SUM),
    "multiplied": ([(2**40,), EMPTY], "argument 'x': " + LARGE_PRODUCT),
    "broadcast": ([(2, 3), EMPTY], f"argument 'x': expected {BROADCAST}, found 2 and 3"),
    "caller": ([(6, 0), EMPTY], "@callee: argument 'x': " + zero_divisor("n floordiv m")),
    "bracketed": ([(6, 0)], "relax.call_tir: " + zero_divisor("n floordiv m")),
    "bracketed, result": ([(2**33, 1)], "relax.call_tir: " + LARGE_PRODUCT),
    "stage": ([np.empty((2**33, 0), np.float32)], "@squares: " + LARGE_PRODUCT),
    "stage_quotient": (
        [np.empty((0, 0), np.float32)],
        "@quotients: " + zero_divisor("9 floordiv n"),
    ),
    "negative": (
        [np.zeros(3, np.float32)],
        "relax.call_tir: expected sizes of at least 0, found -2",
    ),
    "chain": ([(2**40,)], TOO_MUCH.format(2**52, 0)),
    "read": ([np.array([3, 2**60])], TOO_MUCH.format(2**60, 1)),
}
FITTING = {
    "shape": [(2**24,)],
    "match": [(0,), EMPTY],
    "entry": [np.zeros((2, 4, 2), np.float32)],
    "minimum": [(3, 5)],
    "scaled": [(2**18,)],
    "quotient": [(7, 2)],
    "value": [(3, 5)],
    "bounded": [(7,)],
    "cast": [(6, 2), EMPTY],
    "divided": [(1, 2), EMPTY],
    "multiplied": [(0,), EMPTY],
    "broadcast": [(0, 1), EMPTY],
    "caller": [(1, 2), EMPTY],
    "bracketed": [(6, 4)],
    "stage": [np.empty((3, 0), np.float32)],
    "counted": [np.zeros(5, np.float32), np.zeros((3, 0), np.float32)],
    "counted, by 0": [np.zeros(5, np.float32), np.zeros((0, 0), np.float32)],
    "counted, by 2 - 2": [np.zeros(5, np.float32), np.zeros((2, 0), np.float32)],
    "negative": [np.zeros(7, np.float32)],
    "by_size": [np.arange(100), (7,)],
    "by_size, of 0": [np.arange(100), (0,)],
    "by_elements": [np.array([0, 2, -3, 0, -1])],
    "stage_quotient": [np.empty((2, 0), np.float32)],
    "chain": [(2**36,)],
    "read": [np.array([3, MAX_EXTENT])],
}


@pytest.fixture(scope="module")
def module():
    n = var("n")
    prim_funcs = [staged("squares", n * n), staged("quotients", 9 // n), counters()]
    return parse("\n".join([PROGRAM, *prim_funcs]))


@pytest.fixture(scope="module")
def compiled(module):
    return lowering.compile(module, extra_flags=["-O0"])


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_overflows_is_one_error(module, compiled, name: str):
    args, message = CASES[name]
    name, _, _ = name.partition(",")
    found: list[str] = []
    for run in (lambda: interpret.run(module, name, *args), lambda: compiled[name](*args)):
        with pytest.raises(RelaxError) as error:
            run()
        found.append(str(error.value))
    assert found[0] == found[1] and message in found[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", FITTING)
def test_what_fits_is_computed(module, compiled, name: str):
    function, _, _ = name.partition(",")
    expected = interpret.run(module, function, *FITTING[name])
    actual = compiled[function](*FITTING[name])
    assert np.shape(actual) == np.shape(expected) and np.all(np.asarray(actual) == expected)


@pytest.mark.parametrize("shape", ["4611686018427387904, 8", f"{MAX_EXTENT}, 0, 2"])
def test_static_sizes_that_no_memory_holds_are_refused(shape: str):
    type = f"!relax.tensor<[{shape}], i8>"
    module = parse(
        f"relax.func @f(%x: {type}) -> {type} {{\n"
        f"  %0 = relax.add %x, %x : ({type}, {type}) -> {type}\n"
        f"  relax.return %0 : {type}\n}}"
    )
    with pytest.raises(RelaxError, match=r"expected sizes whose product is at most .* correct"):
        lowering.to_c(module)

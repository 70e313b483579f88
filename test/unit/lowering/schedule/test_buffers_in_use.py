"""Prim funcs whose buffers are results as well as operands, or are overwritten: schedules keep what is still read."""

from __future__ import annotations

import numpy as np
import pytest

from lowering import lower
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

SAME = "affine_map<(d0, d1) -> (d0, d1)>"
TURNED = "affine_map<(d0, d1) -> (d1, d0)>"

Shape = tuple[int, int]


def tensor(shape: Shape) -> str:
    return f"tensor<{shape[0]}x{shape[1]}xf32>"


def generic(inputs: str, output: str, op: str, shape: Shape, *maps: str) -> str:
    """An elementwise op; `op` computes of %p and %q."""
    names = "pq"[: len(maps)]
    types = ", ".join([tensor(shape)] * len(maps))
    return f"""linalg.generic {{indexing_maps = [{", ".join((*maps, SAME))}],
      iterator_types = ["parallel", "parallel"]}} ins({inputs} : {types}) outs({output} : {tensor(shape)}) {{
  ^bb0({", ".join(f"%{name}: f32" for name in (*names, "o"))}):
    %t = {op} : f32
    linalg.yield %t : f32
  }} -> {tensor(shape)}"""


def product(left: str, right: str, rows: int, depth: int, columns: int) -> str:
    """The ops that make %c, a matrix product."""
    dims = ("d0, d2", "d2, d1", "d0, d1")
    maps = ", ".join(f"affine_map<(d0, d1, d2) -> ({own})>" for own in dims)
    types = f"{tensor((rows, depth))}, {tensor((depth, columns))}"
    out = tensor((rows, columns))
    return f"""%zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {out}
  %fill = linalg.fill ins(%zero : f32) outs(%empty : {out}) -> {out}
  %c = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins({left}, {right} : {types}) outs(%fill : {out}) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }} -> {out}"""


def scheduled(
    body: str, arrays: list[np.ndarray], results: tuple[Shape, Shape], schedule: str = ""
) -> list[np.ndarray]:
    """The two results of a prim func on tensors, of its parameters %x0, %x1, ..., as it is scheduled."""

    def typed(shape: Shape, kind: str) -> str:
        relax = f"!relax.tensor<[{shape[0]}, {shape[1]}], f32>"
        return (
            relax
            if kind == "relax"
            else f'{tensor(shape)} {{relax.dims = ["{shape[0]}", "{shape[1]}"]}}'
        )

    names = [f"%x{number}" for number in range(len(arrays))]
    relax, prim = (
        ", ".join(f"{name}: {typed(a.shape, kind)}" for name, a in zip(names, arrays))
        for kind in ("relax", "prim")
    )
    inputs = ", ".join(typed(a.shape, "relax") for a in arrays)
    pair = f"tuple<{', '.join(typed(shape, 'relax') for shape in results)}>"
    own = f' attributes {{relax.schedule = "{schedule}"}}' if schedule else ""
    module = parse(f"""relax.func @main({relax}) -> {pair} {{
  %r = relax.call_tir @f({", ".join(names)}) : ({inputs}) -> {pair}
  relax.return %r : {pair}
}}
func.func private @f({prim}) -> ({", ".join(typed(shape, "prim") for shape in results)}){own} {{
  %e = tensor.empty() : {tensor(results[0])}
  {body}
}}""")
    lower(module, ["relax-bufferize", "relax-schedule"], cpu="generic", verify_each=True)
    return interpret.run(module, "main", *arrays)


def arrays(*shapes: Shape) -> list[np.ndarray]:
    random = np.random.default_rng(len(shapes))
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def test_an_epilogue_overwrites_nothing_that_the_one_before_reads_transposed():
    shape = (16, 16)
    body = f"""%z = {generic("%x2", "%e", "math.tanh %p", shape, SAME)}
  {product("%x0", "%x1", 16, 16, 16)}
  %d = {generic("%c, %z", "%c", "arith.addf %p, %q", shape, SAME, TURNED)}
  %r = {generic("%d", "%z", "arith.addf %p, %p", shape, SAME)}
  func.return %r, %c : {tensor(shape)}, {tensor(shape)}"""
    a, b, y = given = arrays(shape, shape, shape)
    doubled, multiplied = scheduled(body, given, (shape, shape))
    np.testing.assert_allclose(multiplied, a @ b, 1e-4, 1e-4)
    np.testing.assert_allclose(doubled, 2 * (a @ b + np.tanh(y).T), 1e-4, 1e-4)


def inserted(part: str, whole: str, row: int) -> str:
    return f""""tensor.insert_slice"({part}, {whole}) <{{static_offsets = array<i64: {row}, 0>,
      static_sizes = array<i64: 16, 16>, static_strides = array<i64: 1, 1>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}}>
      : ({tensor((16, 16))}, {tensor((32, 16))}) -> {tensor((32, 16))}"""


def test_parts_are_written_where_they_are_a_result_too():
    shape = (32, 16)
    body = f"""%0 = {inserted("%x0", "%e", 0)}
  %1 = {inserted("%x1", "%0", 16)}
  %e2 = tensor.empty() : {tensor(shape)}
  %2 = {generic("%1", "%e2", "math.tanh %p", shape, SAME)}
  func.return %1, %2 : {tensor(shape)}, {tensor(shape)}"""
    given = arrays((16, 16), (16, 16))
    joined, computed = scheduled(body, given, (shape, shape))
    np.testing.assert_array_equal(joined, np.concatenate(given))
    np.testing.assert_allclose(computed, np.tanh(joined), 1e-6)


@pytest.mark.parametrize("columns", [6, 0])
def test_a_producer_that_is_a_result_is_not_fused_into_a_loop_that_may_be_empty(columns: int):
    body = f"""%z = {generic("%x0", "%e", "math.tanh %p", (8, 8), SAME)}
  {product("%z", "%x1", 8, 8, columns)}
  func.return %z, %c : {tensor((8, 8))}, {tensor((8, columns))}"""
    a, b = given = arrays((8, 8), (8, columns))
    steps = r"fuse_producer(in0)\ntile(d0, 4)\ntile(d1, 4)"
    if not columns:
        with pytest.raises(
            RelaxError, match="expected in0 to be read here alone, or d1 to have an"
        ):
            scheduled(body, given, ((8, 8), (8, columns)), steps)
        return
    produced, multiplied = scheduled(body, given, ((8, 8), (8, columns)), steps)
    np.testing.assert_allclose(produced, np.tanh(a), 1e-6)
    np.testing.assert_allclose(multiplied, np.tanh(a) @ b, 1e-4, 1e-4)

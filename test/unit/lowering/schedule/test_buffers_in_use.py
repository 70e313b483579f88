"""Prim funcs whose buffers are results as well as operands, or are overwritten: schedules keep what is still read."""

from __future__ import annotations

import numpy as np

from lowering import lower
from relax_dialect import interpret
from relax_dialect.parsing import parse

IDENTITY = "affine_map<(d0, d1) -> (d0, d1)>"
TURNED = "affine_map<(d0, d1) -> (d1, d0)>"


def generic(maps: tuple[str, ...], inputs: str, output: str, op: str, type: str) -> str:
    """An elementwise op of one or two inputs, named as in its body, %p and %q."""
    names = [f"%{name}" for name in "pqr"[: len(maps) - 1]]
    arguments = ", ".join(f"{name}: f32" for name in (*names, "%o"))
    types = ", ".join([type] * len(names))
    return f"""linalg.generic {{indexing_maps = [{", ".join(maps)}], iterator_types = ["parallel", "parallel"]}}
      ins({inputs} : {types}) outs({output} : {type}) {{
  ^bb0({arguments}):
    %t = {op} : f32
    linalg.yield %t : f32
  }} -> {type}"""


def scheduled(body: str, type: str, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The two results of a prim func of square arrays, on tensors, as its schedule computes them."""
    size = arrays[0].shape[0]
    own = f"!relax.tensor<[{size}, {size}], f32>"
    pair = f"tuple<{own}, {own}>"
    entry = f'{type} {{relax.dims = ["{size}", "{size}"]}}'
    names = [f"%x{number}" for number in range(len(arrays))]
    parameters = [", ".join(f"{name}: {t}" for name in names) for t in (own, entry)]
    module = parse(f"""relax.func @main({parameters[0]}) -> {pair} {{
  %r = relax.call_tir @f({", ".join(names)}) : ({", ".join([own] * len(names))}) -> {pair}
  relax.return %r : {pair}
}}
func.func private @f({parameters[1]}) -> ({entry}, {entry}) {{
  %e = tensor.empty() : {type}
  %zero = arith.constant 0.0 : f32
  {body}
}}""")
    lower(module, ["relax-bufferize", "relax-schedule"], cpu="generic", verify_each=True)
    return interpret.run(module, "main", *arrays)


def arrays(count: int, size: int) -> list[np.ndarray]:
    random = np.random.default_rng(count)
    return [random.standard_normal((size, size)).astype(np.float32) for _ in range(count)]


def test_an_epilogue_overwrites_nothing_that_the_one_before_reads_transposed():
    a, b, y = arrays(3, 32)
    type = "tensor<32x32xf32>"
    maps = ", ".join(
        f"affine_map<(d0, d1, d2) -> ({dims})>" for dims in ("d0, d2", "d2, d1", "d0, d1")
    )
    body = f"""%z = {generic((IDENTITY, IDENTITY), "%x2", "%e", "math.tanh %p", type)}
  %e2 = tensor.empty() : {type}
  %fill = linalg.fill ins(%zero : f32) outs(%e2 : {type}) -> {type}
  %c = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x0, %x1 : {type}, {type}) outs(%fill : {type}) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }} -> {type}
  %d = {generic((IDENTITY, TURNED, IDENTITY), "%c, %z", "%c", "arith.addf %p, %q", type)}
  %r = {generic((IDENTITY, IDENTITY), "%d", "%z", "arith.addf %p, %p", type)}
  func.return %r, %c : {type}, {type}"""
    doubled, product = scheduled(body, type, [a, b, y])
    np.testing.assert_allclose(product, a @ b, 1e-4, 1e-4)
    np.testing.assert_allclose(doubled, 2 * (a @ b + np.tanh(y).T), 1e-4, 1e-4)


def inserted(part: str, whole: str, row: int) -> str:
    return f""""tensor.insert_slice"({part}, {whole}) <{{static_offsets = array<i64: {row}, 0>,
      static_sizes = array<i64: 16, 16>, static_strides = array<i64: 1, 1>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}}> : (tensor<16x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>"""


def test_parts_of_a_result_are_written_though_what_is_computed_of_them_is_not_read_from_there():
    a, b = arrays(2, 16)
    all = "tensor<32x16xf32>"
    module = parse(f"""relax.func @main(%x: !relax.tensor<[16, 16], f32>, %y: !relax.tensor<[16, 16], f32>)
    -> tuple<!relax.tensor<[32, 16], f32>, !relax.tensor<[32, 16], f32>> {{
  %r = relax.call_tir @f(%x, %y) : (!relax.tensor<[16, 16], f32>, !relax.tensor<[16, 16], f32>)
    -> tuple<!relax.tensor<[32, 16], f32>, !relax.tensor<[32, 16], f32>>
  relax.return %r : tuple<!relax.tensor<[32, 16], f32>, !relax.tensor<[32, 16], f32>>
}}
func.func private @f(%a: tensor<16x16xf32> {{relax.dims = ["16", "16"]}}, %b: tensor<16x16xf32> {{relax.dims = ["16", "16"]}})
    -> ({all} {{relax.dims = ["32", "16"]}}, {all} {{relax.dims = ["32", "16"]}}) {{
  %e = tensor.empty() : {all}
  %0 = {inserted("%a", "%e", 0)}
  %1 = {inserted("%b", "%0", 16)}
  %e2 = tensor.empty() : {all}
  %2 = {generic((IDENTITY, IDENTITY), "%1", "%e2", "math.tanh %p", all)}
  func.return %1, %2 : {all}, {all}
}}""")
    lower(module, ["relax-bufferize", "relax-schedule"], verify_each=True)
    joined, computed = interpret.run(module, "main", a, b)
    np.testing.assert_array_equal(joined, np.concatenate([a, b]))
    np.testing.assert_allclose(computed, np.tanh(joined), 1e-6)

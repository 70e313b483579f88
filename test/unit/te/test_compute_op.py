"""`relax.compute`: the macro of the text gives the prim func that te gives, and runs on every level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect import interpret, te
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import gradient
from relax_dialect.parsing import parse
from relax_dialect.structural import assert_structural_equal

n, m = te.var("n"), te.var("m")
X, W = te.placeholder((n, m), name="x"), te.placeholder((m, n), name="w")
NM, MN = "!relax.tensor<[n, m], f32>", "!relax.tensor<[m, n], f32>"


def axis(extent: Any, name: str = "k") -> te.IterVar:
    return te.reduce_axis((0, extent), name)


@dataclass(frozen=True)
class Case:
    """A compute as text, the same by te, and what it is by numpy."""

    head: str
    body: str
    build: Callable[[], te.Tensor]
    expected: Callable[[Any, Any], Any]
    result: str = NM


def matmul() -> te.Tensor:
    k = axis(m)
    return te.compute((n, n), lambda i, j: te.sum(X[i, k] * W[k, j], axis=k))


def total() -> te.Tensor:
    i, j = axis(n, "i"), axis(m, "j")
    return te.compute((), lambda: te.max(X[i, j] - W[j, i], axis=[i, j]))


def distance() -> te.Tensor:
    """Two operands, each of which a loop of its own walks in a row."""
    i, j = axis(m, "i"), axis(n, "j")
    return te.compute((), lambda: te.max(X[0, i] - W[0, j], axis=[i, j]))


def shares() -> te.Tensor:
    k = axis(m)
    sums = te.compute((n,), lambda i: te.sum(X[i, k], axis=k))
    return te.compute((n, m), lambda i, j: X[i, j] / sums[i])


def shifted() -> te.Tensor:
    def element(i: Any, j: Any) -> Any:
        return te.if_then_else(j < m, X[i, j] + W[j, i], te.const(-1.0, "f32"))

    return te.compute((n, m + 1), element)


def positions() -> te.Tensor:
    return te.compute((n, m), lambda i, j: i.astype("i64") * te.const(10, "i64") + j.astype("i64"))


CASES = {
    "elementwise": Case(
        "(%i, %j) in [n, m]",
        f"""%a = relax.element %x[%i, %j] : {NM}
            %b = relax.element %w[%j, %i] : {MN}
            %c = arith.mulf %a, %b : f32
            %v = math.exp %c : f32
            relax.yield %v : f32""",
        lambda: te.compute((n, m), lambda i, j: te.exp(X[i, j] * W[j, i])),
        lambda x, w: np.exp(x * w.T),
    ),
    "matmul": Case(
        "(%i, %j) in [n, n]",
        f"""%s = relax.index_sum (%k) in [m] {{
              %a = relax.element %x[%i, %k] : {NM}
              %b = relax.element %w[%k, %j] : {MN}
              %c = arith.mulf %a, %b : f32
              relax.yield %c : f32
            }}
            relax.yield %s : f32""",
        matmul,
        lambda x, w: x @ w,
        "!relax.tensor<[n, n], f32>",
    ),
    "total": Case(
        "() in []",
        f"""%s = relax.index_max (%i, %j) in [n, m] {{
              %a = relax.element %x[%i, %j] : {NM}
              %b = relax.element %w[%j, %i] : {MN}
              %c = arith.subf %a, %b : f32
              relax.yield %c : f32
            }}
            relax.yield %s : f32""",
        total,
        lambda x, w: np.max(x - w.T, initial=-np.inf),
        "!relax.tensor<[], f32>",
    ),
    "distance": Case(
        "() in []",
        f"""%c0 = arith.constant 0 : index
            %s = relax.index_max (%i, %j) in [m, n] {{
              %a = relax.element %x[%c0, %i] : {NM}
              %b = relax.element %w[%c0, %j] : {MN}
              %c = arith.subf %a, %b : f32
              relax.yield %c : f32
            }}
            relax.yield %s : f32""",
        distance,
        lambda x, w: np.max(np.subtract.outer(*x[:1], *w[:1]) if x.size else x, initial=-np.inf),
        "!relax.tensor<[], f32>",
    ),
    "shares": Case(
        "(%i, %j) in [n, m]",
        f"""%s = relax.index_sum (%k) in [m] {{
              %a = relax.element %x[%i, %k] : {NM}
              relax.yield %a : f32
            }}
            %e = relax.element %x[%i, %j] : {NM}
            %v = arith.divf %e, %s : f32
            relax.yield %v : f32""",
        shares,
        lambda x, w: x / x.sum(1, keepdims=True),
    ),
    "shifted": Case(
        "(%i, %j) in [n, m + 1]",
        f"""%m = relax.index_size [m]
            %in = arith.cmpi slt, %j, %m : index
            %v = scf.if %in -> (f32) {{
              %a = relax.element %x[%i, %j] : {NM}
              %b = relax.element %w[%j, %i] : {MN}
              %c = arith.addf %a, %b : f32
              scf.yield %c : f32
            }} else {{
              %c = arith.constant -1.0 : f32
              scf.yield %c : f32
            }}
            relax.yield %v : f32""",
        shifted,
        lambda x, w: np.pad(x + w.T, ((0, 0), (0, 1)), constant_values=-1),
        "!relax.tensor<[n, m + 1], f32>",
    ),
    "positions": Case(
        "(%i, %j) in [n, m]",
        """%a = arith.index_cast %i : index to i64
           %b = arith.index_cast %j : index to i64
           %ten = arith.constant 10 : i64
           %c = arith.muli %a, %ten : i64
           %v = arith.addi %c, %b : i64
           relax.yield %v : i64""",
        positions,
        lambda x, w: np.add.outer(10 * np.arange(len(x)), np.arange(x.shape[1])),
        "!relax.tensor<[n, m], i64>",
    ),
}


def program(name: str) -> str:
    case = CASES[name]
    return f"""
relax.func @{name}(%p: {NM}, %q: {MN}) -> {case.result} {{
  %y = relax.compute {case.head} (%x = %p, %w = %q) : ({NM}, {MN}) -> {case.result} {{
    {case.body}
  }}
  relax.return %y : {case.result}
}}"""


@cache
def module() -> ModuleOp:
    return parse("".join(map(program, CASES)))


@pytest.mark.parametrize("name", CASES)
def test_the_prim_func_is_that_of_te(name: str):
    """The macro expands to what `te.create_prim_func` gives, names apart."""
    lowered = parse(program(name))
    lowering.lower(lowered, ["relax-legalize"])
    _, found = lowered.ops
    assert_structural_equal(found, te.create_prim_func([X, W, CASES[name].build()]))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("shape", [(3, 5), (40, 70), (1, 1), (0, 2), (2, 0)])
def test_elements(name: str, shape: tuple[int, int], compiled: Any):
    """Interpreter and C give what numpy gives, for sizes 0 and 1 too."""
    rng = np.random.default_rng(0)
    x, w = rng.random(shape, np.float32), rng.random(shape[::-1], np.float32)
    with np.errstate(all="ignore"):
        expected = CASES[name].expected(x, w)
    for found in (interpret.run(module(), name, x, w), compiled[name](x, w)):
        np.testing.assert_allclose(found, expected, rtol=2e-6)
        assert found.dtype == expected.dtype


@pytest.fixture(scope="module")
def compiled() -> Any:
    with lowering.compile(
        parse("".join(map(program, CASES))), "computes", extra_flags=["-O0"]
    ) as found:
        yield found


def scaled(size: str) -> ModuleOp:
    """A scalar operand, sizes that only a shape knows, and reads that sizes do not prove."""
    return parse(f"""
relax.func @main(%a: !relax.tensor<[n], f32>, %f: f32, %s: !relax.shape<[k]>) -> !relax.tensor<[{size}], f32> {{
  %y = relax.compute (%i) in [{size}] (%x = %a, %g = %f) : (!relax.tensor<[n], f32>, f32) -> !relax.tensor<[{size}], f32> {{
    %e = relax.element %x[%i] : !relax.tensor<[n], f32>
    %v = arith.mulf %e, %g : f32
    relax.yield %v : f32
  }}
  relax.return %y : !relax.tensor<[{size}], f32>
}}""")


def test_scalars_sizes_and_checks():
    """Reading outside of a tensor stops interpreter and C with the same words."""
    program, array = scaled("k"), np.float32([1, 2, 3])
    with lowering.compile(program, "scaled", extra_flags=["-O0"]) as compiled:
        for run in (lambda *args: interpret.run(program, "main", *args), compiled.main):
            assert run(array, np.float32(2), (2,)).tolist() == [2, 4]
            with pytest.raises(
                RelaxError, match=r"@main: relax.compute \(%y\): .*reads 'x' at indices 0 to 3 of"
            ):
                run(array, np.float32(2), (4,))


def test_reads_that_are_outside_are_refused():
    """What sizes prove wrong is an error of the op, at its line."""
    text = str(scaled("k")).replace("[k]", "[9]").replace("<[n]", "<[4]")
    with pytest.raises(
        RelaxError, match=r"relax.compute \(%y\): .*'x' at indices 0 to 8 .* size is 4"
    ):
        lowering.lower(
            parse(text.replace("!relax.shape<[9]>", "!relax.shape<[k]>")), ["relax-legalize"]
        )


def test_sizes_that_a_type_leaves_open():
    """The size of an operand may be unknown: the read is checked."""
    text = str(scaled("k")).replace("<[n]", "<[?]")
    assert interpret.run(parse(text), "main", np.float32([1, 2]), np.float32(3), (1,)).tolist() == [
        3
    ]
    with lowering.compile(parse(text), "unknown", extra_flags=["-O0"]) as compiled:
        assert compiled.main(np.float32([1, 2]), np.float32(3), (2,)).tolist() == [3, 6]


def test_sizes_below_zero_are_refused():
    program = scaled("n - 1")
    assert interpret.run(program, "main", np.ones(3, np.float32), np.float32(2), (0,)).tolist() == [
        2,
        2,
    ]
    with lowering.compile(program, "less", extra_flags=["-O0"]) as compiled:
        for run in (lambda *args: interpret.run(program, "main", *args), compiled.main):
            with pytest.raises(RelaxError, match=r"\(%y\): expected sizes of at least 0, found -1"):
                run(np.ones(0, np.float32), np.float32(2), (0,))


def test_arithmetic_that_te_does_not_have():
    text = str(scaled("k")).replace("f32", "i32").replace("arith.mulf", "arith.ceildivsi")
    with pytest.raises(
        RelaxError, match=r"relax.compute \(%y\): expected arithmetic .*arith.ceildivsi"
    ):
        lowering.lower(parse(text), ["relax-legalize"])


@pytest.mark.parametrize(
    "passes",
    [
        ["relax-to-graph-normal-form", "relax-to-basic-block-normal-form"],
        ["relax-to-a-normal-form", "relax-normalize", "relax-convert-to-dataflow"],
        ["relax-convert-scf-to-relax", "relax-outline-tensor-ops", "relax-generalize-tensor-ops"],
        ["relax-bind-symbolic-vars{vars=n,m sizes=3,5}"],
        ["relax-cse", "relax-fold-constant", "relax-propagate-shapes", "relax-dce"],
        ["canonicalize", "cse", "relax-optimize{level=2}"],
    ],
)
def test_passes_take_a_compute_as_a_whole(passes: list[str]):
    changed = module().clone()
    lowering.lower(changed, passes)
    rng = np.random.default_rng(1)
    x, w = rng.random((3, 5), np.float32), rng.random((5, 3), np.float32)
    for name in CASES:
        before, after = (interpret.run(each, name, x, w) for each in (module(), changed))
        np.testing.assert_array_equal(before, after)


def test_inlining_renames_sizes():
    """The sizes of a compute are those of the caller after inlining, in its region too."""
    called = program("shifted").replace("relax.func @", "relax.func private @")
    text = f"""{called}
relax.func @main(%p: !relax.tensor<[m, n], f32>, %q: !relax.tensor<[n, m], f32>) -> !relax.tensor<[m, n + 1], f32> {{
  %y = relax.call @shifted(%p, %q) : (!relax.tensor<[m, n], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[m, n + 1], f32>
  relax.return %y : !relax.tensor<[m, n + 1], f32>
}}"""
    inlined = parse(text)
    lowering.lower(inlined, ["relax-inline-private-functions"])
    assert len(list(inlined.ops)) == 1
    x, w = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32)
    expected = CASES["shifted"].expected(x, w)
    np.testing.assert_array_equal(interpret.run(inlined, "main", x, w), expected)


def test_gradient():
    """A compute is differentiated as the prim func that it expands to."""
    total = f"""
relax.func @loss(%p: {NM}, %q: {MN}) -> !relax.tensor<[], f32> {{
  %y = relax.call @matmul(%p, %q) : ({NM}, {MN}) -> !relax.tensor<[n, n], f32>
  %s = relax.sum %y : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[], f32>
  relax.return %s : !relax.tensor<[], f32>
}}"""
    differentiated = parse(program("matmul") + total)
    gradient(differentiated, "loss")
    x, w = np.float32([[1, 2, 3]]), np.float32([[4], [5], [6]])
    value, (dx, dw) = interpret.run(differentiated, "loss_adjoint", x, w)
    assert (float(value), dx.tolist(), dw.tolist()) == (32, [[4, 5, 6]], [[1], [2], [3]])


SEVERAL = f"""
relax.func @main(%p: {NM}, %q: {MN}) -> tuple<{NM}, {NM}, !relax.tensor<[n, m], i64>> {{
  %both, %shares, %column = relax.compute (%i, %j) in [n, m] (%x = %p, %w = %q) : ({NM}, {MN}) -> ({NM}, {NM}, !relax.tensor<[n, m], i64>) {{
    %a = relax.element %x[%i, %j] : {NM}
    %b = relax.element %w[%j, %i] : {MN}
    %c = arith.mulf %a, %b : f32
    %s = relax.index_sum (%k) in [m] {{
      %e = relax.element %x[%i, %k] : {NM}
      relax.yield %e : f32
    }}
    %d = arith.divf %a, %s : f32
    %column = arith.index_cast %j : index to i64
    relax.yield %c, %d, %column : f32, f32, i64
  }}
  %t = relax.tuple %both, %shares, %column : ({NM}, {NM}, !relax.tensor<[n, m], i64>) -> tuple<{NM}, {NM}, !relax.tensor<[n, m], i64>>
  relax.return %t : tuple<{NM}, {NM}, !relax.tensor<[n, m], i64>>
}}"""


def several() -> tuple[te.Tensor, ...]:
    k = axis(m)
    sums = te.compute((n,), lambda i: te.sum(X[i, k], axis=k))
    return te.compute((n, m), lambda i, j: (X[i, j] * W[j, i], X[i, j] / sums[i], j.astype("i64")))


def test_several_results_are_one_prim_func_of_te():
    module = parse(SEVERAL)
    assert str(parse(str(module))) == str(module)
    lowering.lower(module, ["relax-legalize"])
    _, found = module.ops
    assert_structural_equal(found, te.create_prim_func([X, W, *several()]))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (0, 2)])
def test_several_results(shape: tuple[int, int]):
    rng = np.random.default_rng(0)
    x, w = rng.random(shape, np.float32), rng.random(shape[::-1], np.float32)
    columns = np.broadcast_to(np.arange(shape[1]), shape)
    expected = x * w.T, x / x.sum(1, keepdims=True), columns
    with lowering.compile(parse(SEVERAL), "several", extra_flags=["-O0"]) as compiled:
        for found in (interpret.run(parse(SEVERAL), "main", x, w), compiled.main(x, w)):
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=2e-6)


def test_a_reduction_that_is_a_result_twice():
    text = f"""
relax.func @main(%a: {NM}) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {{
  %y, %z = relax.compute (%i) in [n] (%x = %a) : ({NM}) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) {{
    %s = relax.index_max (%k) in [m] {{
      %e = relax.element %x[%i, %k] : {NM}
      relax.yield %e : f32
    }}
    relax.yield %s, %s : f32, f32
  }}
  %t = relax.tuple %y, %z : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}}"""
    x = np.float32([[1, 3], [5, 2]])
    assert [v.tolist() for v in interpret.run(parse(text), "main", x)] == [[3, 5], [3, 5]]


def test_the_gradient_of_several_results():
    """Of `sum(x * w.T) + sum(x / sum(x))`: `w.T`, as shares of a row have the sum 1."""
    text = SEVERAL.replace("@main", "private @several")
    module = parse(f"""{text}
relax.func @main(%p: {NM}, %q: {MN}) -> !relax.tensor<[], f32> {{
  %t = relax.call @several(%p, %q) : ({NM}, {MN}) -> tuple<{NM}, {NM}, !relax.tensor<[n, m], i64>>
  %a = relax.tuple_get_item %t {{index = 0}} : (tuple<{NM}, {NM}, !relax.tensor<[n, m], i64>>) -> {NM}
  %b = relax.tuple_get_item %t {{index = 1}} : (tuple<{NM}, {NM}, !relax.tensor<[n, m], i64>>) -> {NM}
  %c = relax.add %a, %b : ({NM}, {NM}) -> {NM}
  %d = relax.sum %c : ({NM}) -> !relax.tensor<[], f32>
  relax.return %d : !relax.tensor<[], f32>
}}""")
    gradient(module, "main")
    rng = np.random.default_rng(0)
    x, w = rng.random((3, 5), np.float32), rng.random((5, 3), np.float32)
    _, (by_x, by_w) = interpret.run(module, "main_adjoint", x, w)
    np.testing.assert_allclose(by_x, w.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(by_w, x.T, rtol=1e-5)

"""Products of rows and weights that are both integers with scales of groups, against f64 and the interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from optional import LONG, UNOPTIMISED, amount, needs, sanitizers, shortened
from sanitized_calls import call_sanitized
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.support.target import find
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType
from relax_dialect.rewrites.quantization.quantize_activations import quantize_activations

BATCHES = ((), (0,), (1,), (3,), (2, 9))
BITS = {4: (-8, 8), 8: (-128, 128)}


@dataclass(frozen=True)
class Case:
    """Weights [depth, columns] of a number of bits in groups, and rows in groups."""

    bits: int
    depth: int
    columns: int
    weight_group: int = 32
    group: int = 32
    zeros: str = "none"
    """`none`, `one`, or `each`: one for each scale."""
    form: str = "matmul"
    rank: int = 2

    @property
    def name(self) -> str:
        return "_".join(map(str, vars(self).values()))

    @property
    def product(self) -> str:
        """The name of the product's prim func; another one if no group has one scale."""
        return f"{self.form}_i8_ui{self.bits}"


def drawn(number: int) -> Sequence[Case]:
    """Random cases."""
    random = np.random.default_rng(number)
    return [
        Case(
            bits,
            int(random.integers(33, 200)),
            int(random.integers(24, 110)),
            int(random.choice([0, 16, 32, 64, 128])),
            int(random.choice([8, 32, 64, 128])),
            str(random.choice(["none", "one", "each"])),
            str(random.choice(["matmul", "linear"])),
            int(random.integers(1, 4)),
        )
        for bits in BITS
        for _ in range(2)
    ]


def weights(case: Case) -> tuple[Any, np.ndarray]:
    """The weights as an expression, and what they are."""
    random, (low, high) = np.random.default_rng(case.depth), BITS[case.bits]
    codes = random.integers(low, high, (case.depth, case.columns)).astype(np.int8)
    codes[:2] = [[low], [high - 1]]
    rows = case.weight_group or case.depth
    scale = random.uniform(0.5, 1.5, (-(-case.depth // rows), case.columns)).astype(np.float32)
    shape = {"none": (), "one": (), "each": scale.shape}[case.zeros]
    zero = random.integers(low, high, shape).astype(np.int8) * (case.zeros != "none")
    wide = (np.repeat(a, rows, 0)[: case.depth] if a.ndim else a for a in (scale, zero))
    spread, zeros = (a.astype(np.float64) for a in wide)
    return _dequantized(case, codes, scale, zero), (codes - zeros) * spread


def _dequantized(case: Case, codes: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> Any:
    is_linear = case.form == "linear"

    def own(array: np.ndarray) -> Any:
        if not array.ndim:
            return const(array)
        found = array if case.weight_group else array[0]
        return const(np.ascontiguousarray(found.T if is_linear else found))

    axis = int(is_linear == bool(case.weight_group))
    block = case.weight_group
    return op.dequantize(
        const(np.ascontiguousarray(codes.T if is_linear else codes)),
        *map(own, (scale, np.asarray(zero))),
        axis=axis,
        block_size=block,
    )


def program(cases: Sequence[Case]) -> ModuleOp:
    builder = BlockBuilder()
    for case in cases:
        sizes = ["a", "b"][: case.rank - 1]
        with builder.function(case.name, {"x": TensorType([*sizes, case.depth], "f32")}) as (x,):
            product = op.linear if case.form == "linear" else op.matmul
            y = product(x, weights(case)[0])
            builder.emit_func_output(builder.emit(op.relu(y) if case.bits == 4 else y))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    by_group: dict[str, int] = {case.name: case.group for case in cases}
    for function in [*module.ops]:
        function.detach()
        own = ModuleOp([function])
        assert quantize_activations(own, by_group[function.properties["sym_name"].data]) == 1  # pyright: ignore
        function.detach()
        module.body.block.add_op(function)
    return module


def rounded(x: np.ndarray, group: int) -> np.ndarray:
    """Rows rounded to 127 steps of each group, in f64."""
    depth = x.shape[-1]
    more = [(0, 0)] * (x.ndim - 1) + [(0, -depth % group)]
    groups = np.pad(x, more).reshape(*x.shape[:-1], -(-depth // group), group)
    step = np.abs(groups).max(-1, keepdims=True) * np.float32(1 / 127)
    step = np.maximum(step, np.finfo(np.float32).tiny)
    found = np.rint(groups / step).clip(-128, 127).astype(np.float64) * step
    return found.reshape(*x.shape[:-1], depth + -depth % group)[..., :depth]


def rows(case: Case, batch: Sequence[int]) -> np.ndarray:
    random = np.random.default_rng(len(batch))
    x = random.standard_normal((*batch, case.depth)).astype(np.float32)
    x[..., : case.group] *= 1e-30  # its scale is not that of the row
    x[..., 8:16] = 0
    return x


def check(model: Any, cases: Sequence[Case]) -> None:
    for case in cases:
        exact = weights(case)[1]
        for batch in BATCHES:
            if len(batch) != case.rank - 1:
                continue
            x = rows(case, batch)
            expected = rounded(x, case.group) @ exact
            expected = np.maximum(expected, 0) if case.bits == 4 else expected
            found = model[case.name](x)
            bound = 1e-6 * np.abs(x).max(initial=0) * np.abs(exact).sum(0).max()
            error = np.abs(found - expected).max(initial=0)
            assert found.shape == expected.shape and error <= bound, (case, batch)


FEW = [
    Case(4, 64, 48),
    Case(4, 100, 37, 32, 64, "each", "linear", 3),
    Case(4, 160, 40, 0, 32, "one", rank=1),
    Case(8, 96, 50, 0, 32, "none", "linear", 3),
    Case(8, 70, 33, 64, 128, "each"),
    Case(8, 128, 48, 128, 8, "none", rank=1),
]


@pytest.mark.slow
@shortened
@pytest.mark.parametrize(
    "cpu",
    [
        "native",
        pytest.param("x86-64-v3", marks=needs(LONG)),
        pytest.param("generic", marks=needs(LONG)),
    ],
)
def test_products_against_f64(cpu: str):
    cases = dict.fromkeys([*FEW, *(case for n in range(amount(3, 0)) for case in drawn(n))])
    options: Mapping[str, Any] = {"extra_flags": UNOPTIMISED, "cache": False, "cpu": cpu}
    check(lowering.compile(program([*cases]), "grouped", **options), [*cases])


def test_interpreted_products():
    module = program(cases := FEW)
    check({c.name: lambda x, c=c: interpret.run(module, c.name, x) for c in cases}, cases)


@pytest.mark.slow
@needs(sanitizers("gcc", "apt install gcc"))
@pytest.mark.parametrize("cpu", ["native", pytest.param("generic", marks=needs(LONG))])
def test_products_under_sanitizers(cpu: str):
    cases = [case for case in FEW if case.rank == 2]
    given = {c.name: rows(c, (amount(17, 5),)) for c in cases}
    calls = {c.name: ([x := given[c.name]], [np.zeros((len(x), c.columns), "f4")]) for c in cases}
    source = lowering.to_c(program(cases), "model", cpu=cpu, sidecar_threshold=1 << 40)
    flags = ("-O0", "-g1", *find(cpu).flags, "-fsanitize=address,undefined")
    for name, (found,) in call_sanitized(source, calls, flags).items():
        case = next(c for c in cases if c.name == name)
        expected = rounded(given[name], case.group) @ weights(case)[1]
        expected = np.maximum(expected, 0) if case.bits == 4 else expected
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("case", [FEW[0], FEW[3]], ids=str)
def test_integers_are_multiplied(case: Case):
    """The kernel adds up bytes, also where the sums of a group are written out in tiles."""
    lowering.lower(module := program([case]), lowering.pipeline.optimizations(1))
    lowering.lower(module, ["relax-legalize", "relax-fuse-elementwise", "relax-bufferize"])
    assert case.product in str(module)
    lowering.lower(module, ["relax-schedule{cpu=x86-64-v3}"])
    assert f"dot4_u{case.bits // 8 + 7}i8_x8" in str(module)


def test_groups_without_a_common_scale():
    """Weights in groups of 12 have no group of a multiple of 8: they are decoded to floats."""
    case = Case(8, 96, 48, 12)
    check({case.name: lowering.compile(program([case]), cache=False)[case.name]}, [case])


def test_products_of_the_same_rows_share_their_integers():
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType([2, 64], "f32")}) as (x,):
        own = [weights(Case(4, 64, 48 + n))[0] for n in range(3)]
        builder.emit_func_output(builder.emit(op.concat([op.matmul(x, w) for w in own], axis=1)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    assert quantize_activations(module) == 3
    assert str(module).count("relax.quantize") == 1
    lowering.lower(module, ["relax-legalize"])
    assert str(module).count("relax.call_tir @matmul_groups_of_32_halves") == 1

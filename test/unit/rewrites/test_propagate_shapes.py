"""relax-propagate-shapes on random programs full of checks: what they mean stays, and it verifies."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from optional import UNOPTIMISED, amount, examples, shortened
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ir.types import OBJECT, TensorType
from relax_dialect.ops import binary, linear_algebra, manipulate, unary
from relax_dialect.ops.blocks import BindingBlockOp, DataflowOp, OutputOp
from relax_dialect.ops.control import IfOp, YieldOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, ReturnOp, ShapeOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.shapes.propagate_shapes import propagate_shapes

NAMES = ("n", "m", "k", "p")
BOOL = TensorType((), "i1")
PARAMS = [
    BOOL,
    TensorType(["n"], "f32"),
    TensorType(["m"], "f32"),
    TensorType(["n", "k"], "f32"),
    TensorType(["p", "m"], "f32"),
    TensorType(["?", "k"], "f32"),
]
TARGETS = (*NAMES, *NAMES, *NAMES, "2", "3", "?", "q", "r")


class Generator:
    """Grows a function by random ops on what is visible; some make checks that may fail."""

    def __init__(self, random: Random):
        self.random = random
        self.ops: list[Operation] = []
        self.values: list[SSAValue] = []
        self.lazy = False

    def add(self, op: Operation) -> None:
        self.ops.append(op)
        self.values += [r for r in op.results if isinstance(r.type, TensorType)]

    def pick(self, rank: int | None = None) -> SSAValue | None:
        fitting = [v for v in self.values if rank is None or v.type.rank == rank]  # pyright: ignore
        return self.random.choice(fitting) if fitting else None

    def step(self, depth: int) -> None:
        x = self.pick()
        assert x is not None and isinstance(x.type, TensorType) and x.type.shape is not None
        rank = len(x.type.shape)
        kinds = ["exp", "add", "add", "cast", "cast", "matmul", "reshape", "flatten"]
        kinds += ["if", "block"] if depth < 2 and not self.lazy else []
        try:
            match self.random.choice(kinds):
                case "exp":
                    self.add(unary.NegativeOp(x))
                case "add":
                    self.add(binary.AddOp(x, self.pick(rank) or x))
                case "cast":
                    dims = [self.random.choice(TARGETS) for _ in x.type.shape]
                    self.add(MatchCastOp(x, TensorType(dims, "f32")))
                case "matmul" if (y := self.pick(2)) is not None:
                    self.add(linear_algebra.MatmulOp(x, y))
                case "reshape":
                    shape = ShapeOp([self.random.choice(NAMES) for _ in range(2)])
                    op = manipulate.ReshapeOp(x, shape)
                    self.ops.append(shape)
                    self.add(op)
                case "flatten":
                    self.add(manipulate.FlattenOp(x))
                case "if":
                    self.add(self.branches(depth))
                case "block":
                    self.block(depth)
                case _:
                    pass
        except RelaxError:
            pass  # the random operands do not fit

    def inside(self, depth: int, end: Any, lazy: bool = False) -> Block:
        """A block of a few ops; the values in it are forgotten after it."""
        ops, values, was_lazy = self.ops, list(self.values), self.lazy
        self.ops, self.lazy = [], self.lazy or lazy
        for _ in range(self.random.randint(1, 4)):
            self.step(depth + 1)
        block = Block()
        block.add_ops([*self.ops, end(self.values[-1])])
        self.ops, self.values, self.lazy = ops, values, was_lazy
        return block

    def branches(self, depth: int) -> Operation:
        regions = [Region(self.inside(depth, YieldOp)) for _ in range(2)]
        yielded = [r.block.last_op.operands[0].type for r in regions]  # pyright: ignore
        same = yielded[0] == yielded[1] and {"q", "r"}.isdisjoint(free_variables(yielded[0]))
        return IfOp(self.condition, *regions, yielded[0] if same else OBJECT)

    def block(self, depth: int) -> None:
        kind = self.random.choice([DataflowOp, BindingBlockOp, GraphOp])
        block = self.inside(2 if kind is DataflowOp else depth, OutputOp, kind is GraphOp)
        output = block.last_op
        assert output is not None
        self.add(kind.create(regions=[Region(block)], result_types=output.operand_types))

    def module(self) -> ModuleOp:
        body = Block(arg_types=PARAMS)
        self.condition = body.args[0]
        self.values = list(body.args[1:])
        for _ in range(self.random.randint(3, 12)):
            self.step(0)
        result = self.values[-1]
        hidden = dict.fromkeys(("q", "r"))
        output = self.random.choice([OBJECT, substitute(result.type, hidden)])
        body.add_ops([*self.ops, ReturnOp(result)])
        return ModuleOp([FuncOp("main", PARAMS, output, Region(body))])


def arguments(sizes: dict[str, int], random: np.random.Generator) -> Sequence[np.ndarray]:
    def array(*names: str) -> np.ndarray:
        return random.integers(-3, 4, [sizes[n] for n in names]).astype(np.float32)

    flag = np.array(bool(random.integers(2)))
    return [flag, array("n"), array("m"), array("n", "k"), array("p", "m"), array("n", "k")]


def outcome(module: ModuleOp, args: Sequence[np.ndarray]) -> np.ndarray | None:
    try:
        return run(module, "main", *args, check_types=True)
    except RelaxError:
        return None


POINTS = [
    *(dict.fromkeys(NAMES, size) for size in (1, 2, 3)),
    {"n": 2, "m": 3, "k": 3, "p": 2},
    {"n": 2, "m": 2, "k": 3, "p": 3},
    {"n": 3, "m": 1, "k": 2, "p": 3},
]


def generated(seed: int) -> ModuleOp | None:
    """A random program, None if it is none: the generator does not mind the scopes of variables."""
    module = Generator(Random(seed)).module()
    try:
        return parse(str(module))
    except RelaxError:
        return None


@pytest.mark.slow
@examples(48)
@given(st.integers(0, 10**9))
def test_meaning_stays(seed: int):
    module = generated(seed)
    if module is None:
        return
    random = np.random.default_rng(seed)
    inputs = [arguments(at, random) for at in POINTS]
    before = [outcome(module, args) for args in inputs]
    propagate_shapes(module)
    verify(module)
    text = str(module)
    assert str(parse(text)) == text
    for args, expected in zip(inputs, before):
        found = outcome(module, args)
        assert (found is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@shortened
def test_the_generator_makes_programs_that_run_and_change():
    ran = changed = 0
    seeds = amount(45, 25)
    for seed in range(seeds):
        module = generated(seed)
        if module is None:
            continue
        old = str(module)
        ran += any(
            outcome(module, arguments(at, np.random.default_rng(0))) is not None for at in POINTS
        )
        propagate_shapes(module)
        changed += str(module) != old
    assert ran > seeds // 4 and changed > seeds // 4


CAST = """
relax.func @main(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>, %b: !relax.tensor<[n, m], f32>, %s: !relax.tensor<[p], f32>) -> !relax.object {
  %y = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>
  %z = relax.match_cast %y : !relax.tensor<[n, m], f32> -> !relax.tensor<[p, 4], f32>
  %a = relax.add %z, %b : (!relax.tensor<[p, 4], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %a : !relax.tensor<[?, 4], f32>
}
"""


@pytest.mark.slow
def test_compiled_with_two_checks():
    """n == p and m == 4 are checked once, though b is cast too; the sum needs no check any more."""
    module = parse(CAST)
    propagate_shapes(module)
    model = lowering.compile(module, extra_flags=UNOPTIMISED)
    text = str(lowering.lower(module.clone()))
    assert text.count("cf.assert") == 2

    def args(n: int, k: int, m: int, p: int) -> list[np.ndarray]:
        return [np.ones(shape, np.float32) for shape in ((n, k), (k, m), (n, m), (p,))]

    for n in (0, 1, 3):
        np.testing.assert_array_equal(model.main(*args(n, 2, 4, n)), np.full((n, 4), 3))
    for n, m, p, message in ((3, 5, 3, "size 4 in dimension 1, found 5"), (3, 4, 2, "size p = 2")):
        with pytest.raises(RelaxError, match=message):
            model.main(*args(n, 2, m, p))
        assert outcome(module, args(n, 2, m, p)) is None


def long_program(count: int) -> ModuleOp:
    """A chain of checks, each of which proves a size, and of sums that use them."""
    body = Block(arg_types=[TensorType(["n"], "f32")])
    x = value = body.args[0]
    ops: list[Operation] = []
    for i in range(count // 2):
        cast = MatchCastOp(value, TensorType([f"v{i}"], "f32"))
        ops += [cast, binary.AddOp(cast, x)]
        value = cast.result
    body.add_ops([*ops, ReturnOp(value)])
    return ModuleOp([FuncOp("main", [x.type], OBJECT, Region(body))])


@pytest.mark.slow
@shortened
def test_long_programs():
    module = long_program(amount(5_000, 1_500))
    propagate_shapes(module)
    verify(module)


@pytest.mark.long
def test_cost_is_linear_in_the_length():
    def work(count: int) -> int:
        module = long_program(count)
        return effort(lambda: propagate_shapes(module))

    assert work(4000) < 5 * work(1000)


def test_deep_nests():
    """200 branches, each of which proves a size."""
    body = Block(arg_types=[BOOL, TensorType(["n"], "f32"), TensorType(["m"], "f32")])
    condition, x, y = body.args
    inner: Operation = binary.AddOp(x, y)
    for _ in range(200):
        cast = MatchCastOp(x, TensorType(["m"], "f32"))
        then, other = Block(), Block()
        then.add_ops([cast, inner, YieldOp(inner)])
        other.add_op(YieldOp(x))
        inner = IfOp(condition, Region(then), Region(other), OBJECT)
    body.add_ops([inner, ReturnOp(inner)])
    module = ModuleOp([FuncOp("main", list(body.arg_types), OBJECT, Region(body))])
    propagate_shapes(module)
    verify(module)

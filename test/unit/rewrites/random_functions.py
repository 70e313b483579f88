"""Random functions with branches, closures, lets, shared nodes and blocks, for the normal forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, Float32Type, ModuleOp
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from relax_dialect.interpret import register_packed
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import binary, unary
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp, OutputOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp, IfOp, YieldOp
from relax_dialect.ops.core import ConstantOp, FuncOp, MatchCastOp, ReturnOp
from relax_dialect.ops.effects import CallPurePackedOp, PrintOp
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.ops.loops import WhileOp

F32 = TensorType((), "f32")
BOOL = TensorType((), "i1")
MAX_DEPTH = 3

COUNTS: Counter[str] = Counter()
"""How often each of the packed functions count1, count2, ... has run."""


def _counted(name: str) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        COUNTS[name] += 1
        return np.tanh(x + np.float32(0.25)).astype(np.float32)

    return call


for _i in range(1, 200):
    register_packed(f"count{_i}", _counted(f"count{_i}"))


@dataclass
class Region_:
    """A region being generated: its ops and the values visible in it, by type."""

    is_graph: bool
    straight: bool = False
    depth: int = 0
    ops: list[Operation] = field(default_factory=list)
    floats: list[SSAValue] = field(default_factory=list)
    closures: list[SSAValue] = field(default_factory=list)
    impure: list[SSAValue] = field(default_factory=list)
    """The closures with effects."""

    def inner(self, *, is_graph: bool | None = None, straight: bool = False) -> Region_:
        graph = self.is_graph if is_graph is None else is_graph
        known = [*self.floats], [*self.closures], [*self.impure]
        return Region_(graph, straight, self.depth + 1, [], *known)


class Generator:
    """Grows regions by random ops."""

    def __init__(self, random: Random, *, effects: bool):
        self.random = random
        self.has_effects = effects
        self.effects = effects
        """Whether ops with effects may stand in the region that is being grown."""
        self.labels = 0

    def add(self, region: Region_, op: Operation) -> SSAValue:
        region.ops.append(op)
        return op.results[0]

    def value(self, region: Region_) -> SSAValue:
        """One of the values, the latest ones more often."""
        recent = region.floats[-4:] if self.random.random() < 0.6 else region.floats
        return self.random.choice(recent)

    def grow(self, region: Region_, steps: int) -> None:
        for _ in range(steps):
            kinds = ["unary", "binary", "let", "constant", "match", "packed"]
            if region.depth < MAX_DEPTH:
                kinds += [] if region.straight else ["if", "if", "if", "while"]
                kinds += ["closure"]
                kinds += [] if region.is_graph else ["dataflow", "graph", "binding_block"]
            kinds += ["call"] if region.closures else []
            if self.effects and not region.is_graph:
                kinds += ["print", *(["impure_call"] * 2 if region.impure else [])]
            getattr(self, "make_" + self.random.choice(kinds))(region)

    def make_unary(self, region: Region_) -> None:
        kind = self.random.choice([unary.TanhOp, unary.NegativeOp])
        region.floats.append(self.add(region, kind(self.value(region))))

    def make_binary(self, region: Region_) -> None:
        total = self.add(region, binary.AddOp(self.value(region), self.value(region)))
        region.floats.append(self.add(region, unary.TanhOp(total)))

    def make_let(self, region: Region_) -> None:
        region.floats.append(self.add(region, LetOp(self.value(region))))

    def make_match(self, region: Region_) -> None:
        region.floats.append(self.add(region, MatchCastOp(self.value(region), F32)))

    def make_constant(self, region: Region_) -> None:
        region.floats.append(self.constant(region, self.random.randrange(-4, 5) / 4))

    def constant(self, region: Region_, value: float) -> SSAValue:
        type = BuiltinTensorType(Float32Type(), [])
        return self.add(region, ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [value])))

    def make_packed(self, region: Region_) -> None:
        """A call that tests can count."""
        self.labels += 1
        call = CallPurePackedOp(f"count{self.labels}", [self.value(region)], F32)
        region.floats.append(self.add(region, call))

    def make_print(self, region: Region_) -> None:
        region.ops.append(PrintOp(self.value(region)))

    def make_if(self, region: Region_) -> None:
        condition = self.add(region, binary.LessOp(self.value(region), self.value(region)))
        branches: list[Region] = []
        for _ in range(2):
            inner = region.inner()
            self.grow(inner, self.random.randrange(4))
            inner.ops.append(YieldOp(self.value(inner)))
            branches.append(Region(self.block(inner)))
        region.floats.append(self.add(region, IfOp(condition, branches[0], branches[1])))

    def make_while(self, region: Region_) -> None:
        """A loop of two turns over a counter and a few numbers."""
        zero, one, end = (self.constant(region, value) for value in (0.0, 1.0, 1.5))
        inits = [zero, *(self.value(region) for _ in range(self.random.randrange(3)))]
        regions: list[Region] = []
        for is_body in (False, True):
            inner = region.inner()
            block = Block(arg_types=[F32] * len(inits))
            counter, *rest = block.args
            inner.floats += rest
            self.grow(inner, self.random.randrange(1 + 3 * is_body))
            if is_body:
                count = self.add(inner, binary.AddOp(counter, one))
                inner.ops.append(YieldOp(count, *(self.value(inner) for _ in rest)))
            else:
                inner.ops.append(YieldOp(self.add(inner, binary.LessOp(counter, end))))
            regions.append(Region(self.block(inner, block)))
        loop = WhileOp(inits, *regions)
        region.ops.append(loop)
        region.floats.extend(loop.results)

    def make_closure(self, region: Region_) -> None:
        """One whose calls print runs in order, wherever it is made."""
        impure = self.has_effects and self.random.random() < 0.4
        inner = region.inner(is_graph=False) if impure else region.inner()
        block = Block(arg_types=[F32])
        inner.floats.append(block.args[0])
        effects, self.effects = self.effects, impure
        self.grow(inner, self.random.randrange(4))
        if impure:
            self.make_print(inner)
        self.effects = effects
        inner.ops.append(ReturnOp(self.value(inner)))
        closure = ClosureOp(Region(self.block(inner, block)), F32, pure=not impure)
        made = self.add(region, closure)
        (region.impure if impure else region.closures).append(made)

    def make_call(self, region: Region_) -> None:
        self.call(region, self.random.choice(region.closures))

    def make_impure_call(self, region: Region_) -> None:
        self.call(region, self.random.choice(region.impure))

    def call(self, region: Region_, closure: SSAValue) -> None:
        region.floats.append(self.add(region, CallClosureOp(closure, [self.value(region)])))

    def make_dataflow(self, region: Region_) -> None:
        self.make_block(region, DataflowOp, region.inner(is_graph=True, straight=True))

    def make_graph(self, region: Region_) -> None:
        self.make_block(region, GraphOp, region.inner(is_graph=True))

    def make_binding_block(self, region: Region_) -> None:
        self.make_block(region, BindingBlockOp, region.inner(is_graph=False))

    def make_block(self, region: Region_, kind: type[BlockOp], inner: Region_) -> None:
        self.grow(inner, self.random.randrange(1, 6))
        outputs = self.random.choices(inner.floats, k=self.random.randrange(1, 3))
        passed = inner.impure[len(region.impure) :]
        inner.ops.append(OutputOp(*outputs, *passed))
        block = kind(self.block(inner))
        region.ops.append(block)
        region.floats.extend(block.results[: len(outputs)])
        region.impure.extend(block.results[len(outputs) :])

    def block(self, region: Region_, block: Block | None = None) -> Block:
        """The ops as a block; those of a graph in any order."""
        block = block or Block()
        ops = region.ops
        if region.is_graph and self.random.random() < 0.5:
            ops = [*self.random.sample(ops[:-1], len(ops) - 1), ops[-1]]
        block.add_ops(ops)
        return block


def random_module(random: Random, *, graph: bool = False, effects: bool = False) -> ModuleOp:
    """A module with one function @main of two numbers: one graph, or a mixture of everything."""
    generator = Generator(random, effects=effects)
    body = Block(arg_types=[F32, F32])
    outer = Region_(False, floats=list(body.args))
    if graph:
        inner = outer.inner(is_graph=True)
        inner.depth = 0
        generator.grow(inner, random.randrange(1, 12))
        inner.ops.append(OutputOp(generator.value(inner)))
        block = GraphOp(generator.block(inner))
        outer.ops.append(block)
        outer.floats = list(block.results)
    else:
        generator.grow(outer, random.randrange(1, 10))
    outer.ops.append(ReturnOp(outer.floats[-1]))
    generator.block(outer, body)
    types: list[Attribute] = [F32, F32]
    return ModuleOp([FuncOp("main", types, F32, Region(body))])


def modules(*, graph: bool = False, effects: bool = False) -> st.SearchStrategy[ModuleOp]:
    """A strategy of random modules."""
    randoms = st.randoms(use_true_random=False)
    return randoms.map(lambda random: random_module(random, graph=graph, effects=effects))


ARGUMENTS = tuple(np.float32(v) for v in (0.3, -0.7))

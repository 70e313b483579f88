"""Random call graphs: the values of all functions that are active lie apart, as their frames are entered and left."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import pytest
from xdsl.dialects import arith, func, memref, scf
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.constants import known_integer
from lowering.memory.plan import placement, plan_memory
from lowering.memory.plan.lifetimes import bytes_of
from relax_dialect import parse, symbolic

HEADER = 64
"""The bytes before a frame's memory."""

SIGNATURE = """(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}, %any: memref<?xi8>,
                %more: i1)"""


class Functions:
    """Functions that call those before them, some of them also themselves, in branches and loops."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.names: list[str] = []
        self.texts: list[str] = []
        for number in range(self.rng.randint(2, 5)):
            self.lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
            self.lines += ["%c2 = arith.constant 2 : index"]
            self.lines += ["%u = memref.dim %any, %c0 : memref<?xi8>"]
            self.lines += ["%sum = arith.addi %n, %m : index"]
            self.count = 0
            self.block(2, number > 0, itself=f"f{number}" if self.rng.random() < 0.3 else None)
            self.names.append(f"f{number}")
            body = "\n".join(self.lines)
            self.texts.append(f"func.func @f{number}{SIGNATURE} {{\n{body}\nfunc.return\n}}")

    def block(self, depth: int, calls: bool, itself: str | None = None) -> None:
        rng, alive = self.rng, list[str]()
        for _ in range(rng.randint(2, 4)):
            what = rng.random()
            if what < 0.45:
                self.count += 1
                size, columns = (
                    rng.choice(("%n", "%n", "%m", "%c1", "%u")),
                    rng.choice((16, 32, 128)),
                )
                type = f"memref<?x{columns}xf32>"
                self.lines.append(f"%v{self.count}x = memref.alloc({size}) : {type}")
                alive.append(f"memref.dealloc %v{self.count}x : {type}")
            elif what < 0.75 and calls:
                self.call(rng.choice(self.names))
            elif what < 0.85 and depth:
                self.count += 1
                self.lines.append(f"scf.for %i{self.count}x = %c0 to %c2 step %c1 {{")
                self.block(depth - 1, calls)
                self.lines.append("}")
            elif alive:
                self.lines.append(alive.pop(rng.randrange(len(alive))))
        if itself is not None:
            self.lines += ["%no = arith.constant 0 : i1", "scf.if %more {"]
            self.lines += [
                f"func.call @{itself}(%n, %m, %any, %no) : (index, index, memref<?xi8>, i1) -> ()"
            ]
            self.lines += ["}"]
        self.lines += alive

    def call(self, name: str) -> None:
        arguments = ", ".join(
            self.rng.choice(("%n", "%m", "%c2", "%c2", "%sum", "%u")) for _ in range(2)
        )
        types = "(index, index, memref<?xi8>, i1) -> ()"
        self.lines.append(f"func.call @{name}({arguments}, %any, %more) : {types}")


@dataclass
class Frame:
    """An active function: its memory, from where on, and the values that are alive in it."""

    start: int | None
    sizes: Mapping[str, int]
    alive: dict[SSAValue, tuple[int, int]] = field(default_factory=dict)


class Run:
    """The functions of a module as they run, with the arena's top as C keeps it."""

    def __init__(self, functions: Mapping[str, func.FuncOp], unknown: int):
        self.functions, self.unknown = functions, unknown
        self.top = 0
        self.active: list[Frame] = []
        self.placed = 0

    def call(self, name: str, given: Sequence[int | None]) -> None:
        function = self.functions[name]
        values: dict[SSAValue, int | None] = dict(zip(function.body.block.args, given))
        n, m = given[:2]
        assert n is not None and m is not None
        sizes = {"n": n, "m": m}
        frame, before = Frame(None, sizes), self.top
        if "relax.frame" in function.attributes:
            frame.start = self.top + HEADER
            self.top = frame.start + evaluate(function, "relax.frame", sizes)
        self.active.append(frame)
        self.block(function.body.block, values, frame)
        assert not frame.alive
        self.active.pop()
        if frame.start is not None:
            self.top = before

    def block(self, block: Block, values: dict[SSAValue, int | None], frame: Frame) -> None:
        for op in block.ops:
            match op:
                case arith.ConstantOp():
                    values[op.result] = known_integer(op.result)
                case arith.AddiOp():
                    values[op.result] = (values[op.lhs] or 0) + (values[op.rhs] or 0)
                case memref.DimOp():
                    values[op.result] = self.unknown
                case memref.AllocOp() if "relax.offset" in op.attributes:
                    self.place(op, values, frame)
                case memref.DeallocOp():
                    frame.alive.pop(op.memref, None)
                case func.CallOp():
                    if "relax.offset" in op.attributes and frame.start is not None:
                        self.top = frame.start + evaluate(op, "relax.offset", frame.sizes)
                    self.call(op.callee.string_value(), [values.get(v) for v in op.operands])
                case scf.ForOp():
                    self.block(op.body.block, values, frame)  # every turn is the same
                case scf.IfOp():
                    if values[op.cond]:
                        self.block(op.true_region.block, values, frame)
                case _:
                    pass

    def place(
        self, op: memref.AllocOp, values: Mapping[SSAValue, int | None], frame: Frame
    ) -> None:
        assert frame.start is not None
        (rows,) = (values[v] for v in op.dynamic_sizes)
        assert rows is not None
        size = bytes_of(
            op.memref.type, [symbolic.const(rows), symbolic.const(op.memref.type.get_shape()[1])]
        )
        assert size is not None and size.value is not None
        begin = frame.start + evaluate(op, "relax.offset", frame.sizes)
        end = begin + size.value
        for other in self.active:
            for from_, to in other.alive.values():
                assert end <= from_ or to <= begin or begin == end or from_ == to
        frame.alive[op.memref] = begin, end
        self.placed += 1


parse_size = cache(symbolic.parse)


def evaluate(op: Operation, name: str, sizes: Mapping[str, int]) -> int:
    return parse_size(op.attributes[name].data).evaluate(dict(sizes))  # pyright: ignore


@pytest.mark.slow
@pytest.mark.parametrize("longest", [placement.LONGEST, 8])
def test_values_of_active_functions_lie_apart(longest: int, monkeypatch: pytest.MonkeyPatch):
    """Also where most offsets would be too long to be said, so that frames reach beyond those of callers."""
    for module in (placement, plan_memory):
        monkeypatch.setattr(module, "LONGEST", longest)
    placed, reaching = 0, 0
    for seed in range(40):
        made = Functions(seed)
        module = parse("\n".join(made.texts))
        plan_memory.plan_memory(module)
        functions = {f.sym_name.data: f for f in module.ops if isinstance(f, func.FuncOp)}
        for n, m, unknown in ((3, 40, 1000), (50, 0, 7)):
            run = Run(functions, unknown)
            run.call(made.names[-1], [n, m, None, 1])
            placed += run.placed
        reaching += "%u" in "".join(
            line for t in made.texts for line in t.splitlines() if "call" in line
        )
    assert placed > 150 and reaching > 10

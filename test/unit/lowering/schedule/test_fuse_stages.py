"""Schedules of several stages together, `@softmax#0-3`, of one's own: right, or refused with a reason."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg

from lowering import lower
from lowering.pipeline import PASSES, optimizations
from lowering.schedule.relax_schedule import schedule
from lowering.schedule.schedule import parse
from lowering.support.target import find
from relax_dialect import interpret
from relax_dialect import parse as parse_module
from relax_dialect.builder import BlockBuilder
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.prim.signature import SCHEDULES

from .test_rows import CASES, TOLERANCE, arrays, shape_of

DRAWN = int(os.environ.get("RELAX_EXAMPLES", 1))
"""How many schedules are drawn for each program; more on demand."""

TRIED = {
    "softmax": [
        "@softmax#0-4:\nfuse_stages(d0)",
        "@softmax#0-4:\nfuse_stages(d0, rows=3)\nhoist_buffers(stack=64)",
        "@softmax#0-4:\nfuse_stages(d0, rows=8, bytes=100)\nhoist_buffers()",
        "@softmax#0-1:\nfuse_stages(d0, rows=2)\n@softmax#2-4:\nfuse_stages(d0)",
        "@softmax#0-4:\nfuse_stages(d0, rows=4, first=1, last=2)",
        "@softmax#0-4:\nfuse_stages(d0, rows=4)\n@softmax#0:\nsplit_reduction(d1, 4)\n"
        "@softmax#1:\nvectorize(d1, 4)\n@softmax#4:\ntile(d1, 8)",
    ],
    "instance_norm": [
        "@instance_norm#0-5:\ncollapse(d2, d3)\nfuse_stages(d0, d1)",
        "@instance_norm#0-5:\nfuse_stages(d0)\nfuse_stages(d0, rows=2)\nhoist_buffers(stack=512)",
    ],
    "attention": [
        "@attention#0-7:\nfuse_stages(d0)\nfuse_stages(d1, d0, rows=2)\nhoist_buffers(stack=99)",
    ],
}
"""Programs of `test_rows.py`, and schedules of their stages."""

SIZES = (
    {"b": 2, "n": 7, "m": 5, "k": 3},
    {"b": 1, "n": 4, "m": 19, "k": 2},
    {"b": 1, "n": 0, "m": 3, "k": 2},
)


def program(name: str, known: dict[str, int] | None = None) -> ModuleOp:
    """One program, the letters in `known` known."""
    case, builder = CASES[name], BlockBuilder()
    types = {
        f"x{i}": TensorType(shape_of(letters, known or {}), case.dtype)
        for i, letters in enumerate(case.shapes)
    }
    with builder.function("main", types) as values:
        builder.emit_func_output(builder.emit(case.make(*values)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return module


@cache
def bufferized(name: str, known: tuple[tuple[str, int], ...] = ()) -> ModuleOp:
    """A program as schedules find it."""
    names = [*optimizations(), *PASSES]
    return lower(program(name, dict(known)), names[: names.index("relax-schedule")])


def scheduled(module: ModuleOp, text: str) -> ModuleOp:
    module = module.clone()
    module.attributes[SCHEDULES] = StringAttr(text)
    return lower(module, ["relax-schedule"], verify_each=True)


def check(name: str, made: ModuleOp, sizes: dict[str, int], text: str) -> None:
    """Compare what a scheduled program computes, in the interpreter, with numpy."""
    case = CASES[name]
    given = arrays(case, sizes)
    found, tolerance = interpret.run(made, "main", *given), TOLERANCE[case.dtype]
    expected, message = case.numpy(*given), f"{sizes}\n{text}"
    np.testing.assert_allclose(found, expected, tolerance, tolerance, err_msg=message)


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, own in TRIED.items() for t in own])
def test_a_schedule_of_stages_changes_no_result(name: str, text: str):
    made = scheduled(bufferized(name), text)
    for sizes in SIZES:
        check(name, made, sizes, text)


# What is refused

REFUSED = {
    "@softmax:\nfuse_stages(d0)": "expected several stages, as in @softmax#0-2, found one kernel; name them",
    "@softmax#0-4:\nfuse_stages(d7)": "expected one of the loops d0, d1, found d7; name one",
    "@softmax#0-4:\nfuse_stages()": "expected one loop or several, found none; name each once",
    "@softmax#0-4:\nfuse_stages(d0, d0)": "expected one loop or several, found d0, d0; name each once",
    "@softmax#0-4:\nfuse_stages(d1)": "expected a loop that all stages have, and in whose iterations they read and "
    "write the same part of what is written, found d1",
    "@softmax#0-4:\nfuse_stages(d0, rows=0)": "expected a number of rows of at least 1, found 0",
    "@softmax#0-4:\nfuse_stages(d0, rows=10)": "expected a tile no larger than the loop, which has 9 iterations",
    "@softmax#0-4:\nfuse_stages(d0, first=2, last=2)": "expected two stages from #0 to #4, found #2 and #2",
    "@softmax#0-3:\nfuse_stages(d0, last=4)": "expected two stages from #0 to #3, found #0 and #4",
    "@softmax#0-4:\nfuse_stages(d0, first=0, last=1)\nfuse_stages(d0)": "found some in different loops",
    "@softmax#0-4:\ncollapse(d0, d1)": "expected d0 and d1 to be the last two loops of all stages",
    "@softmax#0-4:\nhoist_buffers()": "expected loops around stages, found none; put it after fuse_stages",
    "@softmax#0-4:\ntile(d0, 4)": "expected one kernel, as in @softmax#4, found several stages; say it for each",
    "@softmax#0-9:\nfuse_stages(d0)": "expected two numbers below 5, that of the generics of @softmax, the "
    "smaller one first, found 0-9; take two of them",
    "@softmax#3-1:\nfuse_stages(d0)": "the smaller one first, found 3-1; take two of them",
    "@softmax#0-4:\nfuse_stages(d0, x=1)": "expected options rows, bytes, first, last, found x",
    "@softmax#0-4:\nfuse_stages(d0, rows=d1)": "expected a number as rows, found d1; correct it",
    "@softmax#0-4:\nfuse_stages(4)": "expected one of the loops d0, d1, found 4; name one",
}


@pytest.mark.parametrize("source", REFUSED)
def test_a_schedule_of_stages_is_refused(source: str):
    module = bufferized("softmax", (("n", 9), ("m", 13))).clone()
    with pytest.raises(RelaxError, match=re.escape(REFUSED[source])):
        schedule(module, find(), parse(source))


BETWEEN = """
func.func @f(%x: memref<8x8xf32>, %a: memref<8x8xf32>, %out: memref<8x8xf32>) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %view = memref.subview %a[0, 0] [8, 8] [1, 1] : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}} ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {{
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }}
  {between}
  linalg.generic {{indexing_maps = [{map}, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}} ins({read}) outs(%out : memref<8x8xf32>) {{
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  }}
  func.return
}}
"""

APART = {
    "expected nothing between the stages that reads or writes memory, found memref.store": (
        "memref.store %zero, %x[%c0, %c0] : memref<8x8xf32>",
        "affine_map<(i, j) -> (i, j)>",
        "%a : memref<8x8xf32>",
    ),
    "in whose iterations they read and write the same part of what is written, found d0": (
        "",
        "affine_map<(i, j) -> (0, j)>",
        "%a : memref<8x8xf32>",
    ),
    "expected memory that all stages know by one name if one of them writes it": (
        "",
        "affine_map<(i, j) -> (i, j)>",
        "%view : memref<8x8xf32, strided<[8, 1]>>",
    ),
}


@pytest.mark.parametrize("message", APART)
def test_what_stands_apart_is_refused(message: str):
    between, map_, read = APART[message]
    module = parse_module(BETWEEN.format(between=between, map=map_, read=read))
    with pytest.raises(RelaxError, match=re.escape(message)):
        schedule(module, find(), parse("@f#0-1:\nfuse_stages(d0)"))


def test_columns_are_refused():
    """Parts of columns do not lie together."""
    module = bufferized("columns").clone()
    with pytest.raises(
        RelaxError, match="cuts arrays into parts that lie together in memory, found d1"
    ):
        schedule(module, find(), parse("@softmax#0-4:\nfuse_stages(d1)"))


def test_rows_of_a_sum_go_one_by_one():
    same = "affine_map<(i, j) -> (i, j)>"
    text = BETWEEN.format(between="", map=same, read="%a : memref<8x8xf32>")
    text = text.replace(f"[{same}, {same}]", f"[affine_map<(i, j) -> (i + j)>, {same}]", 1)
    module = parse_module(
        text.replace("%x: memref<8x8xf32>", "%x: memref<15xf32>").replace(
            "%x : memref<8x8xf32>", "%x : memref<15xf32>"
        )
    )
    with pytest.raises(RelaxError, match="expected rows=1 for d1, which is part of a sum in a sub"):
        schedule(module, find(), parse("@f#0-1:\nfuse_stages(d0, d1, rows=2)"))


# What is told, and what is not


def outside(module: ModuleOp) -> list[linalg.GenericOp]:
    """The generics that stand in no loop."""
    generics = [op for op in module.walk() if isinstance(op, linalg.GenericOp)]
    return [op for op in generics if not isinstance(op.parent_op(), scf.ForOp)]


def test_what_is_left_is_still_fused():
    """A schedule for one kernel is not one for the others of its prim func."""
    module = bufferized("softmax", (("n", 900), ("m", 1300))).clone()
    taken = schedule(module, find(), parse("@softmax#4:\ntile(d1, 100)"))
    assert [*taken][:2] == ["softmax#4", "softmax#0-3"]
    assert outside(module) == []


def test_stages_stay_apart_where_one_is_told_so():
    module = bufferized("softmax", (("n", 900), ("m", 1300))).clone()
    taken = schedule(module, find(), parse("@softmax#0-4:\n"))
    assert [key for key in taken if "-" in key] == ["softmax#0-4"] and outside(module) != []


# At random


class Drawn:
    """Draws schedules for a prim func of so many generics."""

    def __init__(self, draw: random.Random, name: str, count: int):
        self.random, self.name, self.count = draw, name, count

    def entries(self) -> Iterator[list[str]]:
        """Lines of schedules of parts of the stages, and of some of them alone."""
        first = 0
        while first < self.count - 1:
            last = self.random.choice(
                (self.count - 1, self.random.randrange(first + 1, self.count))
            )
            steps = [self.step(first, last) for _ in range(10)]
            yield [f"@{self.name}#{first}-{last}:", *steps]
            first = last + 1
        for number in range(self.count):
            if self.random.random() < 0.3:
                yield [
                    f"@{self.name}#{number}:",
                    self.random.choice(("tile(d0, 2)", "vectorize(d1, 4)")),
                ]

    def step(self, first: int, last: int) -> str:
        if self.random.random() < 0.15:
            return self.random.choice(
                ("hoist_buffers(stack=64)", "collapse(d1, d2)", "collapse(d2, d3)")
            )
        loops = [f"d{d}" for d in range(self.random.choice((1, 2, 3)))]
        self.random.shuffle(loops)
        options = [f"rows={self.random.choice((1, 2, 3, 8))}"]
        if self.random.random() < 0.3:
            options.append(f"bytes={self.random.choice((1, 100, 400))}")
        if self.random.random() < 0.3:
            options += [
                f"first={self.random.randint(first, last)}",
                f"last={self.random.randint(first, last)}",
            ]
        return f"fuse_stages({', '.join([*loops[: self.random.choice((1, 1, 3))], *options])})"


def accepted(module: ModuleOp, entries: Iterator[list[str]]) -> tuple[str, ModuleOp]:
    """The steps that are not refused, each after those before it, and what they make."""
    text, best = "", module
    for name, *steps in entries:
        head = f"{name}\n"
        for step in steps:
            try:
                best = scheduled(module, f"{text}{head}{step}\n")
            except RelaxError:
                continue
            text, head = f"{text}{head}{step}\n", ""
    return text, best


@pytest.mark.slow
@pytest.mark.parametrize("known", [False, True], ids=["symbolic", "static"])
@pytest.mark.parametrize(
    "name", ["softmax", "planes", "instance_norm", "group_norm", "attention", "causal"]
)
def test_a_drawn_schedule_of_stages_is_refused_or_right(name: str, known: bool):
    for number in range(DRAWN):
        draw = random.Random(f"{name} {known} {number}")
        sizes = {"b": 2, "n": draw.choice((4, 7)), "m": draw.choice((5, 9)), "k": 3}
        module = bufferized(name, tuple(sizes.items()) if known else ())
        kernels = {
            op.sym_name.data: sum(isinstance(o, linalg.GenericOp) for o in op.walk())
            for op in module.ops
            if isinstance(op, FuncOp)
        }
        kernel = max(kernels, key=lambda own: kernels[own])
        text, made = accepted(module, Drawn(draw, kernel, kernels[kernel]).entries())
        check(name, made, sizes, text)

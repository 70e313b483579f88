"""Schedules drawn at random for the kernels of `test_primitives.py`: each is refused with a reason, or computes
what the loops did before. What it makes of a kernel is interpreted, which refuses every element out of bounds."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import pytest
from optional import amount, shortened
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.linalg import ops as linalg

from lowering.pipeline import PASSES, lower, optimizations
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.prim.signature import SCHEDULE

from .test_primitives import CASES, KNOWN, prim_func, program

DRAWN = int(os.environ.get("RELAX_EXAMPLES", 1))
"""How many schedules are drawn for each kernel; more on demand."""

SIZES = {"m": (5, 9), "n": (4, 13), "k": (2, 7), "b": (2, 3)}


class Drawn:
    """Draws steps for a kernel of so many loops and operands."""

    def __init__(self, draw: random.Random, loops: int, inputs: int):
        self.random, self.loops, self.inputs = draw, loops, inputs

    def loop(self) -> str:
        return f"d{self.random.randrange(self.loops)}"

    def order(self) -> str:
        names = [f"d{d}" for d in range(self.loops)]
        self.random.shuffle(names)
        return ", ".join(names[: self.random.choice((self.loops, self.loops, 3, 2))])

    def operand(self) -> str:
        return f"in{self.random.randrange(self.inputs)}" if self.random.random() < 0.95 else "out0"

    def number(self, *choices: int) -> int:
        return self.random.choice(choices)

    def options(self, *options: str) -> str:
        return "".join(f", {o}" for o in options if self.random.random() < 0.25)

    def step(self) -> str:
        steps: Sequence[Callable[[], str]] = (
            *[lambda: f"tile({self.loop()}, {self.number(1, 2, 3, 4, 8)}{self.tiles()})"] * 6,
            lambda: f"strip({self.loop()}, {self.loop()}, {self.number(3, 8, 30)}{self.strips()})",
            lambda: f"interchange({self.order()})",
            lambda: f"collapse({self.loop()}, {self.loop()})",
            *[lambda: f"pack({self.operand()}, {self.loop()}{self.packing()})"] * 3,
            lambda: f"pack_constant({self.operand()}, {self.loop()}{self.inside()})",
            *[lambda: f"hoist({self.operand()})"] * 3,
            lambda: f"skip_zeros({self.operand()}, {self.loop()}{self.options(self.loop())})",
            lambda: f"cache_read({self.operand()}{self.options('align=4', 'align=8')[:9]})",
            lambda: f"align_loads({self.operand()}, {self.loop()})",
            lambda: f"cache_write({self.order()})",
            *[lambda: f"separate({self.loop()}{self.options(self.loop())})"] * 2,
            lambda: "fuse_epilogue()",
            lambda: f"fuse_producer({self.operand()})",
            lambda: f"pad({self.loop()})",
            lambda: f"pad_reduction({self.loop()}, {self.number(2, 3, 4)})",
            lambda: f"split({self.loop()}, {self.number(1, 2, 3, 7)})",
            lambda: f"img2col({self.number(1, 200, 4096)})",
            lambda: f"specialize({self.loop()}{self.options('iterations=3')})",
            *[
                lambda: (
                    f"vectorize({self.loop()}, {self.number(2, 4)}{self.options('shifted=true')})"
                )
            ]
            * 2,
            lambda: f"split_reduction({self.loop()}, {self.number(2, 4)})",
            lambda: f"unroll({self.loop()}, {self.number(2, 3)})",
            lambda: f"split_accumulators({self.loop()}, {self.number(2, 5)})",
            lambda: f"unroll_and_jam({self.loop()})",
            lambda: f"transpose({self.operand()}, {self.loop()})",
            lambda: f"prefetch({self.operand()}, {self.loop()}, {self.number(1, 4)})",
            lambda: "outline(part)",
        )
        return self.random.choice(steps)()

    def tiles(self) -> str:
        return self.options("balanced=true", "multiple=2", "shifted=true")

    def strips(self) -> str:
        return self.options("high=2", "wide=4", "whole=true")

    def inside(self) -> str:
        return self.options(f"inside={self.loop()}")

    def packing(self) -> str:
        return self.options("rest=true") + self.inside()


def accepted(refuse: Callable[[str], bool], drawn: Drawn) -> Iterator[str]:
    """The steps that are not refused, each after those before it."""
    steps = ""
    for _ in range(amount(12, 6)):
        step = drawn.step()
        if not refuse(steps + step):
            steps += f"{step}\n"
            yield steps


@cache
def bufferized(name: str, known: tuple[tuple[str, int], ...]) -> ModuleOp:
    """A program as schedules find it."""
    names = [*optimizations(), *PASSES]
    first, last = names.index("relax-deduplicate-prim-funcs"), names.index("relax-schedule")
    return lower(program(CASES[name], dict(known)), names[first:last])


def scheduled(module: ModuleOp, steps: str) -> ModuleOp:
    module = module.clone()
    prim_func(module).attributes[SCHEDULE] = StringAttr(steps)
    return lower(module, ["relax-schedule"], verify_each=True)


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("known", [False, True], ids=["symbolic", "static"])
@pytest.mark.parametrize("name", CASES)
def test_a_schedule_is_refused_or_changes_no_result(name: str, known: bool):
    for number in range(DRAWN):
        check(name, f"{name} {known} {number}", known)


def check(name: str, seed: str, known: bool) -> None:
    """Draw one schedule for a kernel, and compare what it computes with numpy."""
    draw = random.Random(seed)
    sizes = {letter: draw.choice(choices) for letter, choices in SIZES.items()}
    module = bufferized(name, tuple(sizes.items()) if known else ())
    ops = [op for op in prim_func(module).walk() if isinstance(op, linalg.GenericOp)]
    main = next((op for op in ops if "reduction" in str(op.iterator_types)), ops[0])
    drawn = Drawn(draw, len(main.iterator_types), len(main.inputs))

    def refuse(steps: str) -> bool:
        try:
            scheduled(module, steps)
        except RelaxError:
            return True
        return False

    steps = [*accepted(refuse, drawn)]
    if steps:
        shapes = [[{**KNOWN, **sizes}[letter] for letter in shape] for shape in CASES[name].shapes]
        source = np.random.default_rng(len(steps))
        arrays = [source.standard_normal(shape).astype(np.float32) for shape in shapes]
        found = interpret.run(scheduled(module, steps[-1]), "main", *arrays)
        message = f"{sizes}\n{steps[-1]}"
        expected = CASES[name].numpy(*arrays)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4, err_msg=message)

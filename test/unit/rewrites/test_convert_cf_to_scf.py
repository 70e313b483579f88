"""Random graphs of blocks: structured, they compute what they did, interpreted and as C."""

from __future__ import annotations

import random

import numpy as np
import pytest

import lowering
from relax_dialect import interpret, parse
from relax_dialect.rewrites.conversion.convert_cf_to_scf import convert_cf_to_scf

STEPS = ("addi", "subi", "muli", "xori", "ori")


def _function(rng: random.Random, name: str) -> str:
    """A function of some blocks with two values each, which count down so that it ends."""
    head = f"func.func @{name}(%p: i32, %q: i32) -> (i32, i32) {{"
    return "\n".join([head, *_blocks(rng, "return"), "}"])


def _region(rng: random.Random, name: str) -> str:
    """The same as a region of a function that adds its results."""
    return "\n".join(
        [
            f"func.func @{name}(%p: i32, %q: i32) -> i32 {{",
            "%v:2 = scf.execute_region -> (i32, i32) {",
            *_blocks(rng, "scf.yield"),
            "}",
            "%sum = arith.addi %v#0, %v#1 : i32",
            "return %sum : i32",
            "}",
        ]
    )


def _blocks(rng: random.Random, end: str) -> list[str]:
    count = rng.randint(2, 7)
    lines = ["  %zero = arith.constant 0 : i32", "  %one = arith.constant 1 : i32"]
    lines += ["  %fuel = arith.constant 40 : i32", "  cf.br ^b0(%p, %q, %fuel : i32, i32, i32)"]
    for block in range(count):
        a, b, f = f"%a{block}", f"%b{block}", f"%f{block}"
        lines.append(f"^b{block}({a}: i32, {b}: i32, {f}: i32):")
        lines.append(
            f"  %x{block} = arith.{rng.choice(STEPS)} {a}, {rng.choice([b, '%p', f])} : i32"
        )
        lines.append(f"  %g{block} = arith.subi {f}, %one : i32")
        lines.append(
            f"  %c{block} = arith.cmpi {rng.choice(['slt', 'eq', 'ne'])}, %x{block}, {b} : i32"
        )
        lines.append(f"  %d{block} = arith.cmpi sgt, %g{block}, %zero : i32")
        lines.append(f"  %e{block} = arith.andi %c{block}, %d{block} : i1")

        def target(block: int = block) -> str:
            values = [f"%x{block}", f"%b{block}", "%q"]
            rng.shuffle(values)
            last = f"%g{block}"
            return f"{values[0]}, {values[1]}, {last} : i32, i32, i32"

        back, forward = rng.randrange(count), rng.randint(block + 1, count)
        if forward == count:
            if rng.random() < 0.3:
                lines.append(f"  {end} %x{block}, {b} : i32, i32")
                continue
            ahead = f"^end(%x{block}, {b} : i32, i32)"
        else:
            ahead = f"^b{forward}({target()})"
        if rng.random() < 0.2:
            lines.append(f"  cf.br {ahead}")
        else:
            lines.append(f"  cf.cond_br %e{block}, ^b{back}({target()}), {ahead}")
    lines += ["^end(%r: i32, %s: i32):", f"  {end} %r, %s : i32, i32"]
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_graphs(seed: int) -> None:
    rng = random.Random(seed)
    names = [f"f{number}" for number in range(30)]
    made = [_region(rng, n) if number < 5 else _function(rng, n) for number, n in enumerate(names)]
    module = parse("\n".join(made))
    model = lowering.compile(module, extra_flags=("-Wall", "-Wextra", "-Werror"))
    converted = module.clone()
    for function in list(converted.ops):
        convert_cf_to_scf(function)
    converted.verify()
    for name in names:
        for _ in range(4):
            args = [np.int32(rng.randint(-9, 9)) for _ in range(2)]
            expected = interpret.run(module, name, *args)
            assert interpret.run(converted, name, *args) == expected
            assert model[name](*args) == expected

"""Random straight-line and nested programs in C against a Python reading of the same operations.

They try what tables cannot: parentheses, which expressions are inlined, loads among stores.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import numpy as np
import pytest
from optional import amount

CELLS = 6
BINARY: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "minsi": min,
    "maxsi": max,
}
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}


def wrap(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


class Program:
    """A program on `CELLS` integers, written as MLIR while its effect is worked out."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.actions: list[Callable[[dict[str, int], list[int]], None]] = []

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def operation(self, ints: list[str], bools: list[str]) -> None:
        """Adds one operation on values that are visible."""
        kind = self.random.choice(["load", "store", *["binary"] * 4, "compare", "select", "logic"])
        pick = lambda: self.random.choice(ints[-6:])  # noqa: E731
        cell = self.random.randrange(CELLS)
        if kind == "store":
            value = pick()
            self.lines.append(f"memref.store {value}, %x[%c{cell}] : memref<{CELLS}xi32>")
            self.actions.append(lambda env, x: x.__setitem__(cell, env[value]))
            return
        name = self.fresh()
        if kind == "load":
            self.lines.append(f"{name} = memref.load %x[%c{cell}] : memref<{CELLS}xi32>")
            self.actions.append(lambda env, x: env.__setitem__(name, x[cell]))
            ints.append(name)
        elif kind == "binary" or not bools or kind == "compare":
            a, b = pick(), pick()
            if kind == "compare" or (kind != "binary" and not bools):
                predicate, compare = self.random.choice(list(COMPARE.items()))
                self.lines.append(f"{name} = arith.cmpi {predicate}, {a}, {b} : i32")
                self.actions.append(lambda env, x: env.__setitem__(name, compare(env[a], env[b])))
                bools.append(name)
            else:
                op, f = self.random.choice(list(BINARY.items()))
                self.lines.append(f"{name} = arith.{op} {a}, {b} : i32")
                self.actions.append(lambda env, x: env.__setitem__(name, wrap(f(env[a], env[b]))))
                ints.append(name)
        elif kind == "select":
            c, a, b = self.random.choice(bools[-3:]), pick(), pick()
            self.lines.append(f"{name} = arith.select {c}, {a}, {b} : i32")
            self.actions.append(lambda env, x: env.__setitem__(name, env[a] if env[c] else env[b]))
            ints.append(name)
        else:
            c, d = self.random.choice(bools[-3:]), self.random.choice(bools[-3:])
            op = self.random.choice(["andi", "ori", "xori"])
            f = BINARY[op]
            self.lines.append(f"{name} = arith.{op} {c}, {d} : i1")
            self.actions.append(lambda env, x: env.__setitem__(name, bool(f(env[c], env[d]))))
            bools.append(name)

    def block(self, ints: list[str], bools: list[str], depth: int) -> None:
        """Adds operations; what is made inside a region is not visible after it."""
        for _ in range(self.random.randrange(4, 14)):
            if depth < 3 and self.random.random() < 0.12:
                self.region(ints, bools, depth)
            else:
                self.operation(ints, bools)

    def region(self, ints: list[str], bools: list[str], depth: int) -> None:
        """Adds a loop that carries two values, or an `if` that gives one."""
        outer, self.actions = self.actions, []
        if self.random.random() < 0.5 or not bools:
            r, p, q = self.fresh(), self.fresh(), self.fresh()
            a, b = self.random.choice(ints), self.random.choice(ints)
            self.lines.append(
                f"{r}:2 = scf.for %i{r[2:]} = %c0 to %c3 step %c1 "
                f"iter_args({p} = {a}, {q} = {b}) -> (i32, i32) {{"
            )
            inner = [*ints, p, q]
            self.block(inner, list(bools), depth + 1)
            y, z = self.random.choice([*inner[-5:], q]), self.random.choice([*inner[-5:], p])
            self.lines.append(f"scf.yield {y}, {z} : i32, i32\n}}")
            body, self.actions = self.actions, outer

            def loop(env: dict[str, int], x: list[int]) -> None:
                env[p], env[q] = env[a], env[b]
                for _ in range(3):
                    for action in body:
                        action(env, x)
                    env[p], env[q] = env[y], env[z]
                env[f"{r}#0"], env[f"{r}#1"] = env[p], env[q]

            self.actions.append(loop)
            ints += [f"{r}#0", f"{r}#1"]
            return
        r, c = self.fresh(), self.random.choice(bools)
        branches = []
        self.lines.append(f"{r} = scf.if {c} -> (i32) {{")
        for last in (False, True):
            inner = list(ints)
            self.actions = []
            self.block(inner, list(bools), depth + 1)
            y = self.random.choice(inner[-4:])
            self.lines.append(f"scf.yield {y} : i32\n}}" + ("" if last else " else {"))
            branches.append((self.actions, y))
        self.actions = outer

        def choose(env: dict[str, int], x: list[int]) -> None:
            actions, y = branches[0 if env[c] else 1]
            for action in actions:
                action(env, x)
            env[r] = env[y]

        self.actions.append(choose)
        ints.append(r)

    def build(self, name: str) -> str:
        constants = [f"%c{i} = arith.constant {i} : index" for i in range(CELLS)]
        self.lines += ["%v0 = arith.constant -7 : i32"]
        self.actions.append(lambda env, x: env.__setitem__("%v0", -7))
        ints, bools = ["%v0"], []
        for _ in range(4):
            self.block(ints, bools, 0)
        last = ints[-1]
        self.lines.append(f"memref.store {last}, %x[%c0] : memref<{CELLS}xi32>")
        self.actions.append(lambda env, x: x.__setitem__(0, env[last]))
        body = "\n".join([*constants, *self.lines, "func.return"])
        return (
            f"func.func @{name}(%x: memref<{CELLS}xi32>) attributes {{relax.entry}} {{\n{body}\n}}"
        )

    def run(self, cells: list[int]) -> list[int]:
        x = list(cells)
        env: dict[str, int] = {}
        for action in self.actions:
            action(env, x)
        return x


@pytest.fixture(scope="module")
def programs() -> list[tuple[Program, str]]:
    return [(p, p.build(f"f{seed}")) for seed in range(amount(16, 12)) for p in [Program(seed)]]


@pytest.mark.slow
@pytest.mark.shortened
def test_random_programs(build, cc, programs):
    module = build("\n".join(text for _, text in programs), cc=cc, big=True)
    rng = np.random.default_rng(0)
    changed = 0
    for i, (program, text) in enumerate(programs):
        for _ in range(3):
            x = rng.integers(-(2**31), 2**31 - 1, CELLS).astype("int32")
            expected = program.run(x.tolist())
            changed += expected != x.tolist()
            module[f"f{i}"](x)
            assert x.tolist() == expected, text
    assert changed > len(programs) * 3 // 2

"""Random prim funcs on memrefs: a kernel with ops around it that schedules may fuse, or must not.

An op before computes an operand, one fills the result, others follow. Each is what a schedule expects in most
programs; in the others its map is transposed, it reads what it writes, its index, or what another op writes, its buffer
is an argument or used once more. `test_memref_kernels.py` schedules them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

Operand: TypeAlias = "tuple[str, str]"
"""A buffer, and the letters of the loops along its dimensions, or subscripts: `mk`, `2*m+k,n`."""


def dims(subscripts: str) -> list[str]:
    """A subscript for each dimension."""
    return [*subscripts] if subscripts.isalpha() else subscripts.split(",")


SIZES = {"m": (1, 4, 5), "n": (3, 4, 8), "k": (1, 2, 6), "q": (2,)}


@dataclass
class Program:
    """The text of a prim func, and the shapes of its arguments."""

    random: random.Random
    letters: dict[str, int]
    is_dynamic: bool
    lines: list[str] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    """The letters of each argument's shape."""
    buffers: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """The letter of each subscript's size."""

    def shape(self, subscripts: str) -> str:
        """The letters of the sizes that some subscripts walk; new ones for what is more than a loop."""
        found = ""
        for expr in dims(subscripts):
            if expr not in self.letters:
                self.letters[expr] = sum(map(self._reach, expr.split("+"))) + 1
            found += self.names.setdefault(
                expr, expr if len(expr) == 1 else "stuvw"[len(self.names) % 5]
            )
            self.letters[found[-1]] = self.letters[expr]
        return found

    def _reach(self, term: str) -> int:
        factor, _, letter = term.rpartition("*")
        return int(factor or 1) * (self.letters[letter] - 1) if letter.isalpha() else int(term)

    def one_of(self, *choices: str) -> str:
        return self.random.choice(choices)

    def rarely(self, share: float = 0.15) -> bool:
        return self.random.random() < share

    def type(self, letters: str) -> str:
        sizes = ["?" if self.is_dynamic else str(self.letters[letter]) for letter in letters]
        return f"memref<{'x'.join([*sizes, 'f32'])}>"

    def argument(self, name: str, letters: str) -> str:
        self.arguments[name] = self.buffers[name] = letters
        return name

    def buffer(self, name: str, letters: str) -> str:
        """A buffer of the function's own, or an argument."""
        if self.is_dynamic or self.rarely(0.3):
            return self.argument(name, letters)
        return self.alloc(name, letters)

    def alloc(self, name: str, letters: str) -> str:
        self.lines.append(f"%{name} = memref.alloc() : {self.type(letters)}")
        self.buffers[name] = letters
        return name

    def generic(self, loops: str, reads: Sequence[Operand], write: Operand, body: str) -> None:
        """An op whose loops have letters; `{0}` and so on in its body are elements, the last one that of the result."""
        names = [f"d{number}" for number in range(len(loops))]
        subscripts = (", ".join(dims(own)) for _, own in (*reads, write))
        own = (own.translate(str.maketrans(dict(zip(loops, names)))) for own in subscripts)
        maps = [f"affine_map<({', '.join(names)}) -> ({results})>" for results in own]
        kinds = ('"parallel"' if letter in write[1] else '"reduction"' for letter in loops)
        types = ", ".join(self.type(self.buffers[name]) for name, _ in reads)
        elements = [f"%e{number}" for number in range(len(reads) + 1)]
        ins = f"ins({', '.join(f'%{name}' for name, _ in reads)} : {types}) " if reads else ""
        self.lines += [
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(kinds)}]}}",
            f"    {ins}outs(%{write[0]} : {self.type(self.buffers[write[0]])}) {{",
            f"^bb0({', '.join(f'{element}: f32' for element in elements)}):",
            *("  " + line for line in body.format(*elements).splitlines()),
            "}",
        ]

    def fill(self, name: str, number: str = "zero") -> None:
        type = self.type(self.buffers[name])
        self.lines.append(f"linalg.fill ins(%{number} : f32) outs(%{name} : {type})")

    def fill_argument(self, name: str, letters: str) -> None:
        self.fill(self.argument(name, letters))

    def show(self, source: str) -> None:
        """Copy a buffer to an argument."""
        target = f"{source}_seen{len(self.arguments)}"
        type = self.type(self.buffers[source])
        self.argument(target, self.buffers[source])
        self.lines.append(f"memref.copy %{source}, %{target} : {type} to {type}")

    def text(self, steps: str) -> str:
        arguments = ", ".join(f"%{name}: {self.type(own)}" for name, own in self.arguments.items())
        schedule = steps.strip().replace("\n", "\\n")
        lines = "\n".join(f"  {line}" for line in self.lines)
        return (
            f'func.func @f({arguments}) attributes {{relax.schedule = "{schedule}"}} {{\n'
            f"  %zero = arith.constant 0.0 : f32\n  %two = arith.constant 2.0 : f32\n"
            f"  %four = arith.addf %two, %two : f32\n{lines}\n  func.return\n}}\n"
        )

    def arrays(self, seed: int) -> list[np.ndarray]:
        """Small whole numbers, whose sums are the same in any order."""
        source = np.random.default_rng(seed)
        shapes = ([self.letters[letter] for letter in own] for own in self.arguments.values())
        return [source.integers(-3, 4, shape).astype(np.float32) for shape in shapes]


PRODUCT = "%0 = arith.mulf {0}, {1} : f32\n%1 = arith.addf {2}, %0 : f32\nlinalg.yield %1 : f32"
BINARY = "%0 = arith.addf {0}, {1} : f32\n%1 = arith.addf %0, {1} : f32\nlinalg.yield %1 : f32"
ALL_THREE = "%0 = arith.addf {0}, {1} : f32\n%1 = arith.addf %0, {2} : f32\nlinalg.yield %1 : f32"
SUM = "%0 = arith.addf {0}, {1} : f32\nlinalg.yield %0 : f32"
GREATEST = "%0 = arith.maximumf {0}, {1} : f32\nlinalg.yield %0 : f32"
OUTSIDE = "linalg.yield %four : f32"
ADD_DOUBLE = "%0 = arith.addf {0}, {0} : f32\n%1 = arith.addf {2}, %0 : f32\nlinalg.yield %1 : f32"
GREATEST_OF = "%0 = arith.maximumf {0}, {2} : f32\nlinalg.yield %0 : f32"
DOUBLE = "%0 = arith.addf {0}, {0} : f32\nlinalg.yield %0 : f32"
INDEX = (
    "%0 = linalg.index 0 : index\n%1 = arith.index_cast %0 : index to i32\n%2 = arith.sitofp %1 : i32 to f32\n"
    "%3 = arith.addf {0}, %2 : f32\nlinalg.yield %3 : f32"
)

KERNELS = (
    ("mk", "kn", "mn", PRODUCT),
    ("mk", "nk", "mn", PRODUCT),
    ("mk", "kn", "mn", PRODUCT),
    ("mn", "mn", "mn", BINARY),
    ("nm", "n", "mn", BINARY),
    ("mk", "", "m", SUM),
    ("kn", "", "n", GREATEST),
    ("n+k", "k", "n", PRODUCT),
    ("m,2*n+k", "qk", "mqn", PRODUCT),
    ("m+q,n+k+1", "qk", "mn", PRODUCT),
    ("m,n+k", "k", "mn", GREATEST_OF),
    ("m+q,n+k", "qk", "mn", ADD_DOUBLE),
)
"""The subscripts of the operands and of the result, and the body."""


BODIES = {
    **{"product": PRODUCT, "both": BINARY, "all": ALL_THREE, "sum": SUM, "double": DOUBLE},
    **{"index": INDEX, "add_double": ADD_DOUBLE, "outside": OUTSIDE},
}


def written_program(text: str, sizes: Mapping[str, int]) -> Program:
    """Ops, one a line: `fill c:mn`, `alloc c:mn`, `show c`, `product a:mk b:kn -> c:mn`; `double(km)` orders its
    loops. Buffers are arguments if they are not allocated."""
    p = Program(random.Random(0), dict(sizes), is_dynamic=False)
    for line in text.strip().splitlines():
        (head, *reads), _, out = (part.split() for part in line.partition("->"))
        if not out:
            {"fill": p.fill_argument, "alloc": p.alloc, "show": p.show}[head](*reads[0].split(":"))
            continue
        operands = [(name, own) for name, own in (one.split(":") for one in (*reads, *out))]
        for name, own in operands:
            p.buffers.get(name) or p.argument(name, p.shape(own))
        body, _, order = head.rstrip(")").partition("(")
        loops = order or loops_of(*operands[::-1])
        p.generic(loops, operands[:-1], operands[-1], BODIES[body])
    return p


def loops_of(*operands: Operand) -> str:
    """The letters of some subscripts, as they come."""
    return "".join(dict.fromkeys(c for _, own in operands for c in own if c.isalpha()))


def drawn_program(draw: random.Random) -> Program:
    """A kernel with what is around it."""
    sizes = {letter: draw.choice(choices) for letter, choices in SIZES.items()}
    if draw.random() < 0.4:
        sizes["m"] = sizes["k"] = sizes["n"]
    is_dynamic = draw.random() < 0.2
    if is_dynamic and draw.random() < 0.3:
        sizes[draw.choice("mnk")] = 0
    p = Program(draw, sizes, is_dynamic)
    reads, write, body = kernel(p)
    shapes = [[p.letters[letter] for letter in p.shape(own)] for _, own in reads]
    if p.rarely(0.1) and shapes[0] == shapes[-1]:
        reads = [("a", own) for _, own in reads]
    for name, subscripts in dict(reads).items():
        if p.rarely(0.6):
            produced(p, name, p.shape(subscripts))
        else:
            p.argument(name, p.shape(subscripts))
    p.buffer(*write)
    between(p, [name for name, _ in reads])
    if not p.rarely():
        p.fill(write[0], p.one_of("zero", "zero", "two"))
    if p.rarely():
        p.show(write[0])
    p.generic(loops_of(write, *reads), reads, write, body)
    last = write
    for number in range(draw.choice((0, 0, 1, 1, 2))):
        last = follower(p, last, reads, f"f{number}")
    for name in [name for name in p.buffers if name not in p.arguments]:
        if name == last[0] or p.rarely(0.3):
            p.show(name)
    return p


def kernel(p: Program) -> tuple[Sequence[Operand], Operand, str]:
    """The operands and the body of the main op."""
    a, b, c, body = p.random.choice(KERNELS)
    return [(name, own) for name, own in (("a", a), ("b", b)) if own], ("c", c), body


def produced(p: Program, name: str, letters: str) -> None:
    """Compute an operand, each element once from others in most programs."""
    source = p.buffer(f"{name}_from", letters)
    if source not in p.arguments:
        p.fill(source)
        first = p.argument(f"{name}_first", letters)
        p.generic(letters, [(first, letters)], (source, letters), DOUBLE)
    p.buffer(name, letters)
    body = p.one_of(DOUBLE, DOUBLE, DOUBLE, SUM, INDEX)
    loops = p.one_of(letters, letters, letters[::-1])
    read = name if p.rarely(0.1) else source
    if p.rarely(0.1):
        wide = p.argument(f"{name}_wide", f"{letters}q")
        p.generic(f"{letters}q", [(wide, f"{letters}q")], (name, letters), SUM)
    else:
        p.generic(loops, [(read, letters)], (name, letters), body)


def between(p: Program, names: Sequence[str]) -> None:
    """Rarely, change what was computed, or what it was computed from, or free that."""
    for name in names:
        for buffer in (name, f"{name}_from"):
            if buffer in p.buffers and p.rarely(0.07):
                p.fill(buffer, "two")
        if (source := f"{name}_from") in p.buffers and source not in p.arguments:
            p.lines.append(f"memref.dealloc %{source} : {p.type(p.buffers.pop(source))}")


def follower(p: Program, last: Operand, reads: Sequence[Operand], name: str) -> Operand:
    """An op on the result; in most programs one that reads it where it is, and writes elsewhere."""
    value, letters = last
    other = p.one_of(letters, letters[-1:])
    more = p.argument(f"{name}_more", other)
    same = [own for own, shape in reads if shape == letters]
    same += [f"{own}_from" for own in same if f"{own}_from" in p.buffers]
    target = p.one_of(name, name, value, *same)
    if target == name:
        p.buffer(name, letters)
    is_square = len({p.letters[letter] for letter in letters}) == 1 and not p.is_dynamic
    read = letters[::-1] if is_square and p.rarely(0.3) else letters
    order = letters[::-1] if p.rarely() else letters
    again = [(own, letters[::-1] if is_square else letters) for own in same]
    operands = [
        (value, read),
        p.random.choice(((more, other), (more, other), (value, letters), *again)),
    ]
    p.generic(order, operands, (target, letters), p.one_of(BINARY, BINARY, ALL_THREE, INDEX))
    return target, letters

"""Random programs of `affine` ops and transfers of vectors, which interpreter, C and MLIR compute alike.

Every value is an integer, so results are equal to the bit. Subscripts are remainders, or are checked by an
`affine.if` around the access.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

SIGNATURE = (
    "%a: memref<7x5xi32>, %b: memref<6xi32>, %d: memref<?x?xi32>, %n: index, %m: index, %x: i32"
)
DEEPEST = 3


class Program:
    """A function that is being written, with the values in scope."""

    def __init__(self, rng: random.Random, name: str, semi_affine: bool):
        self.rng, self.name, self.semi_affine = rng, name, semi_affine
        self.lines: list[str] = []
        self.count = 0
        self.dims: list[str] = []
        self.symbols = ["%n", "%m", "%d0", "%d1"]
        self.numbers = ["%x"]
        self.indent = 1

    def text(self) -> str:
        """The function."""
        self.lines = [
            f"func.func @{self.name}({SIGNATURE}) -> i32 {{",
            "  %zero = arith.constant 0 : index",
            "  %one = arith.constant 1 : index",
            "  %d0 = memref.dim %d, %zero : memref<?x?xi32>",
            "  %d1 = memref.dim %d, %one : memref<?x?xi32>",
        ]
        for _ in range(self.rng.randint(2, 4)):
            self.statement(0)
        self.write(f"return {self.number()} : i32")
        return "\n".join([*self.lines, "}"]) + "\n"

    def write(self, line: str) -> None:
        self.lines.append("  " * self.indent + line)

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"%{prefix}{self.count}"

    def number(self) -> str:
        return self.rng.choice(self.numbers[-6:])

    # Expressions

    def expr(self, dims: Sequence[str], symbols: Sequence[str], depth: int = 2) -> str:
        """An expression over names of dimensions and symbols."""
        rng, leaves = self.rng, [*dims, *symbols]
        if depth == 0 or rng.random() < 0.25:
            return rng.choice([*leaves, *leaves, str(rng.randint(-4, 6))])
        inner = self.expr(dims, symbols, depth - 1)
        match rng.randrange(6):
            case 0 | 1:
                return f"({inner} {rng.choice('+-')} {self.expr(dims, symbols, depth - 1)})"
            case 2:
                # MLIR reads such products in maps, not in subscripts
                in_map = [s for s in symbols if self.semi_affine and not s.startswith("symbol")]
                return f"({inner} * {rng.choice([-3, -1, 2, *in_map])})"
            case 3:
                return f"({inner} floordiv {rng.randint(1, 5)})"
            case 4:
                return f"({inner} ceildiv {rng.randint(1, 5)})"
            case _:
                return f"({inner} mod {rng.randint(1, 6)})"

    def chosen(self) -> tuple[list[str], list[str]]:
        """Values for the dimensions and symbols of a map."""
        dims = [self.counter() for _ in range(self.rng.randrange(3))]
        return dims, [self.rng.choice(self.symbols) for _ in range(self.rng.randrange(3))]

    def mapped(self, results: int, also: str = "", kind: str = "affine_map") -> str:
        """A map or set with its operands; results are random but for `also`."""
        dims, symbols = self.chosen()
        names = [f"d{i}" for i in range(len(dims))], [f"s{i}" for i in range(len(symbols))]
        exprs = [self.expr(*names) for _ in range(results)]
        if kind == "affine_set":
            exprs = [f"{e} {self.rng.choice(['>=', '>=', '=='])} 0" for e in exprs]
        listed = ", ".join([*exprs, *([also] if also else [])])
        arrow = ":" if kind == "affine_set" else "->"
        space = f"({', '.join(names[0])})[{', '.join(names[1])}]"
        return f"{kind}<{space} {arrow} ({listed})>({', '.join(dims)})[{', '.join(symbols)}]"

    def subscript(self) -> str:
        """An expression over values, symbols marked."""
        dims = [self.counter() for _ in range(2)]
        return self.expr(dims, [f"symbol({self.rng.choice(self.symbols)})"])

    def element(self) -> str:
        """An element of a memref of known size."""
        if self.rng.random() < 0.5:
            return f"%a[{self.subscript()} mod 7, {self.subscript()} mod 5] : memref<7x5xi32>"
        return f"%b[{self.subscript()} mod 6] : memref<6xi32>"

    # Statements

    def statement(self, depth: int) -> None:
        nested = [self.loop, self.loop, self.branch, self.checked, self.parallel]
        flat = [self.load, self.store, self.index, self.arithmetic, self.digits]
        flat += [self.lanes, self.transfers]
        kinds = flat if depth >= DEEPEST else [*flat, *nested, *nested]
        self.rng.choice(kinds)(depth)

    def block(
        self, depth: int, yields: int, counters: Sequence[str] = (), carried: Sequence[str] = ()
    ) -> None:
        """The statements of a region, which yields a number of values."""
        known = self.dims[:], self.numbers[:]
        self.dims += counters
        self.numbers += carried
        self.indent += 1
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth + 1)
        if yields:
            values = [self.number() for _ in range(yields)]
            self.write(f"affine.yield {', '.join(values)} : {', '.join(['i32'] * yields)}")
        self.indent -= 1
        self.dims, self.numbers = known

    def results(self, count: int) -> tuple[str, list[str]]:
        """The text before an op with results, and their names."""
        if not count:
            return "", []
        name = self.fresh("r")
        names = [f"{name}#{i}" for i in range(count)] if count > 1 else [name]
        return f"{name}{f':{count}' if count > 1 else ''} = ", names

    def loop(self, depth: int) -> None:
        rng, count = self.rng, self.rng.choice([0, 0, 1, 2])
        head, names = self.results(count)
        counter, carried = self.fresh("i"), [self.fresh("c") for _ in range(count)]
        lower = rng.choice([str(rng.randint(-3, 2)), f"max {self.mapped(rng.randint(1, 2), '-3')}"])
        upper = rng.choice([str(rng.randint(-1, 3)), f"min {self.mapped(rng.randint(1, 2), '3')}"])
        step = rng.choice(["", " step 2", " step 3"])
        inits = [f"{each} = {self.number()}" for each in carried]
        types = f" -> ({', '.join(['i32'] * count)})"
        args = f" iter_args({', '.join(inits)}){types}" if count else ""
        self.write(f"{head}affine.for {counter} = {lower} to {upper}{step}{args} {{")
        self.block(depth, count, [counter], carried)
        self.write("}")
        self.numbers += names

    def branch(self, depth: int) -> None:
        count = self.rng.choice([0, 1, 2])
        head, names = self.results(count)
        types = f" -> ({', '.join(['i32'] * count)})" if count else ""
        condition = self.mapped(self.rng.randint(1, 2), kind="affine_set")
        self.write(f"{head}affine.if {condition}{types} {{")
        self.block(depth, count)
        if count or self.rng.random() < 0.5:
            self.write("} else {")
            self.block(depth, count)
        self.write("}")
        self.numbers += names

    def checked(self, depth: int) -> None:
        """An access to the memref of unknown sizes, where its subscripts are inside."""
        i, j = (self.fresh("p") for _ in range(2))
        for name in (i, j):
            self.write(f"{name} = affine.apply {self.mapped(1)}")
        inside = "affine_set<(d0, d1)[s0, s1] : (d0 >= 0, s0 - d0 - 1 >= 0, d1 >= 0, s1 - d1 >= 1)>"
        self.write(f"affine.if {inside}({i}, {j})[%d0, %d1] {{")
        loaded, sum = self.fresh(), self.fresh()
        self.write(f"  {loaded} = affine.load %d[{i}, {j}] : memref<?x?xi32>")
        self.write(f"  {sum} = arith.addi {loaded}, {self.number()} : i32")
        self.write(f"  affine.store {sum}, %d[{i}, {j}] : memref<?x?xi32>")
        self.write("}")

    def parallel(self, depth: int) -> None:
        rng, loops, count = self.rng, self.rng.randint(1, 2), self.rng.choice([0, 0, 1, 2])
        head, names = self.results(count)
        counters = [self.fresh("i") for _ in range(loops)]

        def bound(extreme: str, limit: str) -> str:
            return f"{extreme}({self.subscript()}, {limit})"

        lower = [rng.choice([str(rng.randint(-2, 1)), bound("max", "-2")]) for _ in counters]
        upper = [rng.choice([str(rng.randint(0, 2)), bound("min", "2")]) for _ in counters]
        steps = [str(rng.randint(1, 2)) for _ in counters]
        kinds = [rng.choice(["addi", "muli", "andi", "ori"]) for _ in range(count)]
        spelled = ", ".join(f'"{kind}"' for kind in kinds)
        reduce = f" reduce ({spelled}) -> ({', '.join(['i32'] * count)})" if count else ""
        ranges = f"({', '.join(lower)}) to ({', '.join(upper)}) step ({', '.join(steps)})"
        self.write(f"{head}affine.parallel ({', '.join(counters)}) = {ranges}{reduce} {{")
        self.block(depth, count, counters)
        self.write("}")
        self.numbers += names

    def load(self, depth: int) -> None:
        self.write(f"{(name := self.fresh())} = affine.load {self.element()}")
        self.numbers.append(name)

    def store(self, depth: int) -> None:
        self.write(f"affine.store {self.number()}, {self.element()}")

    def index(self, depth: int) -> None:
        """An index that is computed; only that of `affine.apply` may be used in maps."""
        name, kind = self.fresh("p"), self.rng.choice(["apply", "min", "max"])
        self.write(f"{name} = affine.{kind} {self.mapped(1 if kind == 'apply' else 2)}")
        self.cast(name)
        if kind == "apply":
            self.dims.append(name)

    def cast(self, index: str) -> None:
        self.write(f"{(name := self.fresh())} = arith.index_cast {index} : index to i32")
        self.numbers.append(name)

    def arithmetic(self, depth: int) -> None:
        name, kind = self.fresh(), self.rng.choice(["addi", "subi", "muli", "xori"])
        self.write(f"{name} = arith.{kind} {self.number()}, {self.number()} : i32")
        self.numbers.append(name)

    def digits(self, depth: int) -> None:
        index = self.counter()
        sizes = [*map(str, range(1, 6)), *(["%d1"] if self.semi_affine else [])]
        basis = [self.rng.choice(sizes) for _ in range(self.rng.randint(1, 2))]
        given = ", ".join(basis if self.rng.random() < 0.5 else ["9", *basis])
        name, count = self.fresh("q"), len(basis) + 1
        types = ", ".join(["index"] * count)
        self.write(f"{name}:{count} = affine.delinearize_index {index} into ({given}) : {types}")
        parts = [f"{name}#{i}" for i in range(count)]
        self.rng.shuffle(parts)
        self.cast(parts[0])
        joined = self.fresh("p")
        self.write(f"{joined} = affine.linearize_index [{', '.join(parts)}] by ({given}) : index")
        self.cast(joined)

    def lanes(self, depth: int) -> None:
        name = self.fresh()
        at = [f"%b[{self.subscript()} mod 3] : memref<6xi32>, vector<4xi32>" for _ in range(2)]
        self.write(f"{name} = affine.vector_load {at[0]}")
        self.write(f"affine.vector_store {name}, {at[1]}")

    def transfers(self, depth: int) -> None:
        """Lanes of a row, which may end before, or of one element."""
        start = [self.fresh("p") for _ in range(2)]
        for name, size in zip(start, (7, 5)):
            self.write(
                f"{name} = affine.apply affine_map<(d0) -> (d0 mod {size})>({self.counter()})"
            )
        at = f"[{', '.join(start)}]"

        def attributes(results: str) -> str:
            stays = "true" if results == "(0)" else "false"
            map = f"permutation_map = affine_map<(d0, d1) -> {results}>"
            return f"{{in_bounds = [{stays}], {map}}}"

        types = "memref<7x5xi32>, vector<4xi32>"
        read = attributes(self.rng.choice(["(d1)", "(d1)", "(0)"]))
        self.write(
            f"{(name := self.fresh())} = vector.transfer_read %a{at}, {self.number()} {read} : {types}"
        )
        types = "vector<4xi32>, memref<7x5xi32>"
        self.write(f"vector.transfer_write {name}, %a{at} {attributes('(d1)')} : {types}")

    def counter(self) -> str:
        return self.rng.choice([*self.dims[-4:], *self.symbols])


def program(rng: random.Random, functions: int, semi_affine: bool) -> str:
    """A module of so many random functions, `@f0` and on; optionally with products of indices and sizes."""
    return "\n".join(Program(rng, f"f{i}", semi_affine).text() for i in range(functions))


def arguments(rng: random.Random) -> tuple[list[np.ndarray], list[int]]:
    """Arrays and scalars for one call."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    shapes = [(7, 5), (6,), (rng.randint(0, 5), rng.randint(1, 5))]
    arrays = [numbers.integers(-99, 99, shape).astype(np.int32) for shape in shapes]
    return arrays, [rng.randint(-7, 9), rng.randint(-7, 9), rng.randint(-99, 99)]

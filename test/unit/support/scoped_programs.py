"""Random programs whose names of symbolic variables collide: closures with sizes of their own, matches,
branches, loops, blocks, graphs, private functions and function values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from relax_dialect.interpret import register_packed

S, B = "!relax.tensor<[], f32>", "!relax.tensor<[], i1>"
SIZES = ("n", "m", "s", "k")
"""Few names, so that closures, functions and matches often mean different variables by the same one."""
MAX_DEPTH = 3

register_packed("scoped_same", lambda x: x)


def tensor(size: str) -> str:
    return f"!relax.tensor<[{size}], f32>"


@dataclass(frozen=True)
class Value:
    """A vector of one size."""

    name: str
    size: str

    @property
    def type(self) -> str:
        return tensor(self.size)


@dataclass(frozen=True)
class Function:
    """A function value of one vector; `size` is what it takes, `own` whether each call binds that anew."""

    name: str
    size: str
    own: bool
    output: str
    pure: bool = True

    @property
    def type(self) -> str:
        bound = f"[{self.size}] " if self.own else ""
        effects = "" if self.pure else ", impure"
        return f"!relax.func<{bound}({tensor(self.size)}) -> {tensor(self.output)}{effects}>"


@dataclass
class Region:
    """A region that is written: its statements, the values, and the variables known in it."""

    is_graph: bool = False
    straight: bool = False
    depth: int = 0
    pure: bool = False
    statements: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    sizes: set[str] = field(default_factory=set)

    def inner(self, **changed: bool) -> Region:
        """A region inside, which knows what this one knows."""
        known = [*self.values], [*self.scalars], [*self.functions], {*self.sizes}
        flags = {"is_graph": self.is_graph, "straight": False, "pure": self.pure, **changed}
        return Region(
            flags["is_graph"], flags["straight"], self.depth + 1, flags["pure"], [], *known
        )


class Writer:
    """Writes the text of a program."""

    def __init__(self, random: Random):
        self.random = random
        self.count = 0
        self.private: list[tuple[str, str]] = []
        """Private functions of two vectors of one size, and the sizes of their results."""

    def fresh(self, kind: str = "v") -> str:
        self.count += 1
        return f"%{kind}{self.count}x"

    def any(self, region: Region) -> Value:
        """One of the values, the latest ones more often."""
        recent = region.values[-4:] if self.random.random() < 0.6 else region.values
        return self.random.choice(recent)

    def name(self, region: Region) -> str:
        """A variable, known or new."""
        return self.random.choice(SIZES)

    def emit(self, region: Region, text: str, size: str) -> Value:
        """Add a statement that makes a vector."""
        value = Value(self.fresh(), size)
        region.statements.append(f"{value.name} = {text} -> {value.type}")
        region.values.append(value)
        return value

    def grow(self, region: Region, steps: int) -> None:
        for _ in range(steps):
            kinds: list[Callable[[Region], None]] = [self.unary, self.binary, self.binary, self.let]
            kinds += [self.match, self.match, self.concat, self.match_shape, self.call_private]
            kinds += [self.make_private]
            if region.functions:
                kinds += [self.call, self.call, self.apply]
            if not region.is_graph and not region.pure:
                kinds += [self.packed]
            if region.depth < MAX_DEPTH:
                kinds += [self.closure, self.closure]
                kinds += [] if region.straight else [self.branch, self.branch, self.loop]
                kinds += [] if region.straight else [self.block, self.block]
            self.random.choice(kinds)(region)

    # Statements

    def unary(self, region: Region) -> None:
        x = self.any(region)
        operator = self.random.choice(["tanh", "negative"])
        self.emit(region, f"relax.{operator} {x.name} : ({x.type})", x.size)

    def binary(self, region: Region) -> None:
        x = self.any(region)
        y = self.random.choice([v for v in region.values if v.size == x.size])
        if x.size == "?":
            return
        y = self.emit(region, f"relax.add {x.name}, {y.name} : ({x.type}, {y.type})", x.size)
        self.emit(region, f"relax.tanh {y.name} : ({y.type})", y.size)

    def concat(self, region: Region) -> None:
        x, y = self.any(region), self.any(region)
        if any(len(v.size) > 3 or v.size == "?" for v in (x, y)):
            return
        types, size = f"({x.type}, {y.type})", f"{x.size} + {y.size}"
        self.emit(region, f"relax.concat {x.name}, {y.name} {{axis = 0 : i64}} : {types}", size)

    def let(self, region: Region) -> None:
        """Often one that forgets the size."""
        x = self.any(region)
        self.emit(region, f"relax.let {x.name} : ({x.type})", self.random.choice([x.size, "?"]))

    def match(self, region: Region) -> None:
        """Usually one that says the size it has, or defines a variable."""
        x = self.any(region)
        name = self.name(region)
        if name in region.sizes and name != x.size and self.random.random() < 0.9:
            return
        value = Value(self.fresh(), name)
        region.statements.append(
            f"{value.name} = relax.match_cast {x.name} : {x.type} -> {value.type}"
        )
        region.values.append(value)
        region.sizes.add(name)

    def match_shape(self, region: Region) -> None:
        x, name, shape, found = (
            self.any(region),
            self.name(region),
            self.fresh("t"),
            self.fresh("u"),
        )
        if name in region.sizes and name != x.size:
            return
        region.statements += [
            f"{shape} = relax.shape_of {x.name} : ({x.type}) -> !relax.shape<[{x.size}]>",
            f"{found} = relax.match_shape {shape} [{name}] : (!relax.shape<[{x.size}]>)"
            f" -> !relax.shape<[{name}]>",
        ]
        region.sizes.add(name)

    def packed(self, region: Region) -> None:
        x = self.any(region)
        self.emit(region, f'relax.call_packed "scoped_same"({x.name}) : ({x.type})', "?")

    # Functions

    def closure(self, region: Region) -> None:
        own = [name for name in SIZES if name not in region.sizes]
        pure = region.is_graph or self.random.random() < 0.7
        inner = region.inner(pure=pure) if pure else region.inner(is_graph=False, pure=False)
        if own and self.random.random() < 0.7:
            size, is_own = self.random.choice(own), True
            inner.sizes.add(size)
        else:
            size, is_own = self.any(region).size, False
        parameter = Value(self.fresh("p"), size)
        inner.values += [parameter] * 2
        self.grow(inner, self.random.randrange(4))
        result = self.any(inner)
        known = {*region.sizes, size} if is_own else region.sizes
        output = result.size if _names(result.size) <= known else "?"
        found = Function(self.fresh("f"), size, is_own, output, pure)
        bound = f"[{size}] " if is_own else ""
        region.statements.append(
            f"{found.name} = relax.closure {bound}({parameter.name}: {parameter.type}) -> "
            f"{tensor(output)}{'' if pure else ' impure'} {{\n"
            f"{self.text(inner)}\nrelax.return {result.name} : {result.type}\n}}"
        )
        region.functions.append(found)

    def make_private(self, region: Region) -> None:
        """A function value of a private function, which has its first argument already."""
        x = self.any(region)
        if not self.private or x.size == "?":
            return
        name, output = self.random.choice(self.private)
        output = output.replace("a", x.size)
        found = Function(self.fresh("f"), x.size, False, output)
        region.statements.append(
            f"{found.name} = relax.make_closure @{name}({x.name}) : ({x.type}) -> {found.type}"
        )
        region.functions.append(found)

    def call_private(self, region: Region) -> None:
        x = self.any(region)
        if not self.private or x.size == "?":
            return
        name, output = self.random.choice(self.private)
        y = self.random.choice([v for v in region.values if v.size == x.size])
        types = f"({x.type}, {y.type})"
        self.emit(
            region, f"relax.call @{name}({x.name}, {y.name}) : {types}", output.replace("a", x.size)
        )

    def _callable(self, region: Region) -> tuple[Function, Value, str] | None:
        function = self.random.choice(region.functions)
        x = self.any(region)
        if not function.pure and (region.is_graph or region.pure):
            return None
        if function.own:
            if len(x.size) > 3:
                return None
            if function.output == function.size:
                return function, x, x.size
            return function, x, "?" if function.size in _names(function.output) else function.output
        fits = [v for v in region.values if v.size == function.size]
        return (function, self.random.choice(fits), function.output) if fits else None

    def call(self, region: Region) -> None:
        if (found := self._callable(region)) is None:
            return
        f, x, size = found
        self.emit(region, f"relax.call_closure {f.name}, {x.name} : ({f.type}, {x.type})", size)

    def apply(self, region: Region) -> None:
        """By a function of higher order, or chosen by a branch."""
        if (found := self._callable(region)) is None or region.straight or not found[0].pure:
            return
        f, x, size = found
        g = self.random.choice([g for g in region.functions if g.type == f.type])
        condition, chosen = self._condition(region), self.fresh("f")
        region.statements.append(
            f"{chosen} = relax.if {condition} : ({B}) -> {f.type} {{\n"
            f"relax.yield {f.name} : {f.type}\n}} else {{\nrelax.yield {g.name} : {f.type}\n}}"
        )
        self.emit(region, f"relax.call_closure {chosen}, {x.name} : ({f.type}, {x.type})", size)

    # Control

    def _condition(self, region: Region) -> str:
        found, (x, y) = self.fresh("c"), self.random.choices(region.scalars, k=2)
        region.statements.append(f"{found} = relax.less {x}, {y} : ({S}, {S}) -> {B}")
        return found

    def branch(self, region: Region) -> None:
        condition, texts, size = self._condition(region), [], None
        for _ in range(2):
            inner = region.inner()
            self.grow(inner, self.random.randrange(4))
            fits = [v for v in inner.values if v.size == size]
            result = self.random.choice(fits) if fits else self.any(inner)
            is_known = _names(result.size) <= region.sizes
            size = result.size if is_known and size in (None, result.size) else "?"
            texts.append(f"{{\n{self.text(inner)}\nrelax.yield {result.name} : {result.type}\n}}")
        value = Value(self.fresh(), size or "?")
        region.statements.append(
            f"{value.name} = relax.if {condition} : ({B}) -> {value.type} {' else '.join(texts)}"
        )
        region.values.append(value)

    def loop(self, region: Region) -> None:
        """Two iterations over a counter and a vector."""
        zero, one, end, count = (self.fresh("c") for _ in range(4))
        for name, number in ((zero, "0."), (one, "1."), (end, "1.5")):
            region.statements.append(f"{name} = relax.constant dense<{number}> : tensor<f32>")
        init = self.any(region)
        state, i = Value(self.fresh(), init.size), self.fresh("i")
        inner = region.inner()
        inner.values += [state] * 2
        self.grow(inner, self.random.randrange(4))
        next_one = self.random.choice([v for v in inner.values if v.size == init.size])
        test = self.fresh("c")
        found, last = Value(self.fresh(), init.size), self.fresh("i")
        region.statements.append(
            f"{last}, {found.name} = relax.while ({i} = {zero}, {state.name} = {init.name}) : "
            f"({S}, {init.type}) -> ({S}, {init.type}) {{\n"
            f"{test} = relax.less {i}, {end} : ({S}, {S}) -> {B}\nrelax.yield {test} : {B}\n}} do {{\n"
            f"{self.text(inner)}\n{count} = relax.add {i}, {one} : ({S}, {S}) -> {S}\n"
            f"relax.yield {count}, {next_one.name} : {S}, {next_one.type}\n}}"
        )
        region.values.append(found)

    def block(self, region: Region) -> None:
        kinds = ["dataflow", "graph", "binding_block"]
        kind = "binding_block" if region.is_graph else self.random.choice(kinds)
        in_graph = kind != "binding_block"
        pure = region.pure or region.is_graph
        inner = region.inner(is_graph=in_graph, straight=kind == "dataflow", pure=pure)
        self.grow(inner, self.random.randrange(1, 6))
        region.sizes |= inner.sizes
        outputs = [self.any(inner) for _ in range(self.random.randrange(1, 3))]
        made = inner.functions[len(region.functions) :]
        values = [Value(self.fresh(), v.size) for v in outputs]
        functions = [replace(f, name=self.fresh("f")) for f in made]
        names = ", ".join(v.name for v in (*values, *functions))
        passed, types = (
            ", ".join(texts)
            for texts in zip(*((each.name, each.type) for each in (*outputs, *made)), strict=True)
        )
        ends = f"relax.output {passed} : {types}"
        region.statements.append(f"{names} = relax.{kind} {{\n{self.text(inner)}\n{ends}\n}}")
        region.values += values
        region.functions += functions

    def text(self, region: Region) -> str:
        """The statements; those of a graph region in any order."""
        statements = [*region.statements]
        if region.is_graph and self.random.random() < 0.5:
            self.random.shuffle(statements)
        return "\n".join(statements)

    # Functions of the module

    def private_function(self, number: int) -> str:
        """One of two vectors of one size `a`."""
        size = self.random.choice(SIZES)
        region = Region(pure=True, sizes={size}, scalars=["%q"])
        region.statements.append("%q = relax.constant dense<0.5> : tensor<f32>")
        region.values = [Value("%x", size), Value("%y", size)]
        self.grow(region, self.random.randrange(5))
        result = self.any(region)
        output = result.size if _names(result.size) <= {size} else "?"
        text = (
            f"relax.func private @h{number}(%x: {tensor(size)}, %y: {tensor(size)}) -> "
            f"{tensor(output)} {{\n{self.text(region)}\nrelax.return {result.name} : {result.type}\n}}"
        )
        self.private.append((f"h{number}", output.replace(size, "a")))
        return text

    def program(self) -> str:
        """A module whose `@main` takes vectors `[n]` and `[m]` and two scalars."""
        texts = [self.private_function(i) for i in range(self.random.randrange(3))]
        region = Region(sizes={"n", "m"}, scalars=["%p", "%q"])
        region.values = [Value("%x", "n"), Value("%y", "m")]
        self.grow(region, self.random.randrange(2, 12))
        results = list(dict.fromkeys([region.values[-1], self.any(region)]))
        types = [tensor(v.size if _names(v.size) <= {"n", "m"} else "?") for v in results]
        names, inner = ", ".join(v.name for v in results), ", ".join(v.type for v in results)
        region.statements.append(f"%r = relax.tuple {names} : ({inner}) -> tuple<{inner}>")
        texts.append(
            f"relax.func @main(%x: {tensor('n')}, %y: {tensor('m')}, %p: {S}, %q: {S}) -> "
            f"tuple<{', '.join(types)}> {{\n{self.text(region)}\nrelax.return %r : tuple<{inner}>\n}}"
        )
        return "\n".join(self.random.sample(texts, len(texts)))


def _names(size: str) -> set[str]:
    """The variables in a size."""
    return {part for part in size.split(" + ") if part.isidentifier()}


def scoped_program(random: Random) -> str:
    """The text of a random program; some are refused, where a name is taken."""
    return Writer(random).program()


def arguments(random: Random) -> list[np.ndarray]:
    """Arguments of `@main`."""
    n, m = random.choice((0, 1, 2, 3, 5)), random.choice((0, 1, 2, 3, 5))
    values = np.random.default_rng(random.getrandbits(32))
    scalars = [np.float32(v) for v in values.uniform(-1, 1, 2)]
    return [*(values.uniform(-1, 1, size).astype("f4") for size in (n, m)), *scalars]

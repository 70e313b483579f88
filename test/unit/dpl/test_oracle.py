"""The matcher compared with one that tries everything, on random programs and random patterns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import Oracle, TooMuch
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from relax_dialect import parse
from relax_dialect.dpl import (
    K_ELEMWISE,
    PatternError,
    dominates,
    is_constant,
    is_input,
    is_op,
    is_tuple,
    repeat,
    wildcard,
)
from relax_dialect.dpl.search.matcher import Machine
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax import patterns as p

EXAMPLES = int(os.environ.get("RELAX_EXAMPLES", "150"))

UNARY, BINARY = ("relu", "tanh"), ("add", "subtract", "multiply")


@dataclass
class Program:
    """A module, and its values, the last ones first."""

    module: ModuleOp
    values: Sequence[SSAValue]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self.module))


@dataclass
class Made:
    """A pattern, shown by its nodes."""

    pattern: p.Pattern

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        every = sorted(nodes_of(self.pattern), key=lambda node: node.serial)
        numbers = {node: number for number, node in enumerate(every)}
        for node in every:
            below = ", ".join(str(numbers[child]) for child in node.children())
            printer.text(f"{numbers[node]}: {type(node).__name__}({below})  {node}\n")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A random program of up to eight ops."""
    lines = ["%c = relax.constant dense<1.0> : tensor<4xf32>"]
    wide, narrow = ["a", "b", "c"], []
    tuples: list[str] = []
    long, short = "!relax.tensor<[4], f32>", "!relax.tensor<[2], f32>"

    def pick(names: list[str]) -> str:
        back = draw(st.integers(1, min(len(names), 3)))
        return names[-back] if draw(st.booleans()) else draw(st.sampled_from(names))

    for number in range(draw(st.integers(1, 8))):
        name = f"v{number}x"
        kind = draw(
            st.sampled_from(["unary", "binary", "binary", "binary", "split", "tuple", "get"])
        )
        names, type = (narrow, short) if narrow and draw(st.integers(0, 3)) == 0 else (wide, long)
        if kind == "split":
            lines.append(
                f"%{name}l, %{name}r = relax.split %{pick(wide)} {{sections = 2 : i64, axis = 0 : i64}} : ({long}) -> ({short}, {short})"
            )
            narrow += [f"{name}l", f"{name}r"]
        elif kind == "tuple":
            lines.append(
                f"%{name} = relax.tuple %{pick(names)}, %{pick(names)} : ({type}, {type}) -> tuple<{type}, {type}>"
            )
            tuples.append(f"{name} : tuple<{type}, {type}>")
        elif kind == "get" and tuples:
            of, tuple_type = pick(tuples).split(" : ")
            field = long if "[4]" in tuple_type else short
            index = draw(st.integers(0, 1))
            lines.append(
                f"%{name} = relax.tuple_get_item %{of} {{index = {index} : i64}} : ({tuple_type}) -> {field}"
            )
            (wide if field == long else narrow).append(name)
        elif kind == "binary":
            op = draw(st.sampled_from(BINARY))
            lines.append(
                f"%{name} = relax.{op} %{pick(names)}, %{pick(names)} : ({type}, {type}) -> {type}"
            )
            names.append(name)
        else:
            op = draw(st.sampled_from(UNARY))
            lines.append(f"%{name} = relax.{op} %{pick(names)} : ({type}) -> {type}")
            names.append(name)
    last = wide[-1]
    body = "\n  ".join(lines)
    text = f"relax.func @f(%a: {long}, %b: {long}) -> {long} {{\n  {body}\n  relax.return %{last} : {long}\n}}"
    module = parse(text)
    func = next(iter(module.ops))
    block = func.regions[0].block
    values = [result for op in block.ops for result in op.results] + list(block.args)
    return Program(module, values[::-1])


class Maker:
    """Makes a random pattern, and notes in which repetitions each node was made."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.scopes: dict[p.Pattern, tuple[p.Pattern, ...]] = {}
        self.pool: list[p.Pattern] = []
        self.names = 0

    def note(self, pattern: p.Pattern) -> p.Pattern:
        self.pool.append(pattern)
        return pattern

    def pattern(self, depth: int) -> p.Pattern:
        draw = self.draw
        if self.pool and draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(self.pool))
        kinds = LEAVES if depth == 0 else KINDS
        return self.note(kinds[draw(st.integers(0, len(kinds) - 1))](self, depth - 1))

    def inside(self, make: Callable[[], p.Pattern]) -> p.Pattern:
        """A part that a repetition matches anew: what is made in it is used nowhere else."""
        height = len(self.pool)
        made = make()
        del self.pool[height:]
        return made


def _call(maker: Maker, depth: int) -> p.Pattern:
    name = maker.draw(st.sampled_from([*UNARY, *BINARY, *BINARY]))
    callee = is_op(name)
    match maker.draw(st.integers(0, 5)):
        case 0:
            callee = wildcard()
        case 1:
            callee = callee | is_op("add" if name in BINARY else "relu")
        case _:
            pass
    args = [maker.pattern(depth) for _ in range(1 if name in UNARY else 2)]
    return callee(*args, in_order=maker.draw(st.integers(0, 4)) == 0)


def _split(maker: Maker, depth: int) -> p.Pattern:
    call = is_op("split")(maker.pattern(depth)) if maker.draw(st.booleans()) else is_op("split")
    if maker.draw(st.booleans()):
        maker.note(call)
    return call[maker.draw(st.integers(0, 1))] if maker.draw(st.booleans()) else call


def _same_shape(maker: Maker, depth: int) -> p.Pattern:
    other = maker.pattern(depth)
    args = [maker.note(maker.pattern(depth).same_shape_as(other)), other]
    return is_op("add")(*(args if maker.draw(st.booleans()) else args[::-1]))


def _repeat(maker: Maker, depth: int) -> p.Pattern:
    base = maker.pattern(depth)
    least = maker.draw(st.integers(0, 2))
    most = maker.draw(st.sampled_from([None, None, max(least, 1), 3]))

    def wrap(hole: p.Pattern) -> p.Pattern:
        def make() -> p.Pattern:
            maker.pool.append(hole)
            name = maker.draw(st.sampled_from(["relu", "add", "add", "subtract"]))
            if name == "relu":
                wrapped = is_op(name)(hole)
            else:
                args = [hole, maker.pattern(depth)]
                wrapped = is_op(name)(*(args if maker.draw(st.booleans()) else args[::-1]))
            maker.note(wrapped)
            if maker.draw(st.integers(0, 2)) == 0:
                wrapped = wrapped | is_op("tanh")(hole)
            return wrapped

        return maker.inside(make)

    return repeat(base, wrap, least, most)


def _dominates(maker: Maker, depth: int) -> p.Pattern:
    parent, child = maker.pattern(depth), maker.pattern(depth)
    outer = maker.pool
    maker.pool = []
    path = maker.pattern(min(depth, 1))
    maker.pool = outer
    return dominates(
        parent, path, child, side_inputs=maker.draw(st.sampled_from([True, False, "leaves"]))
    )


def _named(maker: Maker, depth: int) -> p.Pattern:
    maker.names += 1
    name = f"n{maker.names}"
    return maker.pattern(depth).named(name)


LEAVES: list[Callable[[Maker, int], p.Pattern]] = [
    lambda maker, depth: wildcard(),
    lambda maker, depth: wildcard(),
    lambda maker, depth: is_input(),
    lambda maker, depth: is_constant(),
    lambda maker, depth: is_op("add"),
    lambda maker, depth: is_tuple(),
]
KINDS: list[Callable[[Maker, int], p.Pattern]] = [
    *LEAVES,
    *[_call] * 8,
    _split,
    lambda maker, depth: maker.pattern(depth) | maker.pattern(depth),
    lambda maker, depth: maker.pattern(depth) | maker.pattern(depth),
    lambda maker, depth: maker.pattern(depth) & maker.pattern(depth),
    lambda maker, depth: ~maker.pattern(depth),
    lambda maker, depth: maker.pattern(depth).optional(lambda q: is_op("relu")(q)),
    lambda maker, depth: maker.pattern(depth).optional(lambda q: is_op("add")(q, wildcard())),
    lambda maker, depth: maker.pattern(depth).has_attr("TOpPattern", K_ELEMWISE),
    lambda maker, depth: maker.pattern(depth).has_shape([2]),
    _same_shape,
    lambda maker, depth: is_tuple([maker.pattern(depth), maker.pattern(depth)]),
    lambda maker, depth: is_tuple([maker.pattern(depth), maker.pattern(depth)], unordered=True),
    lambda maker, depth: maker.pattern(depth)[maker.draw(st.sampled_from([None, 0, 1]))],
    lambda maker, depth: maker.pattern(depth) ^ maker.pattern(depth),
    lambda maker, depth: maker.pattern(depth) >> maker.pattern(depth),
    _named,
    *[_repeat] * 3,
    *[_dominates] * 3,
]


def scopes_of(root: p.Pattern) -> dict[p.Pattern, tuple[p.Pattern, ...]]:
    """For each node the repetitions and paths it was made in, told by how it was made: a hole, and what
    has it below or was made after it in the same `wrap`; a path, and what only the path has."""
    scopes: dict[p.Pattern, tuple[p.Pattern, ...]] = {}

    def below(node: p.Pattern, found: dict[p.Pattern, None]) -> dict[p.Pattern, None]:
        if node not in found:
            found[node] = None
            for child in node.children():
                below(child, found)
        return found

    every = below(root, {})

    def visit(node: p.Pattern, around: tuple[p.Pattern, ...]) -> None:
        mine = tuple(r for r in around if inner(node, r))
        if scopes.get(node) == mine:
            return
        scopes[node] = mine
        for child in node.children():
            inside = isinstance(node, p.Repeat) and child is node.wrapped
            inside |= isinstance(node, p.Dominates) and child is node.path
            visit(child, (*around, node) if inside else around)

    def inner(node: p.Pattern, around: p.Pattern) -> bool:
        if isinstance(around, p.Repeat):
            return around.hole.serial <= node.serial < around.serial
        assert isinstance(around, p.Dominates)
        rest: dict[p.Pattern, None] = {}
        for other in every:
            if other is around:
                for child in (around.parent, around.child):
                    below(child, rest)
        return node not in rest

    visit(root, ())
    return scopes


@st.composite
def random_patterns(draw: st.DrawFn) -> Made:
    try:
        return Made(Maker(draw).pattern(draw(st.integers(1, 4))))
    except PatternError:
        assume(False)
        raise


def check(pattern: p.Pattern, values: Sequence[SSAValue]) -> int:
    scopes = scopes_of(pattern)
    in_order = not any(isinstance(node, p.Dominates) for node in scopes)
    matched = 0
    memo: dict[object, object] = {}
    for value in values:
        try:
            expected = list(Oracle(scopes).solutions(pattern, value))
        except TooMuch:
            continue
        for shared in (None, memo):
            try:
                found = Machine(pattern, shared).solve(value)
            except PatternError as error:
                assume(
                    "argument of wrap" not in str(error) and "same_shape_as of" not in str(error)
                )
                raise
            assert (found is not None) == bool(expected), str(value.owner)
            if found is not None:
                assert Counter(found) in (expected[:1] if in_order else expected), str(value.owner)
                matched += 1
    return matched


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(programs(), random_patterns())
def test_random_patterns_match_as_defined(program: Program, made: Made):
    check(made.pattern, program.values)


@pytest.mark.slow
def test_what_is_made_matches_often_enough():
    """The comparison means something: a good part of the patterns match somewhere."""
    seen = Counter()

    @settings(max_examples=100, database=None)
    @given(programs(), random_patterns())
    def count(program: Program, made: Made):
        seen[check(made.pattern, program.values) > 0] += 1

    count()
    assert seen[True] > 20 and seen[False] > 10

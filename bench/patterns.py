"""The pattern language: many patterns over a large block, many hits, and patterns with many choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from xdsl.dialects.builtin import ModuleOp

from bench.measuring import Table, cpu_seconds
from relax_dialect import parse
from relax_dialect.builder import op
from relax_dialect.dpl import (
    FunctionRule,
    Pattern,
    PatternLimitError,
    apply_rules,
    is_op,
    is_tuple,
    rewrite,
    wildcard,
)
from relax_dialect.dpl.search.matcher import Machine

PATTERNS = 200
OPS = 10_000
MOST_PER_OP = 50.0
"""Microseconds per op for all patterns together, if none matches."""
MOST_GROWTH = 1.5
"""Of the time per op, from a tenth of the ops to all."""
HITS, BINDINGS, MOST_MILLISECONDS = 250, 1_000, 100.0

T = "!relax.tensor<[n], f32>"
UNARY = [
    "abs",
    "sqrt",
    "log",
    "sin",
    "cos",
    "tan",
    "erf",
    "floor",
    "ceil",
    "round",
    "sign",
    "square",
    "rsqrt",
    "log2",
    "log10",
]


def block(lines: Sequence[str], result: str) -> ModuleOp:
    """Return a function of one dataflow block."""
    body = "\n".join(lines)
    return parse(
        f"relax.func @f(%x: {T}) -> {T} {{\n%o = relax.dataflow {{\n{body}\n"
        f"relax.output {result} : {T}\n}}\nrelax.return %o : {T}\n}}"
    )


def sums(count: int) -> ModuleOp:
    """Build additions of additions: one operator everywhere."""
    lines = [f"%v0 = relax.add %x, %x : ({T}, {T}) -> {T}"]
    lines += [
        f"%v{i} = relax.add %v{i - 1}, %v{max(i - 2, 0)} : ({T}, {T}) -> {T}"
        for i in range(1, count)
    ]
    return block(lines, f"%v{count - 1}")


def pairs(count: int) -> ModuleOp:
    """Build runs of exp, tanh, exp, tanh."""
    names, lines, last = ("negative", "abs", "exp", "tanh"), [], "%x"
    for i in range(count):
        lines.append(f"%v{i} = relax.{names[i % 4]} {last} : ({T}) -> {T}")
        last = f"%v{i}"
    return block(lines, last)


def _two(outer: str, inner: str) -> Pattern:
    return is_op("add")(is_op(outer)(is_op(inner)(wildcard())), wildcard())


FAMILIES: dict[str, Callable[[], list[Pattern]]] = {
    "other roots": lambda: [
        is_op(a)(is_op(b)(wildcard())) for a, b in list(product(UNARY, UNARY))[:PATTERNS]
    ],
    "one root, other operands": lambda: [
        _two(a, b) for a, b in list(product(UNARY, UNARY))[:PATTERNS]
    ],
    "one root, other constants": lambda: [is_op("add")(wildcard(), i) for i in range(PATTERNS)],
    "one root, other shapes": lambda: [
        is_op("add")(wildcard(), wildcard()).has_shape([i]) for i in range(PATTERNS)
    ],
    "one root, other attributes": lambda: [
        is_op("add")(is_op("sum")(wildcard()).has_attr("axis", [i]), wildcard())
        for i in range(PATTERNS)
    ],
}


def many_patterns() -> Table:
    """Time 200 patterns without a match, over blocks of two sizes."""
    table = Table(
        f"{PATTERNS} patterns without a match, microseconds per op",
        ("patterns", f"{OPS // 10:,} ops", f"{OPS:,} ops", "limit", "met"),
    )
    small, large = sums(OPS // 10), sums(OPS)
    for name, make in FAMILIES.items():
        rules = [FunctionRule(pattern, lambda root, match: None) for pattern in make()]
        first = cpu_seconds(lambda: apply_rules(rules, small)) / (OPS // 10) * 1e6  # noqa: B023
        every = cpu_seconds(lambda: apply_rules(rules, large)) / OPS * 1e6  # noqa: B023
        verdicts = {
            table.limit(f"{name} (µs per op)", every, at_most=MOST_PER_OP),
            table.limit(f"{name}, growth per op", every / first, at_most=MOST_GROWTH),
        }
        met = "NO" if "NO" in verdicts else "yes"
        table.rows.append((name, first, every, MOST_PER_OP, met))
    return table


def hits() -> Table:
    """Time 250 matches in 1,000 bindings, each replaced by as many ops."""
    table = Table("Matches rewritten", ("what", "ms", "limit", "met"))
    x = wildcard()
    for name, pattern, replacement in (
        ("one op for two", is_op("tanh")(is_op("exp")(x)), lambda root, m: op.sigmoid(m[x])),
        (
            "two ops for two",
            is_op("tanh")(is_op("exp")(x)),
            lambda root, m: op.sigmoid(op.abs(m[x])),
        ),
    ):
        module = pairs(BINDINGS)
        found: list[int] = []
        taken = cpu_seconds(
            lambda: found.append(rewrite(pattern, replacement, module))  # noqa: B023
        )
        assert found == [HITS]
        met = table.limit(name, taken * 1e3, at_most=MOST_MILLISECONDS)
        table.rows.append(
            (f"{HITS} in {BINDINGS:,} bindings, {name}", taken * 1e3, MOST_MILLISECONDS, met)
        )
    return table


def _alternation(depth: int) -> Pattern:
    """Build an alternation whose branches both lead to the next level; only the bottom may fail."""
    if depth == 0:
        return is_op("log")(wildcard())
    inner = _alternation(depth - 1)
    return is_op("exp")(inner) | is_op("exp")(inner)


def _repetition(depth: int) -> Pattern:
    """Build a chain of repetitions: each may match any part of it."""
    pattern: Pattern = is_op("log")(wildcard())
    for _ in range(depth):
        pattern = pattern.repeat(lambda p: is_op("exp")(p))
    return pattern


def _tied(fields: int) -> Pattern:
    """Build the same choices twice for the fields of a tuple, and one alternative of the first at the
    end."""
    x, y = ([wildcard() for _ in range(fields)] for _ in range(2))
    chosen = [a | b for a, b in zip(x, y)]
    return is_tuple([*chosen, *[a | b for a, b in zip(x, y)], x[0]])


def choices() -> Table:
    """Time a search that fails at its very end, by the depth of its choices."""
    table = Table(
        "Steps of a search that finds nothing", ("pattern", "depth 8", "depth 16", "growth", "met")
    )
    chain = [f"%v0 = relax.exp %x : ({T}) -> {T}"]
    chain += [f"%v{i} = relax.exp %v{i - 1} : ({T}) -> {T}" for i in range(1, 32)]
    last = list(block(chain, "%v31").walk())
    root = [o for o in last if o.name == "relax.exp"][-1].results[0]
    for name, make in (
        ("nested alternation", _alternation),
        ("repetition in repetition", _repetition),
    ):
        steps: list[int] = []
        for depth in (8, 16):
            machine = Machine(make(depth))
            assert machine.solve(root) is None
            steps.append(machine.steps)
        growth = steps[1] / steps[0]
        met = table.limit(f"{name}, growth of steps", growth, at_most=8)
        table.rows.append((name, steps[0], steps[1], growth, met))
    fields = 30
    types = ", ".join([T] * (2 * fields + 1))
    body = f"%t = relax.tuple {'%x, ' * 2 * fields}%z : ({types}) -> tuple<{types}>"
    head = f"relax.func @f(%x: {T}, %z: {T}) -> tuple<{types}> {{"
    tied = parse(f"{head}\n{body}\nrelax.return %t : tuple<{types}>\n}}")
    (root,) = (o.results[0] for o in tied.walk() if o.name == "relax.tuple")
    machine = Machine(_tied(fields))
    try:
        machine.solve(root)
        ended = "no match"
    except PatternLimitError:
        ended = "the cap on steps"
    table.rows.append((f"{fields} tied choices, ended by {ended}", machine.steps, "-", "-", "-"))
    return table


def tables() -> list[Table]:
    return [many_patterns(), hits(), choices()]

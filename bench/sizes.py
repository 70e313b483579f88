"""Programs of great length and depth: every step over them takes time in proportion to the size."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from bench import programs
from bench.measuring import Table, cpu_seconds
from lowering import lower
from lowering.pipeline import PASSES
from relax_dialect import te
from relax_dialect.builder import op
from relax_dialect.dpl import is_op, template_rule, wildcard
from relax_dialect.dpl.pdl import to_pdl
from relax_dialect.interpret import run
from relax_dialect.parsing import deep_recursion, parse_unverified, verify
from relax_dialect.rewrites import GRAPH_PASSES

MOST_PER_OP = 100.0
"""Microseconds of a pass on the graph, at the full size."""
MOST_BY_RULES = {
    "relax-simplify-algebra": 400.0,
    "relax-apply-pdl": 400.0,
    "relax-gradient": 1600.0,
}
"""The same for passes that replace every second op of these programs, or add several for each: sixteen for
`maximum`."""
MOST_GROWTH = 2.0
"""Of the time per op, from a part of the size to the full size."""
PARTS = 4


@dataclass(frozen=True)
class Size:
    """A family of programs and the size that must work."""

    make: Callable[[int], str]
    full: int


SIZES = {
    "bindings in one block": Size(programs.bindings, 20_000),
    "nested lets": Size(programs.lets, 2_000),
    "nested ifs": Size(programs.nested_ifs, 200),
    "diamonds": Size(programs.diamonds, 10_000),
    "chained ifs": Size(programs.chained_ifs, 4_000),
    "closures": Size(programs.closures, 5_000),
    "nested closures": Size(programs.nested_closures, 100),
    "calls": Size(programs.calls, 5_000),
    "facts": Size(programs.facts, 5_000),
}
INPUTS = np.ones(4, np.float32), np.array(True)
"""The arguments of every program."""
LEFT_OUT = ("relax-prove", "relax-prove-accesses", "relax-shard")
"""The passes that rewrite nothing and call z3, and the one that needs a grid of devices."""

LOWERING = tuple(name for name in PASSES if name not in GRAPH_PASSES)
"""The passes after the graph passes, each on the result of the ones before."""
BEFORE = {
    "relax-check-basic-block-normal-form": ["relax-to-basic-block-normal-form"],
    "relax-defunctionalize": ["relax-lambda-lift"],
}
"""The passes that come first where a pass refuses other programs; their time does not count."""


def count_ops(module: ModuleOp) -> int:
    """Count the ops of a module, including those in regions."""
    stack, count = list(module.ops), 0
    while stack:
        op = stack.pop()
        count += 1
        stack.extend(inner for region in op.regions for b in region.blocks for inner in b.ops)
    return count


def graph_passes(arrays: Path) -> dict[str, str]:
    """Return the passes on the graph, each with options under which it changes the program, if it has any.

    Writes the arrays that parameters are bound to, a file for all parameters and a rule in PDL.
    """
    inputs, rules = arrays.with_name("inputs.npz"), arrays.with_name("rules.mlir")
    np.savez(inputs, x=INPUTS[0], c=INPUTS[1])
    x = wildcard()
    rule = template_rule(is_op("negative")(x), op.subtract(x, x), name="difference")
    a = te.placeholder(["n"], "f32")
    pattern = te.create_prim_func([a, te.compute(a.shape, lambda i: -a[i])], "negative")
    rules.write_text(str(to_pdl(rule)))
    patterns = arrays.with_name("patterns.mlir")
    patterns.write_text(str(ModuleOp([pattern])))
    options = {
        "relax-split-call-tir-by-pattern": f'{{file="{patterns}"}}',
        "relax-apply-pdl": f'{{file="{rules}"}}',
        "relax-bind-params": f'{{file="{arrays}"}}',
        "relax-bind-symbolic-vars": "{vars=n sizes=4}",
        "relax-convert-layout": "{op=conv2d data=NHWC kernel=OHWI}",
        "relax-gradient": "{mode=vjp}",
        "relax-lift-constants": f'{{file="{arrays.with_name("lifted.npz")}"}}',
        "relax-quantize": f'{{calibration="{inputs}"}}',
        "relax-update-param-type": '{params=x types="!relax.tensor<[4], f32>"}',
    }
    return {n: n + options.get(n, "") for n in GRAPH_PASSES if n not in LEFT_OUT}


def cost(text: str, arrays: Path) -> dict[str, float]:
    """Return the microseconds per op of every step over a program."""
    modules: list[ModuleOp] = []

    def fresh() -> ModuleOp:
        return parse_unverified(text)

    found = {"parse": cpu_seconds(lambda: modules.append(fresh()))}
    count = count_ops(modules[0])
    found["verify"] = cpu_seconds(lambda: verify(modules[0]))
    with deep_recursion():
        found["print"] = cpu_seconds(lambda: str(modules[0]))
    found["interpret"] = cpu_seconds(lambda: run(modules[0], "main", *INPUTS))
    for name, spec in graph_passes(arrays).items():
        module = fresh()
        lower(module, BEFORE.get(name, ()))
        with redirect_stderr(StringIO()):  # a note that there was nothing to do
            found[name] = cpu_seconds(partial(lower, module, [spec]))
        verify(module, f"after {name}")
    module = fresh()
    lower(module, [name for name in PASSES if name in GRAPH_PASSES])
    for name in LOWERING:
        found[name] = cpu_seconds(partial(lower, module, [name]))
    return {name: seconds / count * 1e6 for name, seconds in found.items()}


def size(name: str) -> Table:
    """Time every step over a family of programs, at a part of the full size and at the full size."""
    make, full = SIZES[name].make, SIZES[name].full
    part = full // PARTS
    table = Table(
        f"{name}, microseconds per op", ("step", f"{part:,}", f"{full:,}", "limit", "met")
    )
    with tempfile.TemporaryDirectory() as folder:
        arrays = Path(folder) / "arrays.npz"
        np.savez(arrays, x=np.ones(4, np.float32))
        cost(make(8), arrays)  # the passes are imported
        small, large = cost(make(part), arrays), cost(make(full), arrays)
    for step, per_op in large.items():
        most = MOST_BY_RULES.get(step, MOST_PER_OP) if step in GRAPH_PASSES else None
        verdicts = {
            table.limit(f"{name}, {step}, growth per op", per_op / small[step], at_most=MOST_GROWTH)
        }
        if most is not None:
            what = f"{name}, {step} (µs per op)"
            verdicts.add(table.limit(what, per_op, at_most=most))
        met = "NO" if "NO" in verdicts else "yes"
        table.rows.append((step, small[step], per_op, "-" if most is None else most, met))
    return table

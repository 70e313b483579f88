"""Orders of graph regions, and shorter signatures: what the programs of their FileCheck tests mean stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowering.pipeline import pipeline
from relax_dialect import parse
from relax_dialect.interpret import run
from relax_dialect.parsing import verify
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.calls.remove_unused_outputs import remove_unused_outputs
from relax_dialect.rewrites.calls.remove_unused_parameters import remove_unused_parameters
from relax_dialect.rewrites.forms.topological_sort import traversal_order
from relax_dialect.transform.regions import functions

FILES = Path(__file__).parents[2] / "filecheck" / "rewrites"
X, Y = np.array([0.5, -1.0], np.float32), np.array([2.0, 0.25, 1.5], np.float32)
CASES = [
    ("remove_unused_parameters/removes", "relax-remove-unused-parameters", (X, Y)),
    ("remove_unused_outputs/removes", "relax-remove-unused-outputs", (X,)),
    ("remove_unused_outputs/keeps", "relax-remove-unused-outputs", (X,)),
    ("cse/call_only", "relax-cse{call-only=true}", (X,)),
    *(
        (
            "topological_sort/orders",
            f"relax-topological-sort{{order={order} direction={direction}}}",
            (X, Y),
        )
        for order in ("depth-first", "breadth-first")
        for direction in ("from-inputs", "from-outputs")
    ),
]


def leaves(value: Any) -> list[Any]:
    return [leaf for v in value for leaf in leaves(v)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize(("file", "text", "args"), CASES)
def test_the_meaning_stays(file: str, text: str, args: tuple[Any, ...]):
    module = parse((FILES / f"{file}.mlir").read_text("utf-8"))
    expected = run(module, "main", *args)
    for made in pipeline([text]).passes:
        made.apply(None, module)  # pyright: ignore[reportArgumentType]
    verify(module)
    for found, wanted in zip(leaves(run(module, "main", *args)), leaves(expected), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_the_two_and_dead_code_leave_what_is_needed():
    text = (FILES / "remove_unused_outputs" / "removes.mlir").read_text("utf-8")
    module = parse(text)
    remove_unused_outputs(module)
    eliminate_dead_code(module)
    remove_unused_parameters(module)
    verify(module)
    one = next(f for f in functions(module) if f.sym_name.data == "one")
    assert [op.name for op in one.body.block.ops] == ["relax.tanh", "relax.return"]


@pytest.mark.slow
def test_a_long_chain_of_functions_is_shortened_in_one_go():
    """Callees first: what a function need not hand on, its callers need not take."""
    T = "!relax.tensor<[n], f32>"
    count = 300
    names = ["main", *(f"f{i}" for i in range(count))]
    text = "".join(
        f"""relax.func {"private " if i else ""}@{name}(%x: {T}, %y: {T}) -> {T} {{
          %r = relax.call @{names[i + 1]}(%x, %y) : ({T}, {T}) -> {T}
          relax.return %r : {T}
        }}"""
        for i, name in enumerate(names[:-1])
    )
    text += f"relax.func private @{names[-1]}(%x: {T}, %y: {T}) -> {T} {{ relax.return %x : {T} }}"
    module = parse(text)
    remove_unused_parameters(module)
    assert [len(f.body.block.args) for f in functions(module)] == [2] + [1] * count


@pytest.mark.parametrize("order", ["depth-first", "breadth-first"])
@pytest.mark.parametrize("direction", ["from-inputs", "from-outputs"])
def test_a_traversal_meets_every_op_once_each_after_what_it_needs(order: Any, direction: Any):
    text = (FILES / "topological_sort" / "orders.mlir").read_text("utf-8")
    block = (
        next(op for op in functions(parse(text))[0].body.block.ops if op.regions).regions[0].block
    )
    met = traversal_order(block, order, direction)
    assert set(met) == set(block.ops) and len(met) == len(list(block.ops))
    place = {op: i for i, op in enumerate(met)}
    for op in met:
        for operand in op.operands:
            if operand.owner in place:
                assert place[operand.owner] < place[op]  # pyright: ignore[reportArgumentType]

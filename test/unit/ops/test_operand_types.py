"""Operands of other types than an operator is made for: inferred, or refused in words, and never a crash."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from mutations import other_type
from operators import Entry, entries
from optional import amount
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from ops.compiled import shape, tensor
from relax_dialect import RelaxError
from relax_dialect.builder.op import get
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import OperatorOp
from relax_dialect.rewrites.params.update_param_type import update_param_type

MESSAGE = re.compile(r"(relax\.\w+|@f).*: expected .+, found .+; \w", re.DOTALL)
PACKAGES = [Path(__file__).parents[3] / name for name in ("relax_dialect", "lowering")]


@pytest.mark.shortened
@pytest.mark.parametrize("family", sorted({entry.family for entry in entries()}))
def test_operands_of_other_types(family: str):
    rng = random.Random(family)
    for entry in entries():
        if entry.family == family:
            _check_operands(entry, rng)
            _check_parameter(entry, rng)


def _check_operands(entry: Entry, rng: random.Random) -> None:
    """Each operand of an operator gets other types."""
    function = entry.cases[0].function("f")
    op = next(o for o in walk_ops(function) if isinstance(o, entry.op))
    assert isinstance(op, OperatorOp)
    for place, operand in enumerate(op.operands):
        for _ in range(amount(6, 3)):
            (other,) = Block(arg_types=[other_type(operand.type, rng)]).args
            operands = [*op.operands[:place], other, *op.operands[place + 1 :]]
            changed = type(op).create(
                operands=operands, result_types=op.result_types, properties=op.properties
            )
            try:
                assert len(changed.checked_types()) == len(op.results)
            except RelaxError as error:
                assert MESSAGE.match(str(error)), error
            changed.drop_all_references()


def _check_parameter(entry: Entry, rng: random.Random) -> None:
    """A pass gives one of its parameters another type."""
    function = entry.cases[0].function("f")
    if not function.body.block.args:
        return
    param = rng.choice(function.body.block.args)
    other = other_type(param.type, rng)
    try:
        update_param_type(ModuleOp([function]), {param: other}.get)
    except RelaxError as error:
        assert MESSAGE.search(str(error)), error
    else:
        assert param.type == other
        assert is_subtype(function.return_op.value.type, function.function_type.output)


def test_no_pass_infers_without_the_checks():
    texts = {path: path.read_text("utf-8") for root in PACKAGES for path in root.rglob("*.py")}
    found = [p for p, text in texts.items() if "ops" not in p.parts and ".infer()" in text]
    assert not found, "ask for checked_types(), which checks what infer() takes for granted"


@pytest.mark.parametrize(
    "build",
    [
        lambda x, y, s: get("reshape")(x, s),
        lambda x, y, s: get("reshape")(x, ["n", 4]),
        lambda x, y, s: get("view")(x, s),
        lambda x, y, s: get("broadcast_to")(x, s),
        lambda x, y, s: get("collapse_sum_to")(x, s),
        lambda x, y, s: get("add")(x, y),
        lambda x, y, s: get("concat")([x, y], 1),
        lambda x, y, s: get("einsum")([x, y], "ab,ac->bc"),
        lambda x, y, s: get("matmul")(get("permute_dims")(x), y),
    ],
)
def test_sizes_that_agree_for_empty_tensors_alone(build: Callable[..., Operation]):
    """2 * n is 3 * n for n = 0 alone."""
    x, y, s = Block(arg_types=[tensor("2 * n", 4), tensor("3 * n", 4), shape("3 * n", 4)]).args
    with pytest.raises(RelaxError, match=r"expected .+, found .*n"):
        build(x, y, s)


def test_who_means_empty_tensors_says_so():
    (x,) = Block(arg_types=[tensor("n", 4)]).args
    assert get("reshape")(x, [0, 5]).results[0].type == tensor(0, 5)

"""The table of operators against the functions of the installed TVM."""

from __future__ import annotations

from inspect import signature
from operator import attrgetter
from typing import Any

from optional import package

from relax_dialect.frontends.tvmscript.operators import TABLE
from relax_dialect.ops.fields import MISSING


def test_every_line_names_an_operator_of_ours_and_its_parameters():
    assert len({operator.name for operator in TABLE}) == len(TABLE.lines) > 180
    assert all(operator.op.name.startswith("relax.") for operator in TABLE)
    for operator in TABLE:
        assert [p.kind for p in operator.parameters if not p.ours and p.kind != "none"] == []


def test_tvm_has_these_operators_with_these_parameters_and_defaults():
    package("tvm")
    relax = package("tvm.script.relax")
    for operator in TABLE:
        found = list(signature(attrgetter(operator.name)(relax)).parameters.values())
        theirs: list[tuple[str, Any]] = [
            (p.name, MISSING if p.default is p.empty else p.default) for p in found
        ]
        assert [(p.name, p.default) for p in operator.parameters] == theirs, operator.name

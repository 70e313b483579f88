"""Generator of the reference page of the operators, from the registered and tested operators.

`python test/unit/support/operators.py` writes docs/operators.md; `test_operators.py` checks that the page is up
to date and that every cell is filled. The evidence for each cell:

- inferred: a FileCheck test of the operator's types, `test/filecheck/ops/F/<operator>.mlir`
- interpreted: its semantics, which run in every case of `test/unit/ops/test_F.py`
- legalised: its rule in `lowering.legalize`
- compiled: the cases of `test/unit/ops/test_F.py`, where C, interpreter and numpy agree
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "operators.md"
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "unit")]

from lowering.legalize.relax_legalize import RULES, STEPS  # noqa: E402
from relax_dialect import interpret  # noqa: E402
from relax_dialect.dialect import OPERATOR_FAMILIES  # noqa: E402
from relax_dialect.ir.types import TensorType  # noqa: E402
from relax_dialect.lsp.documentation import documented  # noqa: E402
from relax_dialect.ops.base import OperatorOp  # noqa: E402
from relax_dialect.ops.kinds import is_commutative, pattern_kind  # noqa: E402

COLUMNS = ("inferred", "interpreted", "legalised", "compiled")

INTRODUCTION = """\
# The operators

Written by `python test/unit/support/operators.py`; `test/unit/docs/test_operators.py` checks that it is up to date.
{count} operators in {families} families. A family F has its definitions in `relax_dialect/ops/F.py`, its semantics in
`relax_dialect/interpret/F.py`, its tensor expressions in `lowering/legalize/F.py`, and its tests in `test/filecheck/ops/F/`
and `test/unit/ops/test_F.py`.

Every operator is inferred (its types are tested with FileCheck), interpreted, legalised, and compiled:
emitted C, interpreter and numpy agree on its cases for sizes 0, 1 and odd ones. `n`, `m`, `k` and `b` are
symbolic. Element types are those of the first operand in the tested cases. The kind says in TVM's terms how
the operator computes (`relax_dialect/ops/kinds.py`), and whether its operands may be swapped; narrow is its
policy of [mixed precision](mixed-precision.md).

Sums of f32, f16 and bf16 are computed in f32 and keep its precision at any length, along any axis: sums, means, variances,
norms, softmax, normalizations, pools, losses, products, convolutions and prefix sums. At most 128 consecutive terms, or
1,024 in the tiles of a product, are summed in f32; the sums of such blocks are accumulated in f64. For varying terms of one
sign the relative error is at most 1e-6 (some 1e-7 at 10 million terms, `python test/unit/fuzz --kinds sums`). Equal
terms round alike: 2e-6 at worst, or 2e-5 in a product. A variance is computed in two passes: the mean, then the mean of the
squared deviations. The interpreter accumulates in f64. Sums of f64, sums written as loops (`relax.while`), sums of
`scatter_elements` and similar operators, recurrent networks and the interpreter's `linalg` ops are sequential.

| family | operators |
|---|---|
"""


@dataclass(frozen=True)
class Entry:
    """The entry of one operator on the page."""

    op: type[Operation]
    family: str
    cases: tuple[Any, ...]

    @property
    def name(self) -> str:
        return self.op.name.removeprefix("relax.")

    @property
    def filecheck(self) -> Path:
        return ROOT / "test" / "filecheck" / "ops" / self.family / f"{self.name}.mlir"

    def cells(self) -> dict[str, bool]:
        """Which aspects of the operator are there."""
        return {
            "inferred": self.filecheck.exists()
            and self.op.name in self.filecheck.read_text("utf-8"),
            "interpreted": self.op in interpret._own_semantics()._impl_dict,  # pyright: ignore
            "legalised": self.op in RULES or self.op in STEPS,
            "compiled": bool(self.cases),
        }

    def signature(self) -> str:
        """The arguments of the op's constructor: operands first, then attributes with their defaults."""
        parameters = inspect.signature(self.op.__init__).parameters.values()
        shown = [
            p.replace(annotation=p.empty, default=_spelled(p.default))
            for p in parameters
            if p.name != "self"
        ]
        if any(p.kind is p.VAR_KEYWORD for p in shown):
            assert issubclass(self.op, IRDLOperation)
            names = [name for name, _ in self.op.get_irdl_definition().operands]
            return f"{self.name}({', '.join(names)})"
        return f"{self.name}({', '.join(map(str, shown))})"

    def example(self) -> str:
        """The operator in the first of its cases with symbolic shapes, printed."""
        if not self.cases:
            return ""
        symbolic = [c for c in self.cases if any(_variables(type) for type in c.types)]
        case = (symbolic or self.cases)[0]
        function = case.function("f")
        for name, argument in zip("xyzuvwpqrst", function.body.block.args):
            argument.name_hint = name
        return next(str(op) for op in function.body.block.ops if isinstance(op, self.op))

    def dtypes(self) -> list[str]:
        """The element types of the first operands in the cases."""
        firsts = [next((t for t in c.types if isinstance(t, TensorType)), None) for c in self.cases]
        return sorted({str(t.dtype) for t in firsts if t is not None})

    def kind(self) -> str:
        """How the operator computes, and whether it commutes."""
        return pattern_kind(self.op).name + ", commutative" * is_commutative(self.op)

    def policy(self) -> str:
        """The policy of mixed precision."""
        assert issubclass(self.op, OperatorOp)
        return self.op.PRECISION.name.lower()

    def lines(self) -> Iterator[str]:
        description, constraints = documented(self.op)
        yield f"### {self.name}"
        yield ""
        yield description
        yield ""
        yield f"`{self.signature()}`"
        yield ""
        for number, text in constraints:
            yield f"- ({number}) {text}"
        if constraints:
            yield ""
        yield f"```mlir\n{self.example()}\n```"
        yield ""
        marks = " | ".join("yes" if there else "no" for there in self.cells().values())
        yield f"| kind | narrow | {' | '.join(COLUMNS)} | element types |"
        yield f"|{'---|' * (len(COLUMNS) + 3)}"
        yield f"| {self.kind()} | {self.policy()} | {marks} | {' '.join(self.dtypes())} |"
        yield ""


def _spelled(default: Any) -> Any:
    """The default of an argument; a type as it may be written in its place."""
    return str(default) if isinstance(default, Attribute) else default


def _variables(type: Any) -> bool:
    shape = getattr(type, "shape", None) or ()
    return any(d is not None and not d.is_constant for d in shape)


def tests_of(family: ModuleType) -> ModuleType | None:
    """The module of the family's cases."""
    name = family.__name__.rpartition(".")[2]
    exists = (ROOT / "test" / "unit" / "ops" / f"test_{name}.py").exists()
    return import_module(f"ops.test_{name}") if exists else None


@cache
def entries() -> tuple[Entry, ...]:
    """All operators, by family."""
    found: list[Entry] = []
    for family in OPERATOR_FAMILIES:
        tests = tests_of(family)
        cases: dict[type[Operation], list[Any]] = {}
        for case in tests.CASES.values() if tests is not None else ():
            cases.setdefault(case.tested, []).append(case)
        name = family.__name__.rpartition(".")[2]
        found += [Entry(op, name, tuple(cases.get(op, ()))) for op in family.OPS]
    return tuple(found)


def page() -> str:
    """The text of the page."""
    families: dict[str, list[Entry]] = {}
    for entry in entries():
        families.setdefault(entry.family, []).append(entry)
    text = INTRODUCTION.format(count=len(entries()), families=len(families))
    for family, members in families.items():
        links = ", ".join(f"[{e.name}](#{e.name})" for e in members)
        text += f"| [{family}](#family-{family.replace('_', '-')}) | {links} |\n"
    for family, members in families.items():
        heading = inspect.getdoc(sys.modules[f"relax_dialect.ops.{family}"])
        text += f"\n## Family {family.replace('_', ' ')}\n\n{heading}\n\n"
        text += "\n".join(line for entry in members for line in entry.lines())
    return text.rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}: {len(entries())} operators")

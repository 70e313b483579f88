"""The rules of docs/language.md, from docstrings, with the errors of the programs that break them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from operators import documented

import lowering
from relax_dialect.dialect import STRUCTURE, Relax
from relax_dialect.errors import RelaxError
from relax_dialect.ir import visibility, well_formed
from relax_dialect.ops.base import RelaxOp
from relax_dialect.ops.calls import PackedOp, SymbolCallOp, TirCallOp
from relax_dialect.parsing import parse
from relax_dialect.rewrites.forms import check_basic_block_normal_form

ERRORS = Path(__file__).resolve().parents[3] / "test" / "filecheck" / "errors"
OPS = {op.name: op for op in Relax.operations}
STRUCTURAL = {op.name for family in STRUCTURE for op in family.OPS}
_CONSTRAINT = re.compile(r"\(([A-Z]\d+)\)")
_RULE = re.compile(r"^\s*\(([A-BD-Z][1-9])\)\s(.*?)(?=\n\s*\n|\n\s*\([A-Z]\d+\)|\Z)", re.M | re.S)
_NAME = re.compile(r"relax\.([\w.]*\w)")
_PLACE = re.compile(r"^(<text>:\d+:\d+: error: )?(@\w+: (?=[a-z%]))?")
_CHECKER = "relax-check-basic-block-normal-form"


@dataclass(frozen=True)
class Refusal:
    """A file of test/filecheck/errors: its comment on the broken rule, and the error."""

    name: str
    text: str
    message: str

    @property
    def constraint(self) -> str | None:
        """The number of the rule that the error names."""
        found = _CONSTRAINT.search(self.message)
        return None if found is None else found[1]

    @property
    def op(self) -> str:
        """The op that the error names first."""
        found = _NAME.search(self.message)
        return "" if found is None else found[0]

    @property
    def is_of_operator(self) -> bool:
        """Whether it breaks a numbered rule of an operator, which docs/operators.md lists."""
        numbered = self.constraint is not None or re.search(r"_C\d", self.name) is not None
        return numbered and self.op in OPS and self.op not in STRUCTURAL

    @property
    def expected(self) -> str:
        """The expectation of the error, the same for all programs that break the rule in one way."""
        return self.message[max(self.message.find("expected"), 0) :].partition(", found ")[0]

    def line(self) -> str:
        marks = "``" if "`" in self.message else "`"
        return f"[{self.name}](../test/filecheck/errors/{self.name}.mlir): {marks}{self.message}{marks}"


def refused(text: str) -> str | None:
    """Return the error of a program, or of its basic block normal form check if it requests one."""
    try:
        module = parse(text)
        if f" -p {_CHECKER} " in text:
            lowering.lower(module, [_CHECKER])
    except RelaxError as error:
        return _PLACE.sub("", str(error).splitlines()[0])
    return None


@cache
def refusals() -> dict[str, Refusal]:
    """The files of errors that the parser or the verifier gives, by name."""
    found: dict[str, Refusal] = {}
    for path in sorted(ERRORS.glob("*.mlir")):
        text = path.read_text("utf-8")
        if (message := refused(text)) is None:
            continue  # another pass refuses it
        comment = re.search(r"^((?:// (?!RUN|CHECK).*\n)+)", text, re.M)
        rule = " ".join(re.sub(r"^// ", "", comment[1], flags=re.M).split()) if comment else ""
        found[path.stem] = Refusal(path.stem, rule, message)
    return found


def matched(patterns: str) -> list[Refusal]:
    """The files that the patterns of a section name, in their order."""
    found: dict[str, Refusal] = {}
    for pattern in patterns.split():
        names = [p.stem for p in sorted(ERRORS.glob(f"{pattern}.mlir")) if p.stem in refusals()]
        if not names:
            raise ValueError(f"no error file is called {pattern}")
        found |= {name: refusals()[name] for name in names}
    return list(found.values())


@cache
def general_rules() -> dict[str, str]:
    """Return the numbered general rules, from the docstrings of their checks."""
    checking = (
        well_formed,
        visibility,
        check_basic_block_normal_form,
        RelaxOp,
        SymbolCallOp,
        TirCallOp,
        PackedOp,
    )
    found = (rule for place in checking for rule in _RULE.findall(place.__doc__ or ""))
    return {number: " ".join(text.split()) for number, text in found}


def rules(names: str, patterns: str) -> str:
    """Return the rules of a section: general ones by number, rules of ops by name, then unnumbered ones."""
    files, lines = matched(patterns), list[str]()
    used: set[str] = set()

    def add(number: str, text: str, broken: list[Refusal]) -> None:
        lines.append(f"- **({number})** {text}")
        lines.extend(f"    - {f.line()}" for f in one_of_each(broken))
        used.update(f.name for f in broken)

    for name in names.split():
        if name not in OPS:
            add(name, general_rules()[name], [f for f in files if f.constraint == name])
            continue
        for number, text in documented(OPS[name])[1]:
            add(
                number,
                text,
                [f for f in files if f.constraint == number and says(f.op, number, text)],
            )
    others = one_of_each([f for f in files if f.name not in used and f.constraint is None])
    lines += (f"- {f.text}\n    - {f.line()}" for f in others)
    return "".join(f"{line}\n" for line in lines)


def says(op: str, number: str, text: str) -> bool:
    """Whether a rule is one of an op, its own or that of a base class."""
    return op in OPS and (number, text) in documented(OPS[op])[1]


def one_of_each(files: Sequence[Refusal]) -> list[Refusal]:
    """The first file of those whose errors expect the same."""
    first: dict[str, Refusal] = {}
    for file in files:
        first.setdefault(file.expected, file)
    return list(first.values())

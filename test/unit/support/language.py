"""The page of the language: its programs, what they give, and the errors of its rules.

`python test/unit/support/language.py` fills docs/language.md in; `test_language.py` checks that it is up to date and
that compiled C gives the same. Filled in are

- what calls give: the lines under `>>>` in blocks of `pycon`, which call the functions of the page's programs
- the error under a program that is refused: the block of `text` after it
- what a pass makes of the program before: the block after a line such as "`relax-dce` makes of it:"
- the rules of an op with their errors, after `<!-- rules relax.if E2: if_* -->`: those with a number, by the
  docstrings of the op and of what checks E2 and the files of test/filecheck/errors that break them, then the
  other files
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, TupleType
from xdsl.ir import Attribute

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "language.md"
ERRORS = ROOT / "test" / "filecheck" / "errors"
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "unit")]

from operators import documented  # noqa: E402

import lowering  # noqa: E402
from relax_dialect import interpret  # noqa: E402
from relax_dialect.dialect import STRUCTURE, Relax  # noqa: E402
from relax_dialect.errors import RelaxError  # noqa: E402
from relax_dialect.interpret.values import numpy_dtype  # noqa: E402
from relax_dialect.ir import visibility, well_formed  # noqa: E402
from relax_dialect.ir.types import TensorType  # noqa: E402
from relax_dialect.ops.base import RelaxOp  # noqa: E402
from relax_dialect.ops.calls import PackedOp, SymbolCallOp, TirCallOp  # noqa: E402
from relax_dialect.ops.core import FuncOp  # noqa: E402
from relax_dialect.parsing import parse  # noqa: E402
from relax_dialect.rewrites import check_basic_block_normal_form  # noqa: E402

OPS = {op.name: op for op in Relax.operations}
STRUCTURAL = {op.name for family in STRUCTURE for op in family.OPS}
END = "<!-- end of the rules -->"
_PART = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$"
    r"|^<!-- rules(?P<ops>[^:\n]*): (?P<files>[^\n]*) -->\n(?P<rules>.*?)" + re.escape(END),
    re.M | re.S,
)
_PASSES = re.compile(r"`(relax-[\w,={}-]+)` makes of it:\n+\Z")
_CONSTRAINT = re.compile(r"\(([A-Z]\d+)\)")
_RULE = re.compile(r"^\s*\(([A-BD-Z][1-9])\)\s(.*?)(?=\n\s*\n|\n\s*\([A-Z]\d+\)|\Z)", re.M | re.S)
_NAME = re.compile(r"relax\.(\w+)")
_PLACE = re.compile(r"^(<text>:\d+:\d+: error: )?(@\w+: (?=[a-z%]))?")
_CHECKER = "relax-check-basic-block-normal-form"

Call = Callable[..., Any]
Backend = Callable[[str, Sequence[Any]], Any]
"""Calls a function of the page by its name."""


# The programs ----------------------------------------------------------------------------------


def value(type: Attribute, given: Any) -> Any:
    """An argument as the page writes it, as a program takes it."""
    if isinstance(type, TensorType):
        return np.asarray(given, None if type.dtype is None else numpy_dtype(type.dtype))
    if isinstance(type, TupleType):
        return tuple(map(value, type.types, given))
    if isinstance(type, IntegerType | AnyFloat):
        return numpy_dtype(type).type(given)
    return given


def shown(given: Any) -> str:
    """A result as the page writes it."""
    if isinstance(given, np.ndarray | np.generic):
        return shown(given.tolist())
    if isinstance(given, list):
        return f"[{', '.join(map(shown, given))}]"
    if isinstance(given, tuple):
        return f"({', '.join(map(shown, given))}{',' * (len(given) == 1)})"
    if isinstance(given, float):
        return f"{given:.4g}"
    return "a function" if callable(given) else repr(given)


class Programs:
    """The functions of the page, by name: each block of them is a module of its own to the interpreter,
    all together are one that is compiled."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.modules: list[ModuleOp] = []
        self.homes: dict[str, ModuleOp] = {}

    def add(self, text: str) -> None:
        module = parse(text)
        self.texts.append(text)
        self.modules.append(module)
        self.homes |= {op.sym_name.data: module for op in module.ops if isinstance(op, FuncOp)}

    def interpreted(self, name: str, arguments: Sequence[Any]) -> Any:
        return interpret.run(self.homes[name], name, *arguments)

    def compiled(self) -> Backend:
        model = lowering.compile(
            parse("\n".join(self.texts)), "language", opt_level=0, extra_flags=("-O0",)
        )
        return lambda name, arguments: model[name](*arguments)

    def functions(self, run: Backend) -> dict[str, Call]:
        """The public functions, called with what the page writes."""

        def function(op: FuncOp) -> Call:
            types = op.function_type.inputs.data
            return lambda *given: run(op.sym_name.data, list(map(value, types, given)))

        return {
            op.sym_name.data: function(op)
            for module in self.modules
            for op in module.ops
            if isinstance(op, FuncOp) and not op.is_private
        }


@contextmanager
def printed() -> Iterator[IO[str]]:
    """The output meanwhile, of Python and of C."""
    with TemporaryFile("w+") as file, redirect_stdout(file):
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield file
        finally:
            file.flush()
            ctypes.CDLL(None).fflush(None)
            os.dup2(before, 1)
            os.close(before)
            file.seek(0)


def session(code: str, names: dict[str, Any]) -> str:
    """The calls of a block, each with what it prints and gives."""
    lines: list[str] = []
    for line in code.splitlines():
        if not line.startswith(">>> "):
            continue
        lines.append(line)
        result = None
        file: IO[str]
        with printed() as file:
            try:
                result = eval(line.removeprefix(">>> "), names)
            except RelaxError as error:
                result = error
            ctypes.CDLL(None).fflush(None)
            file.flush()
            file.seek(0)
            lines += file.read().splitlines()
        if result is not None:
            is_error = isinstance(result, RelaxError)
            lines.append(f"error: {result}" if is_error else shown(result))
    return "".join(f"{line}\n" for line in lines)


# The rules -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refusal:
    """A file of test/filecheck/errors: what it says of the rule that it breaks, and the error."""

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
        """Whether it breaks a numbered rule of an operator: docs/operators.md has that."""
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
    """Why a program is refused, or is in no basic block normal form where that is asked for."""
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
    """The rules with a number that hold for many ops, by the docstrings of what checks them."""
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
    """The rules of a section: general ones by their numbers, those of ops by their names, then what has no
    number."""
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


# The page --------------------------------------------------------------------------------------


class Reader:
    """Goes through the page and fills it in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.programs = Programs()
        self.last: ModuleOp | None = None
        self.wrong: str | None = None
        self.setup: dict[str, Any] = {"__name__": "language"}
        self.sessions: list[str] = []
        self.files: set[str] = set()
        """The files of errors that the sections name."""
        self.filled = _PART.sub(self._part, text)

    def _part(self, part: re.Match[str]) -> str:
        if part["files"] is not None:
            self.files |= {file.name for file in matched(part["files"])}
            head = f"<!-- rules{part['ops']}: {part['files']} -->\n"
            return f"{head}{rules(part['ops'], part['files'])}{END}"
        return f"```{part['language']}\n{self._block(part)}```"

    def _block(self, part: re.Match[str]) -> str:
        code = part["code"]
        match part["language"]:
            case "mlir":
                before = _PASSES.search(self.text[: part.start()])
                after = self.text[part.end() :].lstrip()
                if before is not None:
                    assert self.last is not None
                    self.last = self.last.clone()
                    lowering.lower(self.last, before[1].split(","))
                    return "".join(f"{op!s}\n" for op in self.last.ops)
                if after.startswith("```text\nerror:"):
                    self.wrong = refused(code)
                    return code
                self.programs.add(code)
                self.last = self.programs.modules[-1]
                return code
            case "python":
                exec(compile(code, str(PAGE), "exec"), self.setup)
                return code
            case "pycon":
                self.sessions.append(code)
                functions = self.programs.functions(self.programs.interpreted)
                return session(code, self.setup | functions)
            case "text" if self.wrong is not None:
                wrong, self.wrong = self.wrong, None
                return f"error: {wrong}\n"
            case _:
                return code


def read() -> Reader:
    """The page, read."""
    return Reader(PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(read().filled, "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")

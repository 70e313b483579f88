"""Reading programs: text to a verified module, with errors that name the location and the fix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input

from relax_dialect import extensions
from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import SourceText
from relax_dialect.ir.purity import unchanged_symbols
from relax_dialect.ir.visibility import check_visibility
from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.text.diagnostics import (
    describe_parse_error,
    describe_verify_error,
    first_cause,
    locate,
    meant_name,
    reword,
)
from relax_dialect.text.literals import check_strings
from relax_dialect.text.program_parser import ProgramParser
from relax_dialect.threads import COMPILING, rare_collection, stack_of

MAX_NESTING = 800
"""The deepest nesting of regions that is read; xDSL's parser recurses over it."""

_NUMBERED = re.compile(r"(_\d+)+$")
_BRACES = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|[{}]')


class ProgramError(RelaxError):
    """A program that cannot be read or does not verify."""


def new_context() -> Context:
    """Return a context that knows the Relax dialect, all of xDSL's and those of extensions, each loaded
    when it is met."""
    context, known = Context(), {**get_all_dialects(), "relax": _relax, "mpi": mpi_dialect}
    for name, factory in {**known, **extensions.dialects(known)}.items():
        context.register_dialect(name, factory)
    return context


def _relax():
    from relax_dialect.dialect import Relax

    return Relax


def mpi_dialect() -> Dialect:
    """Return xDSL's mpi dialect with the ops that it lacks."""
    from relax_dialect.ir.mlir import mpi_ops

    mpi_ops.install()
    return mpi_ops.MPI


def parse(text: str, name: str = "<text>", context: Context | None = None) -> ModuleOp:
    """Parse and verify a program; `ProgramError` where it is not well formed."""
    module = parse_unverified(text, name, context)
    verify(module, name)
    return module


def load(path: str | Path, context: Context | None = None) -> ModuleOp:
    """Parse and verify the program in a file; `ProgramError` if it cannot be read either."""
    return parse(read(path), str(path), context)


def read(path: str | Path) -> str:
    """Return the text of a file; `ProgramError` names a file that is missing or holds no text."""
    try:
        text = read_bytes(path).decode(
            "utf-8-sig"
        )  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        is_onnx = Path(path).suffix.lower() == ".onnx"
        mend = (
            "read a model by relax_dialect.frontends.onnx.load" if is_onnx else "pass a .mlir file"
        )
        raise ProgramError(
            f"{path}: expected a program as UTF-8 text, found bytes that are none "
            f"(at offset {error.start}); {mend}"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: str | Path) -> bytes:
    """Return the contents of a file. Raises `ProgramError` if it cannot be read."""
    if not isinstance(path, str | Path):
        raise ProgramError(
            f"expected the path of a program, found {type(path).__name__}; pass a str or a pathlib.Path"
        )
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ProgramError(
            f"{path}: expected a readable file, found none: {error.strerror}; check the path"
        ) from None


def parse_unverified(
    text: str, name: str = "<text>", context: Context | None = None, line_offset: int = 0
) -> ModuleOp:
    """Parse a program without verifying it; `line_offset` lines of its file precede it."""
    if not isinstance(text, str):
        raise ProgramError(
            f"{name}: expected the text of a program, found {type(text).__name__}; pass a str, or a "
            "path to relax_dialect.load"
        )
    text = text.removeprefix("\ufeff")
    if (brace := too_deep(text)) is not None:
        raise ProgramError(f"{locate(name, text, brace, line_offset)}: error: {TOO_DEEP}")
    parser: Parser | None = None
    context = context or new_context()
    with deep_recursion():
        try:
            check_strings(content := Input(text, name))
            parser = ProgramParser(context, SourceText(content, line_offset))
            module = parser.parse_module()
        except ParseError as error:
            error.msg = meant_name(error.msg, context)
            raise ProgramError(describe_parse_error(error, line_offset)) from None
        except Exception as error:
            # xDSL's constructors report mistakes by errors without a location, and some text stops its
            # parser by a KeyError, AssertionError, RecursionError or another error that names no mistake
            position = 0 if parser is None else parser.pos
            place = locate(name, text, position, line_offset)
            is_known = isinstance(error, _REPORTS)
            message = f"{place}: error: {explain(error, 'parser')}"
            raise ProgramError(message) from None if is_known else error
    clean_name_hints(module)
    return module


_REPORTS = (RelaxError, VerifyException, ValueError, NotImplementedError)
"""The exceptions whose message describes a user's mistake."""


def explain(error: Exception, what: str) -> str:
    """Return the message for an error that xDSL's parser or verifier ended in, other than a
    `ParseError`."""
    if isinstance(error, _REPORTS):
        return reword(first_cause(error))
    return (
        f"expected a program that xDSL's {what} can read, found one that stops it "
        f"({type(error).__name__}: {str(error)[:200]}); correct or simplify the text here"
    )


def verify(module: ModuleOp, name: str = "<module>") -> None:
    """Verify a module; `ProgramError` with the message alone, not with a dump of the module."""
    with deep_recursion():
        try:
            with unchanged_symbols():
                module.verify()
            check_visibility(module)
        except _REPORTS as error:
            raise ProgramError(describe_verify_error(module, name, error)) from None
        except Exception as error:
            raise ProgramError(f"{name}: error: {explain(error, 'verifier')}") from error


@contextmanager
def blaming_program(module: ModuleOp) -> Iterator[None]:
    """Report a failure on a module that does not verify, such as one edited by hand or by a pass, as the
    verification error."""
    try:
        yield
    except RelaxError:
        raise
    except Exception:
        verify(module)
        raise


def require_module(module: object) -> None:
    """Refuse anything but a program: its text, or the name of a file."""
    if not isinstance(module, ModuleOp):
        raise RelaxError(
            f"expected a module, found {module!r:.60}; read one with relax_dialect.parse(text) or "
            "relax_dialect.parsing.load(file)"
        )


def clean_name_hints(module: ModuleOp) -> None:
    """Strip trailing numbers from all name hints.

    The printer numbers equal names itself; a hint that ends in a number can collide with the name printed
    for another value.
    """
    for op in walk_ops(module):
        _clean(op)


def _clean(op: Operation) -> None:
    for result in op.results:
        _clean_hint(result)
    for block in blocks_of(op):
        for argument in block.args:
            _clean_hint(argument)


def _clean_hint(value: SSAValue) -> None:
    hint = value.name_hint
    if hint is not None and (not hint or hint[-1].isdigit()):
        value.name_hint = _NUMBERED.sub("", hint) or None


TOO_DEEP = (
    f"expected regions nested at most {MAX_NESTING} deep, found more; move inner parts into functions of "
    "their own"
)


def too_deep(text: str) -> int | None:
    """Return the position of the first brace nested deeper than `MAX_NESTING`, or None."""
    if text.count("{") <= MAX_NESTING:
        return None
    depth = 0
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            depth += 1
            if depth > MAX_NESTING:
                return match.start()
        elif match[0] == "}":
            depth -= 1
    return None


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow xDSL's recursive parser, verifier and printer the maximum nesting, one thread at a time, with
    infrequent garbage collection."""
    with COMPILING, stack_of(30 * MAX_NESTING + 1000), rare_collection():
        yield

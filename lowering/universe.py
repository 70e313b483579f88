"""Dialect, passes and targets for xDSL's own tools, which find them by the entry point `xdsl.universe`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from lowering.pipeline import all_passes
from relax_dialect import extensions

if TYPE_CHECKING:
    from xdsl.interpreter import Interpreter


def _dialect() -> Dialect:
    from relax_dialect.dialect import Relax

    return Relax


def _c_target() -> type[Target]:
    from lowering.emit_c.c_target import CTarget

    return CTarget


def _tvmscript_target() -> type[Target]:
    from lowering.tvmscript_target import TvmScriptTarget

    return TvmScriptTarget


class RelaxUniverse(Universe):
    """Dialect, passes and targets of this project, with those of extensions known when it is loaded."""

    def __init__(self):
        self.all_targets = {"c": _c_target, "tvmscript": _tvmscript_target}
        self.all_frontends = {}  # required by xDSL 0.75

    @property
    def all_dialects(self) -> dict[str, Callable[[], Dialect]]:  # pyright: ignore
        return {"relax": _dialect, **extensions.dialects(("relax", *get_all_dialects()))}

    @property
    def all_passes(self) -> dict[str, Callable[[], type[ModulePass]]]:  # pyright: ignore
        return all_passes()


RELAX_UNIVERSE = RelaxUniverse()


def _report(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Report an error of a program as one message; any other with a traceback."""
    from relax_dialect.text.diagnostics import EXPECTED, describe

    if isinstance(error, EXPECTED):
        print(describe(error), file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)


def _check_strings(arguments: Sequence[str]) -> None:
    """Refuse a program with a string that is not closed, for which xDSL's lexer takes time without end. It
    meets such strings before our dialect is loaded, which looks for them too."""
    from xdsl.utils.lexer import Input

    from relax_dialect.text.literals import check_strings

    if "--parsing-diagnostics" in arguments:  # errors are part of the output then
        return
    for option, argument in zip(("", *arguments), arguments):
        path = Path(argument)
        if path.suffix == ".mlir" and option not in ("-o", "--output-file") and path.is_file():
            check_strings(Input(path.read_text(errors="replace"), argument))


def _extend_runner() -> bool:
    """Register our semantics where `xdsl-run` registers those of xDSL; returns whether it is running."""
    for name in ("xdsl.tools.xdsl_run", "__main__"):
        tool = getattr(sys.modules.get(name), "xDSLRunMain", None)
        if tool is not None:
            tool.register_implementations = _with_relax(tool.register_implementations)
            return True
    return False


def _with_relax(register: Callable[[Any, Interpreter], None]) -> Callable[[Any, Interpreter], None]:
    def register_all(tool: Any, interpreter: Interpreter) -> None:
        from lowering.stock_interpreter import register_relax

        register(tool, interpreter)
        register_relax(interpreter)

    return register_all


if _extend_runner() or Path(sys.argv[0]).stem in ("xdsl-opt", "xdsl_opt"):
    sys.excepthook = _report  # these tools let errors through to Python
    _check_strings(sys.argv[1:])

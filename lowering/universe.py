"""What xDSL's own tools find through the `xdsl.universe` entry point: dialect, passes and target."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType

from xdsl.ir import Dialect
from xdsl.universe import Universe
from xdsl.utils.target import Target

from lowering.pipeline import ALL_PASSES


def _dialect() -> Dialect:
    from relax_dialect.dialect import Relax

    return Relax


def _c_target() -> type[Target]:
    from lowering.emit_c.target import CTarget

    return CTarget


RELAX_UNIVERSE = Universe(
    all_dialects={"relax": _dialect},
    all_passes=dict(ALL_PASSES),
    all_targets={"c": _c_target},
)


def _report(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """An error of a program as one message; a traceback for any other."""
    from relax_dialect.diagnostics import EXPECTED, describe

    if isinstance(error, EXPECTED):
        print(describe(error), file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)


if Path(sys.argv[0]).stem in ("xdsl-opt", "xdsl_opt"):  # which lets errors through to Python
    sys.excepthook = _report

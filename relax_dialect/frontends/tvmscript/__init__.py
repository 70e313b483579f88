"""Programs of TVM: TVMScript read, without TVM, and without running it."""

from __future__ import annotations

from relax_dialect.frontends.tvmscript.source import ScriptError

__all__ = ["ScriptError"]

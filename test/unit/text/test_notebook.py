"""Display in notebooks, with a shell that has what IPython's formatters are asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from relax_dialect import notebook, parse
from relax_dialect.builder import BlockBuilder
from relax_dialect.ir.types import TensorType

PROGRAM = """
// x and its "sum"
relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[], f32> {
  %0 = relax.sum %x {note.of = "a<b"} : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[], f32>
  relax.return %0 : !relax.tensor<[], f32>
}
"""


class Formatter:
    """The formatter of one type of text: functions by class, for subclasses too."""

    def __init__(self) -> None:
        self.functions: dict[type, Any] = {}

    def for_type(self, kind: type, function: Any) -> None:
        self.functions[kind] = function

    def found(self, shown: object) -> Any:
        return next(self.functions[k] for k in type(shown).__mro__ if k in self.functions)


@pytest.fixture
def shell() -> Any:
    formatters = {"text/plain": Formatter(), "text/html": Formatter()}
    made = SimpleNamespace(display_formatter=SimpleNamespace(formatters=formatters))
    notebook.load_ipython_extension(made)
    return made


def displayed(shell: Any, shown: object) -> tuple[str, str]:
    """The text and the page of an object."""
    formatters, parts = shell.display_formatter.formatters, []
    printer = SimpleNamespace(text=parts.append)
    formatters["text/plain"].found(shown)(shown, printer, False)
    return "".join(parts), formatters["text/html"].found(shown)(shown)


def test_display(shell: Any):
    module = parse(PROGRAM)
    function = module.body.block.first_op
    assert function is not None
    total = function.regions[0].block.first_op
    assert total is not None
    for shown, expected in (
        (module, str(module)),
        (function, str(function)),
        (total.operands[0], "%x : !relax.tensor<[n, 2], f32>"),
        (total.results[0], "%_ : !relax.tensor<[], f32>"),
        (TensorType(["n", 2], "f32"), "!relax.tensor<[n, 2], f32>"),
    ):
        plain, page = displayed(shell, shown)
        assert plain == expected
        assert unescape(re.sub(r"</?(?:pre|span)[^>]*>", "", page)) == expected
    page = displayed(shell, module)[1]
    assert f'<span style="color:{notebook.COLOURS["op"]}">relax.sum</span>' in page
    assert "a&lt;b" in page and "<b" not in page


def test_long_texts_are_cut(shell: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(notebook, "LONGEST", 20)
    plain, _ = displayed(shell, parse(PROGRAM))
    assert plain.startswith("builtin.module {\n") and "more characters" in plain


def test_classes_are_unchanged():
    """Registered on import where a shell runs; otherwise nothing is imported, and no class is changed."""
    assert not any(name.startswith("_repr_") for k in (ModuleOp, SSAValue) for name in dir(k))
    code = """
import sys
from types import SimpleNamespace as Made
kinds = []
formatter = Made(for_type=lambda kind, function: kinds.append(kind.__name__))
shell = Made(display_formatter=Made(formatters={"text/plain": formatter, "text/html": formatter}))
if len(sys.argv) > 1:
    sys.modules["IPython"] = Made(get_ipython=lambda: shell)
import relax_dialect
print(len(kinds), "relax_dialect.notebook" in sys.modules, "IPython" in sys.modules)
"""
    for arguments, expected in (([], "0 False False"), (["shell"], "10 True True")):
        run = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == expected


def test_values_of_the_builder(shell: Any):
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        assert displayed(shell, x)[0] == "%x : !relax.tensor<[n], f32>"
        builder.emit_func_output(x)

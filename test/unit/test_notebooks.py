"""Programs as notebooks show them."""

from types import SimpleNamespace
from typing import Any

import pytest
from optional import package

import relax_dialect
from relax_dialect import notebooks

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %gv0 = relax.dataflow {
    %c = relax.constant dense<1.0> : tensor<5x4xf32>
    %0 = relax.tanh %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %0 : !relax.tensor<[n, 4], f32>
  }
  relax.return %gv0 : !relax.tensor<[n, 4], f32>
}
"""


class Formatter(dict[type, Any]):
    """A formatter of IPython, as far as it is used."""

    for_type = dict.__setitem__


def shown(thing: Any, kind: str = "text/plain") -> str:
    """Return a thing as a session of IPython shows it."""
    kinds = {"text/plain": Formatter(), "text/html": Formatter()}
    notebooks.register(SimpleNamespace(display_formatter=SimpleNamespace(formatters=kinds)))
    found = next(kinds[kind][base] for base in type(thing).__mro__ if base in kinds[kind])
    if kind == "text/html":
        return found(thing)
    written: list[str] = []
    found(thing, SimpleNamespace(text=written.append), False)
    return "".join(written)


def test_a_module_is_its_text_without_large_constants():
    module = relax_dialect.parse(PROGRAM)
    assert "dense<... 20 elements ...> : tensor<5x4xf32>" in shown(module)


def test_types_and_values_are_text():
    function = relax_dialect.parse(PROGRAM).body.block.first_op
    assert function is not None
    parameter = function.regions[0].block.args[0]
    assert shown(parameter) == "%x: !relax.tensor<[n, 4], f32>"
    assert shown(parameter.type) == "!relax.tensor<[n, 4], f32>"


def test_html_has_colours_and_escapes():
    found = shown(relax_dialect.parse(PROGRAM), "text/html")
    assert '<span style="color: #d73a49">relax.tanh</span>' in found
    assert "&lt;[n, " in found and "<[" not in found


@pytest.mark.parametrize("text", ['"a // <b>"', "// %x", "@f", "%a.b-c", 'x"', "<script>", "\\"])
def test_every_text_is_shown_whole(text: str):
    import html
    import re

    assert html.unescape(re.sub("<[^>]*>", "", notebooks.as_html(text))) == text


def test_a_graph_has_a_picture():
    package("igraph", "explore")
    function = relax_dialect.parse(PROGRAM).body.block.first_op
    found = shown(function, "text/html")
    assert found.count("<rect") == 4 and ">tanh</text>" in found
    assert function is not None
    block = function.regions[0].block.first_op
    assert "<svg" in shown(block, "text/html")


def test_ipython_shows_programs():
    package("IPython", "notebooks")
    from IPython.core.interactiveshell import InteractiveShell

    shell: Any = InteractiveShell()
    notebooks.register(shell)
    data, _ = shell.display_formatter.format(relax_dialect.parse(PROGRAM))
    assert data["text/plain"].startswith("builtin.module {") and "relax.tanh" in data["text/html"]


def test_outside_of_ipython_nothing_is_registered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(notebooks.sys.modules, "IPython", None)
    notebooks.install()

"""The line that a terminal shows while a compilation takes long."""

from __future__ import annotations

import argparse
import io
import re
import time
from types import SimpleNamespace

import pytest

import lowering
from lowering.support.progress import report
from lowering.tools import progress_bar
from lowering.tools.progress_bar import CLEAR, ProgressBar
from lowering.tools.stages import Stages
from relax_dialect import parse

NOW = 1000.0
"""The time, which stands still."""


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setattr(progress_bar, "sys", SimpleNamespace(stderr=(found := Terminal())))
    monkeypatch.setattr(progress_bar, "PERIOD", 0.001)
    monkeypatch.setattr(progress_bar, "time", SimpleNamespace(perf_counter=lambda: NOW))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return found


def wait_for(terminal: Terminal, text: str) -> None:
    """Until a text is shown; it comes after a few milliseconds."""
    end = time.monotonic() + 20
    while text not in terminal.getvalue():
        assert time.monotonic() < end, terminal.getvalue()
        time.sleep(0.001)


def test_what_takes_long_is_shown_and_taken_back(terminal: Terminal):
    with progress_bar.progress_bar(NOW - 5):
        report("C compiler", 1, 4)
        wait_for(terminal, f"{CLEAR}[#####---------------] C compiler, 1 of 4, 5.")
        report("linker", 0, 1)
        wait_for(terminal, f"{CLEAR}[--------------------] linker, 5.")
    assert terminal.getvalue().endswith(CLEAR)
    report("nobody listens", 1, 2)
    assert "nobody" not in terminal.getvalue()


def test_lines_are_printed_above_the_bar(terminal: Terminal):
    """In its place, and nothing is drawn while they are."""
    stages = Stages(argparse.Namespace(quiet=False, verbose=True), terminal)
    with progress_bar.progress_bar(NOW - 5):
        report("C compiler", 1, 4)
        wait_for(terminal, "1 of 4, 5.0 s")
        stages.finish("Relax to C", 2.0)
        report("C compiler", 2, 4)
        wait_for(terminal, "2 of 4, 5.0 s")
    shown = terminal.getvalue()
    assert re.search(r"5.0 s\r\x1b\[KRelax to C +2.000 s\n", shown), shown
    assert shown.index("2 of 4") > shown.index("2.000 s") and shown.endswith(CLEAR)
    stages.say("no bar")
    assert terminal.getvalue().endswith(f"{CLEAR}no bar\n")


def test_what_takes_less_than_a_second_is_not_shown(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        progress_bar, "DELAY", 60 * progress_bar.DELAY
    )  # however busy the machine is
    with progress_bar.progress_bar():
        report("C compiler", 1, 4)
    assert terminal.getvalue() == ""


def test_the_passes_and_the_c_compiler_are_told(terminal: Terminal):
    told: list[tuple[str, int, int]] = []
    program = """
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}"""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProgressBar, "tell", lambda self, *step: told.append(step))
        with progress_bar.progress_bar():
            lowering.compile(parse(program), cache=False)
    assert told[0][:2] == ("relax-dce", 0) and told[-1] == ("C compiler", 0, 1)
    assert tuple(what for what, _, _ in told if what in ("relax-legalize", "relax-bufferize")) == (
        "relax-legalize",
        "relax-bufferize",
    )
    assert [done for _, done, _ in told[:-1]] == list(range(len(told) - 1))


@pytest.mark.parametrize("kind", ["a pipe", "a dumb terminal"])
def test_nothing_is_shown_elsewhere(monkeypatch: pytest.MonkeyPatch, terminal: Terminal, kind: str):
    if kind == "a pipe":
        monkeypatch.setattr(
            progress_bar, "sys", SimpleNamespace(stderr=(terminal := io.StringIO()))
        )
    else:
        monkeypatch.setenv("TERM", "dumb")
    with progress_bar.progress_bar(NOW - 5):
        report("C compiler", 1, 4)
        time.sleep(0.02)
    assert terminal.getvalue() == ""


def test_a_narrow_terminal_has_one_line(terminal: Terminal, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "30")
    bar = ProgressBar(terminal, NOW)
    bar.tell("a pass with a long name", 3, 3)
    assert re.fullmatch(r"\[#{20}\] a pass.*", bar.line()) and len(bar.line()) == 29


def test_an_error_leaves_no_line(terminal: Terminal):
    with (
        pytest.raises(ValueError, match="no such"),
        progress_bar.progress_bar(NOW - 5),
    ):
        report("relax-legalize", 1, 4)
        wait_for(terminal, "relax-legalize")
        raise ValueError("no such")
    assert terminal.getvalue().endswith(CLEAR)

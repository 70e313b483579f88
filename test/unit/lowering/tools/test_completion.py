"""`--print-completion` of every tool: a script for the shell, or the package that is missing."""

import subprocess
import sys
from importlib import import_module

import pytest
from optional import package

TOOLS = ("compile", "explore", "lsp", "opt", "reduce", "run", "translate", "tune")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_shell_reads_the_script(tool: str, capsys: pytest.CaptureFixture[str]):
    package("shtab", "completion")
    with pytest.raises(SystemExit) as stopped:
        import_module(f"lowering.tools.relax_{tool}").main(["--print-completion", "bash"])
    script = capsys.readouterr().out
    assert stopped.value.code == 0 and "--version" in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_without_the_package(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    with pytest.raises(SystemExit) as stopped:
        import_module("lowering.tools.relax_run").main(["--print-completion", "bash"])
    assert stopped.value.code == 2 and "pip install shtab" in capsys.readouterr().err

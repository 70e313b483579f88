"""A C compiler for scripts that are started as a user starts them, where only what they say is looked at."""

from pathlib import Path

import pytest


@pytest.fixture
def quick_cc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The C compiler of processes optimises nothing, whatever it is asked for."""
    cc = tmp_path / "quick-cc"
    cc.write_text('#!/bin/sh\nexec gcc "$@" -O0\n')
    cc.chmod(0o755)
    monkeypatch.setenv("CC", str(cc))

"""Emitted C under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

FLAGS = (
    *("-g1", "-O0"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)
"""Reports name lines: -g1 is enough, while gcc takes more than twice as long to follow variables too.
Nothing is optimised, which hides nothing from the sanitizers."""
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic")


def run_sanitized(cc: str, folder: Path, driver: str, flags: Sequence[str] = ()) -> str:
    """Build `model.c` and a driver with sanitizers and run them; what the driver prints.

    It must exit with 0, and no sanitizer may report anything.
    """
    (folder / "driver.c").write_text(driver)
    command = [cc, *STRICT, *FLAGS, *flags, "model.c", "driver.c", "-o", "driver", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run(["./driver"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout

"""PyTorch itself, imported when a program is: without it, the rest of the compiler works and is checked."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from relax_dialect.frontends.torch.errors import TorchError


def part_of_torch(name: str = "torch") -> Any:
    """Return PyTorch, or a module of it; raise `TorchError` if it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise TorchError(
            "expected the package torch, which reads the programs, found none; pip install "
            "'relax-xdsl[torch]'"
        ) from None

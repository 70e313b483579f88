"""Fixtures of the C target: parsing, strict compilation, loading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from optional import COMPILERS, LIGHTLY
from sanitizers import run_sanitized
from strict_c import STRICT, parse_module
from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c import emit
from lowering.runtime import loading as runtime


@pytest.fixture(scope="session", name="parse")
def parse_fixture() -> Callable[[str], ModuleOp]:
    return parse_module


@pytest.fixture(scope="session", params=COMPILERS)
def cc(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def build() -> Callable[..., runtime.CompiledModule]:
    """Text -> loaded module, with every warning an error."""

    def make(text: str, cc: str | None = None, big: bool = False) -> runtime.CompiledModule:
        source = emit(parse_module(text), "model")
        little = (("-O1",) if cc == "clang" else LIGHTLY) if big else ()
        return runtime.build(source, cc=cc, extra_flags=(*STRICT, *little))

    return make


@pytest.fixture(scope="session", name="run_sanitized")
def run_sanitized_fixture() -> Callable[[str, Path, str], str]:
    return run_sanitized

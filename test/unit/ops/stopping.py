"""The common part of tests of run-time errors: interpreter and C stop with one message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType

from .compiled import Case


def both_stop(
    model: CompiledModule,
    cases: Mapping[str, Case],
    name: str,
    *shapes: tuple[int, ...],
    message: str,
) -> None:
    """A case given zeros of these shapes stops with the message, interpreted and compiled."""
    tensors = [type for type in cases[name].types if isinstance(type, TensorType)]
    dtypes = [numpy_dtype(type.dtype) for type in tensors if type.dtype is not None]
    arrays = [np.zeros(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    module = ModuleOp([cases[name].function(name)])
    same_words(lambda: run(module, name, *arrays), lambda: model[name](*arrays), message)


def same_words(
    interpreted: Callable[[], object], compiled: Callable[[], object], message: str
) -> None:
    """Both stop in the same words, which have the message, with or without what was found; the op is
    named once."""
    said: list[str] = []
    for attempt in (interpreted, compiled):
        with pytest.raises(RelaxError) as error:
            attempt()
        said.append(str(error.value))
    first, second = said
    assert first == second
    words = re.sub(r"(relax\.\w+) \(%.*?\):", r"\1:", first)
    assert message in words or message in re.sub(r", found [^;]*(?=;)", "", words)
    assert words.count(words[words.index("relax.") :].partition(":")[0]) == 1

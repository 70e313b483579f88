"""The cases of ONNX's own backend tests: models, inputs, and the outputs that are right for them."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case import node
from onnx.backend.test.loader import load_model_tests

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")


@dataclass(frozen=True)
class Case:
    """A model with inputs and the outputs that are right for them: arrays, tuples of them, None for nothing."""

    name: str
    kind: str
    operator: str
    """The operator that a case of the kind `node` is for; else the kind."""
    model: Any
    inputs: dict[str, Any]
    outputs: tuple[Any, ...]

    @property
    def is_drawn(self) -> bool:
        """Whether the outputs are random numbers, which are right if they have type and shape."""
        draws = ("test_bernoulli", "test_training_dropout")
        return self.name.startswith(draws) and "zero_ratio" not in self.name

    def difference(self, found: Any) -> str:
        """What of the results is not as expected; nothing if they are right."""
        return difference(found, self.outputs, any_numbers=self.is_drawn)


def cases(kind: str) -> Iterator[Case]:
    """The cases of a kind: those of single nodes are made by ONNX, others lie in its files."""
    with _quiet():
        found = load_model_tests(kind=kind)
    yield from _named(found) if kind == "node" else map(_of_files, found)


def some_node_cases(files: slice) -> Iterator[Case]:
    """The node cases that some of the files of ONNX make: all take seconds to make."""
    names = sorted(module.name for module in pkgutil.iter_modules(node.__path__))
    for name in names[files]:
        yield from _named(_of_file(f"{node.__name__}.{name}"))


@cache
def _of_file(name: str) -> Sequence[Any]:
    """The cases that a file makes when it is imported."""
    begin = len(node._NodeTestCases)  # pyright: ignore
    with _quiet():
        importlib.import_module(name)
    return node._NodeTestCases[begin:]  # pyright: ignore


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _named(found: Sequence[Any]) -> Iterator[Case]:
    """Cases of nodes; those of a body are of the operator that it stands for."""
    operators = {case.name: case.model.graph.node[0].op_type for case in found}
    for case in found:
        operator = operators.get(case.name.split("_expanded")[0], operators[case.name])
        yield _case(case.name, "node", operator, case.model, *case.data_sets[0])


def _of_files(found: Any) -> Case:
    folder = Path(found.model_dir)
    model = onnx.load(folder / "model.onnx")
    known = {t.name for t in model.graph.initializer}
    unknown = [v for v in model.graph.input if v.name not in known]
    del model.graph.input[:]
    model.graph.input.extend(unknown)
    given, wanted = (
        _read(folder / "test_data_set_0", prefix, values)
        for prefix, values in (("input", unknown), ("output", model.graph.output))
    )
    return _case(found.name, found.kind, found.kind, model, given, wanted)


def _case(name: str, kind: str, operator: str, model: Any, given: Any, wanted: Any) -> Case:
    inputs = {v.name: _plain(a) for v, a in zip(model.graph.input, given)}
    return Case(name, kind, operator, model, inputs, tuple(map(_plain, wanted)))


PROTOS = {"tensor_type": onnx.TensorProto, "sequence_type": onnx.SequenceProto}
PROTOS["optional_type"] = onnx.OptionalProto


def _read(folder: Path, prefix: str, values: Sequence[Any]) -> list[Any]:
    """The values of a case that lie in files."""
    return [
        PROTOS[value.type.WhichOneof("value")].FromString(
            (folder / f"{prefix}_{i}.pb").read_bytes()
        )
        for i, value in enumerate(values)
    ]


def _plain(value: Any) -> Any:
    """A tensor as an array, a sequence as a tuple; None stands for an optional that holds nothing."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, onnx.SequenceProto):
        value = numpy_helper.to_list(value)
    if isinstance(value, onnx.OptionalProto):
        value = numpy_helper.to_optional(value)
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    return None if value is None else np.asarray(value)


def difference(ours: Any, theirs: Any, *, any_numbers: bool = False) -> str:
    """What of a result is not the expected one: its kind, type, shape or numbers; nothing if it is right."""
    if theirs is None:
        return "" if ours is None else "another structure"
    if isinstance(theirs, tuple):
        if not isinstance(ours, tuple) or len(ours) != len(theirs):
            return "another structure"
        pairs = zip(ours, theirs)
        found = (difference(*pair, any_numbers=any_numbers) for pair in pairs)
        return next(filter(None, found), "")
    ours = np.asarray(ours)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{ours.dtype}{list(ours.shape)} instead of {theirs.dtype}{list(theirs.shape)}"
    if any_numbers:
        return ""
    is_float = not (theirs.dtype.kind in "iub" or "int" in theirs.dtype.name)
    a, b = (v.astype(np.float64) if is_float else v.astype(object) for v in (ours, theirs))
    if not is_float:
        return "" if np.array_equal(a, b) else "other numbers"
    loose = theirs.dtype.itemsize < 4
    is_close = np.allclose(a, b, 1e-2 if loose else 1e-3, 1e-3 if loose else 1e-5, equal_nan=True)
    return "" if is_close else "other numbers"

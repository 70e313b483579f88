"""A model in the forms in which files have it: saved, with data in other files, merged, joined, quantized.

    python test/unit/support/onnx_forms.py [--every N]

reads the models of ONNX's own tests from each form, and compares the results with ONNX Runtime's.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from onnx_models import found, helper, onnx
from optional import package

from relax_dialect import RelaxError
from relax_dialect.frontends.onnx import load
from relax_dialect.frontends.onnx.model import large_data

Form = Callable[[Any, Path, Mapping[str, Any]], None]
"""Writes a model to a path; inputs of the model are known."""

FORMS: dict[str, Form] = {}
"""All forms by name."""

SAME = ("saved", "external", "merged", "opset_twice")
"""The forms whose program is that of the model in memory."""


def form(function: Form) -> Form:
    FORMS[function.__name__] = function
    return function


@form
def saved(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    onnx.save(model, str(path))


@form
def external(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    """All data in one file, the data of attributes too."""
    onnx.save_model(
        _copy(model), str(path), save_as_external_data=True, location=f"{path.stem}.data",
        size_threshold=0, convert_attribute=True,
    )  # fmt: skip


@form
def merged(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    """External data loaded and saved with the model, which leaves `data_location` written out."""
    external(model, path, inputs)
    onnx.save(onnx.load(str(path)), str(path))


@form
def opset_twice(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    """Each version of a domain written twice."""
    copy = _copy(model)
    copy.opset_import.extend(list(model.opset_import))
    onnx.save(copy, str(path))


@form
def composed(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    """Joined with a second model that reads all its outputs."""
    outputs = model.graph.output
    graph = helper.make_graph(
        [helper.make_node("Identity", [f"{o.name}_in"], [f"{o.name}_out"]) for o in outputs],
        "second",
        [_renamed(o, "in") for o in outputs],
        [_renamed(o, "out") for o in outputs],
    )
    second = helper.make_model(
        graph, opset_imports=list(model.opset_import), ir_version=model.ir_version
    )
    pairs = [(o.name, f"{o.name}_in") for o in outputs]
    onnx.save(onnx.compose.merge_models(model, second, io_map=pairs), str(path))


@form
def quantized_dynamically(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    from onnxruntime.quantization import quantize_dynamic  # pyright: ignore

    onnx.save(model, str(path.with_suffix(".in")))
    quantize_dynamic(str(path.with_suffix(".in")), str(path))


@form
def quantized(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    """Quantized with the ranges of the inputs."""
    from onnxruntime.quantization import quantize_static  # pyright: ignore

    onnx.save(model, str(path.with_suffix(".in")))
    quantize_static(str(path.with_suffix(".in")), str(path), _Calibration(inputs))


@form
def in_half(model: Any, path: Path, inputs: Mapping[str, Any]) -> None:
    from onnxruntime.transformers.float16 import convert_float_to_float16  # pyright: ignore

    onnx.save(convert_float_to_float16(_copy(model), keep_io_types=True), str(path))


TOLERANCE = 0.02
"""The largest difference of results, as a part of the largest result: what half floats leave."""


class _Calibration:
    """One call."""

    def __init__(self, inputs: Mapping[str, Any]):
        self._calls = iter([inputs])

    def get_next(self) -> Mapping[str, Any] | None:
        return next(self._calls, None)


def _copy(model: Any) -> Any:
    return onnx.ModelProto.FromString(model.SerializeToString())


def _renamed(value: Any, suffix: str) -> Any:
    copy = type(value).FromString(value.SerializeToString())
    copy.name = f"{value.name}_{suffix}"
    return copy


def written(name: str, model: Any, path: Path, inputs: Mapping[str, Any]) -> bool:
    """Write a model in a form; returns whether the tool can do it."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            FORMS[name](model, path, inputs)
        except Exception:  # a tool's refusal, of any kind
            return False
        finally:
            logging.disable(logging.NOTSET)
    return True


def difference(name: str, model: Any, path: Path, inputs: Mapping[str, Any]) -> str | None:
    """What differs between a form and the model in memory, or the results of ONNX Runtime; "" if nothing,
    None if the tool or ONNX Runtime refuses the form."""
    if not written(name, model, path, inputs):
        return None
    with mock.patch.object(large_data, "LARGE", 1):  # all data is left in the file
        if name in SAME:
            return "" if str(load(path)) == str(load(model, name=path.name)) else "another program"
        theirs = found(model, inputs) if name == "composed" else _expected(path, inputs)
        return None if theirs is None else _distance(found(path, inputs), theirs)


def _expected(path: Path, inputs: Mapping[str, Any]) -> Sequence[Any] | None:
    """Results of ONNX Runtime, node by node as written; None if it cannot run the model."""
    runtime = package("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    runtime.set_default_logger_severity(4)
    try:
        session = runtime.InferenceSession(str(path), options)
        own = {
            name: np.copy(array) for name, array in inputs.items()
        }  # statistics are updated in place
        return session.run(None, own)
    except Exception:  # of ONNX Runtime, of any kind
        return None


def _distance(ours: Sequence[Any], theirs: Sequence[Any]) -> str:
    for a, b in zip(ours, theirs, strict=True):
        b = b.view(a.dtype) if b.dtype == np.uint8 and a.itemsize == 1 else b  # storage types
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype}{list(a.shape)} for {b.dtype}{list(b.shape)}"
        x, y = (np.nan_to_num(np.asarray(v, np.float64), posinf=1e30) for v in (a, b))
        most = np.abs(x - y).max(initial=0)
        if most > TOLERANCE * max(np.abs(y).max(initial=0), 1e-3):
            return f"max|difference| {most:.3g} of {np.abs(y).max(initial=0):.3g}"
    return ""


def _is_beyond_half(inputs: Mapping[str, Any]) -> bool:
    """Whether f16 rounds inputs by more than 1: exponentials of what is left differ without limit."""
    floats = (a for a in inputs.values() if np.issubdtype(np.asarray(a).dtype, np.floating))
    return any(np.max(np.abs(a), initial=0) > 2048 for a in floats)


def differences(
    models: Sequence[tuple[str, Any, Mapping[str, Any]]], folder: Path
) -> Iterator[tuple[str, str, str | None]]:
    """Name, form and difference of each model in each form.

    Models that we refuse, or whose results differ in memory, are left to the tests of operators. Bodies of
    functions have infinite masks, which no scale fits.
    """
    for number, (name, model, inputs) in enumerate(models):
        whole = folder / f"{number}.onnx"
        onnx.save(model, str(whole))
        theirs = _expected(whole, inputs)
        try:
            ours = found(model, inputs)
        except RelaxError:
            continue
        agrees = theirs is not None and not _distance(ours, theirs)
        usable = [k for k in FORMS if k != "quantized" or not name.endswith("_expanded")]
        if _is_beyond_half(inputs):
            usable = [k for k in usable if k != "in_half"]
        for kind in usable if agrees else SAME:
            try:
                yield name, kind, difference(kind, model, folder / f"{number}_{kind}.onnx", inputs)
            except RelaxError as error:
                yield name, kind, str(error)[:300]


def main() -> int:
    from onnx_cases import KINDS, cases

    package("onnxruntime")
    parser = argparse.ArgumentParser(description="Reads ONNX's test models in all forms.")
    parser.add_argument("--every", type=int, default=1, help="one case of so many")
    options = parser.parse_args()
    counts = Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        models = [
            (case.name, case.model, case.inputs)
            for kind in KINDS
            for case in cases(kind)
            if all(isinstance(a, np.ndarray) for a in case.inputs.values()) and not case.is_drawn
        ][:: options.every]
        for name, kind, what in differences(models, Path(folder)):
            counts[kind, "refused" if what is None else "right" if not what else "wrong"] += 1
            if what:
                print(f"{name}, {kind}: {what}", flush=True)
    for (kind, status), count in sorted(counts.items()):
        print(f"{kind}: {count} {status}")
    return 1 if any(status == "wrong" for _, status in counts) else 0


if __name__ == "__main__":
    sys.exit(main())

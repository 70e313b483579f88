"""`--check onnxruntime`: the results of a model compared with those of ONNX Runtime.

If they differ, the values of all nodes of the graph are made results of the model, in both runtimes, in
parts that fit into memory; the first that differs, in the order of the graph, names its node.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lowering.tools.entry import Entry, results_of
from lowering.tools.inputs.program import is_onnx
from relax_dialect.errors import RelaxError

TOLERANCE = 1e-4
"""The difference from the reference that is taken, as a part of the greatest of the reference."""

AT_ONCE = 256 << 20
"""The bytes of values of nodes that are compared at once."""

RUNS = 16
"""The values of nodes whose sizes are found in one run."""

Arrays = Mapping[str, np.ndarray]
Inputs = Mapping[str, Any]
"""Arrays, and lists of them for sequences."""

Ours = Callable[[Any], Sequence[Any]]
"""The results of a model by our compiler, on the inputs of this run."""


@dataclass(frozen=True)
class Difference:
    """The difference of an array from the reference."""

    largest: float
    reference: float
    kinds: str = ""
    """The differing element types or shapes, as text."""

    @property
    def part(self) -> float:
        """The difference as a part of the greatest of the reference."""
        if self.kinds or math.isnan(self.largest):
            return math.inf
        if self.reference == 0:
            return math.inf if self.largest else 0.0
        return self.largest / self.reference

    def __str__(self) -> str:
        if self.kinds:
            return self.kinds
        sizes = f"max|difference| {self.largest:.3g}, max|reference| {self.reference:.3g}"
        return f"{sizes}: {self.part:.2g} of it"


def difference(found: Any, wanted: np.ndarray) -> Difference:
    """Compare an array with the reference, which must have infinities and NaNs at the same indices."""
    found = np.asarray(found)
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        ours, theirs = (f"{list(a.shape)} {a.dtype}" for a in (found, wanted))
        return Difference(math.inf, math.inf, f"expected {theirs}, found {ours}")
    if wanted.size == 0 or wanted.dtype.kind in "OSU":
        return Difference(0.0 if np.array_equal(found, wanted) else math.inf, 0.0)
    with np.errstate(all="ignore"):
        a, b = (
            x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (found, wanted)
        )
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        apart = np.where(same, 0.0, np.abs(a - b))
        finite = np.abs(b[np.isfinite(b)])
    return Difference(float(apart.max()), float(finite.max(initial=0.0)))


class OnnxRuntime:
    """The reference: a model in memory, or a file, run on some inputs."""

    def __init__(self, path: str):
        try:
            import onnxruntime  # pyright: ignore
        except ModuleNotFoundError:
            raise RelaxError(
                "--check onnxruntime: expected the package onnxruntime, found none; pip install onnxruntime"
            ) from None
        self.package, self.path = onnxruntime, path

    def run(self, model: Any, inputs: Inputs, names: Sequence[str] | None = None) -> list[Any]:
        """Return the values of these names, or of all outputs."""
        options = self.package.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = self.package.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", str(Path(self.path).parent)
        )
        source = self.path if model is None else model.SerializeToString()
        try:
            session = self.package.InferenceSession(
                source, options, providers=["CPUExecutionProvider"]
            )
            given = (*session.get_inputs(), *session.get_overridable_initializers())
            known = {value.name for value in given}
            return session.run(names, {n: a for n, a in inputs.items() if n in known})
        except Exception as error:  # its errors have no class in common
            raise RelaxError(
                f"--check onnxruntime: expected a model that ONNX Runtime runs, found one that stops it "
                f"({str(error).splitlines()[0][:200]}); leave the option out"
            ) from None


def check_checking(args: argparse.Namespace) -> None:
    """Refuse a comparison that cannot be made, before the work."""
    if not is_onnx(args.file):
        raise RelaxError(
            f"--check {args.check}: expected an ONNX model, which both run, found {args.file}; leave the "
            "option out"
        )
    if args.entry not in (None, "main", "@main"):
        raise RelaxError(
            f"--check {args.check}: expected the model, which is @main, found --entry {args.entry}; leave "
            "one of them out"
        )
    OnnxRuntime(args.file)


def checked(
    args: argparse.Namespace, entry: Entry, values: Sequence[Any], result: Any
) -> Iterator[str]:
    """Compare the result of a model; see `check`."""
    program = entry.program
    tolerance = TOLERANCE if args.tolerance is None else args.tolerance
    assert program is not None

    def ours(model: Any) -> Sequence[Any]:
        return results_of(program.module_of(model), args, values)

    inputs = dict(zip(entry.parameters, values))
    results = result if isinstance(result, tuple) else (result,)
    return check(args.file, inputs, program.bind, results, ours, tolerance)


def check(
    path: str,
    given: Mapping[str, Any],
    bound: Arrays,
    results: Sequence[Any],
    ours: Ours,
    tolerance: float,
) -> Iterator[str]:
    """Yield lines about the difference of each output; a `RelaxError` names the first differing node."""
    from relax_dialect.frontends import onnx
    from relax_dialect.frontends.onnx.onnx_dtypes import numpy_of

    reference, model = OnnxRuntime(path), onnx.read(path)
    inputs = {name: list(v) if isinstance(v, tuple) else v for name, v in given.items()}
    for value in model.graph.input:
        if value.name in bound:
            kind = numpy_of(value.type.tensor_type.elem_type)
            inputs[value.name] = bound[value.name].astype(kind)
    wanted = reference.run(None, inputs)
    worst, names = 0.0, [output.name for output in model.graph.output]
    for name, found, right in zip(names, results, wanted, strict=True):
        apart = difference(found, right)
        worst = max(worst, apart.part)
        yield f"check {name}: {apart}"
    del wanted
    if worst > tolerance:
        raise RelaxError(
            f"{Path(path).name}: expected results that differ from those of ONNX Runtime by at most "
            f"{tolerance:g} of max|reference|, found {worst:.2g} of it; "
            + _blame(model, inputs, reference, ours, tolerance)
        )


def _blame(model: Any, inputs: Inputs, reference: OnnxRuntime, ours: Ours, tolerance: float) -> str:
    """Return the first node whose value differs."""
    from relax_dialect.frontends.onnx.model.node_order import describe, in_order

    graph = model.graph
    place = {name: number for number, node in enumerate(graph.node) for name in node.output}
    nodes = in_order(graph, Path(reference.path).name)
    producers = {name: node for node in nodes for name in node.output if name}
    for names in _parts(model, list(producers), inputs, reference):
        _make_results(model, names)
        for name, right, found in zip(
            names, reference.run(model, inputs, names), ours(model), strict=True
        ):
            if (apart := difference(found, right)).part > tolerance:
                node = producers[name]
                told = describe(node, place[name])
                remark = _remark(node.op_type, apart, right)
                return f"the first value that differs is '{name}' of the {told}: {apart}{remark}"
    return (
        "no value of a node differs where each is a result of the model, so the difference comes of what "
        "is made of several nodes together; try -O0, or --backend interpret"
    )


def _remark(op_type: str, apart: Difference, reference: np.ndarray) -> str:
    """Name a cause of a difference that is no fault of the program."""
    if reference.dtype.kind in "iu" and apart.largest == 1:
        return (
            "; it is one step of a quantized value, which the rounding of its inputs decides: compare "
            "what the model is used for, or pass a larger --tolerance"
        )
    # ONNX Runtime's sigmoid is a rational function with this absolute error, constant below -18
    if op_type == "Sigmoid" and apart.largest <= 2**-22:
        return (
            "; ONNX Runtime's sigmoid is that far from the exact one near 0: pass inputs with larger "
            "results"
        )
    return ""


def _parts(
    model: Any, names: Sequence[str], inputs: Inputs, reference: OnnxRuntime
) -> Iterator[Sequence[str]]:
    """Yield the names of tensor values in order, in parts that fit into memory."""
    part: list[str] = []
    room = AT_ONCE
    for start in range(0, len(names), RUNS):
        some = names[start : start + RUNS]
        _make_results(model, some)
        values = reference.run(model, inputs, some)
        sizes = [v.nbytes if isinstance(v, np.ndarray) else None for v in values]
        del values
        for name, size in zip(some, sizes):
            if size is None:  # a sequence, or an optional that is empty
                continue
            if part and size > room:
                yield part
                part, room = [], AT_ONCE
            part.append(name)
            room -= size
    if part:
        yield part


def _make_results(model: Any, names: Sequence[str]) -> None:
    """Make the values of some names the outputs of a model, replacing its own."""
    from onnx import helper  # pyright: ignore

    del model.graph.output[:]
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)

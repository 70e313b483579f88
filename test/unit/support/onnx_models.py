"""Small ONNX models for tests, and what ONNX Runtime says about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optional import package
from xdsl.dialects.builtin import ModuleOp, StringAttr

from relax_dialect import interpret
from relax_dialect.frontends.onnx import load
from relax_dialect.parsing import verify

onnx = package("onnx", "onnx")
helper = onnx.helper

Arrays = Mapping[str, "np.ndarray[Any, Any]"]


def tensor(name: str, array: Any) -> Any:
    return onnx.numpy_helper.from_array(np.asarray(array), name)


def value(name: str, dtype: Any, shape: Sequence[int | str | None] | None) -> Any:
    return helper.make_tensor_value_info(name, code(dtype), shape)


def code(dtype: Any) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def model(
    nodes: Sequence[Any],
    inputs: Sequence[Any],
    outputs: Sequence[str],
    constants: Arrays | None = None,
    opset: int = 17,
    functions: Sequence[Any] = (),
    opsets: Mapping[str, int] | None = None,
) -> Any:
    """A model of nodes; the types of its outputs are left open."""
    graph = helper.make_graph(
        list(nodes),
        "tested",
        list(inputs),
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [tensor(name, array) for name, array in (constants or {}).items()],
    )
    wanted = [helper.make_opsetid(d, v) for d, v in {"": opset, **(opsets or {})}.items()]
    return helper.make_model(graph, opset_imports=wanted, functions=list(functions), ir_version=8)


def one_node(
    op_type: str,
    inputs: Sequence[Any],
    opset: int = 17,
    outputs: int = 1,
    symbolic: bool = True,
    constants: Sequence[int] = (),
    domain: str = "",
    **attributes: Any,
) -> tuple[Any, dict[str, Any]]:
    """A model of one node, and its inputs by name: arrays, None for one that is left out.

    `opset` is the version of the node's domain.

    Sizes are symbolic where it is not said otherwise, but the lengths of vectors of sizes; the inputs at the places `constants` are initializers.
    """
    named = {f"x{i}": np.asarray(a) for i, a in enumerate(inputs) if a is not None}
    fixed = {f"x{i}": named.pop(f"x{i}") for i in constants}
    results = [f"y{i}" for i in range(outputs)]
    places = [f"x{i}" if a is not None else "" for i, a in enumerate(inputs)]
    node = helper.make_node(op_type, places, results, domain=domain, **attributes)
    types = []
    for name, array in named.items():
        is_vector_of_sizes = array.dtype == np.int64 and array.ndim == 1
        sizes = [f"{name}_{i}" for i in range(array.ndim)]
        is_fixed = is_vector_of_sizes or not symbolic
        types.append(value(name, array.dtype, array.shape if is_fixed else sizes))
    versions = {domain: opset} if domain else {}
    return model([node], types, results, fixed, 17 if domain else opset, opsets=versions), named


def expected(model: Any, inputs: Arrays) -> list[Any]:
    """What ONNX Runtime says."""
    runtime = package("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(model.SerializeToString(), options).run(None, dict(inputs))


def found(model: Any, inputs: Arrays, **options: Any) -> list[Any]:
    """What the interpreter makes of the imported model."""
    result = interpret.run(load(model, **options), "main", *inputs.values(), check_types=True)
    return list(result) if isinstance(result, tuple) else [result]


def check(model: Any, inputs: Arrays, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Compare the imported model with ONNX Runtime: element types, shapes, numbers."""
    for ours, theirs in zip(found(model, inputs), expected(model, inputs), strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol, atol)


def joined(modules: Sequence[ModuleOp]) -> ModuleOp:
    """The functions of modules in one, as `f0`, `f1`, ...: many models in one file of C."""
    whole = ModuleOp([])
    for number, module in enumerate(modules):
        (function,) = module.clone().ops
        function.detach()
        function.properties["sym_name"] = StringAttr(f"f{number}")
        whole.body.block.add_op(function)
    verify(whole)
    return whole

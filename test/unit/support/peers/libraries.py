"""Functions of PyTorch, numpy and ONNX Runtime as functions of numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from optional import package

from .drawing import BF16, UnsuitableError

torch = package("torch")
functional = torch.nn.functional

Function = Callable[..., Any]


def to_torch(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.name == BF16:
        return torch.from_numpy(value.astype(np.float32)).bfloat16()
    return torch.from_numpy(value.copy())


def to_numpy(value: Any) -> np.ndarray:
    if not isinstance(value, torch.Tensor):
        return np.asarray(value)
    value = value.detach().contiguous()
    if value.dtype == torch.bfloat16:
        return value.float().numpy().astype(BF16)
    return value.numpy()


def by_torch(function: Function) -> Function:
    """A function of PyTorch as one of arrays; what it refuses is no trial."""

    def meaning(*arguments: Any) -> tuple[np.ndarray, ...]:
        try:
            found = function(*map(to_torch, arguments))
        except (RuntimeError, IndexError, ValueError, NotImplementedError, TypeError):
            raise UnsuitableError from None
        return tuple(map(to_numpy, found if isinstance(found, tuple | list) else (found,)))

    return meaning


def by_numpy(function: Function) -> Function:
    """A function of numpy, bf16 computed in f32 and rounded; what it refuses is no trial."""

    def meaning(*arguments: Any) -> tuple[np.ndarray, ...]:
        narrow = any(isinstance(a, np.ndarray) and a.dtype.name == BF16 for a in arguments)
        given = [
            a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype.name == BF16 else a
            for a in arguments
        ]
        try:
            with np.errstate(all="ignore"):
                found = function(*given)
        except (ValueError, IndexError):
            raise UnsuitableError from None
        results = [np.asarray(r) for r in (found if isinstance(found, tuple | list) else (found,))]
        return tuple(r.astype(BF16) if narrow and r.dtype == np.float32 else r for r in results)

    return meaning


def by_onnx(operator: str, outputs: int = 1, opset: int = 21, **attributes: Any) -> Function:
    """A node of ONNX; None is an input that is left out. What it refuses is no trial."""
    return lambda *arrays: onnx_runtime(operator, arrays, outputs, opset, **attributes)


def onnx_runtime(
    operator: str,
    arrays: Sequence[np.ndarray | None],
    outputs: int = 1,
    opset: int = 21,
    **attributes: Any,
) -> tuple[np.ndarray, ...]:
    """The results of ONNX Runtime for the arrays."""
    onnx = package("onnx")
    runtime = package("onnxruntime")
    helper = onnx.helper
    names = ["" if array is None else f"x{place}" for place, array in enumerate(arrays)]
    given = {name: array for name, array in zip(names, arrays) if array is not None}
    results = [f"y{place}" for place in range(outputs)]
    node = helper.make_node(operator, names, results, **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for name, a in given.items()
    ]
    untyped = [onnx.ValueInfoProto(name=name) for name in results]
    graph = helper.make_graph([node], operator, inputs, untyped)
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = runtime.InferenceSession(model.SerializeToString(), options)
        return tuple(session.run(None, given))
    except Exception as error:
        if type(error).__module__.startswith("onnxruntime"):
            raise UnsuitableError from None
        raise

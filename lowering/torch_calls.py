"""Calls of compiled functions with PyTorch's tensors, whose memory C reads.

PyTorch allocates small results, by the shapes of an earlier call with arguments of these shapes, as numpy
does in `lowering/runtime/small_calls.py`; C allocates the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lowering.emit_c.syntax.c_source import EntryPoint, Parameter
from lowering.runtime.arguments import capsule_pointer
from lowering.runtime.compiled_function import CompiledFunction
from lowering.runtime.dlpack import STORED
from lowering.runtime.small_calls import LARGEST, MOST, has_determined_results
from relax_dialect.frontends.torch.torch_package import part_of_torch

Call = Callable[[Sequence[Any]], Sequence[Any]]

CAPSULE = b"dltensor"


def caller(main: CompiledFunction) -> Call:
    """Return a function of a list of tensors and numbers, which returns a list of tensors and numbers."""
    if all(map(_is_tensor, (*main.entry.params, *main.entry.results))):
        return _direct(main)

    def call(arguments: Sequence[Any]) -> list[Any]:
        found = main(*[a.detach() if hasattr(a, "detach") else a for a in arguments])
        return list(map(as_tensor, found if isinstance(found, tuple) else (found,)))

    return call


def _is_tensor(port: Parameter) -> bool:
    is_packed = port.dtype in STORED or port.unranked
    return port.kind == "tensor" and not (port.written or is_packed)


def _direct(main: CompiledFunction) -> Call:
    """Return a call that passes tensors by DLPack.

    A closure, since attributes of an object take a third of the time of a small call.
    """
    torch = part_of_torch()
    export, empty, writing, allocating = (
        torch._C._to_dlpack,
        torch.empty,
        main.writing,
        main.allocating,
    )
    pointer, sized, name = capsule_pointer, _sized(main.entry), CAPSULE
    is_small = has_determined_results(main.entry)
    known: dict[Any, Any] = {}

    def call(arguments: Sequence[Any]) -> Sequence[Any]:
        capsules: list[Any] = []
        for tensor in arguments:
            if not tensor.is_contiguous() or tensor.is_neg():
                tensor = tensor.resolve_neg().contiguous()
            capsules.append(export(tensor))
        c_args = [pointer(capsule, name) for capsule in capsules]
        key = tuple([arguments[i].shape for i in sized])
        shapes = known.get(key)
        if shapes is not None:
            results = [empty(shape, dtype=dtype) for shape, dtype in shapes]
            capsules += map(export, results)
            writing([pointer(capsule, name) for capsule in capsules])
            return results
        results = list(map(as_tensor, allocating(c_args)))
        if is_small and all(0 < r.nbytes <= LARGEST for r in results):
            if len(known) >= MOST:
                known.clear()
            known[key] = [(r.shape, r.dtype) for r in results]
        return results

    return call


def _sized(entry: EntryPoint) -> list[int]:
    """Return the indices of the parameters with sizes other than numbers."""
    return [i for i, p in enumerate(entry.params) if not all(map(str.isdigit, p.dims))]


def as_tensor(array: Any) -> Any:
    """Return a result as a tensor on its memory; a number stays one."""
    if not isinstance(array, np.ndarray):
        return array
    torch = part_of_torch()
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)

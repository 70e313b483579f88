"""Works by TVM's Relax, read from ONNX, built for this processor without tuning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache, partial

import numpy as np
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
from tvm.target.codegen import llvm_get_cpu_features, llvm_get_system_cpu

from bench.languages import Run
from bench.languages.onnx_graph import model
from bench.work import Work
from lowering.support.target import FEATURES, native


@cache
def _target() -> tvm.target.Target:
    """Return this processor by LLVM's name; its level if a virtual machine lacks features of that name."""
    named = tvm.target.Target({"kind": "llvm", "mcpu": llvm_get_system_cpu()})
    promised = {*map(str, llvm_get_cpu_features(named))}
    if promised.intersection(FEATURES) <= native().features:
        return named
    return tvm.target.Target({"kind": "llvm", "mcpu": native().level})


def prepare(work: Work, arrays: Sequence[np.ndarray]) -> Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the type of the result is not declared
        module = from_onnx(model(work), keep_params_in_input=False)
    machine = relax.VirtualMachine(tvm.compile(module, _target()), tvm.cpu())
    return partial(machine["main"], *map(tvm.runtime.tensor, arrays))

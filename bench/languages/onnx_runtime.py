"""Works by ONNX Runtime, all its optimizations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnxruntime

from bench import THREADS
from bench.languages import Run
from bench.languages.onnx_graph import model
from bench.work import Work


def session(serialized: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = THREADS, 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(serialized, options, providers=["CPUExecutionProvider"])


def prepare(work: Work, arrays: Sequence[np.ndarray]) -> Run:
    made = session(model(work).SerializeToString())
    feeds = {f"x{i}": array for i, array in enumerate(arrays)}
    return lambda: made.run(None, feeds)[0]

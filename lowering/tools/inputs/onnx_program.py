"""An ONNX model for the tools, imported only if its C is not in the cache.

    program = OnnxProgram(args, user_cache(), stages)
    source = program.to_c("model", options, None)
    program.parameters                              # the model's names of them

The C is cached by the content of the model and its data files, fixed sizes and inputs, options, this
project's files and the packages that take part in the import. The list of data files and the names of the
parameters are cached by the same key, without the data files.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime.artifact_files import version
from lowering.runtime.build_cache import BuildCache, digest
from lowering.runtime.file_digest import file_digest
from lowering.runtime.source_cache import imported_key, keep, project, recall
from lowering.tools.common import limit_recursion
from lowering.tools.stages import Stages
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import ConstantOp
from relax_dialect.text.regular_files import path_inside

IMPORTERS = ("onnx", "protobuf", "ml_dtypes")
"""The packages that take part in an import, besides those of every compilation."""

_PART = "imported"


class OnnxProgram:
    """The model that a command line names."""

    def __init__(self, args: argparse.Namespace, cache: BuildCache | None, stages: Stages):
        self.path, self.cache, self.stages = Path(args.file), cache, stages
        self.dims: Mapping[str, int] = args.dim
        self.bind: Mapping[str, np.ndarray] = args.bind

    @property
    def module(self) -> ModuleOp:
        return self.loaded.module

    def module_of(self, model: Any) -> ModuleOp:
        """Import a ModelProto made from this model, with the same fixed sizes and inputs."""
        from relax_dialect.frontends import onnx

        options = {"dims": self.dims, "bind": self.bind}
        return onnx.load_model(
            model, **options, folder=self.path.parent, name=self.path.name
        ).module

    def to_c(self, name: str, options: Mapping[str, Any], recursion_limit: int | None) -> CSource:
        """Return the C of the model, compiled now or cached."""
        start = time.perf_counter()
        source = self.recalled(name, options, recursion_limit)
        if source is None:
            from lowering.driver import to_c

            module = self.module
            start = time.perf_counter()
            limit_recursion(module, recursion_limit)
            source = to_c(module, name, **options, callback=self.stages)
            if self.cache is not None and (key := self._key(name, options, recursion_limit)):
                keep(self.cache, key, source)
        self.stages.finish_c(source, time.perf_counter() - start)
        return source

    @cached_property
    def loaded(self) -> Any:
        """The model, imported now."""
        from relax_dialect.frontends import onnx

        start, told = time.perf_counter(), self._identity
        found = onnx.load_model(self.path, dims=self.dims, bind=self.bind)
        seconds = time.perf_counter() - start
        self.stages.finish_import(seconds, found.nodes, weights(found.module))
        if self.cache is not None and told is not None and told == self._read_identity():
            about = {"parameters": found.parameters, "files": found.files}
            self.cache.put(told, {_PART: json.dumps(about).encode()})
        return found

    @property
    def parameters(self) -> Sequence[str]:
        """Return the model's names of the parameters of @main."""
        return self._about["parameters"]

    def recalled(
        self, name: str, options: Mapping[str, Any], recursion_limit: int | None
    ) -> CSource | None:
        """Return the cached C of the model with the same options, or None."""
        if self.cache is None or not self._about:
            return None
        key = self._key(name, options, recursion_limit)
        return None if key is None else recall(self.cache, key)

    @cached_property
    def _identity(self) -> str | None:
        return self._read_identity()

    def _read_identity(self) -> str | None:
        """Return a key of the model and of its import options; None if the model cannot be read."""
        try:
            content = file_digest(self.path, self.cache)
        except OSError:  # the import reports the error
            return None
        bound = [f"{k} {a.dtype.str} {a.shape} {digest(a.tobytes())}" for k, a in self.bind.items()]
        packages = [f"{name} {version(name)}" for name in IMPORTERS]
        dims = [f"{name} {size}" for name, size in self.dims.items()]
        told = (self.path.name, content, sorted(dims), sorted(bound), packages)
        return digest("imported model", repr(told), project())

    @property
    def _about(self) -> Mapping[str, Any]:
        """The names of parameters and files, of this import or of one before; nothing where neither was."""
        if "loaded" in self.__dict__:
            return {"parameters": self.loaded.parameters, "files": self.loaded.files}
        return self._kept_about

    @cached_property
    def _kept_about(self) -> Mapping[str, Any]:
        kept = None
        if self.cache is not None and self._identity is not None:
            kept = self.cache.get(self._identity)
        try:
            found = json.loads(bytes(kept[_PART])) if kept else {}
            return found if found.keys() == {"parameters", "files"} else {}
        except (ValueError, KeyError, AttributeError):
            return {}

    def _key(
        self, name: str, options: Mapping[str, Any], recursion_limit: int | None
    ) -> str | None:
        """Return the key of the C; None if it is not cached."""
        if self._identity is None:
            return None
        try:
            data = [self._data_digest(file) for file in self._about["files"]]
        except (OSError, ValueError, TypeError):
            return None
        given = {**options, "recursion_limit": recursion_limit}
        return imported_key([self._identity, *data], name, given)

    def _data_digest(self, file: str) -> str:
        """Return the digest of a data file, or the empty string if an import would refuse it, hence not
        read it."""
        path = path_inside(self.path.parent, file)
        return "" if path is None else file_digest(path, self.cache)


def weights(module: ModuleOp) -> int:
    """Return the number of bytes of the constants of a program."""
    return sum(len(op.value.data.data) for op in walk_ops(module) if isinstance(op, ConstantOp))

"""Parameters and buffers of a `T.prim_func`: their shapes, types and names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffer_views import source_of
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_expressions import (
    TirExpressions,
    dtype_called,
)
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls, elements, keywords, text
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import INDEX, DType, kind
from relax_dialect.te.raising.scalars import as_index
from relax_dialect.te.tensor import Tensor


@dataclass(eq=False)
class Buffer:
    """A buffer, and the tensor that it holds once it is known."""

    name: str
    shape: tuple[Expr, ...]
    dtype: DType
    node: ast.AST
    tensor: Tensor | None = None
    is_shared: bool = False
    """Whether threads of a GPU share it."""


ALLOCATIONS = (
    "sblock_alloc_buffer", "alloc_buffer", "alloc_local", "alloc_shared", "decl_buffer", "buffer_decl",
)  # fmt: skip
_SHAPED = ("Buffer", "match_buffer", *ALLOCATIONS)
_GIVEN = ("shape", "dtype", "data", "strides", "elem_offset")
"""The positional parameters of buffer declarations, in TVM's order."""
_IGNORED = ("byte_offset", "scope", "align", "offset_factor", "layout", "allocated_addr", "buffer_type",
            "axis_separators")  # fmt: skip


@dataclass
class BufferDeclarations:
    """The declarations of a function: parameters in order, and names."""

    names: TirCalls
    expressions: TirExpressions
    buffers: dict[str, Buffer] = field(default_factory=dict)
    params: list[Buffer | str] = field(default_factory=list)
    """The parameters: buffers, and the symbols of number parameters."""
    has_free_sizes: bool = False
    """Whether a shape names a size that the script declares around the function, which is `int64`."""
    narrow: bool = False
    """Whether indices are of type `int32`."""

    def parameters(self, function: ast.FunctionDef) -> None:
        """Read the parameters; handles are matched to buffers in the body."""
        arguments = function.args
        named = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        if twice := [name for i, name in enumerate(named) if name in named[:i]]:
            raise Unreadable(function, f"expected each parameter once, found a second {twice[0]!r}")
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            raise Unreadable(function, "expected parameters with annotations, found other ones")
        for argument in (*arguments.posonlyargs, *arguments.args):
            self._parameter(argument)

    def _parameter(self, argument: ast.arg) -> None:
        annotation = argument.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                raise Unreadable(argument, f"no type: {annotation!r}") from None
        if annotation is None:
            raise Unreadable(
                argument,
                f"expected T.Buffer, T.handle or T.int64 for {argument.arg!r}, found no type",
            )
        name = self.names.of(annotation) or self.names.called(annotation)
        dtype = dtype_called(name)
        if name == "handle":
            self.params.append(argument.arg)
        elif name == "Buffer" and isinstance(annotation, ast.Call):
            self.params.append(self.declare(argument.arg, annotation))
        elif dtype is not None and kind(dtype) in ("integer", "unsigned"):
            self.params.append(self.size(argument.arg, argument))
        else:
            raise Unreadable(
                argument,
                f"a parameter {argument.arg!r} of type {text(annotation)}: prim funcs take tensors and "
                "sizes; pass the number as a tensor of rank 0",
            )

    def size(self, name: str, node: ast.AST) -> str:
        """Return a symbolic size by its name."""
        try:
            self.expressions.values[name] = as_index(symbolic.var(name))
        except RelaxError as error:
            raise Unreadable(node, str(error)) from None
        return name

    def declare(self, name: str, call: ast.Call) -> Buffer:
        """Return the buffer that `T.Buffer(shape, dtype)` or an allocation declares."""
        at = 1 if self.names.called(call) == "match_buffer" else 0
        given = dict(zip(_GIVEN, call.args[at:])) | keywords(call)
        given = {word: value for word, value in given.items() if not _is_none(value)}
        if unknown := [word for word in given if word not in (*_GIVEN, *_IGNORED)]:
            raise Unreadable(
                call, f"expected arguments of a buffer, found {unknown[0]!r}; correct it"
            )
        if "data" in given:
            raise Unreadable(call, f"expected data=x.data of a buffer x, found {text(call)}")
        shape, kept = given.get("shape"), given.get("dtype", ast.Constant("float32"))
        word = kept.value if isinstance(kept, ast.Constant) else None
        dtype = dtype_called(word) if isinstance(word, str) else None
        if shape is None or dtype is None or dtype == INDEX:
            raise Unreadable(call, f"expected a shape and an element type, found {text(call)}")
        sizes = list(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else [shape]
        for size in sizes:
            self._free(size)
        found = tuple(self.expressions.size(size) for size in sizes)
        for each, size in zip(sizes, found):
            if size.value is not None and size.value < 0:
                raise Unreadable(each, f"expected a size of at least 0, found {size}; correct it")
        if self.names.called(call) not in ALLOCATIONS:  # whose offset has no effect
            offset = given.get("elem_offset")
            if isinstance(offset, ast.Constant) and offset.value != 0:
                raise Unreadable(
                    offset, f"expected the offset 0, found {text(offset)}; copy the part"
                )
            self._strides(elements(given["strides"]) if "strides" in given else (), found)
        scope = given.get("scope")
        of_threads = isinstance(scope, ast.Constant) and str(scope.value).startswith("shared")
        is_shared = of_threads or self.names.called(call) == "alloc_shared"
        self.buffers[name] = Buffer(name, found, dtype, call, is_shared=is_shared)
        return self.buffers[name]

    def _strides(self, strides: Sequence[ast.expr], shape: Sequence[Expr]) -> None:
        """Bind the strides of a parameter, which must be contiguous, as Relax passes tensors: names of
        strides are bound to the contiguous ones."""
        if strides and len(strides) != len(shape):
            raise Unreadable(strides[0], f"expected {len(shape)} strides, found {len(strides)}")
        step = symbolic.const(1)
        shapes = [shape, *(each.shape for each in self.buffers.values())]
        sizes = {name for each in shapes for size in each for name in size.free_variables}
        for stride, size in zip(reversed(strides), reversed(shape)):
            name = stride.value if isinstance(stride, ast.Constant) else getattr(stride, "id", None)
            if isinstance(name, str) and name not in sizes:
                self.expressions.values[name] = as_index(step)
            elif size.value != 1 and self.expressions.size(stride) is not step:
                raise Unreadable(
                    stride,
                    f"expected the stride {step} of rows without gaps, found {text(stride)}; "
                    "copy the part into a buffer of its own",
                )
            step = step * size

    def _free(self, size: ast.expr) -> None:
        """Declare undeclared names in a shape as sizes."""
        if isinstance(size, ast.Constant) and isinstance(size.value, str):
            try:
                size = ast.copy_location(ast.parse(size.value, mode="eval").body, size)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return
        for each in ast.walk(size):
            known = isinstance(each, ast.Name) and (
                each.id in self.expressions.values or each.id == self.names.alias
            )
            if isinstance(each, ast.Name) and not known:
                self.has_free_sizes = True
                self.size(each.id, size)

    def statement(self, statement: ast.stmt) -> bool:
        """Read a statement that declares something; whether it does."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                pass
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values):
                pairs = [ast.Assign([t], v) for t, v in zip(targets, values)]
                places = [ast.copy_location(pair, statement) for pair in pairs]
                if not all(self.declares_size(place) for place in places):
                    return False
                return all(self.statement(place) for place in places)
            case _:
                return False
        called = self.names.called(call)
        if source_of(self.names, call) is not None:
            return False
        if called in _SHAPED:
            buffer = self.declare(name, call)
            if called == "match_buffer":
                self._matched(call, buffer)
            return True
        if self.declares_size(statement):
            self.size(name, statement)
            return True
        return False

    def declares_size(self, statement: ast.Assign) -> bool:
        """Read `n = T.int64()` and `n = T.var("int64")`; returns whether it is one."""
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Call() as call):
                called = self.names.called(call)
                is_size = dtype_called(called) is not None and not call.args
                words = {word.arg for word in call.keywords} <= {"is_size_var"}
                return (is_size and words) or called in ("var", "Var", "SizeVar", "size_var")
            case _:
                return False

    def _matched(self, call: ast.Call, buffer: Buffer) -> None:
        match call.args:
            case [ast.Name(id=handle), *_] if handle in self.params:
                self.params[self.params.index(handle)] = buffer
            case _:
                raise Unreadable(
                    call, f"expected a buffer that matches a parameter, found {text(call)}"
                )

    def tensors(self) -> Iterator[Buffer]:
        """Yield the parameters that are buffers."""
        for param in self.params:
            if isinstance(param, Buffer):
                yield param


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None

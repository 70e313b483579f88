"""MLIR 22 as an oracle: compiles a loop level module with its tools and calls it from numpy.

    oracle = lower_and_load(module)
    oracle.call("matmul", symbols=[5], arrays=[a, b, c])      # destination-passing: c is written
    (y,) = oracle.call_entry("main", x)                       # symbols solved, results returned

Nothing of ours takes part but the printed text: mlir-opt lowers it to the llvm dialect, mlir-runner
dumps the object file and gcc links it. linalg on memrefs is accepted too, by MLIR's own loops.
"""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from optional import MLIR, mlir_tool, needs
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    ArrayAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute
from xdsl.parser import Parser

from lowering.runtime.shared_library import private_copy

PIPELINE = (
    "func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,arith-expand,"
    "convert-scf-to-cf,convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
    "finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,"
    "convert-func-to-llvm,reconcile-unrealized-casts"
)
NOOP = "\nfunc.func @__noop() {\n  return\n}\n"
"""The program that mlir-runner runs while it dumps the object file."""


def parse(text: str) -> ModuleOp:
    """Parse a module of stock dialects."""
    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return Parser(context, text).parse_module()


def mlir_opt(text: str, *options: str) -> str:
    """The output of mlir-opt for a module."""
    return _run([mlir_tool("mlir-opt"), "--allow-unregistered-dialect", *options], text)


def check_accepted(module: ModuleOp | str) -> None:
    """Raise unless MLIR 22 parses and verifies the module as it stands."""
    _accepted(str(module))


@lru_cache(maxsize=8)
def _accepted(text: str) -> None:
    """MLIR accepts a text; one that a pass has left alone was accepted before."""
    mlir_opt(text)


def lower_and_load(module: ModuleOp | str, contract: bool = False) -> "Oracle":
    """Compile a module of scf, memref, arith, math, ... (or linalg on memrefs) and load it.

    With `contract`, every `a * b + c` is one fused operation, as a C compiler may make it.
    """
    module = parse(module) if isinstance(module, str) else module.clone()
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    metadata = {name: _Signature(function) for name, function in functions.items()}
    for function in functions.values():
        _strip(function)
    if contract:
        for op in module.walk():
            if "fastmath" in op.properties:
                op.properties["fastmath"] = FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])
    pipeline = f"func.func(math-uplift-to-fma),{PIPELINE}" if contract else PIPELINE
    folder = Path(tempfile.mkdtemp(prefix="mlir-oracle-"))
    try:
        lowered = _run(
            [mlir_tool("mlir-opt"), f"--pass-pipeline=builtin.module({pipeline})"],
            "\n".join(map(str, module.ops)) + NOOP,
        )
        (folder / "module.mlir").write_text(lowered)
        dump = ["--dump-object-file", f"--object-filename={folder / 'module.o'}"]
        entry = ["-e", "__noop", "-entry-point-result=void", "-O0"]
        libraries = _runtime_libraries()
        entry += [f"--shared-libs={library}" for library in libraries]
        _run([mlir_tool("mlir-runner"), str(folder / "module.mlir"), *entry, *dump])
        # -Bsymbolic: a function called @tanh is to be ours, not the one of the C library
        link = ["gcc", "-shared", "-Wl,-z,notext,-Bsymbolic", "-w", "-o", str(folder / "module.so")]
        paths = [f"-Wl,-rpath,{Path(library).parent}" for library in libraries]
        _run([*link, str(folder / "module.o"), *libraries, *paths, "-lm"])
        with private_copy(folder / "module.so") as copy:
            return Oracle(ctypes.CDLL(copy), metadata)
    finally:
        shutil.rmtree(folder)


def _runtime_libraries() -> list[str]:
    """MLIR's own functions that its code may call, such as that which copies strided memrefs."""
    folder = Path(mlir_tool("mlir-opt")).resolve().parents[1] / "lib"
    return [str(path) for path in sorted(folder.glob("libmlir_c_runner_utils.so*"))[:1]]


def _run(command: Sequence[str], text: str | None = None) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr[-4000:]}")
    return done.stdout


def _strip(function: FuncOp) -> None:
    """Drop our attributes, and ask for the C interface of a function."""
    function.arg_attrs = function.res_attrs = function.sym_visibility = None
    kept = {k: v for k, v in function.attributes.items() if not k.startswith("relax.")}
    function.attributes.clear()
    function.attributes.update(kept)
    if function.body.first_block is not None:
        function.attributes["llvm.emit_c_interface"] = UnitAttr()
    else:
        function.sym_visibility = StringAttr("private")


class _Signature:
    """The types of a function and what `relax.dims` says of them."""

    def __init__(self, function: FuncOp):
        self.inputs = tuple(function.function_type.inputs)
        self.outputs = tuple(function.function_type.outputs)
        none = [{}] * len(self.inputs)
        attributes = function.arg_attrs
        self.attributes: Sequence[Mapping[str, Attribute]] = (
            [entry.data for entry in attributes] if isinstance(attributes, ArrayAttr) else none
        )


class Oracle:
    """A loaded module."""

    def __init__(self, library: ctypes.CDLL, signatures: Mapping[str, _Signature]):
        self.library = library
        self._signatures = signatures

    def call(
        self, name: str, symbols: Sequence[float] = (), arrays: Sequence[np.ndarray] = ()
    ) -> list[np.ndarray | float]:
        """Call a function: memref arguments are taken from `arrays` (and written to, if the
        function does), all others from `symbols`. Returns the results."""
        signature = self._signatures[name]
        left, others = iter(arrays), iter(symbols)
        arguments = [
            _descriptor(next(left), type_)
            if isinstance(type_, MemRefType)
            else _scalar(type_)(next(others))
            for type_ in signature.inputs
        ]
        if rest := [*left, *others]:
            raise ValueError(f"@{name}: {len(rest)} arguments too many")
        return self._invoke(name, signature.outputs, arguments)

    def call_entry(
        self, name: str, *arrays: np.ndarray, symbols: Mapping[str, int] | None = None
    ) -> list[np.ndarray | float]:
        """Call a function that returns memrefs: its symbols are read from the shapes of `arrays`,
        where `relax.dims` names them bare; `symbols` gives those which it names nowhere."""
        signature = self._signatures[name]
        values = dict(symbols or {})
        memrefs = [a for t, a in zip(signature.inputs, signature.attributes) if _is_memref(t)]
        for attributes, array in zip(memrefs, arrays, strict=True):
            for dim, size in zip(_dims(attributes), array.shape):
                if values.setdefault(dim, size) != size:
                    raise ValueError(f"@{name}: {dim} is {values[dim]} and {size}")
        names = (attributes.get("relax.symbol") for attributes in signature.attributes)
        found = [values[symbol.data] for symbol in names if isinstance(symbol, StringAttr)]
        return self.call(name, found, arrays)

    def _invoke(
        self, name: str, outputs: Sequence[Attribute], arguments: Sequence[ctypes.Structure]
    ) -> list[np.ndarray | float]:
        function = getattr(self.library, f"_mlir_ciface_{name}")
        passed = [
            ctypes.byref(argument) if isinstance(argument, ctypes.Structure) else argument
            for argument in arguments
        ]
        fields = [(f"r{i}", _field(type_)) for i, type_ in enumerate(outputs)]
        if len(outputs) == 1 and not _is_memref(outputs[0]):
            function.restype = fields[0][1]
            return [function(*passed)]
        function.restype = None
        if not outputs:
            function(*passed)
            return []
        results = type("Results", (ctypes.Structure,), {"_fields_": fields})()
        function(ctypes.byref(results), *passed)
        values = [getattr(results, field) for field, _ in fields]
        return [
            _take(value, type_) if isinstance(type_, MemRefType) else value
            for value, type_ in zip(values, outputs)
        ]


def _is_memref(type_: Attribute) -> bool:
    return isinstance(type_, MemRefType)


def _dims(attributes: Mapping[str, Attribute]) -> Iterator[str]:
    """The dimensions of an argument as text; `?` and constants bind nothing that matters."""
    dims = attributes.get("relax.dims")
    assert isinstance(dims, ArrayAttr), "the argument has no relax.dims"
    for index, dim in enumerate(dims):
        text = dim.data if isinstance(dim, StringAttr) else "?"
        yield text if text != "?" else f"?{id(attributes)}.{index}"


def _dtype(type_: Attribute) -> np.dtype:
    """The numpy type of an element type."""
    match type_:
        case IntegerType():
            width = type_.width.data
            return np.dtype(bool if width == 1 else f"int{width}")
        case IndexType():
            return np.dtype("int64")
        case Float16Type() | Float32Type() | Float64Type():
            return np.dtype(f"float{type_.bitwidth}")
    raise TypeError(f"no numpy type for {type_}")


def _scalar(type_: Attribute) -> type:
    """The C type of a scalar."""
    return np.ctypeslib.as_ctypes_type(_dtype(type_))


def _field(type_: Attribute) -> type:
    """The C type of a result."""
    if isinstance(type_, MemRefType):
        return _descriptor_type(len(type_.get_shape()))
    return _scalar(type_)


@cache
def _descriptor_type(rank: int) -> type[ctypes.Structure]:
    """MLIR's struct for a strided memref of some rank."""
    fields = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
        ("sizes", ctypes.c_int64 * rank),
        ("strides", ctypes.c_int64 * rank),
    ]
    return type(f"MemRef{rank}", (ctypes.Structure,), {"_fields_": fields})


def _descriptor(array: np.ndarray, type_: MemRefType) -> ctypes.Structure:
    """The descriptor of an array, checked against the type of the argument."""
    dtype, shape = _dtype(type_.element_type), type_.get_shape()
    fits = array.ndim == len(shape) and all(
        static < 0 or static == size for static, size in zip(shape, array.shape)
    )
    if array.dtype != dtype or not fits or not array.flags.c_contiguous:
        raise TypeError(f"expected a contiguous {type_}, found {array.dtype}{list(array.shape)}")
    strides = [stride // array.itemsize for stride in array.strides]
    make = _descriptor_type(array.ndim)
    sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
    data = array.ctypes.data
    return make(data, data, 0, sizes, (ctypes.c_int64 * array.ndim)(*strides))


def _take(descriptor: ctypes.Structure, type_: MemRefType) -> np.ndarray:
    """Copy a returned memref to an array and free it."""
    dtype = _dtype(type_.element_type)
    sizes, strides = tuple(descriptor.sizes), tuple(descriptor.strides)
    result = np.zeros(sizes, dtype)
    if result.size:
        count = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))
        start = descriptor.aligned + descriptor.offset * dtype.itemsize
        flat = np.frombuffer(ctypes.string_at(start, count * dtype.itemsize), dtype)
        byte_strides = [stride * dtype.itemsize for stride in strides]
        result[...] = np.lib.stride_tricks.as_strided(flat, sizes, byte_strides)
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(descriptor.allocated)
    return result


requires_mlir = needs(MLIR)

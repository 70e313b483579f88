"""relax-convert-func-to-relax: functions on builtin types become functions of Relax and entry points.

```mlir
func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = math.exp %a : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
    ->
relax.func @main(%a: !relax.tensor<[a0, 4], f32>) -> !relax.tensor<[?, 4], f32> {
  %t = relax.to_builtin %a : (!relax.tensor<[a0, 4], f32>) -> tensor<?x4xf32>
  %y = math.exp %t : tensor<?x4xf32>
  %r = relax.from_builtin %y : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}
```

Public functions on tensors are converted, and recursive ones with their callers: calls of them become
`relax.call`. Other private functions are kept, since `relax-outline-tensor-ops` inlines them; a public
function that is called remains as a private copy. A public function on memrefs and scalars gets the
attribute `relax.entry`, takes row-major memrefs, and returns copies of memrefs that it does not own. Prim
funcs, whose arguments carry attributes of Relax, functions with vectors among their arguments, and
functions of several blocks are unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from relax_dialect.ir.call_graph import CallGraph, referenced_symbols, rename_references
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.mlir.builtin_types import from_builtin
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.ir.walk import is_private, symbol_name, unique_name, walk_ops
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, ReturnOp, TupleGetItemOp, TupleOp
from relax_dialect.prim.signature import ENTRY
from relax_dialect.transform.regions import erase, functions

SCALARS = IntegerType | IndexType | AnyFloat

# Which functions ------------------------------------------------------------------------------


def _is_plain(op: func.FuncOp) -> bool:
    """Return whether a function has a body of one block, and no attributes of Relax."""
    if len(op.body.blocks) != 1:
        return False
    described = [*(op.arg_attrs or ()), *(op.res_attrs or ())]
    names = [*op.attributes, *(name for entry in described for name in entry.data)]
    return not any(name.startswith("relax.") for name in names)


def _types(function: func.FuncOp) -> Sequence[Attribute]:
    return (*function.function_type.inputs, *function.function_type.outputs)


def _is_on_tensors(function: func.FuncOp) -> bool:
    types = _types(function)
    return any(isinstance(t, BuiltinTensorType) for t in types) and all(
        isinstance(t, BuiltinTensorType | SCALARS) for t in types
    )


def _is_on_memory(function: func.FuncOp) -> bool:
    """Return whether C callers can pass every argument: scalars, and row-major memrefs cast to theirs."""
    inputs, outputs = function.function_type.inputs, function.function_type.outputs
    return all(isinstance(t, SCALARS) or _row_major(t) is not None for t in inputs) and all(
        isinstance(t, SCALARS | MemRefType) for t in outputs
    )


def _row_major(type: Attribute) -> MemRefType | None:
    """Return the row-major memref type that can be cast to a type."""
    if not isinstance(type, MemRefType):
        return None
    plain = MemRefType(type.element_type, type.shape, memory_space=type.memory_space)
    if isinstance(type.layout, NoneAttr):
        return plain
    strides, own = type.get_strides(), plain.get_strides()
    if strides is None or own is None or type.get_offset() not in (0, None):
        return None
    fits = all(a is None or a == b for a, b in zip(strides, own))
    return plain if fits else None


# One function ---------------------------------------------------------------------------------


def _relax_type(type: Attribute) -> Attribute:
    return from_builtin(type) if isinstance(type, BuiltinTensorType) else type


def _result_type(type: FunctionType) -> Attribute:
    """Return the type of the one value that a Relax function returns."""
    types = [_relax_type(t) for t in type.outputs]
    return types[0] if len(types) == 1 else tuple_type(types)


def parameter_types(function: func.FuncOp) -> list[Attribute]:
    """Return the Relax types of the parameters of a function on builtin types, with a symbolic variable
    for each dynamic dimension: `tensor<?x4xf32>` and `memref<?x4xf32>` for `%a` are `[a0, 4]`."""
    taken = set[str]()

    def dim(base: str, axis: int, size: int) -> str | int:
        if size != DYNAMIC_INDEX:
            return size
        taken.add(name := unique_name(f"{base}{axis}", taken))
        return name

    def parameter(argument: BlockArgument) -> Attribute:
        type = argument.type
        if not isinstance(type, BuiltinTensorType | MemRefType):
            return type
        hint = re.sub(r"\W", "_", argument.name_hint or "")
        base = hint if re.match(r"[A-Za-z_]", hint) else f"arg{argument.index}"
        sizes = [dim(base, axis, size) for axis, size in enumerate(type.get_shape())]
        return TensorType(sizes, type.element_type)

    return [parameter(argument) for argument in function.body.blocks[0].args]


def _emit(out: Builder, op: Operation, hint: str | None = None) -> SSAValue:
    result = out.insert(op).results[0]
    result.name_hint = hint
    return result


def _as_relax(out: Builder, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [
        _emit(out, FromBuiltinOp(v), v.name_hint) if isinstance(v.type, BuiltinTensorType) else v
        for v in values
    ]


def convert_function(function: func.FuncOp) -> FuncOp:
    """Replace a function on builtin tensors by one of Relax, in place."""
    block, params = function.body.block, parameter_types(function)
    output, body = _result_type(function.function_type), Block(arg_types=params)
    out = Builder(InsertPoint.at_end(body))
    for new, old in zip(body.args, block.args):
        new.name_hint = old.name_hint
        is_tensor = isinstance(old.type, BuiltinTensorType)
        value = _emit(out, ToBuiltinOp(new)) if is_tensor else new
        hint = None if is_tensor else old.name_hint  # the parameter keeps its name
        old.replace_all_uses_with(value)
        value.name_hint = hint
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    returned = list(end.operands)
    erase(end)
    for op in list(block.ops):
        op.detach()
        body.add_op(op)
    values = _as_relax(out, returned)
    result = values[0] if len(values) == 1 else _emit(out, TupleOp(*values))
    out.insert(ReturnOp(result))
    name, private = function.sym_name.data, is_private(function)
    made = FuncOp(name, params, output, Region(body), private=private)
    assert function.parent is not None
    function.parent.insert_op_before(made, function)
    inherit([made], function.location)
    erase(function)
    return made


def _call_relax(call: func.CallOp, output: Attribute) -> None:
    """Write a call of a function that has been converted as `relax.call`."""
    out = Builder(InsertPoint.before(call))
    value = _emit(out, CallOp(call.callee.string_value(), _as_relax(out, call.operands), output))
    count = len(call.results)
    found = [value] if count == 1 else [_emit(out, TupleGetItemOp(value, i)) for i in range(count)]
    for old, new in zip(call.results, found):
        is_tensor = isinstance(old.type, BuiltinTensorType)
        new = _emit(out, ToBuiltinOp(new)) if is_tensor else new
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    erase(call)


# Functions on memory --------------------------------------------------------------------------


def expose(function: func.FuncOp) -> None:
    """Convert a function on memrefs and scalars into an entry point, in place: it takes row-major
    memrefs and returns fresh ones."""
    block = function.body.block
    out = Builder(InsertPoint.at_start(block))
    for argument in list(block.args):
        if (plain := _row_major(argument.type)) not in (None, argument.type):
            new = block.insert_arg(plain, argument.index)
            new.name_hint = argument.name_hint
            cast = memref.CastOp.get(new, argument.type)  # pyright: ignore[reportArgumentType]
            argument.replace_all_uses_with(_emit(out, cast))
            block.erase_arg(argument)
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    out, returned = Builder(InsertPoint.before(end)), set[SSAValue]()
    for index, value in enumerate(end.operands):
        if isinstance(value.type, MemRefType) and (value in returned or not _is_fresh(value)):
            end.operands[index] = _copied(out, value, value.type)
        returned.add(value)
    types = [value.type for value in end.operands]
    function.function_type = FunctionType.from_lists(list(block.arg_types), types)
    function.attributes[ENTRY] = UnitAttr()


def _is_fresh(value: SSAValue) -> bool:
    """Return whether a memref is whole memory that nothing but the function holds."""
    return isinstance(value.owner, memref.AllocOp | func.CallOp)


def _copied(out: Builder, value: SSAValue, type: MemRefType) -> SSAValue:
    sizes: list[SSAValue] = []
    for axis, size in enumerate(type.get_shape()):
        if size == DYNAMIC_INDEX:
            number = _emit(out, arith.ConstantOp(IntegerAttr(axis, IndexType())))
            sizes.append(_emit(out, memref.DimOp(value, number)))
    plain = MemRefType(type.element_type, type.shape)
    copy = memref.AllocOp(sizes, [], plain)
    result = _emit(out, copy, value.name_hint)
    out.insert(memref.CopyOp(value, result))
    return result


# A module -------------------------------------------------------------------------------------


def convert_func_to_relax(module: ModuleOp) -> None:
    """Make Relax functions of the functions on tensors that callers see, or that call themselves."""
    found = (op for op in module.ops if isinstance(op, func.FuncOp))
    plain = {op.sym_name.data: op for op in found if _is_plain(op)}
    if not plain:
        return
    graph = CallGraph.of(module)
    on_tensors = {name for name, f in plain.items() if _is_on_tensors(f)}
    called = graph.reaching(graph.recursive() & on_tensors) & on_tensors
    public = [name for name in plain if not is_private(plain[name])]
    exposed = [n for n in public if n not in on_tensors and _is_on_memory(plain[n])]
    entries = [n for n in public if n in on_tensors]
    _keep_copies(module, [plain[n] for n in (*entries, *exposed) if n not in called])
    outputs: dict[str, Attribute] = {}
    for name in [name for name in plain if name in called or name in entries]:
        outputs[name] = convert_function(plain[name]).function_type.output
    _call_converted(module, {name: outputs[name] for name in called})
    for name in exposed:
        expose(plain[name])


def _keep_copies(module: ModuleOp, converted: Sequence[func.FuncOp]) -> None:
    """Redirect calls inside the module to private copies of functions."""
    named = {name for op in module.ops for name in referenced_symbols(op)}
    taken = {name for op in module.ops if (name := symbol_name(op)) is not None}
    copies: dict[str, str] = {}
    for function in converted:
        if (name := function.sym_name.data) in named:
            taken.add(copy_name := unique_name(f"{name}_body", taken))
            copies[name] = copy_name
            copy = function.clone()
            copy.properties |= {
                "sym_name": StringAttr(copy_name),
                "sym_visibility": StringAttr("private"),
            }
            assert function.parent is not None
            function.parent.insert_op_after(copy, function)
    rename_references(module, copies)


def _call_converted(module: ModuleOp, outputs: Mapping[str, Attribute]) -> None:
    for function in functions(module) if outputs else ():
        for call in list(_calls(function)):
            if (name := call.callee.string_value()) in outputs:
                _call_relax(call, outputs[name])


def _calls(function: FuncOp) -> Iterator[func.CallOp]:
    return (op for op in walk_ops(function) if isinstance(op, func.CallOp))


class ConvertFuncToRelaxPass(ModulePass):
    """`convert_func_to_relax`."""

    name = "relax-convert-func-to-relax"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_func_to_relax(op)

"""Functions write their results to where the caller wants them.

    func.func private @f(%n: index, ...) -> M {     func.func private @f(%n: index, ..., %y: M) {
      %y = memref.alloc(%n) : M                       func.call @g(..., %y)
      func.call @g(..., %y)                  ->       func.return
      func.return %y                                }
    }
    %a = func.call @f(%n, ...)                      %a = memref.alloc(%n) : M
                                                    func.call @f(%n, ..., %a)

A function with external callers keeps its signature: it allocates its results and calls one of this kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.hints import isa

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import uncast
from lowering.memory.functions.external_declarations import form_of
from lowering.memory.in_place.call_graph import calls_of
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes, in_caller
from lowering.memory.in_place.owned_buffers import (
    allocate,
    computed,
    is_allocated_in,
    is_known,
    replaced,
    stand_in,
)
from relax_dialect import symbolic
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.walk import discard, is_private, unique_name
from relax_dialect.prim.run_time_checks import PLACE
from relax_dialect.prim.signature import DIMS, RESULT, attribute_dicts, symbol_of


@dataclass
class OutParams:
    """The functions of a module and their calls."""

    module: ModuleOp
    functions: dict[str, func.FuncOp]
    calls: dict[str, list[func.CallOp]] = field(init=False)
    seen: set[str] = field(init=False)
    """The functions whose signature is fixed: for external callers, or as function values."""
    taken: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.calls = defaultdict(list)
        self.seen, self.taken = set(), set()
        for function in self.functions.values():
            for _, call in calls_of(function):
                self.calls[call.callee.string_value()].append(call)
        for op in self.module.body.block.ops:
            name = op.get_attr_or_prop("sym_name")
            self.taken |= {name.data} if isinstance(name, StringAttr) else set()
            if isinstance(op, func.FuncOp):
                self.seen |= set() if is_private(op) else {op.sym_name.data}
                form = form_of(op)
                self.seen |= set() if form is None or form.makes is None else {form.makes}

    def give(self, function: func.FuncOp, sizes: SymbolicSizes) -> None:
        """Make the callers of a function within its module pass the buffers of its results."""
        name = function.sym_name.data
        if not self.calls[name]:
            return
        shapes = {
            i: shape
            for i in range(len(function.function_type.outputs))
            if (shape := _shape(function, i, sizes)) is not None
        }
        if not shapes:
            return
        inner = self._split(function) if name in self.seen else function
        for call in self.calls.pop(name):
            _allocate_before(call, inner, shapes)
        _take(inner, shapes, sizes)

    def _split(self, function: func.FuncOp) -> func.FuncOp:
        """Move the body to a function for the calls in the module, which the externally visible function
        calls."""
        name, type = function.sym_name.data, function.function_type
        body = function.body.block
        inner = func.FuncOp(
            unique_name(f"{name}_inside", self.taken),
            type,
            function.detach_region(function.body),
            visibility="private",
            arg_attrs=function.arg_attrs,
            res_attrs=function.res_attrs,
        )
        if PLACE in function.attributes:
            inner.attributes[PLACE] = function.attributes[PLACE]
        self.taken.add(inner.sym_name.data)
        self.functions[inner.sym_name.data] = inner
        outer = Block(arg_types=type.inputs.data)
        for argument, old in zip(outer.args, body.args):
            argument.name_hint = old.name_hint
        call = func.CallOp(inner.sym_name.data, outer.args, type.outputs.data)
        assert body.last_op is not None
        for result, value in zip(call.results, body.last_op.operands):
            result.name_hint = value.name_hint
        outer.add_ops([call, func.ReturnOp(*call.results)])
        function.add_region(Region(outer))
        inherit([inner, call], function.location)
        self.calls[name].append(call)
        assert function.parent is not None
        function.parent.insert_op_before(inner, function)
        return inner


def _shape(function: func.FuncOp, index: int, sizes: SymbolicSizes) -> Sequence[Size] | None:
    """Return the sizes of a result in the symbolic variables of its function, if the function allocates it
    and its callers can compute them."""
    block, type = function.body.block, function.function_type.outputs.data[index]
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    if not isinstance(type, MemRefType):
        return None
    value = end.operands[index]
    buffer = uncast(value)
    if not is_allocated_in(buffer, block) or [uncast(v) for v in end.operands].count(buffer) > 1:
        return None
    dims = attribute_dicts(function.res_attrs, len(end.operands))[index].get(DIMS)
    texts = [d.data for d in dims] if isa(dims, ArrayAttr[StringAttr]) else []
    shape = [in_caller(text, {n: symbolic.var(n) for n in sizes.symbols}) for text in texts]
    if not is_known(shape) or shape != sizes.shape(value):
        return None
    trial = Block()
    found = computed(Inserter(end=trial), type, shape, sizes.symbols)
    discard(trial)
    return None if found is None else shape


def _allocate_before(
    call: func.CallOp, callee: func.FuncOp, shapes: Mapping[int, Sequence[Size]]
) -> None:
    """Call a function with buffers for some of its results."""
    insert = Inserter(before=call)
    names = map(symbol_of, attribute_dicts(callee.arg_attrs, len(call.operands)))
    known = {name: value for name, value in zip(names, call.operands) if name is not None}
    given: dict[int, SSAValue] = {}
    for index, shape in shapes.items():
        result = call.results[index]
        assert isinstance(result.type, MemRefType)
        dynamic = computed(insert, result.type, shape, known)
        assert dynamic is not None
        given[index] = allocate(insert, result.type, dynamic, result.name_hint)
    rest = [index for index in range(len(call.results)) if index not in given]
    new = func.CallOp(
        callee.sym_name.data,
        [*call.operands, *given.values()],
        [call.results[index].type for index in rest],
    )
    replaced(call, new, given | dict(zip(rest, new.results)))


def _take(
    function: func.FuncOp, shapes: Mapping[int, Sequence[Size]], sizes: SymbolicSizes
) -> None:
    """Make arguments of some results, replacing the function's own allocations."""
    block, end = function.body.block, function.body.block.last_op
    assert isinstance(end, func.ReturnOp)
    outputs = function.function_type.outputs.data
    taken = list(attribute_dicts(function.arg_attrs, len(block.args)))
    gives = attribute_dicts(function.res_attrs, len(outputs))
    for index, shape in shapes.items():
        buffer = uncast(end.operands[index])
        assert isinstance(buffer.owner, memref.AllocOp)
        argument = block.insert_arg(outputs[index], len(block.args))
        argument.name_hint = buffer.name_hint or "result"
        sizes.shapes[argument] = shape
        stand_in(buffer.owner, argument, sizes)
        taken.append({**gives[index], RESULT: UnitAttr()})
    rest = [index for index in range(len(outputs)) if index not in shapes]
    end.operands = [end.operands[index] for index in rest]
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in block.args], [outputs[index] for index in rest]
    )
    function.arg_attrs = ArrayAttr(DictionaryAttr(dict(entry)) for entry in taken)
    function.res_attrs = ArrayAttr(DictionaryAttr(dict(gives[index])) for index in rest)

"""relax-specialize-functions: functions of unknown ranks get a copy for the types of each call.

```mlir
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32> {
  %y = relax.call @f(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32>
  ...
relax.func private @f(%a: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> {
  %b = relax.exp %a : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  ...
->
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.call @f_1(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  ...
relax.func private @f_1(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %b = relax.exp %a : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  ...
```

Element types that are unknown are treated alike. Calls whose arguments have equal types, up to the names
of sizes, share a copy. The result of a function that calls itself is that of its other branches, if its own
calls then return the same type. A parameter of a public function gets the rank and the element type of the
match that is evaluated before any effect; they are checked at the entry. Passes that need an unknown type
report it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.lattice import join
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.type_variables import (
    bare_variables,
    defined_variables,
    free_variables,
    substitute,
)
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import unique_name
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import deep_recursion
from relax_dialect.symbolic import Expr, var
from relax_dialect.transform.binding import signature
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.regions import functions
from relax_dialect.transform.retyping import Retyping
from relax_dialect.visitor.result_types import returned_values

NAME = "relax-specialize-functions"

ROUNDS = 4
"""The limit of inferences of the result type of a recursive function."""

MOST_COPIES = 64
"""The limit of copies of one function, which may call itself with ever higher ranks."""


def is_loose(type: Attribute) -> bool:
    """Return whether a type is a tensor of unknown rank or element type."""
    return isinstance(type, TensorType) and (type.shape is None or type.dtype is None)


def _loose_parameters(func: FuncOp) -> list[int]:
    return [param.index for param in func.body.block.args if is_loose(param.type)]


class _Specializing(Retyping):
    """Re-infers the types of a function, with calls of copies."""

    def __init__(self, copies: _Copies, types: dict[SSAValue, Attribute]):
        super().__init__(NAME, types)
        self.copies = copies
        self.updated = copies.updated

    def _remap(self, op: Operation) -> None:
        super()._remap(op)
        if isinstance(op, CallOp) and (copy := self.copies.of(op)) is not None:
            op.properties["callee"] = SymbolRefAttr(copy.sym_name.data)
            self._set_types(op, op.infer_with(copy)[1])


class _Copies:
    """The copies of the functions of a module."""

    def __init__(self, names: set[str], loose: Mapping[str, FuncOp]):
        self.names, self.loose = names, loose
        self.updated: set[str] = set()
        """The functions whose results have changed."""
        self.made: dict[str, dict[object, FuncOp]] = {name: {} for name in loose}

    def of(self, call: CallOp) -> FuncOp | None:
        """Return the copy for a call; None if its function, or its arguments, do not qualify."""
        func = self.loose.get(call.callee_name)
        if func is None:
            return None
        params = func.body.block.args
        if len(call.args) != len(params):
            return None
        known = {
            index: type
            for index in _loose_parameters(func)
            if isinstance(type := call.args[index].type, TensorType) and type != params[index].type
        }
        types = _parameter_types(func, known)
        key, made = _up_to_names(types), self.made[call.callee_name]
        if key in made:
            return made[key]
        return self._make(func, types, key) if types and len(made) < MOST_COPIES else None

    def _make(self, func: FuncOp, types: Mapping[int, Attribute], key: object) -> FuncOp:
        copy = func.clone()
        name = unique_name(func.sym_name.data, self.names)
        self.names.add(name)
        copy.properties["sym_name"] = StringAttr(name)
        copy.properties["sym_visibility"] = StringAttr("private")
        made = self.made[func.sym_name.data]
        last = next(reversed(made.values()), func)
        made[key] = copy
        assert last.parent is not None
        last.parent.insert_op_after(copy, last)
        params = copy.body.block.args
        self.infer(copy, {params[i]: type for i, type in types.items()})
        if is_loose(copy.function_type.output) and any(map(self._is_call_of(name), copy.walk())):
            self._infer_recursion(copy)
        return copy

    @staticmethod
    def _is_call_of(name: str) -> Callable[[Operation], bool]:
        return lambda op: isinstance(op, CallOp) and op.callee_name == name

    def _infer_recursion(self, func: FuncOp) -> None:
        """Infer the result of a function that calls itself from what its other branches yield."""
        declared, block = func.function_type.output, func.body.block
        bound = defined_variables(block.arg_types)
        found = [value.type for value in returned_values(func.return_op.operands[0])]
        known = [
            substitute(type, dict.fromkeys(n for n in free_variables(type) if n not in bound))
            for type in found
            if not is_loose(type)
        ]
        if not known:
            return
        self.updated.add(func.sym_name.data)
        for output in (reduce(join, known), declared):
            func.properties["function_type"] = signature(block.arg_types, output)
            for _ in range(ROUNDS):
                if not _Specializing(self, {}).changes(func):
                    return

    def infer(self, func: FuncOp, types: dict[SSAValue, Attribute]) -> None:
        """Infer the types of a function, whose parameters get others."""
        _Specializing(self, types).changes(func)


def _parameter_types(func: FuncOp, known: Mapping[int, TensorType]) -> dict[int, Attribute]:
    """Return the types of parameters for arguments of these types, with the function's own size names.

    A size not determined by a bare variable of an argument gets a name.
    """
    taken = {
        name for op in func.walk() for type in op.result_types for name in free_variables(type)
    }
    taken.update(name for type in func.body.block.arg_types for name in free_variables(type))

    def fresh(name: str) -> Expr:
        found = unique_name(name, taken)
        taken.add(found)
        return var(found)

    bare = {name: fresh(name) for type in known.values() for name in bare_variables(type)}
    sizes: dict[Expr, Expr] = {}

    def named(dim: Expr | None) -> Expr | None:
        if dim is None or bare.keys() >= set(dim.free_variables):
            return None if dim is None else dim.substitute(bare)
        if dim not in sizes:
            sizes[dim] = fresh("size")
        return sizes[dim]

    return {
        index: TensorType(None if type.shape is None else map(named, type.shape), type.dtype)
        for index, type in known.items()
    }


def _up_to_names(types: Mapping[int, Attribute]) -> tuple[object, ...]:
    """Return a canonical form of parameter types, equal up to the names of sizes."""
    names = dict.fromkeys(name for type in types.values() for name in free_variables(type))
    numbered = {name: var(f"size_{number}") for number, name in enumerate(names)}
    return tuple((index, substitute(type, numbered)) for index, type in types.items())


def _entry_types(func: FuncOp) -> dict[SSAValue, Attribute]:
    """Narrower types for parameters, by the matches that are evaluated before any effect."""
    found: dict[SSAValue, Attribute] = {}
    symbols = ModuleSymbols(func)
    for op in _first_ops(func.body.block):
        if not isinstance(op, BlockOp) and not is_pure(op, symbols):
            break
        if not isinstance(op, MatchOp):
            continue
        param, target = op.operands[0], op.results[0].type
        if param.owner is func.body.block and is_loose(param.type) and param not in found:
            type = _narrowed(param.type, target)
            if type != param.type:
                found[param] = type
    return found


def _first_ops(block: Block) -> Iterator[Operation]:
    """Yield the ops of a body and of the blocks in it, in order."""
    for op in block.ops:
        yield op
        if isinstance(op, BlockOp):
            yield from _first_ops(op.body.block)


def _narrowed(type: Attribute, target: Attribute) -> Attribute:
    """Return a loose type with the rank and the element type of another."""
    assert isinstance(type, TensorType)
    if not isinstance(target, TensorType):
        return type
    shape = type.shape
    if shape is None and target.shape is not None:
        shape = [None] * len(target.shape)
    return TensorType(shape, type.dtype or target.dtype)


def specialize_functions(module: ModuleOp) -> None:
    """Create copies of functions of unknown ranks or element types, for the types that they are called
    with."""
    loose = {f.sym_name.data: f for f in functions(module) if _loose_parameters(f)}
    if not loose:
        return
    graph = CallGraph.of(module)
    copies = _Copies(set(graph.symbols), loose)
    for component in graph.components:  # callees first
        for function in map(graph.symbols.get, component):
            if not isinstance(function, FuncOp):
                continue
            if not function.is_private:
                copies.infer(function, _entry_types(function))
            elif function.sym_name.data not in copies.loose:
                copies.infer(function, {})
    remove_unused_functions(module, copies.loose.keys())


class SpecializeFunctionsPass(ModulePass):
    """`specialize_functions` on a module."""

    name = NAME

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with deep_recursion():  # as deep as functions of unknown ranks call each other
            specialize_functions(op)

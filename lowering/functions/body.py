"""The body of a Relax function, op by op, as allocation, calls and run-time checks on memrefs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn, TypeAlias

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    LocationAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TupleType,
    UnitAttr,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.functions.packed import FUNCTION, declaration, symbol_hint, to_attribute
from lowering.functions.packed_form import OBJECT as PACKED_OBJECT
from lowering.functions.packed_form import PackedForm
from lowering.functions.signature import (
    INDEX,
    Buffer,
    Handle,
    Leaf,
    Lowered,
    Parameter,
    Signature,
    Sizes,
    is_handle,
    kinds_of,
    leaf_types,
    leaves,
    lowered_types,
    memref_type,
    require_lowerable,
    says_too_little,
    signature,
)
from lowering.target import ALIGNMENT
from relax_dialect import prim_func, symbolic
from relax_dialect.call_graph import ops_inside, unique_name
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.facts import ContradictionError, Facts
from relax_dialect.locations import inherit, ops_between, prefixed
from relax_dialect.ops import blocks, calls, control, core, graph
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.objects import ReleaseOp, RetainOp
from relax_dialect.order import describe
from relax_dialect.purity import module_symbols
from relax_dialect.recursion import Recursion, recursion_limit, too_deep
from relax_dialect.rewrites.regions import Body
from relax_dialect.run_time_checks import (
    NOT_NEGATIVE,
    PLACE,
    called,
    check,
    definition_of,
    function_around,
    large_size,
    no_size,
    place_of,
    shape_holes,
    wrong_size,
)
from relax_dialect.size_ops import SizeEmitter
from relax_dialect.symbolic import MAX_EXTENT, Expr
from relax_dialect.traits import region_is_graph
from relax_dialect.types import (
    OBJECT,
    Dim,
    Dims,
    FuncType,
    PrimType,
    ShapeType,
    Sized,
    TensorType,
    contradict,
    dims_text,
    free_variables,
    hides_effects,
    join,
    map_dims,
    tuple_type,
)
from relax_dialect.unify import unify

SCALAR_DIALECTS = ("arith", "math")

Place: TypeAlias = Callable[[int, TensorType, Sequence[SSAValue]], Buffer | None]
"""Where a prim func writes a result, by its number, type and sizes; None for a fresh buffer."""
Told: TypeAlias = Buffer | Sizes | SSAValue
"""What sizes are read from: a tensor, a shape, or a scalar that is a size itself."""
Nested: TypeAlias = Iterator[Block]
"""The work on an op with regions: each block that is given is lowered before the work goes on."""


@dataclass
class ModuleState:
    """What the functions of a module share: symbols, signatures and constants."""

    module: ModuleOp
    symbols: dict[str, Operation] = field(init=False)
    globals: dict[DenseIntOrFPElementsAttr, tuple[str, MemRefType]] = field(default_factory=dict)
    declarations: dict[object, str] = field(default_factory=dict)
    """The symbols of functions from outside, by what distinguishes them."""
    signatures: dict[str, Signature] = field(default_factory=dict)
    made: dict[str, None] = field(default_factory=dict)
    """The functions that function values are made of."""
    recursion: Recursion = field(init=False)
    limit: int = field(init=False)
    """How deep calls of recursive functions may nest."""
    nested: dict[str, str] = field(default_factory=dict)
    """The symbols of what recursive functions call in place of those among them that are called from
    outside, or as function values."""

    def __post_init__(self) -> None:
        self.symbols = module_symbols(self.module)
        self.recursion = Recursion.of(self.module)
        self.limit = recursion_limit(self.module)
        made = {
            op.callee_name
            for op in ops_inside(self.module)
            if isinstance(op, control.MakeClosureOp)
        }
        for name in sorted(self.recursion.passing):
            function = self.symbols[name]
            if not isinstance(function, core.FuncOp):
                continue
            if name in made or not function.is_private:
                self.nested[name] = unique_name(f"{name}_nested", self.symbols)
                self.symbols[self.nested[name]] = function

    def signature_of(self, function: core.FuncOp) -> Signature:
        name = function.sym_name.data
        if name not in self.signatures:
            self.signatures[name] = signature(function)
        return self.signatures[name]

    def global_for(self, op: core.ConstantOp) -> tuple[str, MemRefType]:
        """The `memref.global` that holds a constant; equal constants share one."""
        if op.value not in self.globals:
            assert isinstance(op.result.type, TensorType)
            type = memref_type(op.result.type)
            name = unique_name(op.result.name_hint or "constant", self.symbols)
            definition = memref.GlobalOp.get(
                StringAttr(name),
                type,
                op.value,
                sym_visibility=StringAttr("private"),
                constant=UnitAttr(),
            )
            self.module.body.block.add_op(definition)
            self.symbols[name] = definition
            self.globals[op.value] = (name, type)
        return self.globals[op.value]

    def declare(
        self, form: PackedForm, inputs: Sequence[Attribute], outputs: Sequence[Attribute]
    ) -> str:
        """The symbol of a function from outside; calls of one form and signature share it."""
        key = (form, tuple(inputs), tuple(outputs))
        if key not in self.declarations:
            name = symbol_hint(form.name)
            if name in self.symbols:
                name = unique_name(f"{name}_{len(self.declarations)}", self.symbols)
            definition = declaration(name, form, inputs, outputs)
            self.module.body.block.add_op(definition)
            self.symbols[name] = definition
            self.declarations[key] = name
        return self.declarations[key]


@dataclass
class SizeMatch:
    """A size to be bound or checked: what messages call the value, the size expected, the size as far
    as it is known, and the value and dimension to read it from; a scalar has no dimensions."""

    what: str
    pattern: Expr
    dim: Dim
    value: Told
    index: int


class FunctionLowering:
    """Translates the body of one function, op by op."""

    def __init__(self, function: core.FuncOp, module: ModuleState):
        self.function = function
        self.module = module
        self.where = function_around(function)
        self.signature = module.signature_of(function)
        self.block = Block()
        self.place = ""
        """The op that is being lowered, as messages call it."""
        self.location: LocationAttr = function.location
        self.values: dict[SSAValue, Lowered] = {}
        self.symbols: dict[str, SSAValue] = {}
        self.sizes = SizeEmitter.over(self.add, self.symbols, self.require_size)
        self.matched = ""
        """The value whose size is being computed to compare it, as messages call it with its function."""
        self.definitions: dict[str, str] = {}
        """The matches that have bound symbolic variables, as messages tell them."""
        self.facts = Facts()
        """The equalities of sizes that were checked before the point of insertion."""
        self.owners: dict[SSAValue, SSAValue] = {}
        """Every memref that lies in an allocation of this function, with the allocation, and every object
        that this function holds."""
        self.moved: set[SSAValue] = set()
        """The allocations and objects that were given to a loop, which frees them."""
        self.level: SSAValue | None = None
        """How many calls of recursive functions are active where this one calls another."""
        self.used_inside: dict[Operation, dict[SSAValue, None]] = {}
        """The allocations from around an op that are used in its regions."""

    def add(self, op: Operation) -> SSAValue:
        """Append an op; its (first) result."""
        self.block.add_op(op)
        return op.results[0]

    def lower(self) -> func.FuncOp:
        """The function on memrefs."""
        self._enter()
        self._lower_body()
        results = self._return(self.function.return_op)
        self.block.add_op(func.ReturnOp(*results))
        self.free(results)
        return self._finish(results)

    @contextmanager
    def region(self) -> Iterator[Block]:
        """Lower into a block of its own, whose values and symbolic variables end with it."""
        outer, self.block = self.block, Block()
        bound = len(self.symbols)
        with self.sizes.scope(), self.facts.scope():
            yield self.block
        while len(self.symbols) > bound:
            self.symbols.popitem()
        self.block = outer

    # Entry and exit

    def _enter(self) -> None:
        for symbol in self.signature.symbols:
            argument = self.block.insert_arg(INDEX, len(self.block.args))
            argument.name_hint = symbol
            self.symbols[symbol] = argument
        parts = iter(self.signature.params)
        for argument in self.function.body.block.args:
            self.values[argument] = self._parameter(argument.type, parts)
        self._enter_level()

    def _enter_level(self) -> None:
        """A recursive function is told its level, which has a limit."""
        name = self.function.sym_name.data
        if name not in self.module.recursion.passing:
            return
        self.level = self.block.insert_arg(INDEX, len(self.block.args))
        self.level.name_hint = "level"
        if name in self.module.recursion.functions:
            limit = self.module.limit
            holds = self.add(arith.CmpiOp(self.level, self.sizes.constant(limit), "slt"))
            self.require_size(holds, too_deep(limit))
            self.level = self.add(arith.AddiOp(self.level, self.sizes.constant(1)))

    def _parameter_leaves(self) -> Iterable[Leaf]:
        for argument in self.function.body.block.args:
            yield from leaves(self.values[argument])

    def _parameter(self, type: Attribute, parts: Iterator[Parameter]) -> Lowered:
        if isinstance(type, TupleType):
            return tuple(self._parameter(t, parts) for t in type.types)
        part = next(parts)
        if isinstance(type, ShapeType):
            assert type.shape is not None
            return Sizes([self._shape_parameter(part, d) for d in type.shape])
        (lowered,) = lowered_types(type)
        argument = self.block.insert_arg(lowered, len(self.block.args))
        argument.name_hint = part.name
        if is_handle(type):
            return Handle(argument, type)
        return Buffer(argument, type) if isinstance(type, TensorType) else argument

    def _shape_parameter(self, part: Parameter, dim: Dim) -> SSAValue:
        """A size of a shape parameter: known from the symbols, or an argument of its own."""
        if dim is not None:
            return self.sizes.size(dim)
        argument = self.block.insert_arg(INDEX, len(self.block.args))
        argument.name_hint = part.name
        return argument

    def _return(self, op: core.ReturnOp) -> list[SSAValue]:
        value = self.fit("the result", self.values[op.value], self.signature.output)
        return self.hand_over(value, self.signature.results)

    def hand_over(self, value: Lowered, types: Sequence[Attribute]) -> list[SSAValue]:
        """The values that end a block: memrefs of its own allocations that nobody else holds, references
        to objects of its own, sizes and scalars as they are."""
        handed_over: set[SSAValue] = set()
        results: list[SSAValue] = []
        for leaf, type in zip(leaves(value), types, strict=True):
            if isinstance(leaf, Sizes):
                results += leaf.sizes
                continue
            if isinstance(leaf, SSAValue):
                results.append(leaf)
                continue
            mine = leaf.owner is not None and block_of(leaf.owner) is self.block
            if not mine or leaf.owner in handed_over:
                leaf = self.copy(leaf) if isinstance(leaf, Buffer) else self.retain(leaf)
            assert leaf.owner is not None
            handed_over.add(leaf.owner)
            if isinstance(leaf, Buffer):
                assert isinstance(type, TensorType)
                results.append(self.cast(leaf, memref_type(type)).memref)
            else:
                results.append(leaf.value)
        return results

    def retain(self, value: Handle) -> Handle:
        return self.hold(self.add(RetainOp(value.value)), value.type, value.value.name_hint)

    def hold(self, value: SSAValue, type: Attribute, hint: str | None = None) -> Handle:
        """An object that this function has been given a reference to."""
        value.name_hint = hint
        self.owners[value] = value
        return Handle(value, type, value)

    def owns(self, value: Buffer) -> bool:
        """Whether a tensor lies in an allocation of the block that is being filled: in the body of a loop
        the next turn reads what lies outside."""
        return value.owner is not None and block_of(value.owner) is self.block

    def copy(self, value: Buffer) -> Buffer:
        """The tensor in an allocation of its own."""
        type = value.type
        fresh = self.allocate(
            type, [self.actual_size(value, i) for i in range(len(type.shape or ()))]
        )
        source = self.cast(value, fresh.memref.type)  # pyright: ignore[reportArgumentType]
        self.block.add_op(memref.CopyOp(source.memref, fresh.memref))
        return fresh

    def free(self, results: Sequence[SSAValue]) -> dict[SSAValue, None]:
        """Free every allocation and every object of the block behind its last use, but those that are
        handed over. What the block was given and does not use is freed first.

        Gives the allocations and objects from outside that are used in the block: they live until the
        op that holds it has run.
        """
        kept = {self.owners.get(r, r) for r in results} | self.moved
        last_use: dict[SSAValue, Operation] = {}
        outer: dict[SSAValue, None] = {}
        for op in self.block.ops:
            used = {self.owners[v]: None for v in (*op.operands, *op.results) if v in self.owners}
            for owner in used | self.used_inside.get(op, {}):
                if block_of(owner) is not self.block:
                    outer[owner] = None
                elif owner not in kept:
                    last_use[owner] = op
        for owner, op in last_use.items():
            self.block.insert_op_after(_freeing(owner), op)
        for given in self.block.args:
            if given in self.owners and given not in last_use and given not in kept:
                assert self.block.first_op is not None
                self.block.insert_op_before(_freeing(given), self.block.first_op)
        return outer

    def _finish(self, results: Sequence[SSAValue]) -> func.FuncOp:
        inputs = [a.type for a in self.block.args]
        name = self.function.sym_name.data
        is_private = self.function.is_private or name in self.module.nested
        lowered = func.FuncOp(
            self.module.nested.get(name, name),
            (inputs, [r.type for r in results]),
            Region(self.block),
            visibility="private" if is_private else None,
            arg_attrs=ArrayAttr(self._argument_attributes()),
            res_attrs=ArrayAttr(
                DictionaryAttr(_described(t))
                for t in self.signature.results
                for _ in lowered_types(t)
            ),
        )
        if not is_private:
            lowered.attributes["relax.entry"] = UnitAttr()
        if place_of(self.function):
            lowered.attributes[PLACE] = StringAttr(place_of(self.function))
        return lowered

    def _argument_attributes(self) -> Iterable[DictionaryAttr]:
        types: dict[SSAValue, Attribute] = {}
        for leaf, param in zip(self._parameter_leaves(), self.signature.params, strict=True):
            match leaf:
                case Buffer(memref=value) | Handle(value=value) | (SSAValue() as value):
                    types[value] = param.type
                case Sizes():
                    pass
        symbols = len(self.signature.symbols)
        for argument in self.block.args:
            if argument.index < symbols:
                name = self.signature.symbols[argument.index]
                yield DictionaryAttr({prim_func.SYMBOL: StringAttr(name)})
            else:
                described = _described(types[argument]) if argument in types else {}
                name = StringAttr(argument.name_hint or f"arg{argument.index}")
                yield DictionaryAttr({**described, "relax.name": name})

    # Buffers

    def allocate(
        self, type: TensorType, sizes: Sequence[SSAValue], hint: str | None = None
    ) -> Buffer:
        lowered = memref_type(type)
        dynamic = [s for s, n in zip(sizes, lowered.get_shape()) if n == DYNAMIC_INDEX]
        result = self.add(
            memref.AllocOp.get(lowered.element_type, ALIGNMENT, lowered.get_shape(), dynamic)
        )
        result.name_hint = hint
        self.owners[result] = result
        return Buffer(result, type, result)

    def cast(self, value: Buffer, type: MemRefType) -> Buffer:
        if value.memref.type == type:
            return value
        result = self.add(memref.CastOp.get(value.memref, type))
        result.name_hint = value.memref.name_hint
        if value.owner is not None:
            self.owners[result] = value.owner
        return Buffer(result, value.type, value.owner)

    def actual_size(self, value: Told, index: int) -> SSAValue:
        """The size of a dimension as a value: computed from symbols where they tell, else read."""
        if isinstance(value, Sizes):
            return value.sizes[index]
        if isinstance(value, SSAValue):
            return self.add(arith.IndexCastOp(value, INDEX))
        assert value.type.shape is not None
        dim = value.type.shape[index]
        if dim is not None and all(v in self.symbols for v in dim.free_variables):
            return self.sizes.size(dim)
        return self.add(memref.DimOp(value.memref, self.sizes.constant(index)))

    def check(
        self,
        what: str,
        index: int | None,
        pattern: Expr,
        expected: SSAValue,
        actual: SSAValue,
        definition: str = "",
    ) -> None:
        """Stop the function with an error at run time unless the size of a dimension, of a value that
        messages name with its function, is that of the pattern."""
        if expected is actual:
            return
        holds = self.add(arith.CmpiOp(actual, expected, "eq"))
        message = f"{what}: {wrong_size(pattern, '{%1}', index, '{%0}', definition)}"
        self.block.add_op(check(holds, message, shows=True))

    def match(
        self,
        entries: Sequence[SizeMatch],
        bound: dict[str, SSAValue],
        sizes: SizeEmitter,
        *,
        own_scope: bool,
    ) -> None:
        """Bind variables that stand bare and are not yet bound, then check every other size.

        `bound` and `sizes` are the variables of the patterns: those of this function (`own_scope`)
        or those of a function called, whose names mean nothing here.
        """
        known: dict[str, Expr] = {}
        rest: list[SizeMatch] = []
        for entry in entries:
            name = entry.pattern.name
            if name is None or name in bound:
                rest.append(entry)
                continue
            bound[name] = self.actual_size(entry.value, entry.index)
            bound[name].name_hint = bound[name].name_hint or name
            if isinstance(entry.value, Sizes):
                self.require_extent(entry.what, entry.index, bound[name])
            elif isinstance(entry.value, SSAValue):
                self._require_size_of(entry.what, bound[name])
            if entry.dim is not None:
                known[name] = entry.dim
                if own_scope:
                    self._learn(entry.dim, entry.pattern)
        for entry in rest:
            variables = entry.pattern.free_variables
            for variable in variables:
                if variable not in bound:
                    raise RelaxError(
                        f"{entry.what}: expected a size for '{variable}', which stands bare in "
                        "no argument; pass it through a parameter of type "
                        f"!relax.shape<[{variable}]>"
                    )
            comparable = own_scope or all(v in known for v in variables)
            expected = entry.pattern.substitute(known) if comparable else None
            if expected is not None and entry.dim is not None:
                if self.facts.equal(expected, entry.dim):
                    continue
                self._learn(entry.dim, expected)
            actual = self.actual_size(entry.value, entry.index)
            self.matched = entry.what
            size = sizes.size(entry.pattern)
            self.matched = ""
            name = entry.pattern.name if own_scope else None
            definition = self.definitions.get(name or "", "")
            index = None if isinstance(entry.value, SSAValue) else entry.index
            self.check(entry.what, index, entry.pattern, size, actual, definition)

    def _learn(self, size: Expr, kept: Expr) -> None:
        """Note that two sizes are equal from here on; where they cannot be, the check will tell."""
        with suppress(ContradictionError):
            self.facts.add(size, kept)

    def require(self, condition: SSAValue, message: str) -> None:
        """Stop the function with an error at run time unless a condition holds."""
        self.block.add_op(check(condition, f"{self.where}: {message}"))

    def require_size(self, condition: SSAValue, message: str, place: str = "") -> None:
        """The same for a condition of sizes, which the message has holes for, at the place of an op:
        the one that is being lowered, unless another is given."""
        place = place or self.place
        what = self.matched or (f"{self.where}: {place}" if place else self.where)
        self.block.add_op(check(condition, f"{what}: {message}", shows=True))

    def require_not_negative(self, size: SSAValue, place: str) -> None:
        """Stop the function with an error at run time if a size is negative."""
        holds = self.add(arith.CmpiOp(size, self.sizes.constant(0), "sge"))
        self.require_size(holds, NOT_NEGATIVE, place)

    def require_extent(self, what: str, index: int, size: SSAValue) -> None:
        """The same if a size that was computed is larger than sizes may be."""
        if not isinstance(size.owner, Block | memref.DimOp | arith.ConstantOp):
            holds = self.add(arith.CmpiOp(size, self.sizes.constant(MAX_EXTENT), "sle"))
            message = f"{what}: {large_size('{%0}', index)}"
            self.block.add_op(check(holds, message, shows=True))

    def _require_size_of(self, what: str, number: SSAValue) -> None:
        """The same if a number that defines a symbolic variable is no size."""
        from_zero = self.add(arith.CmpiOp(number, self.sizes.constant(0), "sge"))
        to_limit = self.add(arith.CmpiOp(number, self.sizes.constant(MAX_EXTENT), "sle"))
        holds = self.add(arith.AndIOp(from_zero, to_limit))
        self.block.add_op(check(holds, f"{what}: {no_size('{%0}')}", shows=True))

    # Ops

    def _lower_body(self) -> None:
        """Lower the blocks of the function, however deeply they nest, in order of evaluation."""
        body = Body(self.function.body.block, is_graph=False, owner=self.function)
        stack = [(body, self._lower_ops(body))]
        while stack:
            around, work = stack[-1]
            block = next(work, None)
            if block is None:
                stack.pop()
                continue
            owner = block.parent_op()
            assert owner is not None
            body = Body(block, region_is_graph(owner, around.is_graph), owner)
            stack.append((body, self._lower_ops(body)))

    def _lower_ops(self, body: Body) -> Nested:
        for op in body.ops():
            self.place, self.location = place_of(op) or describe(op), op.location
            block, before = self.block, self.block.last_op
            lower = _LOWERINGS.get(type(op))
            if lower is not None:
                with blaming(op):
                    yield from lower(self, op) or ()
            elif op.dialect_name() in SCALAR_DIALECTS and not _works_on_tensors(op):
                self._clone_scalar(op)
            else:
                raise RelaxError(
                    f"{self.where}: {describe(op)}: expected ops that can be compiled (relax.call_tir, "
                    "scalar arith and math, and those that shape a function), found this one; "
                    + _instead(op)
                )
            inherit(ops_between(block, before, None), op.location)

    def _clone_scalar(self, op: Operation) -> None:
        clone = op.clone({o: self.values[o] for o in op.operands})  # pyright: ignore
        self.block.add_op(clone)
        self.values.update(zip(op.results, clone.results))

    def lower_constant(self, op: core.ConstantOp) -> None:
        name, type = self.module.global_for(op)
        result = self.add(memref.GetGlobalOp(name, type))
        result.name_hint = op.result.name_hint
        assert isinstance(op.result.type, TensorType)
        self.values[op.result] = Buffer(result, op.result.type)

    def lower_tuple(self, op: core.TupleOp) -> None:
        self.values[op.result] = tuple(self.values[f] for f in op.fields)

    def lower_tuple_get_item(self, op: core.TupleGetItemOp) -> None:
        value = self.values[op.tuple]
        assert isinstance(value, tuple)
        self.values[op.result] = value[op.index]

    def lower_shape(self, op: core.ShapeOp) -> None:
        sizes: list[SSAValue] = []
        for dim in op.sizes.data or ():
            if dim is not None:
                sizes.append(size := self.sizes.size(dim))
                if not _never_negative(dim):
                    self.require_not_negative(size, describe(op))
        self.values[op.result] = Sizes(sizes)

    def lower_shape_of(self, op: core.ShapeOfOp) -> None:
        value = self.values[op.x]
        assert isinstance(value, Buffer)
        rank = len(value.type.shape or ())
        self.values[op.result] = Sizes([self.actual_size(value, i) for i in range(rank)])

    def lower_match(self, op: core.MatchShapeOp | core.MatchCastOp) -> None:
        what = describe(op)
        defined = [name for name in op.candidates() if name not in self.symbols]
        for name in defined:
            self.definitions.pop(name, None)  # of a region that has ended
        value = self.values[op.value]
        self.values[op.result] = self.match_value(what, value, op.value.type, op.result.type)
        for name in defined:
            self.definitions[name] = definition_of(name, what, op.location)

    def match_value(self, what: str, value: Lowered, old: Attribute, new: Attribute) -> Lowered:
        """Check one value, part by part, against the type it is cast to."""
        actual = _type_of(value)
        if isinstance(value, Handle):
            return self._match_handle(what, value, new)
        if contradict(actual, new) and not isinstance(value, tuple):
            return self._mismatch(what, value, actual, new)
        if isinstance(value, tuple):
            if not isinstance(new, TupleType):
                if contradict(actual, new):
                    self._refuse(what, actual, new)
                return value
            if len(new.types) != len(value):
                self._refuse(what, actual, new)
            olds = old.types if isinstance(old, TupleType) else actual.types  # pyright: ignore
            return tuple(
                self.match_value(f"{what}, field {i}", v, o, n)
                for i, (v, o, n) in enumerate(zip(value, olds, new.types))
            )
        if not isinstance(new, Sized) or new.shape is None:
            return value
        known = value.type.shape if isinstance(value, Buffer) else _shape_of(old)
        entries = _size_matches(f"{self.where}: {what}", new.shape, known, value)
        self.match(entries, self.symbols, self.sizes, own_scope=True)
        if not isinstance(value, Buffer):
            return value
        assert isinstance(new, TensorType)
        narrowed = TensorType.get(
            tuple(n if n is not None else o for n, o in zip(new.shape, value.type.shape or ())),
            value.type.dtype,
        )
        cast = self.cast(value, memref_type(narrowed))
        return Buffer(cast.memref, narrowed, cast.owner)

    def _match_handle(self, what: str, value: Handle, new: Attribute) -> Handle:
        """An object that is to be one, or a function."""
        if not is_handle(new):
            raise RelaxError(
                f"{self.where}: {what}: expected an object or a function, which is all that is known "
                f"of the value in compiled code, found {new}; declare that type where the value is made"
            )
        known = isinstance(value.type, FuncType) and not hides_effects(value.type, new)
        if isinstance(new, FuncType) and not known:
            place = prefixed(f"{self.where}: {what}", self.location)
            kind = "pure" if new.is_pure else "any"
            form = PackedForm("check_function", (PACKED_OBJECT,), place=place, checks=kind)
            symbol = self.module.declare(form, [OBJECT], [])
            self.block.add_op(func.CallOp(symbol, [value.value], []))
        return Handle(value.value, new, value.owner)

    def _refuse(self, what: str, actual: Attribute, new: Attribute) -> NoReturn:
        raise RelaxError(
            f"{self.where}: {what}: expected a type that the value can have, which is of {actual}, "
            f"found {new}; correct the target type"
        )

    def _mismatch(self, what: str, value: Leaf, actual: Attribute, new: Attribute) -> Lowered:
        """Fail where this is reached, which may be never; what stands for the value behind it."""
        dims = getattr(actual, "shape", None)
        sizes: Sequence[SSAValue]
        match value, new:
            case Buffer(), TensorType():
                if new.dtype is not None and new.dtype != value.type.dtype:
                    self._fail(
                        f"{what}: expected element type {new.dtype}, found {value.type.dtype}; "
                        "convert the array with astype"
                    )
                sizes = [self.actual_size(value, i) for i in range(len(dims or ()))]
            case Sizes(), ShapeType():
                sizes = value.sizes
            case _:
                self._refuse(what, actual, new)
        if new.shape is not None and len(new.shape) == len(sizes):
            entries = _size_matches(f"{self.where}: {what}", new.shape, dims, value)
            self.match(entries, self.symbols, self.sizes, own_scope=True)
        elif new.shape is not None:
            found = shape_holes(dims or ()) if isinstance(value, Buffer) else f"{len(sizes)} sizes"
            self._fail(
                f"{what}: expected {len(new.shape)} dimensions, {dims_text(new.shape)}, found "
                f"{len(sizes)}, {found}",
                shows=True,
            )
            sizes = [self._any_size(dim) for dim in new.shape]
        if isinstance(new, ShapeType):
            return Sizes(list(sizes))
        assert isinstance(value, Buffer)
        shape = new.shape if new.shape is not None else value.type.shape
        narrowed = TensorType.get(shape, new.dtype or value.type.dtype)
        sizes = [self.sizes.size(d) if d is not None else n for d, n in zip(shape or (), sizes)]
        return self.allocate(narrowed, sizes)

    def _fail(self, message: str, shows: bool = False) -> None:
        never = self.add(arith.ConstantOp(IntegerAttr.from_bool(False)))
        self.block.add_op(check(never, f"{self.where}: {message}", shows))

    def _any_size(self, dim: Dim) -> SSAValue:
        """A size behind a check that fails; its variables are 0 from here on."""
        zero = self.sizes.constant(0)
        for name in () if dim is None else dim.free_variables:
            self.symbols.setdefault(name, zero)
        return zero

    def lower_block(self, op: blocks.BlockOp) -> Nested:
        yield op.body.block
        for result, value in zip(op.results, op.output.operands):
            self.values[result] = self.values[value]

    def lower_let(self, op: graph.LetOp) -> None:
        self.values[op.result] = self.values[op.value]

    def lower_if(self, op: control.IfOp) -> Nested:
        whole = op.result.type
        if says_too_little(whole):
            whole = join(*(v.type for v in op.yields))
        types = leaf_types(whole)
        for type in types:
            require_lowerable(self.where, f"{describe(op)}: the result", type)
        branches: list[Region] = []
        used: dict[SSAValue, None] = {}
        for region in op.regions:
            with self.region() as block:
                yield region.block
                last = region.block.last_op
                assert isinstance(last, control.YieldOp)
                value = self.fit(f"{describe(op)}: a branch", self.values[last.value], whole)
                handed_over = self.hand_over(value, types)
                block.add_op(scf.YieldOp(*handed_over))
                used |= self.free(handed_over)
                branches.append(Region(block))
        lowered = scf.IfOp(
            self.condition(op.condition),
            [t for type in types for t in lowered_types(type)],
            branches[0],
            branches[1],
        )
        self.block.add_op(lowered)
        self.used_inside[lowered] = used
        results = iter(lowered.results)
        parts = iter([self.received(type, results, op.result.name_hint) for type in types])
        self.values[op.result] = nest(whole, parts)

    def condition(self, value: SSAValue) -> SSAValue:
        """A boolean tensor of rank 0 as a scalar."""
        condition = self.values[value]
        if not isinstance(condition, Buffer):
            assert isinstance(condition, SSAValue)
            return condition
        return self.add(memref.LoadOp.get(condition.memref, []))

    def fit(self, what: str, value: Lowered, type: Attribute) -> Lowered:
        """A value for a place of a type: what stands where an object is expected must be one."""
        if isinstance(type, TupleType) and isinstance(value, tuple):
            return tuple(self.fit(what, v, t) for v, t in zip(value, type.types, strict=True))
        if is_handle(type) and not isinstance(value, Handle):
            raise RelaxError(
                f"{self.where}: {what}: expected an object of a function from outside, found a value "
                f"of {_type_of(value)}; declare this type instead of {type}"
            )
        return value

    def received(self, type: Attribute, results: Iterator[SSAValue], hint: str | None) -> Leaf:
        """A part of what an if or a call gives: a tensor is an allocation that this block now owns."""
        if isinstance(type, ShapeType):
            return Sizes([next(results) for _ in type.shape or ()])
        result = next(results)
        if is_handle(type):
            return self.hold(result, type, hint)
        result.name_hint = hint
        if not isinstance(type, TensorType):
            return result
        self.owners[result] = result
        in_scope = map_dims(type, self._in_scope)
        assert isinstance(in_scope, TensorType)
        return Buffer(result, in_scope, result)

    def _in_scope(self, dim: Dim) -> Dim:
        known = dim is not None and all(v in self.symbols for v in dim.free_variables)
        return dim if known else None

    def lower_call_tir(self, op: calls.TirCallOp, place: Place | None = None) -> None:
        """Call a prim func, which writes its results to the places given, or else to fresh buffers."""
        callee = self.module.symbols.get(op.callee_name)
        assert isinstance(callee, func.FuncOp)
        found = prim_func.signature(callee)
        if callee.function_type.outputs.data:
            raise RelaxError(
                f"{self.where}: relax.call_tir: expected @{op.callee_name} to write its results into "
                "memref arguments, found a function on tensors; run relax-bufferize first"
            )
        origin = place_of(op)
        require = partial(self.require_size, place=origin)
        bound = {
            name: self.sizes.size(size)
            for name, size in zip(found.unbound, op.symbols.data or () if op.symbols else ())
            if size is not None
        }
        sizes = SizeEmitter.over(self.add, bound, require)
        args = [self._buffer(op, a) for a in op.args]
        inputs = callee.body.block.args[len(found.symbols) : len(found.symbols) + len(args)]
        names = [f"'{a.name_hint or f'#{a.index}'}'" for a in inputs]
        self._match_arguments(op, names, found.params, args, bound, sizes)
        for name in dict.fromkeys(v for t in found.results for v in free_variables(t)):
            if name not in bound:
                raise RelaxError(
                    f"{self.where}: relax.call_tir @{op.callee_name}: expected the sizes of its results "
                    f"from its arguments, found '{name}' in no relax.dims of theirs; add it there, or an "
                    f'index argument with relax.symbol = "{name}"'
                )
        outs: list[Buffer] = []
        unproved: list[SSAValue] = []
        _, known_types = op.infer_with(callee)
        for index, (result, type, known) in enumerate(zip(op.results, found.results, known_types)):
            assert isinstance(known, TensorType) and type.shape is not None
            values = [sizes.size(d) for d in type.shape if d is not None]
            if origin:
                values = [
                    self._room(d, v, unproved) for d, v in zip(type.shape, values, strict=True)
                ]
            else:
                for dim, size in zip(type.shape, values, strict=True):
                    if dim is not None and not _never_negative(dim):
                        self.require_not_negative(size, "")
            given = None if place is None else place(index, known, values)
            outs.append(given or self.allocate(known, values, result.name_hint))
            self.values[result] = outs[-1]
        inputs = iter(callee.function_type.inputs.data[len(found.symbols) :])
        operands = [bound[s] for s in found.symbols]
        operands += [self.cast(b, _expect_memref(next(inputs))).memref for b in (*args, *outs)]
        self.block.add_op(call := func.CallOp(op.callee_name, operands, []))
        if origin:
            call.attributes[PLACE] = StringAttr(f"{self.where}: {origin}")
        for size in unproved:
            self.require_not_negative(size, origin)

    def _room(self, dim: Dim, size: SSAValue, unproved: list[SSAValue]) -> SSAValue:
        """A size to allocate: 0 where it is negative, as the op that checks it tells why."""
        if dim is None or _never_negative(dim):
            return size
        unproved.append(size)
        return self.add(arith.MaxSIOp(size, self.sizes.constant(0)))

    def _buffer(self, op: Operation, value: SSAValue) -> Buffer:
        lowered = self.values[value]
        if not isinstance(lowered, Buffer):
            raise RelaxError(f"{self.where}: {op.name}: expected tensors, found {value.type}")
        return lowered

    def _match_arguments(
        self,
        op: calls.SymbolCallOp,
        names: Sequence[str],
        params: Sequence[Sized],
        args: Sequence[Told],
        bound: dict[str, SSAValue],
        sizes: SizeEmitter,
    ) -> None:
        entries = [
            entry
            for name, param, arg in zip(names, params, args, strict=True)
            for entry in _size_matches(
                f"{called(self.module.symbols[op.callee_name])}: argument {name}",
                param.shape,
                arg.type.shape if isinstance(arg, Buffer) else None,
                arg,
            )
        ]
        self.match(entries, bound, sizes, own_scope=False)

    def lower_call(self, op: calls.CallOp) -> None:
        callee = self.module.symbols.get(op.callee_name)
        assert isinstance(callee, core.FuncOp)
        target = self.module.signature_of(callee)
        args = [
            leaf
            for name, a, type in zip(names_of(callee), op.args, callee.body.block.arg_types)
            for leaf in leaves(self.fit(f"{called(callee)}: argument {name}", self.values[a], type))
        ]
        bound: dict[str, SSAValue] = {}
        sizes = SizeEmitter.over(self.add, bound, self.require_size)
        names: list[str] = []
        shaped_types: list[Sized] = []
        shaped_args: list[Told] = []
        for name, param, arg in zip(parameter_names(callee), target.params, args, strict=True):
            if isinstance(param.type, Sized) and isinstance(arg, Handle):
                raise RelaxError(
                    f"{self.where}: {describe(op)}: expected a value of type {param.type} for {name}, "
                    f"found one of type {arg.type}, of which compiled code makes none; declare the type "
                    "it has"
                )
            if isinstance(param.type, Sized) and not isinstance(arg, Handle):
                names.append(name)
                shaped_types.append(param.type)
                shaped_args.append(arg)
        self._match_arguments(op, names, shaped_types, shaped_args, bound, sizes)
        operands = [bound[s] for s in target.symbols]
        for param, arg in zip(target.params, args):
            if isinstance(arg, Buffer):
                assert isinstance(param.type, TensorType)
                operands.append(self.cast(arg, memref_type(param.type)).memref)
            elif isinstance(arg, Sizes):
                assert isinstance(param.type, ShapeType)
                dims = param.type.shape or ()
                operands += [s for s, d in zip(arg.sizes, dims) if d is None]
            else:
                operands.append(arg.value if isinstance(arg, Handle) else arg)
        if op.callee_name in self.module.recursion.passing:
            operands.append(self.level if self.level is not None else self.sizes.constant(0))
        types = [t for result in target.results for t in lowered_types(result)]
        symbol = self.module.nested.get(op.callee_name, op.callee_name)
        call = func.CallOp(symbol, operands, types)
        self.block.add_op(call)
        unification = unify(op.name, callee.function_type.inputs.data, op.operand_types)
        results = iter(call.results)
        parts = [
            self.received(unification.apply(type), results, op.result.name_hint)
            for type in target.results
        ]
        self.values[op.result] = nest(target.output, iter(parts))


def _works_on_tensors(op: Operation) -> bool:
    """Whether an op takes or gives tensors of other dialects."""
    return any(isinstance(t, BuiltinTensorType) for t in (*op.operand_types, *op.result_types))


def _instead(op: Operation) -> str:
    """What to do about an op that has no lowered form here."""
    if _works_on_tensors(op):
        return (
            "move the ops on builtin tensors into a func.func and call it with relax.call_tir, or "
            "interpret the function"
        )
    return (
        "run relax-legalize first"
        if isinstance(op, OperatorOp)
        else "interpret the function instead"
    )


def _shape_of(type: Attribute) -> Dims | None:
    return type.shape if isinstance(type, ShapeType | PrimType) else None


def _size_matches(
    what: str, patterns: Dims | None, known: Dims | None, value: Told
) -> list[SizeMatch]:
    """One match per size that is given."""
    return [
        SizeMatch(what, pattern, known[i] if known is not None else None, value, i)
        for i, pattern in enumerate(patterns or ())
        if pattern is not None
    ]


def _never_negative(dim: Expr) -> bool:
    return symbolic.maximum(dim, 0) is dim


def names_of(callee: core.FuncOp) -> list[str]:
    """What messages call the parameters of a function."""
    return [f"'{p.name_hint or f'#{p.index}'}'" for p in callee.body.block.args]


def parameter_names(callee: core.FuncOp) -> list[str]:
    """What messages call the parameters of a function and the parts of those that are tuples."""
    names: list[str] = []
    stack = list(zip(names_of(callee), callee.body.block.arg_types))[::-1]
    while stack:
        name, type = stack.pop()
        if isinstance(type, TupleType):
            fields = [(f"{name}, field {i}", field) for i, field in enumerate(type.types)]
            stack.extend(reversed(fields))
        else:
            names.append(name)
    return names


def _type_of(value: Lowered) -> Attribute:
    """The type that a value is known to have, whatever type it goes by."""
    match value:
        case tuple():
            return tuple_type(_type_of(v) for v in value)
        case Buffer() | Handle():
            return value.type
        case Sizes():
            return ShapeType([None] * len(value.sizes))
        case SSAValue():
            return value.type


def _freeing(owner: SSAValue) -> Operation:
    """What gives up an allocation or an object."""
    return ReleaseOp(owner) if owner.type == OBJECT else memref.DeallocOp.get(owner)


def block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent


def nest(type: Attribute, parts: Iterator[Leaf]) -> Lowered:
    """Parts in order as the nested tuple they belong to."""
    if isinstance(type, TupleType):
        return tuple(nest(t, parts) for t in type.types)
    return next(parts)


def _expect_memref(type: Attribute) -> MemRefType:
    assert isinstance(type, MemRefType)
    return type


def _described(type: Attribute) -> dict[str, Attribute]:
    """What a parameter or result of a type says beyond its lowered type."""
    if isinstance(type, FuncType):
        return {FUNCTION: to_attribute(kinds_of(type))}
    if isinstance(type, PrimType):
        return {prim_func.VALUE: StringAttr(str(type.value))}
    if not isinstance(type, TensorType):
        return {}
    dims = ["?" if d is None else str(d) for d in type.shape or ()]
    return {prim_func.DIMS: ArrayAttr(StringAttr(d) for d in dims)}


_LOWERINGS: dict[type[Operation], Callable] = {
    core.ConstantOp: FunctionLowering.lower_constant,
    core.TupleOp: FunctionLowering.lower_tuple,
    core.TupleGetItemOp: FunctionLowering.lower_tuple_get_item,
    core.ShapeOp: FunctionLowering.lower_shape,
    core.ShapeOfOp: FunctionLowering.lower_shape_of,
    core.MatchShapeOp: FunctionLowering.lower_match,
    core.MatchCastOp: FunctionLowering.lower_match,
    core.ReturnOp: lambda self, op: None,
    blocks.OutputOp: lambda self, op: None,
    blocks.DataflowOp: FunctionLowering.lower_block,
    blocks.BindingBlockOp: FunctionLowering.lower_block,
    calls.CallTirOp: FunctionLowering.lower_call_tir,
    calls.CallOp: FunctionLowering.lower_call,
    control.IfOp: FunctionLowering.lower_if,
    control.YieldOp: lambda self, op: None,
    graph.LetOp: FunctionLowering.lower_let,
}


def register_lowerings(lowerings: Mapping[type[Operation], Callable]) -> None:
    """Add ops whose lowering stands in files of their own."""
    _LOWERINGS.update(lowerings)

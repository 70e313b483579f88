"""relax-propagate-shapes: after a check that proves sizes equal, one expression is used for them.

```mlir
%z = relax.match_cast %y : !relax.tensor<[n, m], f32> -> !relax.tensor<[p, 4], f32>
%a = relax.add %z, %x : (!relax.tensor<[p, 4], f32>, !relax.tensor<[n, m], f32>)
    -> !relax.tensor<[broadcast(n, p), 4], f32>
->
%z = relax.match_cast %y : !relax.tensor<[n, m], f32> -> !relax.tensor<[p, 4], f32>
%x_1 = relax.match_cast %x : !relax.tensor<[n, m], f32> -> !relax.tensor<[p, 4], f32>
%a = relax.add %z, %x_1 : (!relax.tensor<[p, 4], f32>, !relax.tensor<[p, 4], f32>)
    -> !relax.tensor<[p, 4], f32>
```

Ops that are never evaluated prove nothing; they are removed first. Uses of a value after its match become
uses of the match, result types are inferred anew, including `?`, and a proved match is dropped. An earlier
value is cast once before its first use; the cast is an ordinary check, so the result is valid without the
facts that led to it, and lowering, which derives the same facts, emits no code for it.

Contradicting checks are left to run time, which may never reach them. The branch, closure or function that
holds the later one is unchanged; a `relax.graph` or `relax.dataflow` around that branch is unchanged as a
whole, as its ops have no order.

A fact holds after the op that proves it: in its region and those nested in it, and after a block
in the sequence that holds the block. It does not leave a branch or closure. In a `relax.dataflow`
"after" is the topological order; all of its ops are evaluated. In a `relax.graph` only `match_*`
proves something, as other nodes may never be evaluated, and no cast is added, as it would pin one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.ir.facts import ContradictionError, Facts
from relax_dialect.ir.lattice import contradict, is_subtype, join
from relax_dialect.ir.order import topological_order
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols, escaping_symbols
from relax_dialect.ir.traits import Straight, SymbolsEscape, has_trait, region_is_graph
from relax_dialect.ir.type_variables import (
    bare_variables,
    defined_variables,
    free_variables,
    map_dims,
    substitute,
)
from relax_dialect.ir.types import (
    Dims,
    DimsAttr,
    ExprAttr,
    PrimType,
    ShapeType,
    TensorType,
    tuple_type,
)
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import RelaxOp
from relax_dialect.ops.blocks import BlockOp, OutputOp
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.control import ClosureOp, IfOp, YieldOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, MatchShapeOp, ReturnOp, ShapeOp
from relax_dialect.ops.equalities import Equality, proved_equalities
from relax_dialect.ops.loops import WhileOp
from relax_dialect.ops.shape_value import ExpressionOp
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import (
    bodies,
    functions,
    is_relax,
    keep_name,
    replace_uses,
    set_type,
)
from relax_dialect.transform.snapshot import Snapshot


@dataclass
class _KnownRegion:
    """A region being walked, and the state to restore after it."""

    owner: Operation
    block: Block
    is_graph: bool
    is_lazy: bool
    """Whether its ops may never be evaluated."""
    ops: Iterator[Operation] | None = None
    facts: int = 0
    versions: int = 0
    symbols: int = 0


@dataclass
class _Propagation:
    """The walk over one function."""

    function: FuncOp
    lookup: ModuleSymbols
    facts: Facts = field(default_factory=Facts)
    versions: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """A value with the value of narrower type that replaces it."""
    replaced: list[tuple[SSAValue, SSAValue | None]] = field(default_factory=list)
    """The changes of `versions`, for going back."""
    symbols: dict[str, Block | None] = field(default_factory=dict)
    """The symbolic variables defined so far, in order, with the graph region that defines them."""
    hidden: dict[Operation, list[str]] = field(default_factory=dict)
    """The variables defined inside a branch or closure, by its terminator."""
    left_alone: set[Operation] = field(default_factory=set)
    """The ops that remain unchanged."""
    walked: set[Operation] = field(default_factory=set)

    def run(self) -> set[Operation]:
        """Rewrite the function; returns the ops around contradictions, which should be left unchanged.

        If there are any, the rewritten function must be discarded.
        """
        self.walked = _walkable(self.function) - self.left_alone
        contradicting: set[Operation] = set()
        self._define(defined_variables(self.function.function_type.inputs))
        body = _KnownRegion(self.function, self.function.body.block, is_graph=False, is_lazy=False)
        stack: list[_KnownRegion | Operation] = [body]
        while stack:
            item = stack[-1]
            if isinstance(item, Operation):
                stack.pop()
                self._behind_regions(item)
                continue
            if item.ops is None:
                self._enter(item)
                assert item.ops is not None
            op = next(item.ops, None)
            if op is None:
                stack.pop()
                self._leave(item)
            elif op not in self.walked:
                self._define(escaping_symbols(op), item)
            else:
                try:
                    inner = self._visit(op, item)
                except RelaxError:  # the op is valid by itself, but contradicts the facts before it
                    contradicting.update(self._give_up(stack))
                    continue
                if inner:
                    stack += [op, *reversed(inner)]
        return contradicting

    # Regions

    def _give_up(self, stack: list[_KnownRegion | Operation]) -> Iterator[Operation]:
        """Leave the region that a contradiction makes unreachable; yields its ops."""
        regions = [(i, item) for i, item in enumerate(stack) if isinstance(item, _KnownRegion)]
        scope = next(e for e in reversed(regions) if not has_trait(e[1].owner, SymbolsEscape))
        graph = next((e for e in regions if e[1].is_graph), scope)
        depth, region = min(scope, graph, key=lambda entry: entry[0])
        del stack[depth + 1 :]
        region.ops = iter(())
        self.facts.undo(region.facts)
        if region.is_graph:
            return walk_ops(region.owner)
        return (inner for op in region.block.ops for inner in walk_ops(op))

    def _enter(self, region: _KnownRegion) -> None:
        block = region.block
        region.ops = iter(topological_order(block) if region.is_graph else list(block.ops))
        region.facts = self.facts.mark()
        region.versions = len(self.replaced)
        region.symbols = len(self.symbols)
        self._define(entry_symbols(region.owner))

    def _leave(self, region: _KnownRegion) -> None:
        """Forget facts known inside only; the facts of a block hold after it too."""
        while len(self.replaced) > region.versions:
            value, old = self.replaced.pop()
            if old is None:
                del self.versions[value]
            else:
                self.versions[value] = old
        if has_trait(region.owner, SymbolsEscape):
            if region.is_graph:
                new = islice(reversed(self.symbols), len(self.symbols) - region.symbols)
                self.symbols.update(dict.fromkeys(list(new)))
            return
        self.facts.undo(region.facts)
        last = region.block.last_op
        hidden: list[str] = []
        while len(self.symbols) > region.symbols:
            hidden.append(self.symbols.popitem()[0])
        if last is not None:
            self.hidden[last] = hidden

    def _behind_regions(self, op: Operation) -> None:
        match op:
            case BlockOp():
                for result, value in zip(op.results, op.output.operands):
                    self._set_type(result, value.type)
            case IfOp():
                self._join_branches(op)
            case WhileOp():
                self._require(op.body.block, *op.result_types)
            case ClosureOp():
                self._require(op.body.block, op.type.output)
            case _:
                pass

    def _join_branches(self, op: IfOp) -> None:
        """Narrow the result of an `if`; values that branches yield under other names are cast back."""
        joined = join(*(self._seen_from_outside(region.block)[0] for region in op.regions))
        old = op.result.type
        if is_subtype(joined, self._reduced(old)) or is_subtype(joined, old):
            self._set_type(op.result, joined)
            return
        for region in op.regions:
            self._require(region.block, old)

    def _seen_from_outside(self, block: Block) -> list[Attribute]:
        """Return the types of the values that a block yields, with the variables of the block unknown."""
        last = block.last_op
        assert last is not None
        hidden = dict.fromkeys(self.hidden.get(last, ()))
        return [substitute(type, hidden) for type in last.operand_types]

    def _require(self, block: Block, *types: Attribute) -> None:
        """Cast the values that a block yields to the required types, if they no longer have these."""
        last = block.last_op
        assert last is not None
        self._narrow_operands(last, self._seen_from_outside(block), types)

    def _narrow_operands(
        self, op: Operation, found: Sequence[Attribute], types: Sequence[Attribute]
    ) -> None:
        """Cast the operands of an op whose types `found` are no subtypes of the required `types`."""
        if not all(map(is_subtype, found, types)):
            op.operands = [
                value if is_subtype(seen, type) else self._cast(value, type, op)
                for value, seen, type in zip(op.operands, found, types)
            ]

    # Ops

    def _visit(self, op: Operation, region: _KnownRegion) -> list[_KnownRegion]:
        """Rewrite an op by the facts known before it; returns the regions to visit next."""
        if isinstance(op, OutputOp | YieldOp | ReturnOp):
            self._hand_out(op)
            return []
        named = proved_equalities(op) if isinstance(op, MatchCastOp | MatchShapeOp) else ()
        self._update_operands(op, region)
        if isinstance(op, WhileOp):
            self._enter_loop(op, region)
        if op.regions:
            is_graph = region_is_graph(op, region.is_graph)
            is_lazy = is_graph and not has_trait(op, Straight)
            return [
                _KnownRegion(op, r.blocks[0], is_graph, is_lazy)
                for r in op.regions
                if r.first_block
            ]
        if isinstance(op, MatchCastOp | MatchShapeOp):
            self._match(op, named, region)
            return []
        self._infer(op)
        if not region.is_lazy:
            self._learn(proved_equalities(op, self.lookup))
        return []

    def _enter_loop(self, op: WhileOp, region: _KnownRegion) -> None:
        """Apply the facts from before a loop, which hold in every iteration. If the type of a state
        contradicts that of the initial value, the latter is cast."""
        if not region.is_graph:
            for index, result in enumerate(op.results):
                known, inner = self._reduced(result.type), op.carried(index)
                foreign = any(u.operation not in self.walked for v in inner for u in v.uses)
                if not foreign and is_subtype(op.inits[index].type, known):
                    for value in inner:
                        set_type(value, known)
                    self._set_type(result, known)
        self._narrow_operands(op, op.operand_types, op.result_types)

    def _hand_out(self, op: OutputOp | YieldOp | ReturnOp) -> None:
        new = [self.versions.get(v, v) for v in op.operands]
        if any(a is not b for a, b in zip(new, op.operands)):
            op.operands = new
        if op.parent is self.function.body.block:
            self._require(self.function.body.block, self.function.function_type.output)

    def _update_operands(self, op: Operation, region: _KnownRegion) -> None:
        new = [self._canonical(value, op, region) for value in op.operands]
        if any(a is not b for a, b in zip(new, op.operands)):
            op.operands = new

    def _canonical(self, value: SSAValue, before: Operation, region: _KnownRegion) -> SSAValue:
        """Return the value to be used for another one: of the narrowest type that is known for it."""
        found = self.versions.get(value, value)
        type = self._reduced(found.type)
        if type == found.type or region.is_lazy or not self._may_check(type, region):
            return found
        found = self._cast(found, type, before)
        self._replace(value, found)
        return found

    def _cast(self, value: SSAValue, type: Attribute, before: Operation) -> SSAValue:
        cast = MatchCastOp(value, type)
        cast.result.name_hint = value.name_hint
        assert before.parent is not None
        before.parent.insert_op_before(cast, before)
        return cast.result

    def _may_check(self, type: Attribute, region: _KnownRegion) -> bool:
        """Return whether a match against a type would not redefine any of its variables: a graph region
        has no order, so only one of its ops may name a variable that it defines."""
        return not region.is_graph or all(
            self.symbols.get(name) is not region.block for name in bare_variables(type)
        )

    def _match(
        self, op: MatchCastOp | MatchShapeOp, named: Sequence[Equality], region: _KnownRegion
    ) -> None:
        """Drop a proved match, else learn its facts: from its check, and from the original types.

        Earlier facts may be used in its type, the facts that it proves itself may not.
        """
        value, target = op.value, self._reduced(op.result.type)
        if is_subtype(value.type, target):
            self._drop(op)
            return
        if contradict(value.type, target):
            raise ContradictionError(f"expected a value of {value.type} to be of {target}")
        if not self._may_check(target, region):
            target = op.result.type
        if isinstance(op, MatchShapeOp):
            assert isinstance(target, TensorType | ShapeType)
            op.pattern = DimsAttr(target.shape)
            self._set_type(op.result, op.checked_types()[0])
        elif self._may_check(narrowed := _narrowed(target, value.type), region):
            self._set_type(op.result, narrowed)
        self._define(candidate_symbols(op), region)
        self._learn((*named, *proved_equalities(op)))
        known = self._reduced(op.result.type)
        if value.type == known:
            self._replace(op.result, value)
        elif op.result.type == known and is_subtype(known, self._reduced(value.type)):
            self._replace(value, op.result)

    def _drop(self, op: MatchCastOp | MatchShapeOp) -> None:
        """Use the value itself, but in ops that are to keep seeing one of the match's type."""
        is_same = op.value.type == op.result.type
        replace_uses({op.result: op.value}, lambda user: is_same or user in self.walked)
        if op.result.first_use is None:
            keep_name(op.value, op.result)
            op.operands = []
            op.detach()

    def _infer(self, op: Operation) -> None:
        """Set the result types of an op to those inferred from its operands."""
        if isinstance(op, ShapeOp):
            op.sizes = self._reduced_dims(op.sizes)
        if isinstance(op, ExpressionOp) and self.facts:
            op.expression = ExprAttr(self.facts.reduce(op.expression.data))
        if isinstance(sizes := op.properties.get("symbols"), DimsAttr):
            op.properties["symbols"] = self._reduced_dims(sizes)
        if not isinstance(op, RelaxOp):
            return
        inferred = op.checked_types()
        if isinstance(op, SymbolCallOp) and (callee := self.lookup(op.callee_name)) is not None:
            _, inferred = op.infer_with(callee)
        for result, type in zip(op.results, inferred):
            self._set_type(result, type)

    def _learn(self, equalities: Iterable[Equality]) -> None:
        for size, kept in equalities:
            self.facts.add(size, kept)

    # Values and types

    def _set_type(self, result: SSAValue, type: Attribute) -> None:
        """Change a type; ops that are not walked keep seeing a value of the old one."""
        old = result.type
        if type == old:
            return
        foreign = [u for u in result.uses if u.operation not in self.walked]
        set_type(result, type)
        if foreign:
            owner = result.owner
            assert isinstance(owner, Operation) and owner.next_op is not None
            kept = self._cast(result, old, owner.next_op)
            for use in foreign:
                use.operation.operands[use.index] = kept

    def _replace(self, value: SSAValue, by: SSAValue) -> None:
        self.replaced.append((value, self.versions.get(value)))
        self.versions[value] = by

    def _define(self, names: Iterable[str], region: _KnownRegion | None = None) -> None:
        block = region.block if region is not None and region.is_graph else None
        for name in names:
            self.symbols.setdefault(name, block)

    def _reduced(self, type: Attribute) -> Attribute:
        if not self.facts.concern(free_variables(type)):
            return type
        return map_dims(type, self.facts.reduce_dim)

    def _reduced_dims(self, dims: DimsAttr) -> DimsAttr:
        if not self.facts or dims.data is None:
            return dims
        return DimsAttr(tuple(map(self.facts.reduce_dim, dims.data)))


def _walkable(function: FuncOp) -> set[Operation]:
    """Return the Relax ops of a function, except for ops of a graph in which other dialects' ops use our
    values.

    The operands of such an op would have to be cast back, and in a graph a second cast is no check.
    """
    found = {op for body in bodies(function) for op in body.block.ops if is_relax(op)}
    seen: set[Operation] = set()
    for body in bodies(function):
        if body.is_graph and isinstance(body.owner, BlockOp) and body.owner not in seen:
            inside = list(walk_ops(body.owner))
            seen.update(inside)
            if any(not is_relax(op) and any(map(_is_ours, op.operand_types)) for op in inside):
                found.difference_update(inside)
    return found


def _is_ours(type: Attribute) -> bool:
    return bool(free_variables(type)) or type.name.startswith("relax.")


def _narrowed(type: Attribute, known: Attribute) -> Attribute:
    """Fill the unknown parts of a type from another type of the same value."""
    if isinstance(type, TupleType) and isinstance(known, TupleType):
        return tuple_type(_narrowed(t, k) for t, k in zip(type.types, known.types))
    if isinstance(type, TensorType) and isinstance(known, TensorType):
        return TensorType.get(_narrowed_dims(type.shape, known.shape), type.dtype or known.dtype)
    if isinstance(type, ShapeType) and isinstance(known, ShapeType):
        return ShapeType(_narrowed_dims(type.shape, known.shape))
    return known if is_subtype(known, type) and isinstance(known, PrimType) else type


def _narrowed_dims(dims: Dims | None, known: Dims | None) -> Dims | None:
    if dims is None or known is None:
        return known if dims is None else dims
    return tuple(k if d is None else d for d, k in zip(dims, known))


def propagate_shapes(module: ModuleOp) -> None:
    """Rewrite the types of every Relax function by the equalities that its checks prove."""
    for function in functions(module):
        lookup = ModuleSymbols(function)
        remove_dead_ops(function, lookup)  # they are not evaluated, and so prove nothing
        before = Snapshot(function)
        left_alone: set[Operation] = set()
        while found := _Propagation(function, lookup, left_alone=left_alone).run():
            before.restore()
            left_alone |= found


@dataclass(frozen=True)
class PropagateShapesPass(ModulePass):
    """Equal sizes become one expression after the op that proves them: see this file's docstring."""

    name = "relax-propagate-shapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        propagate_shapes(op)

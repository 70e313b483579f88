"""Operators that become several ops: the sizes of their results are computed by the program.

    %y = relax.nonzero %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[1, ?], i64>
->
    %count = relax.call_tir @nonzero_count(%x) : ... -> !relax.tensor<[1], i64>
    %sizes = relax.tensor_to_shape %count : ... -> !relax.shape<[?]>
    %named = relax.match_shape %sizes [count] : ... -> !relax.shape<[count]>
    %y = relax.call_tir @nonzero_fill(%x)[count] : ... -> !relax.tensor<[1, ?], i64>

The variable is fresh. The rule defines the steps:

```python
@legalize_steps(NonzeroOp)
def nonzero(steps: Steps, op: NonzeroOp, x: SSAValue) -> Sequence[SSAValue]:
    (count,) = steps.call(count_places, x)
    sizes = steps.sizes(count, "count")
    return steps.call(fill_places, x, sizes=sizes)
```

A step is a rule of tensor expressions, `count_places(op, x)` and `fill_places(op, x, count)`; the prim func
is named after it (`nonzero_count_places`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, count
from typing import TypeAlias, TypeVar

from xdsl.ir import Attribute, Operation, SSAValue

from lowering.legalize.prim_func_bodies import PrimFuncs
from lowering.legalize.registry import known_tensor
from relax_dialect import te
from relax_dialect.ir.symbol_scopes import named_symbols
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.base import OperatorOp, RelaxOp
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import ConstantOp, FuncOp, MatchShapeOp
from relax_dialect.ops.shapes import TensorToShapeOp
from relax_dialect.symbolic import Expr


class FreshNames:
    """Names of symbolic variables that a function does not use yet."""

    def __init__(self, function: FuncOp):
        self._function = function
        self._like: dict[str, Iterator[str]] = {}

    @cached_property
    def _taken(self) -> set[str]:
        return named_symbols(self._function)

    def fresh(self, name: str) -> str:
        """Return an unused name derived from `name`."""
        if name not in self._like:
            self._like[name] = chain((name,), (f"{name}_{number}" for number in count(1)))
        found = next(like for like in self._like[name] if like not in self._taken)
        self._taken.add(found)
        return found


class Steps:
    """A builder of the ops that replace an operator, inserted before it."""

    def __init__(self, op: OperatorOp, prim_funcs: PrimFuncs, names: FreshNames):
        self.op = op
        self._prim_funcs = prim_funcs
        self._names = names

    def insert(self, op: Operation, *hints: str) -> Sequence[SSAValue]:
        """Put an op in front of the operator; its results, with hints for their names."""
        assert self.op.parent is not None
        self.op.parent.insert_op_before(op, self.op)
        for result, hint in zip(op.results, hints):
            result.name_hint = hint
        return op.results

    def call(
        self,
        rule: Callable[..., te.Tensor | Sequence[te.Tensor]],
        *operands: SSAValue,
        sizes: Sequence[Expr] = (),
    ) -> Sequence[SSAValue]:
        """Call the prim func of a step: `rule(op, *tensors, *sizes)` returns the tensors of its results."""
        return self._call(rule.__name__, rule, operands, sizes)

    def shared(
        self, rule: Callable[..., te.Tensor | Sequence[te.Tensor]], *operands: SSAValue
    ) -> Sequence[SSAValue]:
        """Call the prim func of a step that depends on its operands alone, unless an earlier call in the
        block has the same operands."""
        results = self._call(rule.__name__, rule, operands, own=())
        call = results[0].owner
        assert isinstance(call, CallTirOp)
        users = (use.operation for use in operands[0].uses if use.operation is not call)
        twin = next((op for op in users if _are_twins(op, call)), None)
        if twin is None:
            return results
        call.detach()
        call.erase()
        return twin.results

    def finish(
        self, rule: Callable[..., te.Tensor | Sequence[te.Tensor]], *operands: SSAValue
    ) -> Sequence[SSAValue]:
        """Call the prim func of the step that computes the results, which is named after the operator."""
        return self._call("", rule, operands)

    def _call(
        self,
        name: str,
        rule: Callable[..., te.Tensor | Sequence[te.Tensor]],
        operands: Sequence[SSAValue],
        sizes: Sequence[Expr] = (),
        own: Sequence[Attribute] | None = None,
    ) -> Sequence[SSAValue]:
        """Two operators share the prim func of a step only if their own operands have the same types, too:
        the rule may depend on them, unless `own` are other types."""
        tensors = [o for o in operands if isinstance(o.type, TensorType)]
        types = [*(o.type for o in tensors), ShapeType(sizes)]
        types += self.op.operand_types if own is None else own

        def build() -> tuple[list[te.Tensor], list[te.Tensor]]:
            names = [self._name(operand, f"x{i}") for i, operand in enumerate(tensors)]
            inputs = [
                te.placeholder(*known_tensor(self.op, f"operand '{name}'", o.type), name=name)
                for name, o in zip(names, tensors)
            ]
            outputs = rule(self.op, *inputs, *sizes)
            return inputs, [outputs] if isinstance(outputs, te.Tensor) else list(outputs)

        call = self._prim_funcs.call(self.op, name, tensors, types, build)
        return self.insert(call)

    def ahead(
        self, rule: Callable[..., te.Tensor | Sequence[te.Tensor]], *operands: SSAValue
    ) -> Sequence[SSAValue]:
        """Call the prim func of a step, at compile time if its operands are constant."""
        results = self.call(rule, *operands)
        if all(isinstance(operand.owner, ConstantOp) for operand in operands):
            call = results[0].owner
            assert isinstance(call, CallTirOp)
            self._prim_funcs.ahead.append(call)
        return results

    def _name(self, operand: SSAValue, otherwise: str) -> str:
        """Return the name of a value: that of the operator's definition, if it is an operand of it."""
        definitions = self.op.get_irdl_definition().operands
        names = (name for name, _ in definitions if getattr(self.op, name) is operand)
        return next(names, operand.name_hint or otherwise)

    def sizes(self, numbers: SSAValue, *names: str) -> Sequence[Expr]:
        """Return the elements of an i64 vector as sizes, fresh symbolic variables with names like these."""
        (shape,) = self.insert(TensorToShapeOp(numbers), "sizes")
        fresh = [self._names.fresh(name) for name in names]
        (named,) = self.insert(MatchShapeOp(shape, fresh), "sizes")
        assert isinstance(named.type, ShapeType) and named.type.shape is not None
        return [size for size in named.type.shape if size is not None]


def _are_twins(op: Operation, call: CallTirOp) -> bool:
    """Return whether an op in the block of a call is the same call."""
    if not isinstance(op, CallTirOp) or op.parent is not call.parent:
        return False
    return op.callee_name == call.callee_name and [*op.operands] == [*call.operands]


StepsRule: TypeAlias = Callable[..., Sequence[SSAValue]]
StepsRuleT = TypeVar("StepsRuleT", bound=StepsRule)

STEPS: dict[type[Operation], StepsRule] = {}
"""The rule of every operator that becomes several ops: `rule(steps, op, *operands)` returns the values of
its results."""


def legalize_steps(*ops: type[Operation]) -> Callable[[StepsRuleT], StepsRuleT]:
    """Register a function as the rule of one or several operators."""

    def register(rule: StepsRuleT) -> StepsRuleT:
        STEPS.update(dict.fromkeys(ops, rule))
        return rule

    return register


def take_steps(op: OperatorOp, prim_funcs: PrimFuncs, names: FreshNames) -> Sequence[SSAValue]:
    """Return the values that replace an operator's results, of the same types."""
    found = STEPS[type(op)](Steps(op, prim_funcs, names), op, *op.grouped(op.operands))
    for old, new in zip(op.results, found, strict=True):
        if new.type != old.type:
            maker = new.owner
            assert isinstance(maker, RelaxOp)
            types = [old.type if result is new else result.type for result in maker.results]
            maker.set_result_types(types)
    return found

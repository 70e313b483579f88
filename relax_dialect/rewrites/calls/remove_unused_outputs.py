"""relax-remove-unused-outputs: private functions return only the fields of a tuple that a call uses.

```mlir
relax.func private @f(%x: T) -> tuple<T, T> {        relax.func private @f(%x: T) -> T {
  ...                                                  ...
  %t = relax.tuple %a, %b : ...                        relax.return %b : T
  relax.return %t : tuple<T, T>                  ->  }
}                                                    ...
%r = relax.call @f(%x) : (T) -> tuple<T, T>          %y = relax.call @f(%x) : (T) -> T
%y = relax.tuple_get_item %r {index = 1} : ...
```

Every use of a call must be a `relax.tuple_get_item`: a tuple that is passed on counts as used as a whole,
and so does that of a function referenced otherwise than by calls. The ops that computed the removed
fields are left to relax-dce.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.ir.types import tuple_type
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, TupleGetItemOp, TupleOp
from relax_dialect.transform.binding import signature
from relax_dialect.transform.private_signatures import changeable_functions, remake_call
from relax_dialect.transform.regions import erase, keep_name, replace_uses


def remove_unused_outputs(module: ModuleOp) -> None:
    """Remove the fields of results of private functions that no call uses."""
    for func, calls in changeable_functions(module).items():
        _narrow(func, calls)


def _narrow(func: FuncOp, calls: Sequence[CallOp]) -> None:
    returned = func.return_op.value
    if not isinstance(func.function_type.output, TupleType) or not isinstance(
        returned.type, TupleType
    ):
        return
    used: set[int] = set()
    for call in calls:
        users = [use.operation for use in call.result.uses]
        if not isinstance(type := call.result.type, TupleType) or not all(
            isinstance(user, TupleGetItemOp) and user.result.type == type.types.data[user.index]
            for user in users
        ):
            return
        used.update(user.index for user in users if isinstance(user, TupleGetItemOp))
    kept = sorted(used)
    if len(kept) == len(returned.type.types):
        return
    for call in calls:
        _read(call, kept)
    func.return_op.operands = [_fields(func, returned, kept)]
    output = _of(func.function_type.output, kept)
    func.properties["function_type"] = signature(func.body.block.arg_types, output)


def _of(type: Attribute, kept: Sequence[int]) -> Attribute:
    """Return the type of some fields, not a tuple for a single one."""
    assert isinstance(type, TupleType)
    fields = [type.types.data[i] for i in kept]
    return fields[0] if len(fields) == 1 else tuple_type(fields)


def _read(call: CallOp, kept: Sequence[int]) -> None:
    """Rewrite a call to return some fields only."""
    new = remake_call(call, call.args, _of(call.result.type, kept))
    for user in [use.operation for use in call.result.uses]:
        assert isinstance(user, TupleGetItemOp)
        if len(kept) > 1:
            item = TupleGetItemOp(new.results[0], kept.index(user.index))
            item.location = user.location
            item.result.name_hint = user.result.name_hint
            assert user.parent is not None
            user.parent.insert_op_before(item, user)
            replace_uses({user.result: item.result})
        else:
            keep_name(new.results[0], user.result)
            replace_uses({user.result: new.results[0]})
        erase(user)
    erase(call)


def _fields(func: FuncOp, returned: SSAValue, kept: Sequence[int]) -> SSAValue:
    """Return some fields of the result of a function, as one value."""
    last = func.return_op
    if isinstance(returned, OpResult) and isinstance(returned.op, TupleOp):
        fields = [returned.op.fields[i] for i in kept]
    else:
        items = [TupleGetItemOp(returned, i) for i in kept]
        func.body.block.insert_ops_before(items, last)
        fields = [item.result for item in items]
    if len(fields) == 1:
        return fields[0]
    packed = TupleOp(*fields)
    func.body.block.insert_op_before(packed, last)
    return packed.result


class RemoveUnusedOutputsPass(ModulePass):
    """Remove the fields of results of private functions that no call uses."""

    name = "relax-remove-unused-outputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remove_unused_outputs(op)

"""Result types of functions that a rewrite has changed, carried on to their callers.

relax.func @f(%x: T) -> T { ... return %y : U }      ->  relax.func @f(%x: T) -> U { ... }
relax.func @g(%x: T) -> T { ... relax.call @f ... }  ->  relax.func @g(%x: T) -> U { ... }

A result that its declared type may still have is cast to it; any other changes the type. The type of a
recursive function is the one its changed branches yield, if its own calls then give the same, else one wide
enough for all branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.type_variables import substitute
from relax_dialect.ops.blocks import BlockOp, OutputOp
from relax_dialect.ops.control import IfOp, YieldOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.ops.graph import LetOp

ROUNDS = 4
"""The limit of inferences of the types of mutually recursive functions."""


def changed_type(
    value: SSAValue, declared: Attribute, own: Mapping[str, None], of_branch: bool
) -> Attribute | None:
    """The result type of a function that returns `value`; None if its declared one can stay.

    `own` are the variables of the body, which a result type does not name. With `of_branch` it is that of
    the branch that has changed, else one wide enough for all.
    """
    found = (substitute(each.type, own) for each in returned_values(value))
    wrong = next((type for type in found if _is_other(type, declared)), None)
    return wrong if wrong is None or of_branch else substitute(value.type, own)


def _is_other(type: Attribute, declared: Attribute) -> bool:
    """Whether a type is neither as narrow as the declared one nor a wider one, which is cast."""
    return not is_subtype(type, declared) and not is_subtype(declared, type)


def returned_values(value: SSAValue) -> Iterator[SSAValue]:
    """The values that branches and blocks hand on as this one."""
    stack = [value]
    while stack:
        current = stack.pop()
        owner = current.owner
        match owner:
            case IfOp():
                stack += reversed(owner.yields)
            case BlockOp() if isinstance(current, OpResult):
                stack.append(owner.output.operands[current.index])
            case LetOp():
                stack.append(owner.value)
            case _:
                yield current


def is_only_returned(value: SSAValue) -> bool:
    """Whether no op of the function reads a value, which blocks and branches hand on."""
    stack = [value]
    while stack:
        for use in stack.pop().uses:
            parent = use.operation.parent_op()
            match use.operation, parent:
                case ReturnOp(), _:
                    pass
                case OutputOp(), BlockOp():
                    stack.append(parent.results[use.index])
                case YieldOp(), IfOp():
                    stack.append(parent.result)
                case _:
                    return False
    return True


def recursive_functions(function: Operation) -> frozenset[str]:
    """The functions of the module around one that may call themselves."""
    module = function.parent_op()
    return CallGraph.of(module).recursive() if isinstance(module, ModuleOp) else frozenset()


def retype_callers(module: ModuleOp, updated: set[str], retype: Callable[[FuncOp], object]) -> None:
    """Infer the types of all that calls functions whose result types have changed.

    `retype` infers those of one function, and adds it to `updated` if its result type changes.
    """
    graph = CallGraph.of(module)
    for component in graph.components:
        members = [f for f in map(graph.symbols.get, component) if isinstance(f, FuncOp)]
        if not any(updated.intersection(graph.callees[name]) for name in component):
            continue
        for _ in range(ROUNDS):
            before = [f.function_type for f in members]
            for function in members:
                retype(function)
            if before == [f.function_type for f in members]:
                break
        else:
            _refuse_unstable(members[0])


def _refuse_unstable(function: FuncOp) -> None:
    """Refuse a recursion whose result type changes each time it is inferred."""
    raise RelaxError(
        f"@{function.sym_name.data}: expected a result type that stays as it is once it is inferred, "
        f"found a recursion that changes it each time ({function.function_type.output}); change the "
        "values of all branches, or declare a wider result type"
    )

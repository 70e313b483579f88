"""The messages of run-time checks: texts of `cf.assert`, with holes that interpreter and C fill.

    cf.assert %c, "relax.take: expected ..., found {%0} for a size of {n}" {relax.values}

A check marked `relax.values` has holes in its message, and `{{` and `}}` for braces. A symbolic expression
is replaced by its value in the function; `{%0}` and `{%1}` are the operands of the last comparison (the
right one of an `and` or `or`), `{%min}` and `{%max}` their minimum and maximum. Text of a program, such as
names, is escaped by `literal`.

A call marked `relax.place = "relax.take (%y)"` implements that op: errors in its prim func are reported
with the function and the op's own results. A function marked `relax.place = "@main: relax.closure (%f)"` is
reported as that closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.dialects import arith, cf
from xdsl.dialects.builtin import LocationAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import prefixed
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import MAX_EXTENT, Expr, parse

VALUES = "relax.values"
"""Marks a check whose message has holes."""

PLACE = "relax.place"
"""On a call: the op that it implements, prefixed on a func.call by the function. On a function: the closure
that it was made of, with the enclosing function."""

SIDES = ("%0", "%1", "%min", "%max")
"""The holes for the sides of a comparison."""

NOT_NEGATIVE = "expected sizes of at least 0, found {%0}"
"""The message for negative sizes: it shows the first of them."""


def hole(what: object) -> str:
    """Return the hole of a message that shows a value."""
    return f"{{{what}}}"


def shape_holes(sizes: Iterable[object]) -> str:
    """Return the holes of a message that show a shape."""
    return f"[{', '.join('?' if size is None else hole(size) for size in sizes)}]"


def literal(text: str) -> str:
    """Escape any text, such as the name of a function or a file, as a part of a message with holes."""
    return text.replace("{", "{{").replace("}", "}}")


def filled(message: str, value: Callable[[str], str]) -> str:
    """Return a message with a text for every hole."""
    return "".join(value(piece) if i % 2 else piece for i, piece in enumerate(pieces(message)))


def plain(message: str) -> str:
    """Return a message that shows the expressions themselves."""
    return filled(message, str)


def pieces(message: str) -> list[str]:
    """Return the texts of a message, unescaped, alternating with the contents of its holes; the first is a
    text."""
    found, text, at = [], "", 0
    while at < len(message):
        if message.startswith(("{{", "}}"), at):
            text, at = text + message[at], at + 2
        elif message[at] == "{" and (end := message.find("}", at)) > at + 1:
            found += [text, message[at + 1 : end]]
            text, at = "", end + 1
        else:
            text, at = text + message[at], at + 1
    return [*found, text]


def check(condition: SSAValue, message: str, shows: bool = False) -> cf.AssertOp:
    """Return a check; its message has holes if it `shows` values."""
    op = cf.AssertOp(condition, message)
    if shows:
        op.attributes[VALUES] = UnitAttr()
    return op


def rename_sizes(op: Operation, sizes: Mapping[str, Expr]) -> None:
    """Rename the sizes in the message of a check, for the function that it moves to."""
    if isinstance(op, cf.AssertOp) and VALUES in op.attributes:
        parts = pieces(op.msg.data)
        for i, part in enumerate(parts):
            if i % 2 == 0:
                parts[i] = literal(part)
            else:
                parts[i] = hole(part if part in SIDES else parse(part).substitute(sizes))
        op.properties["msg"] = StringAttr("".join(parts))


def compared(op: cf.AssertOp) -> arith.CmpiOp | arith.CmpfOp | None:
    """Return the comparison whose sides the message of a check shows."""
    made = op.arg.owner
    while isinstance(made, arith.AndIOp | arith.OrIOp):
        made = made.rhs.owner
    return made if isinstance(made, arith.CmpiOp | arith.CmpfOp) else None


def compares_unsigned(comparison: arith.CmpiOp) -> bool:
    """Return whether a comparison reads its sides as unsigned."""
    return comparison.predicate.value.data >= arith.CMPI_COMPARISON_OPERATIONS.index("ult")


def demanded(what: str, found: str = "", mend: str = "") -> str:
    """Return the message for a demand that a program does not meet."""
    return (
        f"expected {what}" + (f", found {found}" if found else "") + (f"; {mend}" if mend else "")
    )


def wrong_size(
    pattern: Expr, expected: object, dimension: int | None, found: object, definition: str = ""
) -> str:
    """Return the message for a value whose size differs from its type, or which is another number."""
    text = str(pattern) if pattern.is_constant else f"{pattern} = {expected}"
    demand = (
        f"size {text} in dimension {dimension}" if dimension is not None else f"the number {text}"
    )
    return demanded(demand, str(found), definition)


def unsolved_size(
    pattern: Expr, name: str, such_as: object, dimension: int | None, found: object
) -> str:
    """Return the message for a size, or another number, which no value of a variable makes equal to its
    affine type."""
    place = f" in dimension {dimension}" if dimension is not None else ""
    what = "size" if dimension is not None else "the number"
    integer = f"for an integer {name} of at least 0, such as {such_as}"
    return demanded(f"{what} {pattern}{place} {integer}", str(found))


def definition_of(name: str, matched: str, location: LocationAttr) -> str:
    """Describe the definition of a symbolic variable, for a match that finds another size."""
    return prefixed(f"{matched} defines {name}", location)


def other_size_in_place(
    result: int, argument: int, dimension: int, found: object, wanted: object
) -> str:
    """Return the message for a result that does not fit the argument that it is written to."""
    demand = f"result {result} to be as long as argument {argument} in dimension {dimension}"
    return demanded(demand, f"{found} for {wanted}")


def no_size(found: object) -> str:
    """Return the message for a number that defines a symbolic variable and can be no size."""
    return f"expected a size of 0 to {MAX_EXTENT}, found {found}"


def large_size(found: object, dimension: int) -> str:
    """Return the message for a size that no memory holds."""
    return demanded(f"sizes of at most {MAX_EXTENT}", f"{found} in dimension {dimension}")


def negative_size(sizes: Iterable[int]) -> str:
    """Return the message of the first negative size, if there is one."""
    found = next((size for size in sizes if size < 0), None)
    return "" if found is None else filled(NOT_NEGATIVE, lambda _: str(found))


def placed_message(op: cf.AssertOp) -> str:
    """Return the message of a check, prefixed with the file location of its op.

    Checks of a function's arguments have the location of the function itself and no other.
    """
    message = op.msg.data
    function: Operation = op
    while (around := function.parent_op()) is not None and not isinstance(around, ModuleOp):
        function = around
    is_own = message.startswith("@") and op.location != function.location
    if not is_own:
        return message
    place = prefixed("", op.location)
    return (literal(place) if VALUES in op.attributes else place) + message


def place_of(op: Operation) -> str:
    """Return the op that a call or function implements, if it is marked."""
    mark = op.attributes.get(PLACE)
    return mark.data if isinstance(mark, StringAttr) else ""


def called(function: Operation) -> str:
    """Return the name of a function in errors: its own, or that of the closure it was made of."""
    name = function.get_attr_or_prop("sym_name")
    assert isinstance(name, StringAttr)
    return place_of(function) or f"@{name.data}"


def function_around(function: Operation) -> str:
    """Return the beginning of errors in the body of a function: the name of the function that was
    written."""
    place = place_of(function)
    return place.rpartition(": ")[0] if place else called(function)


def placed(message: str, place: str) -> str:
    """Prefix a message of an op's prim func with the label of the op, `@main: relax.take (%y)`."""
    name = name_in(place)
    return (
        place + message.removeprefix(name) if name and message.startswith(f"{name}:") else message
    )


def name_in(place: str) -> str:
    """Return the name of the op in a label."""
    return place.rpartition(": ")[2].partition(" (")[0]


def allocated(op: Operation, type: Attribute) -> tuple[Sequence[Expr], Attribute]:
    """Return the sizes and the element type of a result that a call of an external function allocates."""
    assert isinstance(type, TensorType)
    if type.dtype is None:
        raise RelaxError(
            f"{describe(op)}: expected a result of known element type, as it is allocated before the call, "
            f"found {type}; declare it"
        )
    return [d for d in type.shape or () if d is not None], type.dtype

"""xDSL's errors for users: with the location, the op, what was expected and found, and the fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import BlockArgument, Operation
from xdsl.utils.exceptions import DiagnosticException, ParseError

from relax_dialect.errors import InternalError, RelaxError
from relax_dialect.ir.locations import (
    in_file_text,
    marked_line,
    nearest_location,
    place_text,
    shown_line,
    site_text,
)
from relax_dialect.ir.order import describe_written, op_name
from relax_dialect.ir.walk import blocks_of, symbol_name, walk_ops
from relax_dialect.text.wording import nearest

_REWORDED: tuple[tuple[str, str], ...] = (
    (
        r"values used but not defined: \[(.*)\]",
        r"expected values that are defined in their region or around it (V1), found \1, which no op "
        r"there defines; define it, or pass it out of its block with relax.output",
    ),
    (
        r"operand is used with type (tensor<.*), but has been previously used or defined with type "
        r"(!relax\.tensor.*)",
        r"expected an operand of type \2, as it was defined or used before, found \1; "
        r"write !relax.tensor here",
    ),
    (
        r"operand is used with type (.*), but has been previously used or defined with type (.*)",
        r"expected an operand of type \2, as it was defined or used before, found \1; "
        r"write the same type at both",
    ),
    (
        r"operand '(\w+)' at position \d+ does not verify:\n"
        r"(tensor<.*) should be of base attribute (relax\.tensor)",
        r"expected operand '\1' of kind \3, found \2; convert it with relax.from_builtin, or declare it as "
        r"!relax.tensor",
    ),
    (
        r"(operand|result) '(\w+)' at position \d+ does not verify:\n"
        r"(.*) should be of base attribute (.*)",
        r"expected \1 '\2' of kind \4, found \3; correct the type",
    ),
    (
        r"(operand|result) '(\w+)' at position \d+ does not verify:\nUnexpected attribute (.*)",
        r"expected \1 '\2' of a type that the op takes, found \3; correct the type, or convert the value",
    ),
    (
        r"\[(-?\d+)(?: : i64)?\] should be of base attribute integer",
        r"expected an integer, found [\1]; write \1 without the brackets",
    ),
    (
        r"(-?\d+)(?: : i64)? should be of base attribute array",
        r"expected a list, found \1; write [\1]",
    ),
    (
        r"Expected attribute #builtin\.signedness<signless> but got #builtin\.signedness<(\w+)>",
        r"expected a signless integer type, found \1; write i8 instead of ui8 or si8, or a relax.constant",
    ),
    (
        r"(.*) should be of base attribute (.*)",
        r"expected an attribute of kind \2, found \1; correct the attribute",
    ),
    (
        r"Expected (\d+) (\w+), but got (\d+)",
        r"expected \2: \1, found \3; write as many as the op takes",
    ),
    (
        r"property '(\w+)' expected in operation '.*'",
        r"expected attribute '\1', found none; write {\1 = ...} after the operands",
    ),
    (
        r"Exceeds the limit \(\d+ digits\) for integer string conversion.*",
        r"expected a number of at most 4300 digits, found a longer one; write a shorter one",
    ),
    (
        r"Could not parse entire input!",
        r"expected operations, as in relax.func @f(%x: T) -> T { ... }, found none here; "
        r"write at least one, and nothing else outside of them",
    ),
    (
        r" in block definition",
        r"expected an op, or '}' after the last one, found neither; correct the text here, or the end "
        r"of the op before it",
    ),
    (
        r"Operation (\S+) is not registered",
        r"expected an op of a known dialect, found \1; correct the name",
    ),
    (
        r"'(\S+)' is not registered",
        r"expected a type or attribute of a known dialect, found \1; correct the name",
    ),
    (
        r"Operation (\S+) terminates block in .* but is not a terminator",
        r"expected a terminator at the end of the block, found \1; end the block with a terminator",
    ),
    (
        r"'(\S+)' must be the last operation in its parent block",
        r"expected the end of the block after it, found another op; move it to the end",
    ),
    (
        r"'func\.return' expects parent op 'func\.func'",
        r"expected relax.return at the end of a relax.func, found func.return; write relax.return",
    ),
    (
        r"'(\S+)' expects parent op '(\S+)'",
        r"expected a \2 directly around it, found none; move it to the end of one",
    ),
    (
        r"Region '(\w+)' at position \d+ expected a single block, but got (\d+) blocks",
        r"expected one block in region '\1', found \2; write it as one block",
    ),
    (
        r'Redefinition of symbol "(.*)"',
        r"expected one definition of each symbol (M2), found a second one of @\1; rename one of them",
    ),
    (
        r"(?:Multiplication|Floor division|Ceil division|Mod) with non-constant .*",
        "expected an affine expression: products, quotients and remainders by constants or symbols, found "
        "one by a dimension; compute it by ops of arith",
    ),
    (
        r"Identifier not in space (\S+)",
        r"expected a dimension or symbol of the map, found \1; declare it before the arrow or the colon",
    ),
    (
        r"(dim|symbol) operand count and affine map \1 count must match",
        r"expected an operand for each \1 of the map, found another number of them; pass (dims)[symbols]",
    ),
    (
        r"loop bound affine map with multiple results requires '(\w+)' prefix",
        r"expected \1 before a map of several results, found no word; write \1, or one result",
    ),
    (
        r"expected step to be representable as a positive signed integer",
        "expected a step above 0, found a negative one; count up, and subtract in the subscripts",
    ),
)
"""Messages of xDSL that say less than a user needs, with their replacements."""


def reword(message: str) -> str:
    """Return a message of xDSL as expected, found and fix, if it has one of the known forms."""
    for pattern, text in _REWORDED:
        if (match := re.fullmatch(pattern, message, re.DOTALL)) is not None:
            return _shortened(match.expand(text))
    return message


LONGEST = 2000
"""The maximum length of a message: a tuple type of a line per field would hide the actual error."""


def _shortened(message: str) -> str:
    """Return a message without the middle of an overlong type; its beginning and its fix are kept."""
    if len(message) <= LONGEST:
        return message
    return f"{message[: LONGEST - 500]} ... {message[-300:]}"


MEND = "; correct the name"


def meant_name(message: str, context: Context) -> str:
    """Return a message about an unknown op, type or attribute, with the known name that is like it."""
    if (
        unknown := re.fullmatch(r"(Operation )?'?([\w.$-]+?)'? is not registered", message)
    ) is None:
        return message
    name = unknown[2]
    dialect = context.get_optional_dialect(name.partition(".")[0])
    if dialect is None and unknown[1] and "." not in name:
        return message
    if dialect is None:
        meant = nearest(name.partition(".")[0], context.registered_dialect_names)
        return (
            f"{reword(message).removesuffix(MEND)}; is the dialect '{meant}' meant?"
            if meant
            else message
        )
    known = dialect.operations if unknown[1] else dialect.attributes
    meant = nearest(name, [kind.name for kind in known])
    return f"{reword(message).removesuffix(MEND)}; is {meant} meant?" if meant else message


def first_cause(error: BaseException) -> str:
    """Return the message of the error that started a chain: the later ones hold a dump of the module."""
    return str(root_cause(error))


def root_cause(error: BaseException) -> BaseException:
    """Return the error that started a chain."""
    while isinstance(error.__cause__, Exception):
        if str(error).endswith(f"does not verify:\n{error.__cause__}"):
            break  # this one names the operand or result as well
        error = error.__cause__
    return error


def describe_parse_error(error: ParseError, line_offset: int = 0) -> str:
    """Return a parse error with its location and source line."""
    content = _content(error)
    position = _position(error)
    start = content.rfind("\n", 0, position) + 1
    end = content.find("\n", position)
    line = content[start : end if end >= 0 else len(content)]
    place = locate(error.span.input.name, content, position, line_offset)
    message = _slip(content, position, error.msg) or reword(error.msg)
    return f"{place}: error: {message}{marked_line(line, position - start)}"


def _slip(content: str, position: int, message: str) -> str | None:
    """The message for a common slip in the text at a position, None if there is none."""
    here = content[position : position + 80]
    if here.startswith("#") and message.startswith("Expected suffix identifier"):
        return "expected an op, found '#'; write // before a comment"
    if here.startswith("}") and message.startswith("Could not parse entire input"):
        return "expected an op or the end of the text, found '}' that closes nothing; remove it"
    if here.lstrip().startswith("=") and (name := re.fullmatch(_UNKNOWN, message)):
        return f"expected a value, found {name[1]}; write %{name[1]} = ..."
    if here.startswith("\ufeff"):
        return "expected an op, found a byte order mark inside the text; remove it"
    for report, found, mend in _SLIPS:
        if (slip := re.match(found, here)) is not None and re.match(report, message):
            return slip.expand(mend)
    return None


_UNKNOWN = r"Operation (\w+) is not registered"
"""The report of a word that is no op."""

_SLIPS: tuple[tuple[str, str, str], ...] = (
    (
        r"(?i)expected ':' before the types|operand expected",
        r"([A-Za-z_]\w*)(?=\s*[,:)])",
        r"expected a value, found \1; write %\1",
    ),
    (
        r"operand expected",
        r"(\w+)\s*=\s*([^\s,:]+|\[[^\]]*\])",
        r"expected a value, found the attribute \1; write {\1 = \2} after the operands",
    ),
    (
        r"Expected block argument",
        r"([A-Za-z_]\w*)(?=\s*:)",
        r"expected a parameter, found \1; write %\1",
    ),
    (
        r"expect symbol name",
        r"([A-Za-z_]\w*)",
        r"expected the name of a function, found \1; write @\1",
    ),
)
"""Slips of newcomers: the beginning of xDSL's message, the text at its position, and our message."""


def _content(error: ParseError) -> str:
    content = error.span.input.content
    return content if isinstance(content, str) else content.decode(errors="replace")


def _position(error: ParseError) -> int:
    """Return the position of a parse error; that of an undefined value is its last use before the
    report."""
    position = error.span.start
    if (undefined := re.match(r"values used but not defined: \[(%[\w$.-]+)", error.msg)) is None:
        return position
    name = re.compile(rf"//[^\n]*|({re.escape(undefined[1])})(?![\w$.-])")
    uses = [use.start() for use in name.finditer(_content(error)[:position]) if use[1]]
    return uses[-1] if uses else position


def locate(name: str, content: str, position: int, line_offset: int = 0) -> str:
    """Return a position in a text as `name:line:column`."""
    line = content.count("\n", 0, position) + 1 + line_offset
    return f"{name}:{line}:{position - content.rfind(chr(10), 0, position)}"


def describe_verify_error(module: ModuleOp, name: str, error: BaseException) -> str:
    """Return the message for a module that does not verify, with the location, function and op at fault."""
    return describe_at(*blame(module, error), name)


def blame(
    module: ModuleOp, error: BaseException, verified: Operation | None = None
) -> tuple[Operation | BlockArgument | None, str]:
    """Return the op or parameter that a verifier's error is about, and the message with its function; the
    op that was verified is looked for unless it is known."""
    cause = root_cause(error)
    message = str(cause)
    at: Operation | BlockArgument | None = getattr(cause, "op", None)
    op = None
    if at is None or not message.startswith("@"):
        op = verified or _culprit(module, message)
    if op is None:
        return at, reword(message)
    if isinstance(cause, RelaxError) and message.startswith("@"):
        return at or op, message
    text = (
        message if isinstance(cause, RelaxError) else f"{describe_written(op)}: {reword(message)}"
    )
    parent = op.parent_op()
    while parent is not None:
        symbol = parent.get_attr_or_prop("sym_name")
        if isinstance(symbol, StringAttr):
            text = f"@{symbol.data}: {text}"
            break
        parent = parent.parent_op()
    return at or _second_definition(module, message) or op, text


def _second_definition(module: ModuleOp, message: str) -> Operation | None:
    """Return the second op of a module that defines a symbol, if that is the error."""
    if (symbol := re.fullmatch(r'Redefinition of symbol "(.*)"', message)) is None:
        return None
    definitions = (op for op in module.ops if symbol_name(op) == symbol[1])
    return next(islice(definitions, 1, None), None)


EXPECTED = (
    RelaxError,
    InternalError,
    ParseError,
    DiagnosticException,
    OSError,
    ValueError,
    NotImplementedError,
)
"""The errors that tools answer with a message; any other one is a fault of their own."""


def describe(error: BaseException) -> str:
    """Return the message of an error as a user of a tool reads it."""
    if isinstance(error, ParseError):
        return describe_parse_error(error)
    if isinstance(error, RelaxError | InternalError):
        text = str(error)
        op = error.op if isinstance(error, RelaxError) else None
        return text if "error:" in text else describe_at(op, text)
    return f"error: {reword(first_cause(error))}"


def describe_at(op: Operation | BlockArgument | None, text: str, name: str = "") -> str:
    """Return an error about an op or a parameter, with its location, or the name of the input, and the
    source line if it is available."""
    location = nearest_location(op)
    text = text.removeprefix(f"{in_file_text(location)}: ")
    place = place_text(location) or name
    return f"{place}: error: {text}{shown_line(location)}" if place else f"error: {text}"


_ABOUT = re.compile(
    r"(?:(?:relax|func)\.func )?@(?P<function>[\w.$-]+): "
    r"(?P<op>[a-z_]\w*\.[\w.]+)?(?P<names> \([^)]*\))?"
)
"""The beginning of an error: the function, the op and its results."""


def op_named(module: ModuleOp, message: str) -> Operation | None:
    """Return the op that a message begins with, `@f: relax.add (%y)`, or its function."""
    if (about := _ABOUT.match(message)) is None:
        return None
    function = next((op for op in module.ops if symbol_name(op) == about["function"]), None)
    if function is None or about["op"] is None:
        return function
    wanted = about["op"] + (about["names"] or "")
    found = [op for op in walk_ops(function) if describe_written(op) == wanted]
    if not found and not about["names"]:
        found = [op for op in walk_ops(function) if op_name(op) == about["op"]]
    return found[0] if len(found) == 1 else function


@contextmanager
def located(module: ModuleOp) -> Iterator[None]:
    """Attach the op that an error names to errors about a module; errors about an op that was built in
    Python name the op and its line."""
    try:
        yield
    except RelaxError as error:
        if error.op is None:
            error.op = op_named(module, str(error))
        if isinstance(error.op, Operation) and (site := site_text(error.op.location)):
            error.args = (f"{site}: {_of_function(error.op, str(error))}",)
        raise


def _of_function(op: Operation, message: str) -> str:
    """Return a message that begins with the function and the op that it is about."""
    if message.startswith("@") or symbol_name(op) is not None:
        return message
    message = re.sub(rf"^{re.escape(op_name(op))}:", f"{describe_written(op)}:", message)
    function = op
    while (around := function.parent_op()) is not None and symbol_name(function) is None:
        function = around
    return f"@{symbol_name(function)}: {message}" if symbol_name(function) else message


def _culprit(module: ModuleOp, message: str) -> Operation | None:
    """Return the first op that fails verification, or None if it fails with another message."""
    for op in in_order_of_verification(module):
        if (found := _failure(lambda op=op: op.verify(False))) is not None:
            return op if found == message else None
    return None


def in_order_of_verification(root: Operation) -> Iterator[Operation]:
    """Yield an op and those nested in it, inner ones before the ops that hold them, as xDSL verifies
    them."""
    stack = [(root, False)]
    while stack:
        op, is_entered = stack.pop()
        if is_entered or not op.regions:
            yield op
            continue
        stack.append((op, True))
        inner = [o for block in blocks_of(op) for o in block.ops]
        stack.extend((o, False) for o in reversed(inner))


def _failure(check: Callable[[], None]) -> str | None:
    try:
        check()
    except Exception as error:  # an op around the culprit may fail in any way
        return first_cause(error)
    return None

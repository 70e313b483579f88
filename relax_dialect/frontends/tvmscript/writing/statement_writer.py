"""Statements of TVMScript: bindings, blocks and branches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from relax_dialect.frontends.tvmscript.declared_scalars import is_scalar_read
from relax_dialect.frontends.tvmscript.operators import TABLE
from relax_dialect.frontends.tvmscript.script_values import PART
from relax_dialect.frontends.tvmscript.writing.attribute_writer import literal_text, number_text
from relax_dialect.frontends.tvmscript.writing.calls import expression
from relax_dialect.frontends.tvmscript.writing.operator_writer import is_only_order
from relax_dialect.frontends.tvmscript.writing.script_names import (
    UNNAMED,
    UNNAMED_SIZES,
    ScriptNames,
)
from relax_dialect.frontends.tvmscript.writing.surroundings import WriterContext
from relax_dialect.frontends.tvmscript.writing.tuples import (
    gives_tuple,
    is_matched_next,
    is_whole,
    uses,
    whole_source,
)
from relax_dialect.frontends.tvmscript.writing.type_writer import (
    SizeWriter,
    TypeWriter,
    Unwritable,
    tuple_text,
)
from relax_dialect.frontends.tvmscript.writing.variable_writer import defined_in
from relax_dialect.ir.order import describe_written, topological_order
from relax_dialect.ir.symbol_scopes import candidate_symbols
from relax_dialect.ir.types import PrimType
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp, OutputOp
from relax_dialect.ops.builtin_tensors import ToBuiltinOp
from relax_dialect.ops.control import ClosureOp, IfOp, MakeClosureOp, YieldOp
from relax_dialect.ops.core import ConstantOp, MatchCastOp, ReturnOp, TupleOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.joining import SplitOp
from relax_dialect.ops.literal_value import LiteralOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.ops.shape_value import PrimValueOp, ShapeOp, SymbolicValueOp

INDENT = "    "
DEEPEST = 97
"""Python takes 99 levels of indentation, of which the module and the function have two."""


class Statements(ABC):
    """Writes the statements of a function, or of a closure in one."""

    def __init__(self, around: WriterContext, outer: Statements | None = None):
        self.around = around
        self.outer = outer
        self.names: ScriptNames = outer.names if outer else ScriptNames(around.functions.values())
        self.texts: dict[SSAValue, str] = outer.texts if outer else {}
        self.wishes: dict[SSAValue, str] = {}
        """The required names of values: the name of an `if` for the results of its branches."""
        self.whole: dict[Operation, str] = outer.whole if outer else {}
        """The names of the tuples that calls with several results return."""
        self.variables: dict[str, str] = dict(outer.variables) if outer else {}
        """The names of symbolic variables."""
        self.known: set[str] = set(outer.known) if outer else set()
        """The symbolic variables that are bound at the next statement."""
        self.late: list[str] = []
        """The names of variables that appear after the declarations are written."""
        self.sizes = SizeWriter(self.spell)
        self.types = TypeWriter(self.sizes, own=self.declare)
        self.lines: list[str] = []
        self.depth = 0
        self.in_dataflow = False

    # Names ------------------------------------------------------------------------------------

    def spell(self, variable: str) -> str:
        """Return the name of a symbolic variable."""
        if (found := self.variables.get(variable)) is None:
            found = self.variables[variable] = self.names.new(variable)
        return found

    def read(self, value: SSAValue) -> str:
        """Return the expression of a value."""
        if (found := self.texts.get(value)) is not None:
            return found
        assert isinstance(value, OpResult)
        if (tuple_name := self.whole.get(value.op)) is not None:
            return f"{tuple_name}[{value.index}]"
        raise Unwritable(f"expected a value of the function, found a result of {value.op.name}")

    def arguments(self, values: Iterable[SSAValue]) -> str:
        """Write values as a tuple."""
        texts = list(map(self.read, values))
        return tuple_text(texts) if texts else "R.tuple()"

    # Statements -------------------------------------------------------------------------------

    def say(self, line: str) -> None:
        """Write a line."""
        self.lines.append(INDENT * self.depth + line)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        if self.depth == DEEPEST:
            raise Unwritable(
                f"expected at most {DEEPEST} levels of branches, blocks and closures, as Python takes, "
                "found more; make functions of inner ones"
            )
        self.depth += 1
        yield
        self.depth -= 1

    def bind(self, value: SSAValue, text: str) -> None:
        """Write a statement that names a value; a value that is matched at once needs no name."""
        if value.name_hint is None and is_matched_next(value):
            self.texts[value] = text
            return
        name = self.wishes.get(value) or self.names.new(value.name_hint or self.unnamed)
        self.say(f"{name} = {text}")
        self.texts[value] = name

    def results(self, op: Operation, text: str) -> None:
        """Write a statement for the results of an op: several are a tuple, whose used fields are named."""
        if not op.results:
            self.say(text)
        elif not gives_tuple(op):
            self.bind(op.results[0], text)
        else:
            wish, is_part, _ = (op.results[0].name_hint or "lv").partition(PART)
            name = self.whole[op] = self.names.new(wish if is_part else "lv")
            self.say(f"{name} = {text}")
            for result in op.results:
                is_named = PART not in (result.name_hint or PART)
                is_used = any(not is_whole(use) for use in uses(result))
                if is_named or (
                    is_used and not isinstance(result.get_user_of_unique_use(), MatchCastOp)
                ):
                    self.bind(result, f"{name}[{result.index}]")

    def block(self, block: Block, *, sort: bool = False) -> None:
        """Write the ops of a block except its terminator."""
        for op in topological_order(block) if sort else list(block.ops):
            if isinstance(op, OutputOp | YieldOp | ReturnOp):
                continue
            try:
                self.op(op)
            except Unwritable as problem:
                self.around.problems.append(f"{describe_written(op)}: {problem}")
                self.texts.update(dict.fromkeys(op.results, "_"))

    def op(self, op: Operation) -> None:
        """Write one op."""
        match op:
            case ConstantOp():
                self._leaf(op, self.around.constants.text(op.value))
            case arith.ConstantOp(value=IntegerAttr() | FloatAttr() as number):
                self._leaf(op, f"R.prim_value({number_text(number)})")
            case ToBuiltinOp() if all(is_scalar_read(user) for user in uses(op.result)):
                self.texts[op.result] = self.read(op.value)
            case tensor.ExtractOp() if is_scalar_read(op):
                self.texts[op.result] = self.read(op.tensor)
            case ShapeOp():
                sizes = op.sizes.data or ()
                self._leaf(op, f"R.shape([{', '.join(self.sizes.text(d) for d in sizes if d)}])")
            case PrimValueOp() | SymbolicValueOp():
                self._leaf(op, f"R.prim_value({self.sizes.text(op.expression.data)})")
            case LiteralOp():
                self._leaf(op, literal_text(op.value))
            case TupleOp():
                whole = self._whole_of(op)
                self._leaf(op, whole or (self.arguments(op.fields) if op.fields else "R.tuple()"))
            case MatchCastOp() if isinstance(op.result.type, PrimType):
                self._match_number(op, op.result.type)
            case MakeClosureOp() if not op.args:
                self._leaf(op, expression(self, op))
            case DataflowOp():
                self._dataflow(op)
            case BindingBlockOp():
                self.block(op.body.block)
                self._passed_out(op)
            case IfOp():
                self._if(op)
            case ClosureOp():
                self.closure(op)
            case PermuteDimsOp() if is_only_order(op):
                self.texts[op.result] = "_"  # nobody reads it
            case LetOp(stop_lift_params=True):
                self.bind(op.result, f"R.builtin.stop_lift_params({self.read(op.value)})")
            case LetOp():
                self.bind(op.result, self.read(op.value))
            case SplitOp() if len(op.results) == 1:  # of which TVM makes no tuple
                self.bind(op.results[0], self.read(op.x))
            case _:
                self.results(op, expression(self, op))
        self.known.update(candidate_symbols(op))

    def _leaf(self, op: Operation, text: str) -> None:
        """Write an expression where it is used, unless the program names it."""
        (result,) = op.results
        if self.in_dataflow and isinstance(op, ShapeOp) and _is_size(result):
            self.texts[result] = text
            return
        unnamed = UNNAMED if isinstance(op, ConstantOp | TupleOp) else UNNAMED_SIZES
        is_matched = isinstance(op, ShapeOp) and any(
            isinstance(user, MatchCastOp) for user in uses(result)
        )
        if result.name_hint in unnamed and result not in self.wishes and not is_matched:
            self.texts[result] = text
        else:
            self.bind(result, text)

    def _match_number(self, op: MatchCastOp, type: PrimType) -> None:
        """Write a number matched with a size: only shapes are matched with sizes."""
        text = self.read(op.value)
        if not isinstance(op.value.type, PrimType | IntegerType) or not text.isidentifier():
            name = self.names.new(op.result.name_hint or self.unnamed)
            self.say(f"{name} = R.match_cast({text}, T.int64)")
            text = name
        self.match_size(text, type)
        self.texts[op.result] = text

    def match_size(self, text: str, type: PrimType) -> None:
        """Match the number of a name with the size that it is."""
        shape, matched = (self.names.new(self.unnamed) for _ in range(2))
        self.say(f"{shape} = R.shape([{text}])")  # TVM builds no match of a shape that has no name
        self.say(f"{matched} = R.match_cast({shape}, R.Shape([{self.sizes.text(type.value)}]))")

    @property
    def unnamed(self) -> str:
        """The name of values without one."""
        return "lv" if self.in_dataflow else "gv"

    def _whole_of(self, op: TupleOp) -> str | None:
        """Return the tuple that a call returned, if an op builds it again from its fields."""
        found = whole_source(op.operands) if is_whole(op) else None
        return self.whole.get(found) if found is not None else None

    def _dataflow(self, op: DataflowOp) -> None:
        self.say("with R.dataflow():")
        self.in_dataflow, before = True, self.in_dataflow
        with self.deeper():
            self.block(op.body.block, sort=True)
            names: dict[str, None] = {}
            for value in op.output.values:
                is_inside = isinstance(value, OpResult) and value.op.parent is op.body.block
                made = self.whole.get(value.op) if isinstance(value, OpResult) else None
                if made is not None and value not in self.texts:
                    names[made] = None
                    continue
                if not is_inside or not self.read(value).isidentifier():
                    name = self.names.new("gv")
                    self.say(f"{name} = {self.read(value)}")
                    self.texts[value] = name
                names[self.read(value)] = None
            self.say(f"R.output({', '.join(names)})")
        self.in_dataflow = before
        self._passed_out(op)

    def _passed_out(self, op: BlockOp) -> None:
        for result, value in zip(op.results, op.output.values):
            if value in self.texts:
                self.texts[result] = self.texts[value]
            else:
                assert isinstance(value, OpResult)
                self.texts[result] = f"{self.whole[value.op]}[{value.index}]"

    def _if(self, op: IfOp) -> None:
        name = self.names.new(op.result.name_hint or "gv")
        for word, region in (
            (f"if {self.read(op.condition)}:", op.then_region),
            ("else:", op.else_region),
        ):
            self.say(word)
            with self.deeper(), self._own_variables(region.block):
                last = region.block.last_op
                assert isinstance(last, YieldOp)
                value = last.value
                if isinstance(value, OpResult) and value.op.next_op is last:
                    self.wishes[value] = name
                self.block(region.block)
                if self.read(value) != name:
                    self.say(f"{name} = {self.read(value)}")
        self.texts[op.result] = name

    @contextmanager
    def _own_variables(self, branch: Block) -> Iterator[None]:
        """Scope the variables that a branch binds: TVM declares each name once."""
        known, variables = set(self.known), dict(self.variables)
        for variable in defined_in(branch):
            if variable not in known:
                self.variables[variable] = self.declare(variable)
        yield
        self.known, self.variables = known, variables

    def declare(self, variable: str) -> str:
        """Declare a symbolic variable of the function under a new name."""
        name = self.names.new(variable)
        self.late.append(name)
        return name

    @abstractmethod
    def closure(self, op: ClosureOp) -> None:
        """Write a definition within the function."""


def _is_size(shape: SSAValue) -> bool:
    """Returns whether all users of a shape are operators: TVM's types then name the variable, which its
    block hides."""
    users = [use.operation for use in shape.uses]
    return bool(users) and all(type(user) in TABLE.by_op for user in users)

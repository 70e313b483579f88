"""Loops over a state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect

from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.traits import ControlFlow, RegionKind, Repeats
from relax_dialect.ops import syntax
from relax_dialect.ops.base import BOOLEAN, RelaxOp
from relax_dialect.ops.control import YieldOp, parse_body


@irdl_op_definition
class WhileOp(RelaxOp):
    """A loop over a state: the body computes the next state as long as the condition holds.

    ```mlir
    %n, %y = relax.while (%i = %zero, %x = %x0) : (I, T) -> (I, T) {
      %more = relax.less %i, %count : (I, I) -> !relax.tensor<[], i1>
      relax.yield %more : !relax.tensor<[], i1>
    } do {
      %next = relax.add %i, %one : (I, I) -> I
      %z = relax.tanh %x : (T) -> T
      relax.yield %next, %z : I, T
    }
    ```

    Both regions are sequences with the state as arguments, under one name in the text; in a graph region
    their nodes have no fixed scope within this loop. The results are the first state for which the
    condition does not hold. Values of the state may be of any type. A size that changes between iterations
    is `?` in the type: a relax.match_cast in a region names it anew in every iteration. Symbolic variables
    defined in a region are not visible outside.

    (C1) The condition yields one boolean: an i1 or a tensor of it of rank 0.
    (C2) As many results, arguments of both regions and values yielded by the body as initial values; the
    arguments are of the types of the results.
    (C3) The type of each result is at least as wide as that of its initial value.
    (C4) It is at least as wide as the type the body yields for it, without the symbolic variables that the
    body defines itself.
    (C5) Both regions end in relax.yield.
    """

    name = "relax.while"

    inits = var_operand_def(AnyAttr())
    state = var_result_def(AnyAttr())
    condition = region_def("single_block")
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), RegionKind("inherited"), ControlFlow(), Repeats())

    def __init__(
        self,
        inits: Sequence[SSAValue | Operation],
        condition: Region,
        body: Region,
    ):
        """The types of the state are those of the regions' arguments."""
        IRDLOperation.__init__(
            self,
            operands=[inits],
            result_types=[condition.block.arg_types],
            regions=[condition, body],
        )
        with self.without_trace_on_error():
            self.infer()

    @property
    def test(self) -> SSAValue:
        """The boolean that the condition yields."""
        return self._yield(self.condition).value

    @property
    def next_state(self) -> Sequence[SSAValue]:
        """The values that the body yields."""
        return self._yield(self.body).values

    def carried(self, index: int) -> tuple[BlockArgument, BlockArgument]:
        """Return a value of the state as the condition and the body see it."""
        return self.condition.block.args[index], self.body.block.args[index]

    def _yield(self, region: Region) -> YieldOp:
        last = region.block.last_op
        if not isinstance(last, YieldOp):
            found = "an empty one" if last is None else f"one that ends in {last.name}"
            self.fail(
                "regions that end in relax.yield (C5)", found, "yield the result of the region"
            )
        return last

    def infer(self) -> Sequence[Attribute]:
        tests, types = self._yield(self.condition).operand_types, self.result_types
        if len(tests) != 1 or (tests[0] != IntegerType(1) and contradict(tests[0], BOOLEAN)):
            self.fail(
                f"a condition that yields an i1 or a {BOOLEAN} (C1)",
                ", ".join(map(str, tests)) or "nothing",
                "reduce it to one boolean",
            )
        for what, found in (
            ("initial value", len(self.inits)),
            ("value that the body yields", len(self.next_state)),
        ):
            if found != len(types):
                self.fail(
                    f"one {what} for each of {len(types)} results (C2)",
                    f"{found}",
                    "write as many as the state has values",
                )
        for region, what in ((self.condition, "condition"), (self.body, "body")):
            if (found := region.block.arg_types) != types:
                self.fail(
                    f"a {what} with the arguments {_listed(types)}, as the results (C2)",
                    _listed(found),
                    "change the two together",
                )
        for index, (init, type) in enumerate(zip(self.operand_types, types)):
            if not is_subtype(init, type):
                self._refuse(index, "an initial value", init, "C3")
        return types

    def verify_exit(self, region: Region, types: Sequence[Attribute]) -> None:
        """Check the types that the body yields, without the variables it defines itself."""
        for index, (found, type) in enumerate(zip(types, self.result_types)):
            if region is self.body and not is_subtype(found, type):
                self._refuse(index, "a next state", found, "C4")

    def _refuse(self, index: int, what: str, found: Attribute, constraint: str) -> None:
        name = self.body.block.args[index].name_hint
        self.fail(
            f"{what} of type {self.result_types[index]} for {f'%{name}' if name else f'#{index}'} "
            f"({constraint})",
            f"{found}",
            "declare a state that holds the values of all iterations, with '?' for sizes that change",
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names, inits = syntax.parse_bindings(
            parser,
            " with the state of relax.while: (%x = %x0, ...)",
            "relax.while: expected '=' and an initial value for each value of the state, found neither; "
            "write relax.while (%x = %x0, ...)",
        )
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types of relax.while")
        position = parser.pos
        op = syntax.finish_parse(cls, parser, inits, attributes)
        if len(op.results) != len(names):
            parser.raise_error(
                f"relax.while: expected one type for each of {len(names)} values of the state, found "
                f"{len(op.results)}; write as many after the arrow",
                position,
            )
        arguments = [parser.Argument(name.span, type) for name, type in zip(names, op.result_types)]
        op.add_region(parse_body(parser, "relax.while", YieldOp, "C5", arguments))
        if parser.parse_optional_keyword("do") is None:
            parser.raise_error(
                "relax.while: expected 'do' and the body after the condition, found neither; yield "
                "the next state there"
            )
        op.add_region(parse_body(parser, "relax.while", YieldOp, "C5", arguments))
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        condition, body = self.condition.block, self.body.block
        syntax.print_bindings(printer, condition.args, self.inits)
        syntax.print_attributes(printer, self)
        printer.print_string(" : ")
        syntax.print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.condition, print_entry_block_args=False)
        names = printer._ssa_values  # pyright: ignore[reportPrivateUsage]
        names.update((inner, names[outer]) for outer, inner in zip(condition.args, body.args))
        printer.print_string(" do ")
        printer.print_region(self.body, print_entry_block_args=False)


def _listed(types: Iterable[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


OPS: list[type[Operation]] = [WhileOp]

"""Tensor expressions in the text: a tensor by its elements, and reductions over indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.ir import Attribute, BlockArgument, Operation
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect

from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.order import op_name
from relax_dialect.ir.traits import HoldsScalars
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops import syntax
from relax_dialect.ops.compute_region import (
    ElementOp,
    IndexAllOp,
    IndexAnyOp,
    IndexedOp,
    IndexMaxOp,
    IndexMinOp,
    IndexProdOp,
    IndexReduceOp,
    IndexSizeOp,
    IndexSumOp,
    can_be_read,
    is_element,
    is_scalar,
    listed,
)
from relax_dialect.ops.control import YieldOp, parse_body

_SCALAR_DIALECTS = ("arith", "math")
_SCALAR_OPS = ("scf.if", "scf.yield", "relax.yield")


@irdl_op_definition
class ComputeOp(IndexedOp):
    """Tensors by their elements, as in `te.compute`: a macro that expands to a call of a prim func.

    ```mlir
    %c = relax.compute (%i, %j) in [n, m] (%x = %a, %y = %b) : (A, B) -> C {
      %sum = relax.index_sum (%k) in [64] {
        %l = relax.element %x[%i, %k] : A
        %r = relax.element %y[%k, %j] : B
        %p = arith.mulf %l, %r : f32
        relax.yield %p : f32
      }
      relax.yield %sum : f32
    }
    ```

    The region computes the element at the indices, of several tensors if it yields several scalars. It
    knows the operands by the names of its own alone; numbers among them are scalars. Reading outside of a
    tensor stops the program.

    (C2) The region is one block that ends in relax.yield with one scalar for each result; there is at least
    one.
    (C3) Operands are tensors of known rank and element type, or numbers; the region's arguments
    after the indices are as many, of their types or wider ones.
    (C4) The region computes with scalars: `arith` and `math`, `scf.if`, relax.element,
    relax.index_size and reductions; it uses nothing from outside.
    (C5) An element is a float or a signless integer.
    (C6) A reduction is no part of a branch or of another reduction.
    """

    name = "relax.compute"

    inputs = var_operand_def(AnyAttr())
    outputs = var_result_def(AnyAttr())

    traits = traits_def(RecursiveMemoryEffect(), HoldsScalars())

    @property
    def reads(self) -> Sequence[BlockArgument]:
        """The operands as the region knows them."""
        return self.body.block.args[len(self.extents) :]

    def infer(self) -> Sequence[Attribute]:
        self.check_indices()
        self._check_operands()
        if not self.outputs:
            self.fail("at least one result (C2)", "no result", "yield the value of an element")
        types = [element.type for element in self.elements]
        for type in types:
            if not is_element(type):
                self.fail(
                    "elements that are floats or signless integers (C5)",
                    f"{type}",
                    "cast them, as with arith.index_cast",
                )
        self._check_body()
        return [TensorType.get(self.extents, type) for type in types]

    def _check_operands(self) -> None:
        found = [argument.type for argument in self.reads]
        if len(found) != len(self.inputs):
            self.fail(
                f"{len(self.inputs)} arguments after the indices (C3)",
                listed(found),
                "write one for each operand",
            )
        for operand, type in zip(self.inputs, found):
            if not can_be_read(operand.type) or not can_be_read(type):
                self.fail(
                    "operands that are tensors of known rank and element type, or numbers (C3)",
                    f"{operand.type}",
                    "insert a relax.match_cast to such a type",
                )
            if not is_subtype(operand.type, type):
                self.fail(
                    f"an argument that takes {operand.type} (C3)",
                    f"{type}",
                    "change the two together",
                )

    def _check_body(self) -> None:
        inside = {*walk_ops(self)}
        for op in inside - {self}:
            is_known = op.name.split(".")[0] in _SCALAR_DIALECTS or op.name in _SCALAR_OPS
            is_known |= isinstance(op, ElementOp | IndexSizeOp | IndexReduceOp)
            if not is_known or not all(is_scalar(type) for type in op.result_types):
                self.fail(
                    "a region that computes with scalars (C4)",
                    op_name(op),
                    "compute it outside and pass it, or write arith, math, scf.if, relax.element, "
                    "relax.index_size and relax.index_sum here",
                )
            if isinstance(op, IndexReduceOp) and op.parent is not self.body.block:
                self.fail(
                    "reductions that are no part of a branch or of another reduction (C6)",
                    op_name(op),
                    "write one reduction over all indices, or two of them one after the other",
                )
            for operand in op.operands:
                around = (
                    operand.owner
                    if isinstance(operand.owner, Operation)
                    else operand.owner.parent_op()
                )
                if around not in inside:
                    hint = f"%{operand.name_hint}" if operand.name_hint else "a value from outside"
                    self.fail(
                        "a region that uses the operands by names of its own (C4)",
                        hint,
                        "pass it, as in (%x = %a), and use that name",
                    )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        arguments, sizes = cls.parse_indices(parser)
        names, inputs = syntax.parse_bindings(
            parser,
            " with the operands of relax.compute: (%x = %a)",
            "relax.compute: expected '=' and an operand for each name of the region, found neither; "
            "write relax.compute (%i) in [n] (%x = %a)",
        )
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types of relax.compute")
        op = syntax.finish_parse(cls, parser, inputs, attributes, {"sizes": sizes})
        arguments += [
            parser.Argument(name.span, type) for name, type in zip(names, op.operand_types)
        ]
        op.add_region(parse_body(parser, cls.name, YieldOp, "C2", arguments))
        return op

    def print(self, printer: Printer) -> None:
        self.print_indices(printer)
        printer.print_string(" ")
        syntax.print_bindings(printer, self.reads, self.inputs)
        syntax.print_attributes(printer, self, elided=("sizes",))
        printer.print_string(" : ")
        syntax.print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


OPS: list[type[Operation]] = [
    ComputeOp, ElementOp, IndexSizeOp,
    IndexSumOp, IndexProdOp, IndexMaxOp, IndexMinOp, IndexAllOp, IndexAnyOp,
]  # fmt: skip

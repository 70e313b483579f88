"""A hash of programs that does not see names, nor the order of graph regions."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    ModuleOp,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, ParametrizedAttribute, SSAValue
from xdsl.traits import IsTerminator

from relax_dialect.ir.order import CycleError, topological_order
from relax_dialect.ir.traits import kind_has
from relax_dialect.ir.types import DimsAttr, ExprAttr, FuncType
from relax_dialect.ir.walk import symbol_name
from relax_dialect.structural.attribute_equality import counts, elements
from relax_dialect.structural.equality_scopes import Program, Root, blocks_of


def structural_hash(root: Root, *, map_free_vars: bool = False) -> int:
    """Return a number that is the same for all programs that are equal up to names, and in every
    process."""
    return Hasher(Program(root), map_free_vars).whole()


def _digest(*parts: object) -> int:
    text = "\0".join(map(str, parts)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


class Hasher:
    """The hashes of the ops of a program: of each op, its computation from arguments and outer values."""

    def __init__(self, program: Program, map_free_vars: bool = False):
        self.program = program
        self.map_free_vars = map_free_vars
        self._ops: dict[Operation, int] = {}
        self._arguments: dict[Block, int] = {}
        self._attributes: dict[Attribute, int] = {}

    def whole(self) -> int:
        """Return the hash of all of it."""
        root = self.program.root
        if isinstance(root, ModuleOp):
            hashes = [(symbol_name(op), self.of(op)) for op in root.ops]
            named = sorted(
                f"{self._shown(name)} {each}" for name, each in hashes if name is not None
            )
            return _digest(*named, "|", *(each for name, each in hashes if name is None))
        if isinstance(root, Operation):
            return self.of(root)
        return _digest(*(self._of_block(block) for block in self._evaluated(blocks_of(root))))

    def of(self, op: Operation) -> int:
        """Return the hash of an op, with all in it."""
        if op not in self._ops:
            if (
                op.parent is not None
                and op is not self.program.root
                and op.parent in self.program.graphs
            ):
                self._evaluated([op.parent])  # with what it uses of its block
            if op not in self._ops:
                self._evaluate(op)
        return self._ops[op]

    def _evaluated(self, blocks: list[Block]) -> list[Block]:
        for block in blocks:
            for op in self._order(block):
                if op not in self._ops:
                    self._evaluate(op)
        return blocks

    def _evaluate(self, root: Operation) -> None:
        """Hash an op after those in its regions, without recursion."""
        stack: list[tuple[Operation, Iterator[Operation]]] = [(root, self._inside(root))]
        while stack:
            op, inner = stack[-1]
            following = next(inner, None)
            if following is None:
                stack.pop()
                self._ops[op] = self._of_op(op)
            elif following not in self._ops:
                stack.append((following, self._inside(following)))

    def _inside(self, op: Operation) -> Iterator[Operation]:
        for region in op.regions:
            for number, block in enumerate(region.blocks):
                self._arguments[block] = number
                yield from self._order(block)

    def _order(self, block: Block) -> list[Operation]:
        if not self.program.graphs[block]:
            return list(block.ops)
        try:
            return topological_order(block)
        except CycleError:
            return list(block.ops)

    def _of_op(self, op: Operation) -> int:
        attributes = [
            f"{key} {self._of_attribute(value)}"
            for key, value in (*op.properties.items(), *op.attributes.items())
            if key not in ("sym_name", "variables") and counts(key, op, self.program.root)
        ]
        return _digest(
            op.name,
            *sorted(attributes),
            "|",
            *(self._of_value(operand) for operand in op.operands),
            "|",
            *(self._of_attribute(type) for type in op.result_types),
            *("|".join(str(self._of_block(block)) for block in r.blocks) for r in op.regions),
        )

    def _of_block(self, block: Block) -> int:
        ops = [self._ops[op] for op in block.ops if not kind_has(type(op), IsTerminator)]
        if self.program.graphs[block]:
            ops.sort()
        last = [self._ops[op] for op in block.ops if kind_has(type(op), IsTerminator)]
        return _digest(*(self._of_attribute(a.type) for a in block.args), "|", *ops, "|", *last)

    def _of_value(self, value: SSAValue) -> object:
        if not self.program.holds(value):
            return "outside"
        if isinstance(value, OpResult):
            return f"{self._ops.get(value.op)} {value.index}"
        return f"argument {value.index}"  # pyright: ignore[reportAttributeAccessIssue]

    def _shown(self, name: str) -> str:
        """Return the name of a function, unless it does not count."""
        return "" if self.map_free_vars or name in self.program.functions else name

    def _of_attribute(self, attribute: Attribute) -> int:
        if isinstance(
            attribute, DenseIntOrFPElementsAttr
        ):  # its own hash would go through all bytes
            data = blake2b(elements(attribute), digest_size=8).hexdigest()
            return _digest("dense", attribute.type, data)
        if (found := self._attributes.get(attribute)) is None:
            found = self._attributes[attribute] = self._new_attribute(attribute)
        return found

    def _new_attribute(self, attribute: Attribute) -> int:
        match attribute:
            case DimsAttr():
                if attribute.data is None:
                    return _digest("dims", "*")
                sizes = (
                    "?" if d is None else d if d.is_constant else f"of {len(d.free_variables)}"
                    for d in attribute.data
                )
                return _digest("dims", *sizes)
            case ExprAttr():
                return self._new_attribute(DimsAttr((attribute.data,)))
            case SymbolRefAttr():
                nested = (n.data for n in attribute.nested_references)
                return _digest("symbol", self._shown(attribute.root_reference.data), *nested)
            case FuncType():
                parts = (attribute.inputs, attribute.output, attribute.purity)
                return _digest(len(attribute.variables), *map(self._of_attribute, parts))
            case ArrayAttr():
                return _digest("array", *map(self._of_attribute, attribute.data))
            case DictionaryAttr():
                items = (f"{k} {self._of_attribute(v)}" for k, v in attribute.data.items())
                return _digest("dictionary", *sorted(items))
            case ParametrizedAttribute() if attribute.parameters:
                return _digest(attribute.name, *map(self._of_attribute, attribute.parameters))
            case _:
                return _digest(attribute)

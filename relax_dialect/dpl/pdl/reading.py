"""Patterns of the `pdl` dialect as rules: `from_pdl`, so that our indexed driver runs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from xdsl.dialects import pdl
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder.values import Expression
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.pdl.refusals import is_whole
from relax_dialect.dpl.rewriter.templates import PlainOp, TemplateRule, typed
from relax_dialect.dpl.syntax import language, pattern_names
from relax_dialect.dpl.syntax.patterns import Pattern
from relax_dialect.ir.walk import walk_ops


def from_pdl(module: ModuleOp) -> list[TemplateRule]:
    """Return a rule for each `pdl.pattern` of a module, the greatest benefit first: the output of `to_pdl`
    and more.

    Raises `PatternError` for constructs that our patterns cannot express, such as one `pdl.type` of two
    values; `relax-apply-pdl` runs these too.
    """
    ops = [op for op in walk_ops(module) if isinstance(op, pdl.PatternOp)]
    return [_PdlReader(op).rule() for op in sorted(ops, key=lambda op: -op.benefit.value.data)]


class _PdlReader:
    def __init__(self, op: pdl.PatternOp):
        self.op = op
        self.name = "rule" if op.sym_name is None else op.sym_name.data
        self.values: dict[SSAValue, Pattern] = {}
        """The node of each `!pdl.value`, and of each `!pdl.operation` of the pattern."""
        self.typed: dict[SSAValue, Pattern] = {}
        """A node of the type that a `pdl.type` denotes."""
        self.made: dict[SSAValue, Expression] = {}

    def _fail(self, found: str, mend: str) -> NoReturn:
        raise PatternError(
            f"from_pdl: @{self.name}: expected what our patterns can express, found {found}; {mend}"
        )

    def rule(self) -> TemplateRule:
        *matcher, rewrite = self.op.body.block.ops
        for op in matcher:
            self._match(op)
        assert isinstance(rewrite, pdl.RewriteOp)
        if rewrite.root is None or rewrite.body is None or not rewrite.body.blocks:
            self._fail("a rewrite without root or body", "write pdl.rewrite %root { ... }")
        templates = [
            found
            for op in rewrite.body.ops
            if (found := self._rewrite(op, rewrite.root)) is not None
        ]
        if len(templates) != 1:
            self._fail(f"{len(templates)} times pdl.replace of the root", "replace it once")
        return TemplateRule(
            self.values[rewrite.root], templates[0], self.name, True, self.op.benefit.value.data
        )

    # The pattern ------------------------------------------------------------------------------

    def _match(self, op: Operation) -> None:
        match op:
            case pdl.AttributeOp() if op.value is None:
                self._fail("a pdl.attribute without a value", "run the file by relax-apply-pdl")
            case pdl.AttributeOp() | pdl.TypeOp():
                pass
            case pdl.OperandOp():
                self.values[op.value] = self._of_type(language.wildcard(), op.value_type)
            case pdl.OperationOp():
                self._operation(op)
            case pdl.ResultOp():
                self.values[op.val] = self._result(op)
            case _:
                self._fail(op.name, "name every operand, result and attribute")

    def _operation(self, op: pdl.OperationOp) -> None:
        kind = self._kind(op)
        args = [self.values[operand] for operand in op.operand_values]
        found = language.is_op(kind)(*args, in_order=True)
        for name, value in self._attributes(op).items():
            found = language.has_attr(found, name, value)
        if len(op.type_values) == 1:
            found = self._of_type(found, op.type_values[0])
        elif any(_constant(type) or _users(type) > 1 for type in op.type_values):
            self._fail("types of an op with several results", "leave them out")
        self.values[op.op] = found

    def _kind(self, op: pdl.OperationOp) -> type[Operation]:
        if op.opName is None:
            self._fail("a pdl.operation without a name", "run the file by relax-apply-pdl")
        try:
            kind = pattern_names.operator(op.opName.data)
        except PatternError as error:
            raise PatternError(f"from_pdl: @{self.name}: {error}") from None
        if kind.name != op.opName.data:
            self._fail(f"an unknown op, {op.opName.data!r}", f"the nearest is {kind.name!r}")
        return kind

    @staticmethod
    def _attributes(op: pdl.OperationOp) -> Mapping[str, Attribute]:
        found: dict[str, Attribute] = {}
        for name, value in zip(op.attributeValueNames, op.attribute_values):
            made: Any = value.owner
            assert isinstance(name, StringAttr)
            found[name.data] = made.value
        return found

    def _result(self, op: pdl.ResultOp) -> Pattern:
        made = op.parent_.owner
        assert isinstance(made, pdl.OperationOp)
        node, index = self.values[op.parent_], op.index.value.data
        return node if len(made.type_values) == 1 and index == 0 else node[index]

    def _of_type(self, node: Pattern, type: SSAValue | None) -> Pattern:
        """Return a node whose value has the type of a `pdl.type`."""
        if type is None:
            return node
        if (constant := _constant(type)) is not None:
            if not is_whole(constant):
                self._fail(
                    f"pdl.type : {constant}, which for us narrower types are too",
                    "state a type without ?, * and !relax.object",
                )
            return language.has_type(node, constant)
        if self.typed.setdefault(type, node) is not node:
            self._fail("one pdl.type of two values", "run the file by relax-apply-pdl")
        return node

    # The rewrite ------------------------------------------------------------------------------

    def _rewrite(self, op: Operation, root: SSAValue) -> object:
        """Return the replacement of the root, if the op states it."""
        match op:
            case pdl.AttributeOp() | pdl.TypeOp():
                return None
            case pdl.ResultOp():
                self.made[op.val] = self.made[op.parent_]
                return None
            case pdl.OperationOp():
                self.made[op.op] = self._new(op)
                return None
            case pdl.ReplaceOp() if op.op_value is root:
                values = [op.repl_operation] if op.repl_operation else list(op.repl_values)
                found = [self._value(value) for value in values]
                return found[0] if len(found) == 1 else found
            case _:
                self._fail(f"{op.name} in the rewrite", "run the file by relax-apply-pdl")

    def _new(self, op: pdl.OperationOp) -> Expression:
        if len(op.type_values) != 1:
            self._fail(f"a new op with {len(op.type_values)} result types", "pass one")
        (type,) = op.type_values
        constant = _constant(type)
        if constant is None and type not in self.typed:
            self._fail(
                "a new op of the type of an op with several results", "write the type itself"
            )
        make = PlainOp(self._kind(op), self._attributes(op))
        operands = [self._value(operand) for operand in op.operand_values]
        return typed(Expression(make, operands), constant or self.typed[type])

    def _value(self, value: SSAValue) -> Pattern | Expression:
        return self.values[value] if value in self.values else self.made[value]


def _constant(type: SSAValue) -> Attribute | None:
    made = type.owner
    return made.constantType if isinstance(made, pdl.TypeOp) else None


def _users(value: SSAValue) -> int:
    return sum(1 for _ in value.uses)

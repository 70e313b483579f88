"""Relax functions and closures as definitions of TVMScript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Attribute, Block

from relax_dialect.frontends.tvmscript.writing.attribute_writer import python_text
from relax_dialect.frontends.tvmscript.writing.statement_writer import INDENT, Statements
from relax_dialect.frontends.tvmscript.writing.type_writer import TypeWriter
from relax_dialect.frontends.tvmscript.writing.variable_writer import symbolic_variables
from relax_dialect.ir.type_variables import bare_variables, defined_variables, free_variables
from relax_dialect.ir.types import PrimType, leaf_types
from relax_dialect.ops.control import ClosureOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.symbolic import Expr
from relax_dialect.transform.computed_values import computed_value


class FunctionWriter(Statements):
    """Writes a function, or a closure in one."""

    def closure(self, op: ClosureOp) -> None:
        name = self.names.new(op.result.name_hint or "closure")
        self.texts[op.result] = name
        inner = FunctionWriter(self.around, self)
        inner.depth = self.depth
        inner.variables.update({v: inner.names.new(v) for v in op.entry_symbols()})
        flags = "" if op.type.is_pure else "(pure=False)"
        inner.function(
            f"@R.function{flags}",
            name,
            op.body.block,
            op.type.output,
            op.attributes,
            op.entry_symbols(),
        )
        self.lines += inner.lines

    def relax_function(self, op: FuncOp) -> list[str]:
        """Return the lines of a function of the module."""
        name = op.sym_name.data
        if (value := computed_value(op)) is not None:
            return self._computation(op, value)
        flags = ["private=True"] * op.is_private + ["pure=False"] * (name in self.around.impure)
        decorator = f"@R.function({', '.join(flags)})" if flags else "@R.function"
        own = symbolic_variables(op)
        for variable in own:
            self.spell(variable)
        attributes = dict(op.attributes)
        self.function(
            decorator,
            self.around.functions[name],
            op.body.block,
            op.function_type.output,
            attributes,
            own,
        )
        return self.lines

    def _computation(self, op: FuncOp, value: Expr) -> list[str]:
        """Write a prim func of numbers, which TVM's machine calls for a symbolic expression."""
        names = [self.spell(arg.type.value.name) for arg in op.body.block.args]  # pyright: ignore
        params = ", ".join(f"{name}: T.int64" for name in names)
        return [
            "@T.prim_func(private=True, s_tir=True)",
            f"def {self.around.functions[op.sym_name.data]}({params}) -> T.int64:",
            f'{INDENT}T.func_attr({{"tirx.is_host_func": True}})',
            f"{INDENT}return {self.sizes.text(value)}",
        ]

    def function(
        self,
        decorator: str,
        name: str,
        body: Block,
        output: Attribute,
        attributes: Mapping[str, Attribute],
        own: Sequence[str],
    ) -> None:
        """Write a definition; it declares its own variables, and spells them as texts in the signature."""
        signature = TypeWriter(self.sizes, quoted=frozenset(own), own=self.names.new)
        params: list[str] = []
        declared = dict.fromkeys(own)
        used: set[str] = set()
        computed: list[tuple[str, PrimType]] = []
        for arg in body.args:
            type = arg.type
            if isinstance(type, PrimType) and type.value.name in declared:
                if type.value.name in used:
                    self.around.problems.append(
                        f"@{name}: expected the parameter {type.value.name} before those whose sizes it is "
                        "in, as TVM takes no other, found it behind; put it before them"
                    )
                del declared[type.value.name]
                text = self.spell(type.value.name)
            else:
                text = self.names.new(arg.name_hint or "x")
                if isinstance(type, PrimType):
                    computed.append((text, type))
            self.texts[arg] = text
            params.append(f"{text}: {signature.text(type)}")
            used.update(free_variables(type))
        bound = frozenset(defined_variables(body.arg_types))
        bare = {v for type in body.arg_types for v in bare_variables(type)}
        for variable in sorted(bound.difference(*map(_told_by, body.arg_types))):
            found = (
                "it as a number in a tuple; take the number as a parameter of its own"
                if variable in bare
                else f"it in expressions alone; add a parameter of type !relax.shape<[{variable}]>"
            )
            self.around.problems.append(
                f"@{name}: expected a parameter that defines for TVM the size {variable}, found {found}"
            )
        self.known |= bound
        result = TypeWriter(self.sizes, quoted=frozenset(own), known=bound | self._captured())
        self.say(decorator)
        self.say(f"def {name}({', '.join(params)}) -> {result.text(output)}:")
        with self.deeper():
            if attributes:
                self.say(f"R.func_attr({python_text(attributes)})")
            for variable in declared:
                self.say(f"{self.spell(variable)} = T.int64()")
            start = len(self.lines)
            for text, type in computed:
                self.match_size(text, type)
            self.block(body)
            last = body.last_op
            assert isinstance(last, ReturnOp)
            self.say(f"return {self.read(last.value)}")
            declarations = [f"{INDENT * self.depth}{name} = T.int64()" for name in self.late]
            self.lines[start:start] = declarations
            if any("cls." in line for line in self.lines[start:]) and self.outer is None:
                self.lines.insert(start, INDENT * self.depth + "cls = Module")

    def _captured(self) -> frozenset[str]:
        return frozenset(self.outer.variables) if self.outer else frozenset()


def _told_by(type: Attribute) -> Iterable[str]:
    """Return the variables that TVM infers from a parameter: it reads no numbers in tuples."""
    parts = [type] if isinstance(type, PrimType) else leaf_types(type)
    return [v for p in parts if p is type or not isinstance(p, PrimType) for v in bare_variables(p)]

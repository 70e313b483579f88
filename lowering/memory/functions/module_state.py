"""The state that the functions of a module share while they are lowered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation

from lowering.memory.functions.external_declarations import declaration, symbol_hint
from lowering.memory.functions.external_forms import PackedForm
from lowering.memory.functions.lowered_signature import LoweredSignature, memref_type, signature
from relax_dialect.analysis.recursion import Recursion, recursion_limit
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import unique_name, walk_ops
from relax_dialect.mapped_data import drop
from relax_dialect.ops import control, core


@dataclass
class ModuleState:
    """The state that the functions of a module share: symbols, signatures and constants."""

    module: ModuleOp
    symbols: dict[str, Operation] = field(init=False)
    globals: dict[DenseIntOrFPElementsAttr, tuple[str, MemRefType]] = field(default_factory=dict)
    declarations: dict[object, str] = field(default_factory=dict)
    """The symbols of external functions, by form and signature."""
    signatures: dict[str, LoweredSignature] = field(default_factory=dict)
    made: dict[str, None] = field(default_factory=dict)
    """The functions that function values are made of."""
    recursion: Recursion = field(init=False)
    limit: int = field(init=False)
    """The maximum depth of nested calls of recursive functions."""
    nested: dict[str, str] = field(default_factory=dict)
    """The inner symbols of recursive functions that are also called externally or as function values."""

    def __post_init__(self) -> None:
        self.symbols = module_symbols(self.module)
        self.recursion = Recursion.of(self.module)
        self.limit = recursion_limit(self.module)
        made = {
            op.callee_name for op in walk_ops(self.module) if isinstance(op, control.MakeClosureOp)
        }
        for name in sorted(self.recursion.passing):
            function = self.symbols[name]
            if not isinstance(function, core.FuncOp):
                continue
            if name in made or not function.is_private:
                self.nested[name] = unique_name(f"{name}_nested", self.symbols)
                self.symbols[self.nested[name]] = function

    def signature_of(self, function: core.FuncOp) -> LoweredSignature:
        name = function.sym_name.data
        if name not in self.signatures:
            self.signatures[name] = signature(function)
        return self.signatures[name]

    def global_for(self, op: core.ConstantOp) -> tuple[str, MemRefType]:
        """Return the `memref.global` that holds a constant; equal constants share one."""
        if op.value not in self.globals:
            assert isinstance(op.result.type, TensorType)
            type = memref_type(op.result.type)
            name = unique_name(op.result.name_hint or "constant", self.symbols)
            definition = memref.GlobalOp.get(
                StringAttr(name),
                type,
                op.value,
                sym_visibility=StringAttr("private"),
                constant=UnitAttr(),
            )
            self.module.body.block.add_op(definition)
            self.symbols[name] = definition
            self.globals[op.value] = (name, type)
        found = self.globals[op.value]
        drop(op.value.data.data)  # hashing has read all of it
        return found

    def declare(
        self, form: PackedForm, inputs: Sequence[Attribute], outputs: Sequence[Attribute]
    ) -> str:
        """Return the symbol of an external function; calls of one form and signature share it."""
        key = (form, tuple(inputs), tuple(outputs))
        if key not in self.declarations:
            name = symbol_hint(form.name)
            if name in self.symbols:
                name = unique_name(f"{name}_{len(self.declarations)}", self.symbols)
            definition = declaration(name, form, inputs, outputs)
            self.module.body.block.add_op(definition)
            self.symbols[name] = definition
            self.declarations[key] = name
        return self.declarations[key]

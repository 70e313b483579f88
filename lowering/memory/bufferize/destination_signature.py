"""The signature of a prim func in destination-passing style: symbols, inputs, results."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, SSAValue

from lowering.ir.argument_attributes import (
    dims_of,
    is_bare_symbol,
    leading_symbols,
    symbol_of,
)
from relax_dialect.errors import RelaxError
from relax_dialect.prim.signature import RESULT, SYMBOL, attribute_dicts


@dataclass
class DestinationSignature:
    """A new entry block for a prim func on tensors, and the mapping of the old arguments to it."""

    block: Block = field(default_factory=Block)
    attributes: list[DictionaryAttr] = field(default_factory=list)
    memrefs: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """The memref argument for every tensor argument."""
    sizes: dict[SSAValue, Sequence[SSAValue | None]] = field(default_factory=dict)
    """The sizes of every tensor argument, as far as they are symbols."""
    results: list[BlockArgument] = field(default_factory=list)

    def add(self, type_: Attribute, hint: str | None, entry: dict[str, Attribute]) -> BlockArgument:
        """Append an argument."""
        argument = self.block.insert_arg(type_, len(self.block.args))
        argument.name_hint = hint
        self.attributes.append(DictionaryAttr(entry))
        return argument


def rewrite_signature(function: FuncOp) -> DestinationSignature:
    """Build the memref signature of a prim func on tensors.

    The old block stays, to move its ops from; its non-tensor arguments are replaced by those of the new
    block.
    """
    old, new = function.body.block, DestinationSignature()
    symbols: dict[str, SSAValue] = {}
    for symbol in leading_symbols(function):
        symbols[symbol] = new.add(IndexType(), symbol, {SYMBOL: StringAttr(symbol)})
    for argument, entry in zip(old.args, attribute_dicts(function.arg_attrs, len(old.args))):
        if (symbol := symbol_of(entry)) is not None:
            symbols[symbol].name_hint = argument.name_hint or symbol
            argument.replace_all_uses_with(symbols[symbol])
            continue
        replacement = new.add(memref_type(argument.type), argument.name_hint, dict(entry))
        if isinstance(argument.type, TensorType):
            new.memrefs[argument] = replacement
            dims = dims_of(entry) or ("?",) * len(argument.type.get_shape())
            new.sizes[argument] = [symbols[dim] if is_bare_symbol(dim) else None for dim in dims]
        else:
            argument.replace_all_uses_with(replacement)
    terminator = old.last_op
    assert isinstance(terminator, ReturnOp)
    entries = attribute_dicts(function.res_attrs, len(terminator.arguments))
    for value, entry in zip(terminator.arguments, entries):
        if not isinstance(value.type, TensorType):
            raise RelaxError(
                f"func.func @{function.sym_name.data}: cannot bufferize func.return; "
                f"a prim func returns tensors only, found {value.type}"
            )
        hint = value.name_hint if isinstance(value, OpResult) else None
        result = new.add(memref_type(value.type), hint or "out", {**entry, RESULT: UnitAttr()})
        new.results.append(result)
    function.function_type = FunctionType.from_lists(new.block.arg_types, [])
    function.arg_attrs = ArrayAttr(new.attributes)
    function.res_attrs = None
    return new


@lru_cache(4096)
def memref_type(type_: Attribute) -> Attribute:
    """Return the memref type that holds a tensor; every other type is its own."""
    if not isinstance(type_, TensorType):
        return type_
    return MemRefType(type_.element_type, type_.get_shape())

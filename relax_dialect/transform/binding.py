"""Functions remade for some of their sizes or parameters, as the two binding passes do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir.in_place import keep_in_place
from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.type_variables import defined_variables, free_variables, substitute
from relax_dialect.ir.types import FuncType
from relax_dialect.ir.upper_bounds import keep_bounds
from relax_dialect.ir.walk import discard
from relax_dialect.ops.base import RelaxOp
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, ReturnOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.symbolic import Expr
from relax_dialect.transform.cloning import Cloner
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import set_type


def retyped(value: SSAValue, type: Attribute) -> LetOp | MatchCastOp:
    """Return the value as one of another type: widened, or checked at run time."""
    if is_subtype(value.type, type):
        new = LetOp.create(operands=[value], result_types=[type])
    else:
        new = MatchCastOp(value, type)
    new.results[0].name_hint = value.name_hint
    return new


class FunctionRemaker:
    """Copies the body of a function with variables replaced by sizes and parameters by values."""

    def __init__(self, func: FuncOp, sizes: Mapping[str, Expr], lookup: ModuleSymbols):
        remove_dead_ops(
            func, lookup
        )  # ops that are never evaluated must not be refused for their sizes
        self.func = func
        self.where = f"@{func.sym_name.data}"
        self.sizes = sizes
        self.lookup = lookup
        self.block = Block()
        self.places: dict[int, int] = {}
        """Maps old to new parameter indices, for the parameters that are kept."""
        self.cloner = Cloner({}, sizes, self._check)

    def keep_parameter(self, old: SSAValue) -> SSAValue:
        """Keep a parameter, its sizes replaced."""
        new = self.block.insert_arg(substitute(old.type, self.sizes), len(self.block.args))
        new.name_hint = old.name_hint
        self.cloner.values[old] = new
        self.places[self.func.body.block.args.index(old)] = new.index
        return new

    def bind_parameter(self, old: SSAValue, value: Operation) -> None:
        """Replace a parameter by an op, with a cast if the types require a check."""
        self.block.add_op(value)
        result = value.results[0]
        type = substitute(old.type, self.sizes)
        if result.type != type:
            self.block.add_op(cast := retyped(result, type))
            result = cast.results[0]
        result.name_hint = old.name_hint
        self.cloner.values[old] = result

    def finish(self) -> None:
        """Replace the old body and signature by the new ones."""
        func = self.func
        output = substitute(func.function_type.output, self.sizes)
        returned = func.return_op.value
        try:
            self.cloner.copy_body(func, self.block, flatten=False)
        except (RelaxError, VerifyException) as error:
            discard(self.block)
            raise RelaxError(f"{self.where}: {error}") from None
        self.block.add_op(ReturnOp(self.cloner.values.get(returned, returned)))
        discard(func.body.block)
        func.detach_region(0)
        func.add_region(Region(self.block))
        func.properties["function_type"] = signature(self.block.arg_types, output)
        keep_bounds(func, defined_variables(self.block.arg_types))
        keep_in_place(func, self.places)

    def _check(self, copy: Operation, old: Operation) -> None:
        """Ensure that each copy has its declared type, by a cast if inference yields another."""
        if not isinstance(copy, RelaxOp):
            return
        declared = copy.result_types
        inferred: Sequence[Attribute] = copy.checked_types()
        if isinstance(copy, SymbolCallOp) and (callee := self.lookup(copy.callee_name)) is not None:
            inferred = copy.infer_with(callee)[1]
        for result, before, type, wanted in zip(copy.results, old.results, inferred, declared):
            if type == wanted or is_subtype(type, wanted):
                continue
            if contradict(type, wanted):
                copy.verify_()
            set_type(result, type)
            assert copy.parent is not None
            cast = MatchCastOp(result, wanted)
            cast.result.name_hint = result.name_hint
            copy.parent.add_op(cast)
            self.cloner.values[before] = cast.result


def signature(inputs: Sequence[Attribute], output: Attribute) -> FuncType:
    """Return the type of a function, which binds the variables its parameters name."""
    bound = dict.fromkeys(v for t in inputs for v in free_variables(t))
    return FuncType(inputs, output, bound)

"""`BlockBuilder`: functions, blocks, branches and closures opened and closed from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from relax_dialect.builder.call_emitter import CallEmitter
from relax_dialect.builder.open_regions import BuildError, OpenRegion
from relax_dialect.builder.params import Params, bind, declared_params
from relax_dialect.builder.values import Value
from relax_dialect.ir.checkpoints import CHECKPOINT
from relax_dialect.ir.lattice import is_subtype, join
from relax_dialect.ir.purity import is_pure_function
from relax_dialect.ir.traits import Straight, SymbolsEscape, has_trait, region_is_graph
from relax_dialect.ir.type_variables import (
    defined_variables,
    free_variables,
    substitute,
    undefined_variable,
)
from relax_dialect.ir.types import OBJECT, FuncType
from relax_dialect.ir.walk import discard
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp, OutputOp
from relax_dialect.ops.control import ClosureOp, IfOp, YieldOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.parsing import verify
from relax_dialect.te.emit.scalar_emitter import name_hint

Branch = Callable[..., object]


class BlockBuilder(CallEmitter):
    """Builds a module op by op; a mistake is an error on the line that makes it.

    A value argument may be a `Value`, an xDSL value, an op that is not inserted yet or an expression of
    these.
    """

    # Functions --------------------------------------------------------------------------------

    @contextmanager
    def function(
        self,
        name: str,
        params: Params = (),
        attrs: Mapping[str, Attribute | str | int] | None = None,
        private: bool = False,
        ret_type: Attribute | None = None,
    ) -> Iterator[tuple[Value, ...]]:
        """Open a function; yields the values of its parameters.

        A function that calls itself, or is called by functions before it, needs its `ret_type`.
        """
        scopes = self._scopes
        if scopes.stack:
            raise BuildError(
                f"function @{name}: expected no open function, found @{scopes.function} open; close "
                "it first, or make a function value with closure"
            )
        self._check_free(name)
        declared = declared_params(params)
        types = [type for _, type in declared]
        op = FuncOp(name, types, OBJECT if ret_type is None else ret_type, private=private)
        op.attributes.update((k, _attribute(v)) for k, v in (attrs or {}).items())
        values = bind(op.body.block, params, declared)
        scopes.function = name
        self._symbols[name] = op
        self._has_result_type = ret_type is not None
        self.module.body.block.add_op(op)
        try:
            scope = scopes.push(OpenRegion("relax.func", op.body.block))
            self._define_parameters(name, types)
            yield values
            if not scope.ended:
                raise BuildError(
                    f"function @{name}: expected a result, found none; call emit_func_output at its "
                    "end"
                )
        except BaseException:
            discard(op.body.block)
            op.detach()
            del self._symbols[name]
            raise
        finally:
            while scopes.stack:
                scopes.pop()
            scopes.function = None

    def _check_free(self, name: str) -> None:
        if not isinstance(name, str):
            raise BuildError(
                f"function: expected a text as its name, found {name!r}; write one in quotes"
            )
        if name in self._symbols:
            raise BuildError(
                f"function @{name}: expected a name that is free, found {self._symbols[name].name} "
                f"@{name}; rename one of them"
            )

    def _define_parameters(self, name: str, types: Sequence[Attribute]) -> None:
        self._scopes.define(defined_variables(types))
        for type in types:
            if error := undefined_variable(type, self._scopes.defined):
                raise BuildError(f"function @{name}: {error}")

    def emit_func_output(self, value: object) -> None:
        """End the open function with its result (a tuple or list makes a relax.tuple)."""
        scope = self._scopes.top
        if scope.kind != "relax.func":
            raise BuildError(
                f"emit_func_output: expected the function's own body, found {scope.kind} open; close "
                "it first"
            )
        if scope.before is not None or scope.ended:
            raise BuildError(
                f"emit_func_output: expected one result of @{self._scopes.function}, found a second "
                "one; return several values as a tuple"
            )
        result = self.operand(value)
        op = scope.block.parent_op()
        assert isinstance(op, FuncOp)
        hidden = dict.fromkeys(
            v for v in free_variables(result.type) if v not in op.function_type.bound
        )
        output = substitute(result.type, hidden)
        if self._has_result_type and not is_subtype(output, op.function_type.output):
            raise BuildError(
                f"emit_func_output: expected a value of the declared result type "
                f"{op.function_type.output}, found {result.type}; correct ret_type, or narrow the "
                "value with match_cast"
            )
        if not self._has_result_type:
            bound = (v.data for v in op.function_type.variables)
            op.function_type = FuncType(op.function_type.inputs, output, bound)
        self._scopes.place(ReturnOp(result))
        scope.ended = True
        self._has_result_type = True

    def add_func(self, function: FuncOp | func.FuncOp) -> str:
        """Move a function made elsewhere into the module; return its name."""
        name = function.sym_name.data
        self._check_free(name)
        self._symbols[name] = function
        self.module.body.block.add_op(function)
        return name

    def get(self) -> ModuleOp:
        """Return the module, verified; further functions may still be added."""
        if self._scopes.stack:
            raise BuildError(
                f"get: expected no open function, found @{self._scopes.function} open; close it first"
            )
        verify(self.module)
        return self.module

    # Blocks -----------------------------------------------------------------------------------

    @contextmanager
    def dataflow(self) -> Iterator[None]:
        """Open a relax.dataflow: pure ops, of which `emit_output` passes values out."""
        yield from self._block(DataflowOp)

    @contextmanager
    def binding_block(self) -> Iterator[None]:
        """Open a relax.binding_block: ops in order, with effects and control flow."""
        yield from self._block(BindingBlockOp)

    @contextmanager
    def graph(self) -> Iterator[None]:
        """Open a relax.graph: unordered pure nodes, `if_` among them."""
        yield from self._block(GraphOp)

    @contextmanager
    def checkpoint(self) -> Iterator[None]:
        """Open a relax.binding_block for which gradients keep only the inputs, and recompute the rest."""
        yield from self._block(BindingBlockOp, {CHECKPOINT: UnitAttr()})

    def _block(
        self, kind: type[BlockOp], attributes: Mapping[str, Attribute] | None = None
    ) -> Iterator[None]:
        outer = self._scopes.top
        self._refuse_nesting(kind, outer)
        block = Block()
        op = kind.create(regions=[Region(block)])
        with self._region(op, block) as scope:
            yield
            self._scopes.place(OutputOp(*scope.outputs))
        closed = kind(op.detach_region(0))
        closed.attributes.update(attributes or {})
        for result, (inner, handle) in zip(closed.results, scope.outputs.items()):
            own = inner.name_hint if inner.name_hint != "lv" else "gv"
            result.name_hint = name_hint(handle.name_hint) if handle.name_hint else own
            handle.value._value = result
        self._scopes.place(closed)

    def _refuse_nesting(self, kind: type[BlockOp], outer: OpenRegion) -> None:
        if outer.is_graph or outer.ended:
            where = f"{outer.kind} open" if outer.is_graph else "the function ended"
            raise BuildError(
                f"{kind.name}: expected an open sequence around the block, found {where}; close it "
                "first" + ("" if outer.is_graph else ", or open the block before emit_func_output")
            )

    @contextmanager
    def _region(self, op: Operation, block: Block) -> Iterator[OpenRegion]:
        """Open a region of an op that is not created yet; on an error its content is discarded."""
        scopes = self._scopes
        outer = scopes.top
        depth = len(scopes.stack)
        scope = OpenRegion(
            op.name,
            block,
            is_graph=region_is_graph(op, outer.is_graph),
            is_straight=has_trait(op, Straight),
            symbols_escape=has_trait(op, SymbolsEscape),
        )
        try:
            yield scopes.push(scope)
        except BaseException:
            scope.symbols_escape = False
            discard(block)
            raise
        finally:
            while len(scopes.stack) > depth:
                scopes.pop()

    def emit_output(self, value: object, name_hint: str | None = None) -> Value:
        """Pass a value out of the open block; the `Value` returned is good inside and after it."""
        scope = self._scopes.top
        if scope.kind not in ("relax.dataflow", "relax.binding_block", "relax.graph"):
            raise BuildError(
                f"emit_output: expected an open dataflow block, found {scope.kind}; write `with "
                "builder.dataflow():` around it, or use emit_func_output for a function's result"
            )
        inner = self.operand(value)
        known = scope.outputs.get(inner)
        if known is None:
            known = scope.outputs[inner] = _BlockOutput(Value(inner), name_hint)
        return known.value

    def current_block_is_dataflow(self) -> bool:
        """Return whether the innermost open region is a relax.dataflow."""
        return self._scopes.top.kind == "relax.dataflow"

    # Branches, loops and closures -------------------------------------------------------------

    def if_(
        self,
        condition: object,
        then_branch: Branch,
        else_branch: Branch,
        name_hint: str | None = None,
    ) -> Value:
        """Emit a relax.if: each function emits its branch and returns the branch's value.

        The result type is the join of both, over the variables still defined after it.
        """
        top = self._scopes.top
        if top.is_straight:
            raise BuildError(
                f"if_: expected no control flow in {top.kind}, found a relax.if; close the block first"
            )
        test = self.operand(condition)
        regions: list[Region] = []
        types: list[Attribute] = []
        placeholder = IfOp.create(regions=[Region(Block()), Region(Block())])
        for branch in (then_branch, else_branch):
            block = Block()
            with self._region(placeholder, block) as scope:
                result = self._returned(branch(), "if_", "branch")
                self._scopes.place(YieldOp(result))
                types.append(substitute(result.type, dict.fromkeys(scope.symbols)))
            regions.append(Region(block))
        op = IfOp(test, regions[0], regions[1], join(types[0], types[1]))
        self._place(op, name_hint)
        return Value(op.result)

    def while_(
        self,
        condition: Branch,
        body: Branch,
        *inits: object,
        types: Sequence[Attribute] | None = None,
        at_least: Sequence[Attribute] = (),
    ) -> tuple[Value, ...]:
        """Emit a relax.while over a state initialised to `inits`; return the final state.

        Both functions emit their region from the values of the state: `condition` returns one boolean,
        `body` the next state, a value or a sequence of as many as there are. Without `types`, the state has
        the narrowest types that hold the values of all iterations: the functions are called until the
        result of the body fits. Lower bounds of the first types, `at_least`, save calls.
        """
        top = self._scopes.top
        if top.is_straight:
            raise BuildError(
                f"while_: expected no control flow in {top.kind}, found a relax.while; close the "
                "block first"
            )
        values = [self.operand(init) for init in inits]
        state = [value.type for value in values] if types is None else list(types)
        if len(state) != len(values):
            raise BuildError(
                f"while_: expected a type for each of {len(values)} initial values, found {len(state)}; "
                "write one type for each value"
            )
        if types is None:
            state = [join(*pair) for pair in zip(state, at_least)] + state[len(at_least) :]
        names = [value.name_hint for value in values]
        while True:
            regions = (Region(Block(arg_types=state)), Region(Block(arg_types=state)))
            found = [self._turn(r, f, names) for r, f in zip(regions, (condition, body))][1]
            wider = [join(declared, type) for declared, type in zip(state, found)]
            if types is not None or wider == state or len(found) != len(state):
                break
            state = wider
            for region in regions:
                discard(region.block)
        op = WhileOp(values, *regions)
        op.verify_exit(op.body, found)
        self._place(op)
        for result, name in zip(op.results, names):
            result.name_hint = name
        return tuple(map(Value, op.results))

    def _turn(self, region: Region, emit: Branch, names: Sequence[str | None]) -> list[Attribute]:
        """Emit a region of a loop; return the types that it yields, as seen from outside."""
        placeholder = WhileOp.create(regions=[Region(Block()), Region(Block())])
        block = region.block
        for argument, name in zip(block.args, names):
            argument.name_hint = name
        with self._region(placeholder, block) as scope:
            returned = emit(*map(Value, block.args))
            several = returned if isinstance(returned, tuple | list) else (returned,)
            results = [self._returned(value, "while_", "region") for value in several]
            self._scopes.place(YieldOp(*results))
            hidden = dict.fromkeys(scope.symbols)
            return [substitute(result.type, hidden) for result in results]

    def closure(
        self,
        params: Params,
        body: Branch,
        name_hint: str | None = None,
    ) -> Value:
        """Emit a relax.closure: `body` emits it from the parameters' values and returns its result.

        Symbolic variables of the parameters that are not defined around it are its own.
        """
        declared = declared_params(params)
        block = Block(arg_types=[type for _, type in declared])
        values = bind(block, params, declared)
        free = dict.fromkeys(v for _, type in declared for v in free_variables(type))
        own = [v for v in free if v not in self._scopes.defined]
        may_have_effects = FuncType([], OBJECT, pure=False)  # until the body is known
        placeholder = ClosureOp.create(result_types=[may_have_effects], regions=[Region(Block())])
        with self._region(placeholder, block) as scope:
            self._scopes.define(own)
            result = self._returned(body(*values), "closure", "body")
            self._scopes.place(ReturnOp(result))
            inner = [v for v in scope.symbols if v not in own]
            output = substitute(result.type, dict.fromkeys(inner))
        op = ClosureOp(Region(block), output, own)
        if not is_pure_function(op, self._scopes.top.lookup):
            op = ClosureOp(op.detach_region(op.body), output, own, pure=False)
        self._place(op, name_hint)
        return Value(op.result)

    def _returned(self, value: object, what: str, part: str) -> SSAValue:
        if value is None:
            raise BuildError(
                f"{what}: expected a {part} that returns its value, found None; add a return"
            )
        return self.operand(value)

    def lookup_binding(self, value: Value | SSAValue) -> Operation | None:
        """Return the op that defines a value, looked up through the blocks it was passed out of."""
        current = value.value if isinstance(value, Value) else value
        while isinstance(current, OpResult) and isinstance(current.op, BlockOp):
            current = current.op.output.values[current.index]
        return current.op if isinstance(current, OpResult) else None


class _BlockOutput:
    """A value passed out of a block: its handle, and the requested name."""

    __slots__ = ("name_hint", "value")

    def __init__(self, value: Value, name_hint: str | None):
        self.value = value
        self.name_hint = name_hint


def _attribute(value: Attribute | str | int) -> Attribute:
    if isinstance(value, Attribute):
        return value
    return StringAttr(value) if isinstance(value, str) else IntegerAttr(value, i64)

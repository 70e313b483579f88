"""The analysis of all functions before emission: which memrefs are written, which calls may fail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import cf, func, memref, scf, vector
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue

from lowering.external.library_kernel import codegen_of
from lowering.ir.memref_views import VIEW_OPS, uncast, viewed_memref
from lowering.memory.functions.external_declarations import form_of
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.ir.order import op_name
from relax_dialect.ir.types import OBJECT
from relax_dialect.ir.walk import blocks_of
from relax_dialect.prim.signature import PART
from relax_dialect.transform.regions import is_relax

MPI_OPS = "mpi."
"""The beginning of the names of ops that communicate; their dialect is loaded on demand."""


def operations(f: func.FuncOp) -> Iterator[Operation]:
    """Yield all operations inside a function, outermost first, without recursion; of the blocks of an op
    the last one first."""
    pending = [block.first_op for block in f.body.blocks]
    while pending:
        op = pending.pop()
        while op is not None:
            yield op
            following = op.next_op
            if op.regions:
                pending += [following, *(block.first_op for block in blocks_of(op))]
                break
            op = following


@dataclass
class ModuleAnalysis:
    """Facts about the functions of a module; memrefs that may be one buffer form a group."""

    functions: dict[str, func.FuncOp] = field(default_factory=dict)
    globals: dict[str, memref.GlobalOp] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    callees: dict[str, dict[str, None]] = field(default_factory=dict)
    allocating: set[str] = field(default_factory=set)
    uses_objects: set[str] = field(default_factory=set)
    """The functions that take, hold or return objects."""
    read_globals: dict[str, dict[str, None]] = field(default_factory=dict)
    op_names: dict[str, set[str]] = field(default_factory=dict)
    _parent: dict[SSAValue, SSAValue] = field(default_factory=dict)
    _written: set[SSAValue] = field(default_factory=set)
    _aliased: set[SSAValue] = field(default_factory=set)
    _taking_turns: dict[SSAValue, tuple[scf.WhileOp, int]] = field(default_factory=dict)
    """Values that a loop carries in buffers that its iterations only exchange, with their state indices:
    different indices are two buffers, though of one group."""

    def group(self, value: SSAValue) -> SSAValue:
        """Return the representative of a memref's group."""
        root = value
        while (up := self._parent.get(root, root)) is not root:
            root = up
        while value is not root:
            self._parent[value], value = root, self._parent.get(value, root)
        return root

    def is_written(self, value: SSAValue) -> bool:
        """Return whether the buffer of a memref may be stored to, here or in a function called."""
        return self.group(value) in self._written

    def is_aliased(self, param: SSAValue) -> bool:
        """Return whether some call passes a parameter's buffer twice and it is written by one of them."""
        return self.group(param) in self._aliased

    def are_apart(self, values: Sequence[SSAValue]) -> bool:
        """Return whether memrefs of one group are different buffers at any time."""
        places = [
            part_of(value) or self._taking_turns.get(viewed_memref(value)) for value in values
        ]
        known = [place for place in places if place is not None]
        wholes = {whole for whole, _ in known}
        return len(known) == len(values) == len(set(known)) and len(wholes) == 1

    def join(self, a: SSAValue, b: SSAValue) -> None:
        """Two memrefs may be one buffer."""
        if isinstance(a.type, MemRefType) and isinstance(b.type, MemRefType):
            a, b = self.group(a), self.group(b)
            if a is not b:
                self._parent[a] = b


def analyse(module: ModuleOp) -> ModuleAnalysis:
    """Analyse the module in one walk, then propagate along calls."""
    a = ModuleAnalysis()
    for op in module.body.block.ops:
        match op:
            case func.FuncOp():
                a.functions[op.sym_name.data] = op
                form = form_of(op)
                if codegen_of(op) is not None or (form is not None and form.fails):
                    a.failing.add(op.sym_name.data)
                if OBJECT in (*op.function_type.inputs, *op.function_type.outputs):
                    a.uses_objects.add(op.sym_name.data)
            case memref.GlobalOp():
                a.globals[op.sym_name.data] = op
            case _ if is_relax(op):
                with blaming(op):
                    raise RelaxError(
                        f"C: {op_name(op)} at the top of the module is not supported; supported are "
                        "func.func and memref.global (lower the other operations first)"
                    )
            case _:  # patterns, transform scripts, functions of other dialects: nothing here can call them
                pass
    writes: list[SSAValue] = []
    calls: list[tuple[str, func.CallOp]] = []
    for name, f in a.functions.items():
        a.callees[name] = {}
        a.read_globals[name] = {}
        a.op_names[name] = set()
        if (form := form_of(f)) is not None and form.makes is not None:
            a.callees[name][form.makes] = None
        for op in operations(f):
            a.op_names[name].add(op.name)
            if OBJECT in op.result_types:
                a.uses_objects.add(name)
                a.failing.add(name)
                a.allocating.add(name)
            _visit(a, name, op, writes, calls)
    _propagate_failures(a)
    _propagate_writes(a, writes, calls)
    _propagate_aliases(a, calls)
    return a


def _visit(
    a: ModuleAnalysis,
    name: str,
    op: Operation,
    writes: list[SSAValue],
    calls: list[tuple[str, func.CallOp]],
) -> None:
    if op.name.startswith("arith."):  # most of them, and on scalars alone
        return
    match op:
        case memref.AllocOp():
            a.failing.add(name)
            a.allocating.add(name)
            writes.append(op.memref)
        case cf.AssertOp():
            a.failing.add(name)
        case memref.StoreOp() | memref.DeallocOp():
            writes.append(op.memref)
        case memref.CopyOp():
            writes.append(op.destination)
        case vector.StoreOp():
            writes.append(op.base)
        case memref.GetGlobalOp():
            a.read_globals[name][op.name_.string_value()] = None
        case func.CallOp():
            callee = op.callee.string_value()
            a.callees[name][callee] = None
            calls.append((name, op))
            results = [r for r in op.results if isinstance(r.type, MemRefType)]
            writes.extend(results)
            declared = a.functions.get(callee)
            if declared is not None and (form := form_of(declared)) is not None:
                writes.extend(op.operands[i] for i in form.written(len(op.operands)))
            if results:  # which it owns, and frees where it fails
                a.allocating.add(name)
                a.failing.add(name)
        case func.ReturnOp():
            writes.extend(v for v in op.operands if isinstance(v.type, MemRefType))
        case scf.ForOp():
            for init, arg, result in zip(op.iter_args, op.body.block.args[1:], op.res):
                a.join(init, arg)
                a.join(arg, result)
        case scf.WhileOp():
            for init, arg in zip(op.arguments, op.before_region.block.args):
                a.join(init, arg)
            for arg, result in zip(op.after_region.block.args, op.res):
                a.join(arg, result)
            before, after = op.before_region.block.args, op.after_region.block.args
            for number in _exchanged(a, op):
                values = (before[number], after[number], op.res[number])
                a._taking_turns |= dict.fromkeys(values, (op, number))
        case scf.ConditionOp():
            parent = op.parent_op()
            assert parent is not None
            for value, result in zip(op.operands[1:], parent.results):
                a.join(value, result)
        case scf.YieldOp():
            parent = op.parent_op()
            assert parent is not None
            if isinstance(parent, scf.WhileOp):
                targets = tuple(parent.before_region.block.args)
            else:
                targets = tuple(parent.results)
            for value, target in zip(op.operands, targets):
                a.join(value, target)
        case _ if op.name.startswith(MPI_OPS):
            a.failing.add(name)
            # the ops that take the pointer read or write the memory
            writes.extend(v for v in op.operands if isinstance(v.type, MemRefType))
        case _ if isinstance(op, VIEW_OPS):
            a.join(op.operands[0], op.results[0])
        case _:
            pass


def part_of(value: SSAValue) -> tuple[SSAValue, int] | None:
    """Return the row of bytes of which a memref is a part, with the number of the part."""
    while isinstance(op := value.owner, VIEW_OPS):
        if isinstance(number := op.attributes.get(PART), IntegerAttr):
            return op.operands[0], number.value.data
        value = op.operands[0]
    return None


def _exchanged(a: ModuleAnalysis, loop: scf.WhileOp) -> list[int]:
    """Return the state indices of a loop's memrefs that are different buffers at first, which each
    iteration only permutes."""
    before, after = loop.before_region.block, loop.after_region.block
    condition, end = before.last_op, after.last_op
    assert condition is not None and end is not None
    inits = [uncast(value) for value in loop.arguments]
    given = [uncast(value) for value in end.operands]
    found = [
        i
        for i, (argument, init) in enumerate(zip(before.args, inits))
        if isinstance(argument.type, MemRefType)
        and (isinstance(init.owner, memref.AllocOp) or init in a._taking_turns)
        and inits.count(init) == given.count(given[i]) == 1
        and condition.operands[1 + i] is argument
    ]
    while True:
        whole = {after.args[i] for i in found}
        rest = [i for i in found if given[i] in whole]
        if rest == found:
            return found
        found = rest


def _propagate_failures(a: ModuleAnalysis) -> None:
    callers: dict[str, list[str]] = defaultdict(list)
    for caller, callees in a.callees.items():
        for callee in callees:
            callers[callee].append(caller)
    work = list(a.failing)
    while work:
        for caller in callers[work.pop()]:
            if caller not in a.failing:
                a.failing.add(caller)
                work.append(caller)


def _propagate_writes(
    a: ModuleAnalysis, writes: list[SSAValue], calls: list[tuple[str, func.CallOp]]
) -> None:
    passed: dict[SSAValue, list[SSAValue]] = defaultdict(list)
    for _, op in calls:
        callee = a.functions.get(op.callee.string_value())
        if callee is None or not callee.body.blocks:
            continue
        for operand, arg in zip(op.operands, callee.body.block.args):
            if isinstance(arg.type, MemRefType):
                passed[a.group(arg)].append(operand)
    work = writes
    while work:
        root = a.group(work.pop())
        if root not in a._written:
            a._written.add(root)
            work.extend(passed[root])


def _propagate_aliases(a: ModuleAnalysis, calls: list[tuple[str, func.CallOp]]) -> None:
    """Find the parameters that are not `restrict`; those of one function count as one buffer."""
    made_by: dict[str, list[func.CallOp]] = defaultdict(list)
    for caller, op in calls:
        made_by[caller].append(op)
    work = list(made_by)
    while work:
        for op in made_by[work.pop()]:
            callee = op.callee.string_value()
            if (f := a.functions.get(callee)) is None or not f.body.blocks:
                continue
            sharing: dict[SSAValue | None, list[tuple[SSAValue, SSAValue]]] = defaultdict(list)
            for operand, arg in zip(op.operands, f.body.block.args):
                if isinstance(arg.type, MemRefType):
                    group = None if a.is_aliased(operand) else a.group(operand)
                    sharing[group].append((operand, arg))
            for pairs in sharing.values():
                args = [arg for _, arg in pairs]
                if len(args) < 2 or a.are_apart([operand for operand, _ in pairs]):
                    continue
                roots = {a.group(arg) for arg in args} - a._aliased
                if roots and any(a.is_written(arg) for arg in args):
                    a._aliased |= roots
                    work.append(callee)

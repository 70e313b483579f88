"""Faster forms of xDSL's functions for each op, operand and `isinstance`, with the same results and errors.

A seventh of the compiler's time goes into these: constructors of ops go through general lists of parts,
accessors through several calls, and `isinstance` through the caches of abstract classes. Uncommon cases are
left to xDSL's own functions.
"""

# pyright: reportPrivateUsage=false, reportAttributeAccessIssue=false

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, i32
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, Use, core
from xdsl.irdl import operations as irdl
from xdsl.irdl.operations import VarIRConstruct


class PlainMeta(ABCMeta):
    """The metaclass of the IR's classes: no class is registered as another. Derived classes inherit it."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__


def derived(kind: type) -> Iterator[type]:
    """Yield the classes that are derived from one, at any distance."""
    for each in type.__subclasses__(kind):
        yield each
        yield from derived(each)


def _use_plain_classes() -> None:
    for root in (core._IRNode, core.Attribute, core.SSAValue):
        for kind in (root, *derived(root)):
            if type(kind) is ABCMeta:
                kind.__class__ = PlainMeta


# Constructors


def _init_op(
    self: Operation,
    *,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] = {},
    attributes: Mapping[str, Attribute] = {},
    location: Any = None,
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> None:
    """Initialize an op without setters, which first remove what a new op does not have."""
    self._operands = values = core.SSAValues(operands)
    self._operand_uses = uses = tuple([Use(self, i) for i in range(len(values))])
    for value, use in zip(values, uses):
        value.add_use(use)
    self.results = core.SSAValues([OpResult(t, self, i) for i, t in enumerate(result_types)])
    self.properties = dict(properties)
    self.attributes = dict(attributes)
    self.location = UNKNOWN_LOC if location is None else location
    if successors:
        self.successors = successors
    self.regions = ()
    for region in regions:
        self.add_region(region)
    self.__post_init__()


def _init_irdl_op(
    self: Any,
    op_def: irdl.OpDef,
    *,
    operands: Sequence[Any],
    result_types: Sequence[Any],
    properties: Mapping[str, Any],
    attributes: Mapping[str, Any],
    successors: Sequence[Any],
    regions: Sequence[Any],
) -> None:
    """Initialize an op from its parts; xDSL does so with segments of other parts than operands."""
    segments = _segments(op_def.options) if op_def.options else ()
    values = _flat(operands, op_def.operands, SSAValue)
    types = _flat(result_types, op_def.results, Attribute)
    inside = _flat(regions, op_def.regions, Region) if regions or op_def.regions else ()
    if successors or segments is None or values is None or types is None or inside is None:
        _irdl_op_init(
            self, op_def, operands=operands, result_types=result_types, properties=properties,
            attributes=attributes, successors=successors, regions=regions,
        )  # fmt: skip
        return
    own = {key: value for key, value in properties.items() if value is not None}
    others = {key: value for key, value in attributes.items() if value is not None}
    for option in segments:
        sizes = tuple(len(arg) if type(arg) in _LISTS else int(arg is not None) for arg in operands)
        (own if option.as_property else others)[option.attribute_name] = _sizes(sizes)
    Operation.__init__(
        self,
        operands=values,
        result_types=types,
        properties=own,
        attributes=others,
        regions=inside,
    )


_irdl_op_init = irdl.irdl_op_init


def _segments(options: Sequence[Any]) -> Sequence[Any] | None:
    """Return the options that record the sizes of segments, None if these are not of operands alone."""
    found = [o for o in options if isinstance(o, irdl.AttrSizedSegments | irdl.SameVariadicSize)]
    return found if all(type(o) is irdl.AttrSizedOperandSegments for o in found) else None


@lru_cache(maxsize=1024)
def _sizes(sizes: tuple[int, ...]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i32, sizes)


_VARIADIC = (irdl.VarOperandDef, irdl.VarResultDef, irdl.VarRegionDef)
_LISTS = (list, tuple, core.SSAValues)


def _flat(args: Sequence[Any], defs: Sequence[tuple[str, Any]], kind: type) -> list[Any] | None:
    """Return the arguments of a constructor in one list, None for those that take conversions or fail."""
    if len(args) != len(defs):
        return None
    found: list[Any] = []
    for arg, (_, definition) in zip(args, defs):
        if isinstance(arg, kind):
            found.append(arg)
        elif type(definition) in _VARIADIC and type(arg) in _LISTS:
            if not all(isinstance(each, kind) for each in arg):
                return None
            found.extend(arg)
        elif kind is SSAValue and isinstance(arg, Operation) and len(arg.results) == 1:
            found.append(arg.results[0])
        elif arg is not None or not isinstance(definition, irdl.OptionalDef):
            return None
    return found


# Accessors


def _get_parts(self: irdl.BaseAccessor, op: Any, owner: Any = None) -> Any:
    """Return the operands, results, regions or successors under one name."""
    if self.construct is VarIRConstruct.OPERAND:
        return self.index(op._operands)
    return self.index(irdl.get_op_constructs(op, self.construct))


def _get_part(self: irdl.BeforeVariadicSingleAccessor, op: Any, owner: Any = None) -> Any:
    """Return a single operand, result, region or successor."""
    if self.construct is VarIRConstruct.OPERAND:
        return tuple.__getitem__(op._operands, self.idx)
    if self.construct is VarIRConstruct.RESULT:
        return tuple.__getitem__(op.results, self.idx)
    return irdl.get_op_constructs(op, self.construct)[self.idx]


def _get_values(self: core.SSAValues[Any], index: Any) -> Any:
    found = tuple.__getitem__(self, index)
    return core.SSAValues(found) if isinstance(index, slice) else found


def _get_value(arg: Any, *, type: Any = Attribute) -> Any:
    if type is Attribute and isinstance(arg, SSAValue):
        return arg
    return _value_of(arg, type=type)


_value_of = SSAValue.get


def install() -> None:
    """Replace xDSL's functions."""
    _use_plain_classes()
    Operation.__init__ = _init_op
    irdl.irdl_op_init = _init_irdl_op
    irdl.BaseAccessor.__get__ = _get_parts
    irdl.BeforeVariadicSingleAccessor.__get__ = _get_part
    core.SSAValues.__getitem__ = _get_values
    SSAValue.get = staticmethod(_get_value)
    core._unknown_loc = lambda: UNKNOWN_LOC

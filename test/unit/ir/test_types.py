"""Types of graph values: text, lattice, substitution, and the boundary to builtin tensors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.dialects.builtin import f32, i32
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.mlir.builtin_types import from_builtin, to_builtin
from relax_dialect.ir.type_variables import bare_variables, free_variables, substitute
from relax_dialect.ir.types import OBJECT, FuncType, ShapeType, TensorType, tuple_type
from relax_dialect.ir.unify import unify
from relax_dialect.parsing import new_context

N, M, K = map(symbolic.var, "nmk")

dims = st.sampled_from([None, 0, 1, 4, "n", "m", "2 * n", "m * n", "n floordiv 2", "n + 1"])
shapes = st.none() | st.lists(dims, max_size=3)
tensors = st.builds(TensorType, shapes, st.sampled_from([None, "f32", "i1", "index"]))
leaves = st.one_of(tensors, st.builds(ShapeType, shapes), st.just(OBJECT), st.just(i32))
types = st.recursive(
    leaves,
    lambda inner: (
        st.builds(tuple_type, st.lists(inner, max_size=3))
        | st.builds(
            FuncType, st.lists(inner, max_size=2), inner, st.sampled_from([(), ("n",), ("k", "n")])
        )
    ),
    max_leaves=5,
)


def read(text: str):
    return Parser(new_context(), text).parse_type()


@given(types)
def test_text_reads_back(type):
    assert read(str(type)) == type


@given(types)
def test_subtype_is_reflexive_below_object_and_free_of_contradiction(type):
    assert is_subtype(type, type) and is_subtype(type, OBJECT)
    assert is_subtype(OBJECT, type) == (type == OBJECT)
    assert not contradict(type, type) and not contradict(type, OBJECT)


@given(types, types, types)
def test_subtype_is_transitive(a, b, c):
    if is_subtype(a, b) and is_subtype(b, c):
        assert is_subtype(a, c)


@given(types, types)
def test_contradiction_is_symmetric_and_excludes_subtypes(a, b):
    assert contradict(a, b) == contradict(b, a)
    assert not (contradict(a, b) and (is_subtype(a, b) or is_subtype(b, a)))


@given(tensors)
def test_forgetting_makes_types_wider(type):
    nothing = TensorType(None)
    unknown = substitute(type, dict.fromkeys(free_variables(type)))
    assert is_subtype(type, unknown) and is_subtype(unknown, nothing)
    assert not free_variables(unknown)


@given(types, st.integers(0, 9), st.integers(0, 9))
def test_substitution_of_values_leaves_no_free_variable(type, n, m):
    mapping = {"n": symbolic.const(n), "m": symbolic.const(m)}
    assert not {"n", "m"} & set(free_variables(substitute(type, mapping)))


@given(types)
def test_substitution_composes(type):
    twice = substitute(substitute(type, {"n": K}), {"k": M * 2})
    if "k" not in free_variables(type):
        assert is_subtype(twice, substitute(type, {"n": M * 2}))


@given(tensors)
def test_builtin_boundary_forgets_only_names(type):
    if type.shape is None or type.dtype is None:
        with pytest.raises(VerifyException, match=r"relax\.match_cast"):
            to_builtin(type)
    else:
        assert is_subtype(type, from_builtin(to_builtin(type)))
        assert to_builtin(from_builtin(to_builtin(type))) == to_builtin(type)


def test_lattice_of_tensors():
    exact = TensorType([N, 4], "f32")
    for wide in ("[?, 4], f32", "[n, ?], f32", "[n, 4]", "*, f32", "*"):
        assert is_subtype(exact, read(f"!relax.tensor<{wide}>"))
        assert not is_subtype(read(f"!relax.tensor<{wide}>"), exact)
    for other in ("[n, 5], f32", "[n], f32", "[n, 4], f64", "[n, 4, 1]"):
        assert contradict(exact, read(f"!relax.tensor<{other}>"))
    for open_question in ("[m, 4], f32", "[3, 4], f32", "[?, m]"):
        assert not contradict(exact, read(f"!relax.tensor<{open_question}>"))
    assert not is_subtype(exact, TensorType([M, 4], "f32"))


def test_function_types_are_equal_up_to_the_names_they_bind():
    k = FuncType([TensorType([K, N])], TensorType([K]), ["k"])
    m = FuncType([TensorType([M, N])], TensorType([M]), ["m"])
    assert is_subtype(k, m) and is_subtype(m, k)


def test_a_function_for_one_size_is_none_for_all_sizes():
    one = FuncType([TensorType([K])], TensorType([K]))
    every = FuncType([TensorType([K])], TensorType([K]), ["k"])
    assert not is_subtype(one, every)


def test_parameters_of_functions_vary_the_other_way():
    precise, vague = TensorType([4]), TensorType(None)
    assert is_subtype(FuncType([vague], precise), FuncType([precise], vague))
    assert not is_subtype(FuncType([precise], precise), FuncType([vague], precise))


def test_substitution_does_not_capture():
    type = FuncType([TensorType([N, K])], TensorType([K]), ["k"])
    result = substitute(type, {"n": K})
    assert isinstance(result, FuncType)
    assert free_variables(result) == ("k",)
    assert is_subtype(result, FuncType([TensorType([K, M])], TensorType([M]), ["m"]))


def test_bound_variables_are_not_free_and_a_function_defines_none():
    type = FuncType([TensorType([N, K])], OBJECT, ["k"])
    assert free_variables(type) == ("n",) and bare_variables(type) == ()
    assert bare_variables(tuple_type([TensorType([N, N * 2]), ShapeType([M])])) == ("n", "m")


def test_unknown_arguments_leave_no_variable_of_the_callee():
    parameter = tuple_type([TensorType([N], "f32")])
    found = unify("call", [parameter], [OBJECT])
    assert found.apply(TensorType([N])) == TensorType([None]) and not found.proved


def test_unify_solves_and_keeps_checks():
    found = unify("call", [TensorType([N, N * 2])], [TensorType([M, K])])
    assert found.apply(TensorType([N + 1])) == TensorType([M + 1])
    assert found.checks and not found.proved
    assert unify("call", [TensorType([N, N * 2])], [TensorType([M, M * 2])]).proved


@pytest.mark.parametrize("size", [-1, "-1", "-n - 1", "1 - 2"])
def test_negative_sizes_are_refused(size):
    with pytest.raises(SymbolicError, match="expected at least 0"):
        TensorType([size])


def test_element_types_are_those_that_have_a_spelling():
    with pytest.raises(VerifyException, match="expected an element type among"):
        from_builtin(BuiltinTensorType(read("si32"), [4]))
    with pytest.raises(VerifyException, match="expected an element type among"):
        TensorType([4], BuiltinTensorType(f32, [4]))


@pytest.mark.parametrize("variables", ["n, n", "mod"])
def test_bound_variables_are_distinct_names(variables: str):
    with pytest.raises(ParseError):
        read(f"!relax.func<[{variables}] () -> !relax.object>")
    with pytest.raises((VerifyException, SymbolicError)):
        FuncType([], OBJECT, variables.split(", "))

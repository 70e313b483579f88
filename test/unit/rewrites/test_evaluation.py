"""Which ops are evaluated, and how often: one meaning for interpreter, normal forms and C, as defined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import islice
from random import Random

import numpy as np
import pytest
from optional import UNOPTIMISED, amount, shortened
from xdsl.dialects.builtin import ModuleOp, StringAttr

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.forms.canonicalize_bindings import canonicalize_bindings
from relax_dialect.rewrites.forms.to_basic_block_normal_form import to_basic_block_normal_form
from relax_dialect.rewrites.forms.to_graph_normal_form import to_graph_normal_form

from .random_functions import ARGUMENTS, COUNTS, random_module
from .reference import Evaluation
from .structure import main_of


def calls(module: ModuleOp) -> int:
    """How many calls of a program can be counted."""
    return sum(op.name == "relax.call_pure_packed" for op in module.walk())


FORMS = [to_graph_normal_form, to_basic_block_normal_form, to_a_normal_form]


def counted(call: object, *args: object) -> tuple[float, Counter[str]]:
    """The results of a call, and how often each packed function ran."""
    COUNTS.clear()
    result = float(call(*args))  # pyright: ignore
    return result, Counter(COUNTS)


Programs = Mapping[ModuleOp, tuple[float, Counter[str]]]


pytestmark = shortened


@pytest.fixture(scope="module")
def programs() -> Programs:
    """Random programs with what the definition says of each."""
    made = (random_module(Random(seed), graph=seed % 3 != 0) for seed in range(1000))
    modules = islice((module for module in made if calls(module) > 3), amount(30, 20))
    return {m: counted(Evaluation(main_of(m)).run, *ARGUMENTS) for m in modules}


def test_the_programs_tell_the_places_apart(programs: Programs):
    """Some calls are evaluated, some are not, in many of them."""
    counts = [Counter(counts.values()) for _, counts in programs.values()]
    assert sum(1 in c for c in counts) > len(programs) // 5
    assert sum(calls(m) > sum(c.values()) for m, c in zip(programs, counts)) > len(programs) // 5


def test_the_interpreter_evaluates_by_the_definition(programs: Programs):
    for module, expected in programs.items():
        assert counted(run, module, "main", *ARGUMENTS) == expected, str(module)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_each_normal_form_evaluates_by_the_definition(form: object, programs: Programs):
    for module, expected in programs.items():
        copy = module.clone()
        form(main_of(copy))  # pyright: ignore
        assert counted(run, copy, "main", *ARGUMENTS) == expected, str(module)


@pytest.mark.slow
def test_removing_dead_code_changes_no_count(programs: Programs):
    for module, expected in programs.items():
        copy = module.clone()
        eliminate_dead_code(copy)
        assert counted(run, copy, "main", *ARGUMENTS) == expected, str(module)


def without_checks(module: ModuleOp) -> ModuleOp:
    """A copy without its matches, each of which has what it checks evaluated."""
    copy = module.clone()
    for op in list(copy.walk()):
        if isinstance(op, MatchCastOp):
            op.result.replace_all_uses_with(op.operands[0])
            op.detach()
            op.erase()
    return copy


@pytest.mark.slow
def test_tidying_up_bindings_changes_no_count(programs: Programs):
    evaluated = 0
    for module in map(without_checks, programs):
        expected = counted(Evaluation(main_of(module)).run, *ARGUMENTS)
        canonicalize_bindings(module)
        verify(module)
        assert counted(run, module, "main", *ARGUMENTS) == expected, str(module)
        evaluated += expected[1].total()
    assert evaluated > len(programs) // 2


@pytest.mark.slow
def test_c_evaluates_by_the_definition(programs: Programs):
    """Many programs in one module, each a function of its own."""
    chosen = list(programs)[:40]
    assert any(isinstance(op, WhileOp) for m in chosen for op in m.walk())
    together = ModuleOp([])
    for number, module in enumerate(chosen):
        copy = main_of(module.clone())
        copy.detach()
        copy.properties["sym_name"] = StringAttr(f"f{number}")
        together.body.block.add_op(copy)
    model = lowering.compile(together, extra_flags=UNOPTIMISED)
    for number, module in enumerate(chosen):
        result, counts = counted(getattr(model, f"f{number}"), *ARGUMENTS)
        assert counts == programs[module][1], str(module)
        assert result == pytest.approx(programs[module][0], abs=1e-5)


GUARDED = """
relax.func @f(%x: !relax.tensor<[3], f32>, %i: !relax.tensor<[], i64>, %d: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %zero = relax.constant dense<0.0> : tensor<f32>
    %three = relax.constant dense<3> : tensor<i64>
    %t = relax.take %x, %i {axis = 0 : i64} : (!relax.tensor<[3], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[], f32>
    %c = relax.less %i, %three : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
    %o = relax.if %d : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %p = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
        relax.yield %t : !relax.tensor<[], f32>
      } else {
        relax.yield %zero : !relax.tensor<[], f32>
      }
      relax.yield %p : !relax.tensor<[], f32>
    } else {
      OTHER
    }
    relax.output %o : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
"""
NOT_USED = "relax.yield %zero : !relax.tensor<[], f32>"
USED = """%p = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
        relax.yield %t : !relax.tensor<[], f32>
      } else {
        relax.yield %zero : !relax.tensor<[], f32>
      }
      relax.yield %p : !relax.tensor<[], f32>"""
BINDINGS = """
relax.func @f(%x: !relax.tensor<[3], f32>, %i: !relax.tensor<[], i64>, %d: !relax.tensor<[], i1>) -> !relax.tensor<[3], f32> {
  %t = relax.take %x, %i {axis = 0 : i64} : (!relax.tensor<[3], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[], f32>
  %b = relax.binding_block {
    %s = relax.add %x, %t : (!relax.tensor<[3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[3], f32>
    relax.output %s : !relax.tensor<[3], f32>
  }
  relax.return %x : !relax.tensor<[3], f32>
}
"""


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        (GUARDED.replace("OTHER", USED), True),
        (GUARDED.replace("OTHER", NOT_USED), False),
        (BINDINGS, False),
    ],
    ids=["two guarded uses", "one guarded use", "dead bindings"],
)
def test_a_check_fails_where_its_op_is_evaluated(text: str, fails: bool):
    """Index 7 of three elements: checked before both uses, by the one use that is taken, or never."""
    arguments = np.arange(3, dtype=np.float32), np.array(7), np.array(True)
    module = parse(text)
    messages: list[str] = []
    for call in (
        partial(run, module, "f"),
        lowering.compile(module.clone(), extra_flags=UNOPTIMISED).f,
    ):
        if fails:
            with pytest.raises(
                RelaxError, match=r"relax\.take \(%t\): expected every index"
            ) as error:
                call(*arguments)
            messages.append(str(error.value))
        else:
            call(*arguments)
    assert len(set(messages)) <= 1

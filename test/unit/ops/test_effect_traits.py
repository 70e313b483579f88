"""The traits of ops say which effects they have, and passes go by them."""

import pytest
from xdsl.ir import Operation
from xdsl.traits import MemoryEffect, Pure

from relax_dialect import parse
from relax_dialect.dialect import Relax
from relax_dialect.rewrites.algebra.fold_constant import fold_constants


@pytest.mark.parametrize("op", list(Relax.operations), ids=lambda op: op.name)
def test_an_op_that_has_effects_is_not_called_pure(op: type[Operation]):
    effects = [trait for trait in op.traits if isinstance(trait, MemoryEffect)]
    assert len(effects) == 1 or not op.has_trait(Pure)


def test_effects_on_constants_do_not_happen_while_folding(capsys: pytest.CaptureFixture[str]):
    module = parse("""
relax.func @main() -> !relax.tensor<[], f32> {
  %c = relax.constant dense<1.0> : tensor<f32>
  relax.print %c : (!relax.tensor<[], f32>) -> ()
  relax.return %c : !relax.tensor<[], f32>
}""")
    before = str(module)
    fold_constants(module)
    assert str(module) == before
    assert capsys.readouterr().out == ""

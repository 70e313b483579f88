"""Levels of optimization: what runs before the lowering, from Python and from the tools."""

import numpy as np
import pytest

import lowering
import relax_dialect
from lowering.pipeline import ALL_PASSES, OPTIMIZATIONS
from lowering.tools import relax_compile, relax_run
from relax_dialect.errors import RelaxError

MANY = ", ".join(f"{i}.0" for i in range(2000))

PROGRAM = f"""
relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {{
  %unused = relax.constant dense<[{MANY}]> : tensor<2000xf32>
  %minus = relax.constant dense<-0.0> : tensor<2xf32>
  %zero = relax.constant dense<0.0> : tensor<f32>
  %y = relax.add %x, %minus : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32>
  %z = relax.add %y, %zero : (!relax.tensor<[n, 2], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %z : !relax.tensor<[n, 2], f32>
}}
"""

UNKNOWN = "optimization level 3: expected one of 0, 1, 2; pass one of them"


@pytest.mark.parametrize("level", OPTIMIZATIONS)
def test_weights_and_bits_of_each_level(level: int) -> None:
    source = lowering.to_c(relax_dialect.parse(PROGRAM), opt_level=level)
    assert source.weights is None, "what nobody uses is no weight"
    model = lowering.compile(relax_dialect.parse(PROGRAM), opt_level=level)
    x = np.array([[-0.0, np.nan], [np.inf, -1.0]], np.float32)
    expected = x if level == 2 else x + np.float32(0)  # fast math keeps a -0.0
    assert model.main(x).tobytes() == expected.tobytes()


def test_the_default_is_level_1() -> None:
    module = relax_dialect.parse(PROGRAM)
    assert lowering.to_c(module).c == lowering.to_c(module, opt_level=1).c
    assert lowering.to_c(module).c != lowering.to_c(module, opt_level=2).c


def test_each_pass_of_a_level_runs_alone() -> None:
    for level in OPTIMIZATIONS.values():
        for name in level:
            assert name.partition("{")[0] in ALL_PASSES
            lowering.lower(relax_dialect.parse(PROGRAM), [name], verify_each=True)


@pytest.mark.parametrize("level", [3, -1, True, "1", None])
def test_an_unknown_level_is_refused(level: object) -> None:
    with pytest.raises(RelaxError, match=r"optimization level .*: expected one of 0, 1, 2"):
        lowering.to_c(relax_dialect.parse(PROGRAM), opt_level=level)  # pyright: ignore
    with pytest.raises(RelaxError) as error:
        lowering.lower(relax_dialect.parse(PROGRAM), ["relax-optimize{level=3}"])
    assert str(error.value) == UNKNOWN


@pytest.mark.slow
def test_the_tools_take_a_level(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(PROGRAM)
    for level in OPTIMIZATIONS:
        out = tmp_path / str(level)
        assert relax_compile.main([str(file), "-o", str(out), "--emit", "c", f"-O{level}"]) == 0
        weights = out / "p.weights"
        assert not weights.exists()
    assert relax_run.main([str(file), "--random", "n=2", "-O2"]) == 0
    with pytest.raises(SystemExit):
        relax_compile.main([str(file), "-o", str(tmp_path), "-O3"])
    assert "invalid choice: 3 (choose from 0, 1, 2)" in capsys.readouterr().err

"""`relax-run` as a user calls it: arguments, backends, results, and what goes wrong."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lowering import lower
from lowering.tools import relax_compile, relax_run
from lowering.tools.entry import WITHOUT_C
from relax_dialect import parse

pytestmark = pytest.mark.usefixtures("unoptimised")

ROOT = Path(__file__).parents[4]

MATMUL = """
relax.func @main(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[3, m], f32>) -> !relax.tensor<[n, m], f32> {
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %y : !relax.tensor<[n, m], f32>
}
"""
FUNCTIONS = """
relax.func private @twice(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.add %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @four(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @twice(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %z = relax.call @twice(%y) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
relax.func @rows(%s: !relax.shape<[k, n]>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[k, n], f32> {
  %y = relax.broadcast_to %x, %s : (!relax.tensor<[n], f32>, !relax.shape<[k, n]>) -> !relax.tensor<[k, n], f32>
  relax.return %y : !relax.tensor<[k, n], f32>
}
relax.func @parts(%t: tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>>)
    -> tuple<tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>, !relax.tensor<[n], f32>> {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>>) -> !relax.tensor<[n], f32>
  %b = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>>) -> tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>
  %r = relax.tuple %b, %a : (tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>, !relax.tensor<[n], f32>) -> tuple<tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>, !relax.tensor<[n], f32>>
  relax.return %r : tuple<tuple<!relax.tensor<[m], i64>, !relax.tensor<[], f64>>, !relax.tensor<[n], f32>>
}
relax.func @numbers(%k: f32, %i: i32, %j: index, %b: i1, %s: !relax.shape<[k]>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[k, n], f32> {
  %t = relax.shape [k, n]
  %y = relax.broadcast_to %x, %t : (!relax.tensor<[n], f32>, !relax.shape<[k, n]>) -> !relax.tensor<[k, n], f32>
  relax.return %y : !relax.tensor<[k, n], f32>
}
relax.func @interpreted(%x: !relax.tensor<*>) -> !relax.tensor<*> {
  relax.return %x : !relax.tensor<*>
}
relax.func @size(%x: !relax.tensor<[n, m], f32>) -> !relax.shape<[n, m]> {
  %s = relax.shape_of %x : (!relax.tensor<[n, m], f32>) -> !relax.shape<[n, m]>
  relax.return %s : !relax.shape<[n, m]>
}
relax.func @nothing(%x: !relax.tensor<[n, m], f32>) -> tuple<!relax.shape<[]>, tuple<>> {
  %s = relax.shape []
  %e = relax.tuple : () -> tuple<>
  %t = relax.tuple %s, %e : (!relax.shape<[]>, tuple<>) -> tuple<!relax.shape<[]>, tuple<>>
  relax.return %t : tuple<!relax.shape<[]>, tuple<>>
}
relax.func @size_and_more(%x: !relax.tensor<[n, m], f32>) -> tuple<!relax.shape<[n, m]>, !relax.tensor<[n, m], f32>> {
  %s = relax.shape [n, m]
  %t = relax.tuple %s, %x : (!relax.shape<[n, m]>, !relax.tensor<[n, m], f32>) -> tuple<!relax.shape<[n, m]>, !relax.tensor<[n, m], f32>>
  relax.return %t : tuple<!relax.shape<[n, m]>, !relax.tensor<[n, m], f32>>
}
relax.func @odd(%x: !relax.tensor<[n, n - 4], f32>, %u: !relax.tensor<[?], f32>, %s: !relax.shape<[?]>) -> !relax.tensor<[n, n - 4], f32> {
  relax.return %x : !relax.tensor<[n, n - 4], f32>
}
relax.func @object(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
}
relax.func @deep(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %more = arith.cmpi sgt, %n, %zero : i64
  %r = relax.if %more : (i1) -> i64 {
    %m = arith.subi %n, %one : i64
    %s = relax.call @deep(%m) : (i64) -> i64
    %t = arith.addi %s, %one : i64
    relax.yield %t : i64
  } else {
    relax.yield %zero : i64
  }
  relax.return %r : i64
}
relax.func @known(%n: !relax.prim<n>, %x: !relax.tensor<[n], f32>) -> !relax.prim<n> {
  relax.return %n : !relax.prim<n>
}
relax.func @untyped(%x: !relax.tensor<[n]>) -> !relax.tensor<[n]> {
  relax.return %x : !relax.tensor<[n]>
}
"""

X = np.arange(6, dtype=np.float32).reshape(2, 3)
W = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
BACKENDS = ("interpret", "c")
INTERPRETED = ("--backend", "interpret")

Succeed = Callable[..., dict[str, np.ndarray]]
Fail = Callable[..., str]


@pytest.fixture(scope="module")
def built_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cache: the tests run the same functions again and again."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built_before: Path) -> Path:
    """The current directory, with two programs and some arrays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELAX_CACHE_DIR", str(built_before))
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "10")
    Path("matmul.mlir").write_text(MATMUL)
    Path("functions.mlir").write_text(FUNCTIONS)
    np.save("x.npy", X)
    np.save("w.npy", W)
    np.save("v.npy", np.array([1, 2, 3], np.float32))
    return tmp_path


@pytest.fixture
def succeed(capsys: pytest.CaptureFixture[str]) -> Succeed:
    """Runs the tool, which must succeed, by the interpreter unless told otherwise; the arrays it saves."""

    def run(*args: str) -> dict[str, np.ndarray]:
        code = relax_run.main([*INTERPRETED, *args, "--output", "y.npz"])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        assert out.endswith("saved to y.npz\n")
        with np.load("y.npz") as saved:
            for name, array in saved.items():
                assert f"{name}: [{', '.join(map(str, array.shape))}] {array.dtype}\n" in out
            return dict(saved)

    return run


@pytest.fixture
def fail(capsys: pytest.CaptureFixture[str]) -> Fail:
    """Runs the tool, which must fail with one message; that message."""

    def run(*args: str) -> str:
        assert relax_run.main([*INTERPRETED, *args]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert (
            err.count("error:") == 1 and "Traceback" not in err and len(err.splitlines()) in (1, 3)
        )
        return err

    return run


# Inputs ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_from_files(succeed: Succeed, backend: str):
    saved = succeed("matmul.mlir", "--input", "x.npy", "w.npy", "--backend", backend)
    assert list(saved) == ["output"]
    np.testing.assert_array_equal(saved["output"], X @ W)
    again = succeed("matmul.mlir", "--input", "x.npy", "--input", "w.npy", "--backend", backend)
    np.testing.assert_array_equal(again["output"], X @ W)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("array", "message"),
    [
        (X.astype(np.float64), "expected element type"),
        (X[0], "expected 2 dimensions"),
        (W, "expected (size )?3"),
        (np.array([["a"] * 3]), "expected (element type|numbers)"),
        (X.astype(">f4"), "expected (element type f32|numbers in native byte order), found >f4"),
    ],
    ids=["dtype", "rank", "size", "text", "byte_order"],
)
def test_arrays_that_do_not_fit(fail: Fail, backend: str, array: np.ndarray, message: str):
    np.save("a.npy", array)
    found = fail("matmul.mlir", "--input", "a.npy", "w.npy", "--backend", backend)
    assert "x" in found
    assert re.search(message, found), found


def test_too_few_and_too_many_arrays(fail: Fail):
    message = fail("matmul.mlir", "--input", "x.npy")
    assert "argument 'w': expected an array for !relax.tensor<[3, m], f32>" in message
    message = fail("matmul.mlir", "--input", "x.npy", "w.npy", "v.npy")
    assert "@main: expected 2 input arrays, found 3; leave out the others" in message


def test_the_program_after_input(succeed: Succeed):
    first = ("matmul.mlir", "--input", "x.npy", "w.npy")
    found, expected = succeed(*first[1:], "matmul.mlir"), succeed(*first)
    np.testing.assert_array_equal(found["output"], expected["output"])


def test_files_that_hold_no_array(fail: Fail, folder: Path):
    np.savez("archive.npy", x=X)
    Path("archive.npy.npz").rename("archive.npy")
    np.save("objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    Path("empty.npy").write_bytes(b"")
    Path("short.npy").write_bytes(Path("x.npy").read_bytes()[:-3])
    for file, message in {
        "missing.npy": "found none: No such file or directory; correct the path",
        str(
            folder
        ): f"{folder}: expected a file of arrays, .npy, .npz, .safetensors or an image, found none: Is a dir",
        "matmul.mlir": "matmul.mlir: expected a .npy file, found another kind; save with numpy.save",
        "empty.npy": "empty.npy: expected a .npy file, found another kind",
        "archive.npy": "archive.npy: expected one array, found an archive; call the file .npz",
        "objects.npy": "objects.npy: expected a .npy file with numbers: Object arrays",
        "short.npy": "short.npy: expected a .npy file with numbers: ",
    }.items():
        assert message in fail("matmul.mlir", "--input", file, "w.npy")


# Random arguments --------------------------------------------------------------------------------


@pytest.mark.slow
def test_random_arguments_give_equal_numbers_in_both_backends(succeed: Succeed):
    command = ("matmul.mlir", "--random", "n=7", "m=5")
    interpreted = succeed(*command)["output"]
    assert interpreted.shape == (7, 5) and interpreted.std() > 0.1
    compiled = succeed(*command, "--backend", "c")["output"]
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-5, atol=1e-6)


def test_a_seed_gives_the_same_numbers_again(succeed: Succeed):
    command = ("matmul.mlir", "--random", "n=2,m=2", "--seed")
    first, again, other = (succeed(*command, seed)["output"] for seed in ("1", "1", "2"))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


def test_files_come_first_and_tell_the_sizes(succeed: Succeed):
    """The variables in the shape of x.npy need no size."""
    assert succeed("matmul.mlir", "--input", "x.npy", "--random", "m=4")["output"].shape == (2, 4)
    saved = succeed("functions.mlir", "--entry", "rows", "--input", "v.npy", "--random", "k=2")
    np.testing.assert_array_equal(saved["output"], [[1, 2, 3], [1, 2, 3]])


@pytest.mark.slow
@pytest.mark.parametrize("n", ["0", "1"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_sizes_of_zero_and_one(succeed: Succeed, backend: str, n: str):
    saved = succeed("matmul.mlir", "--random", f"n={n},m=3", "--backend", backend)
    assert saved["output"].shape == (int(n), 3)


@pytest.mark.parametrize(
    ("entry", "random", "message"),
    [
        ("four", [], "argument 'x': expected a size for 'n' in !relax.tensor<[n], f32>, found none; "
         "pass it as in --random n=7"),
        ("four", ["n=2", "q=3"], "--random q=3: expected a variable of the parameters of @four (n)"),
        ("four", ["n"], "--random n: expected a name and a size of 0 or more, as in n=7"),
        ("four", ["n=-2"], "--random n=-2: expected a name and a size"),
        ("four", ["n=2.5"], "--random n=2.5: expected a name and a size"),
        ("four", ["n=99999999999999999999"], "expected sizes whose array fits into memory"),
        ("odd", ["n=3"], "argument 'x': expected sizes of 0 or more, found [3, -1]"),
        ("odd", ["n=4"], "argument 'u': expected sizes that --random can set, found "
         "!relax.tensor<[?], f32>; pass it with --input"),
        ("interpreted", [], "argument 'x': expected a known element type"),
        ("untyped", ["n=2"], "argument 'x': expected a known element type to make a random one"),
        ("object", [], "argument 'x': expected a type that --random can make"),
    ],
)  # fmt: skip
def test_what_random_cannot_make(fail: Fail, entry: str, random: list[str], message: str):
    assert message in fail("functions.mlir", "--entry", entry, "--random", *random)


INTERVALS = """
relax.func @main(%ids: !relax.tensor<[n], i64>, %x: !relax.tensor<[n], f32>, %b: !relax.tensor<[n], i1>)
    -> tuple<!relax.tensor<[n], i64>, !relax.tensor<[n], f32>, !relax.tensor<[n], i1>> {
  %t = relax.tuple %ids, %x, %b : (!relax.tensor<[n], i64>, !relax.tensor<[n], f32>, !relax.tensor<[n], i1>)
    -> tuple<!relax.tensor<[n], i64>, !relax.tensor<[n], f32>, !relax.tensor<[n], i1>>
  relax.return %t : tuple<!relax.tensor<[n], i64>, !relax.tensor<[n], f32>, !relax.tensor<[n], i1>>
}
"""


def test_random_values_in_an_interval(succeed: Succeed, fail: Fail):
    Path("intervals.mlir").write_text(INTERVALS)
    saved = succeed("intervals.mlir", "--random", "n=200,ids=-2:3", "x=0:0.5", "b=1:2")
    ids, x, b = saved.values()
    assert set(ids.tolist()) == {-2, -1, 0, 1, 2}
    assert 0 <= x.min() < 0.1 and 0.4 < x.max() < 0.5 and b.all()
    for interval, message in {
        "ids=3:3": "--random ids=3:3: expected an interval whose first number is the smaller one",
        "ids=0:2.5": "--random ids=0:2.5: expected integers from -9223372036854775808 to ",
        "b=0:3": "--random b=0:3: expected integers from 0 to 2 for bool, found others",
        "y=0:2": "--random y=0:2: expected a random argument of @main (ids, x, b), found 'y'",
    }.items():
        assert message in fail("intervals.mlir", "--random", "n=2", interval)


def test_random_values_of_all_of_ui64(succeed: Succeed):
    text = INTERVALS.replace("i64", "ui64")
    Path("unsigned.mlir").write_text(text)
    saved = succeed("unsigned.mlir", "--random", "n=200,ids=0:18446744073709551616")
    ids = next(iter(saved.values()))
    assert ids.dtype == np.uint64 and ids.max() > 2**63


def test_a_shape_without_names_cannot_be_made(fail: Fail):
    np.save("a.npy", np.zeros((4, 0), np.float32))
    found = fail("functions.mlir", "--entry", "odd", "--input", "a.npy", "v.npy")
    assert "argument 's': expected sizes that --random can set, found !relax.shape<[?]>" in found


@pytest.mark.slow
def test_the_cpu_is_one_that_is_known(succeed: Succeed, fail: Fail):
    sizes = ("matmul.mlir", "--random", "n=1,m=1")
    succeed(*sizes, "--backend", "c", "--cpu", "generic")
    for backend in ("c", "interpret"):
        message = fail(*sizes, "--backend", backend, "--cpu", "skylake")
        assert "cpu 'skylake': expected one of native, x86-64-v3" in message


def test_a_seed_below_zero(fail: Fail):
    assert "--seed -1: expected" in fail("matmul.mlir", "--random", "n=1,m=1", "--seed", "-1")


# Entries -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_that_call_each_other(succeed: Succeed, backend: str):
    """Even a private one runs, and what the C target refuses elsewhere is in nobody's way."""
    command = ("functions.mlir", "--input", "v.npy", "--backend", backend, "--entry")
    np.testing.assert_array_equal(succeed(*command, "four")["output"], [4, 8, 12])
    np.testing.assert_array_equal(succeed(*command, "@twice")["output"], [2, 4, 6])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "interpret"])
def test_functions_on_builtin_types(succeed: Succeed, backend: str):
    program = """
    func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %y = arith.addf %a, %a : tensor<?x4xf32>
      return %y : tensor<?x4xf32>
    }
    func.func @sum(%m: memref<?xi32>) -> i32 {
      %c0 = arith.constant 0 : index
      %v = memref.load %m[%c0] : memref<?xi32>
      return %v : i32
    }
    """
    Path("builtin.mlir").write_text(program)
    how = ("--backend", backend)
    assert succeed("builtin.mlir", "--random", "a0=2", *how)["output"].shape == (2, 4)
    np.save("m.npy", np.array([7, 8], np.int32))
    saved = succeed("builtin.mlir", "--input", "m.npy", "--entry", "sum", *how)
    assert saved["output"] == 7


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "interpret"])
def test_a_program_that_was_lowered(succeed: Succeed, backend: str):
    """The sizes that its functions take are those of the arrays."""
    lowered = lower(parse(MATMUL), ["relax-to-loops"])
    Path("lowered.mlir").write_text(str(lowered))
    saved = succeed("lowered.mlir", "--input", "x.npy", "w.npy", "--backend", backend)
    np.testing.assert_allclose(saved["output"], X @ W, 1e-5)


def test_the_only_public_function_needs_no_name(succeed: Succeed):
    Path("one.mlir").write_text(
        MATMUL.replace("@main", "@only") + FUNCTIONS.split("relax.func @f")[0]
    )
    saved = succeed("one.mlir", "--input", "x.npy", "w.npy")
    np.testing.assert_array_equal(saved["output"], X @ W)


def test_entries_that_are_not_there(fail: Fail):
    message = fail("matmul.mlir", "--entry", "other", "--input", "x.npy")
    assert "entry @other: expected a function of the program, found @main; pass one" in message
    message = fail("functions.mlir", "--input", "x.npy")
    assert "entry @main: expected a function of the program, found @four, @rows, " in message
    Path("none.mlir").write_text("builtin.module {}")
    assert "entry @main: expected a function of the program, found none" in fail("none.mlir")


@pytest.mark.parametrize("backend", BACKENDS)
def test_nested_tuples(succeed: Succeed, backend: str):
    np.save("i.npy", np.array([7, 8]))
    np.save("d.npy", np.float64(2.5))
    files = ("--input", "v.npy", "i.npy", "d.npy")
    saved = succeed("functions.mlir", "--entry", "parts", "--backend", backend, *files)
    assert list(saved) == ["output_0_0", "output_0_1", "output_1"]
    first, second, third = saved.values()
    assert first.tolist() == [7, 8] and first.dtype == np.int64
    assert second.tolist() == 2.5 and second.shape == ()
    assert third.tolist() == [1, 2, 3]


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_and_shapes_as_parameters(succeed: Succeed, backend: str):
    """The number %k is not the size k."""
    for name, value in {"k": np.float32(9), "i": np.int32(8), "j": 7, "b": np.True_}.items():
        np.save(f"{name}.npy", value)
    files = [f"{name}.npy" for name in "kijbv"]
    command = ("functions.mlir", "--entry", "numbers", "--backend", backend)
    saved = succeed(*command, "--random", "k=2", "--input", *files)
    np.testing.assert_array_equal(saved["output"], [[1, 2, 3], [1, 2, 3]])
    assert succeed(*command, "--random", "k=2", "n=4")["output"].shape == (2, 4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_number_that_the_sizes_tell(succeed: Succeed, backend: str):
    command = ("functions.mlir", "--entry", "known", "--backend", backend, "--random")
    assert succeed(*command, "n=4")["output"] == 4
    assert succeed(*command, "--input", "v.npy")["output"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_how_deep_calls_may_nest(succeed: Succeed, fail: Fail, backend: str):
    np.save("n.npy", np.array(20))
    command = ("functions.mlir", "--entry", "deep", "--backend", backend, "--input", "n.npy")
    assert succeed(*command, "--recursion-limit", "21")["output"] == 20
    assert "@deep: expected recursive calls nested at most 20 deep" in fail(
        *command, "--recursion-limit", "20"
    )
    Path("functions.mlir").write_text(
        "builtin.module attributes {relax.recursion_limit = 10 : i64} {" + FUNCTIONS + "}"
    )
    assert "nested at most 10 deep" in fail(*command)
    assert succeed(*command, "--recursion-limit", "21")["output"] == 20


@pytest.mark.parametrize("limit", ["0", "-5", str(2**63)])
def test_a_recursion_limit_that_is_none(fail: Fail, limit: str):
    message = fail("functions.mlir", "--entry", "deep", "--recursion-limit", limit)
    assert f"--recursion-limit {limit}: expected a number from 1 to 2^63 - 1" in message


def test_a_header_that_claims_more_than_there_is(fail: Fail, folder: Path):
    with (folder / "huge.npy").open("wb") as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": (100_000_000_000,)}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(bytes(40))
    message = fail("matmul.mlir", "--input", "huge.npy", "w.npy")
    assert re.search(r"huge\.npy: expected (an array that fits into memory|a \.npy file)", message)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_array_for_a_number(fail: Fail, backend: str):
    command = ("functions.mlir", "--entry", "numbers", "--random", "k=2,n=2", "--backend", backend)
    assert "k" in fail(*command, "--input", "v.npy")


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_shape_as_a_result(succeed: Succeed, backend: str):
    command = ("functions.mlir", "--backend", backend, "--random", "n=3,m=5", "--entry")
    assert [int(v) for v in succeed(*command, "size").values()] == [3, 5]
    saved = succeed(*command, "size_and_more")
    assert list(saved) == ["output_0_0", "output_0_1", "output_1"]
    assert [v.shape for v in saved.values()] == [(), (), (3, 5)]
    assert succeed(*command, "nothing") == {}


# Output, files, tools ----------------------------------------------------------------------------


def test_an_output_that_cannot_be_written(capsys: pytest.CaptureFixture[str], folder: Path):
    for output in ("/dev/null/y.npz", str(folder)):
        assert (
            relax_run.main([*INTERPRETED, "matmul.mlir", "--random", "n=1,m=1", "--output", output])
            == 1
        )
        message = capsys.readouterr().err
        assert f"error: --output {output}: expected a file that can be written" in message


def test_results_are_printed_and_long_ones_shortened(capsys: pytest.CaptureFixture[str]):
    assert relax_run.main([*INTERPRETED, "matmul.mlir", "--input", "x.npy", "w.npy"]) == 0
    assert capsys.readouterr().out == "output: [2, 2] float32\n[[13. 16.]\n [40. 52.]]\n"
    assert relax_run.main([*INTERPRETED, "matmul.mlir", "--random", "n=900,m=900"]) == 0
    assert "..." in (out := capsys.readouterr().out) and len(out) < 1000


def test_files_that_are_no_program(fail: Fail):
    assert "missing.mlir: expected a readable file" in fail("missing.mlir")
    assert "x.npy: expected a program, a .mlir, .onnx, .pt2 or .py file, found arrays" in fail(
        "x.npy"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("matmul.mlir --random n=1,m=1", "$CC names 'nonexistent', which is not found; name an installed"),
        ("functions.mlir --entry interpreted --input v.npy", "'x': expected a tensor of known rank and element"),
    ],
)  # fmt: skip
def test_programs_are_compiled_unless_told_otherwise(
    words: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    """What cannot be compiled says how to do without."""
    monkeypatch.setenv("CC", "nonexistent")
    assert relax_run.main(words.split()) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("error:") == 1 and message in err
    assert err.splitlines()[-1] == WITHOUT_C
    assert relax_run.main([*words.split(), *INTERPRETED]) == 0


def test_packed_functions_are_not_there(fail: Fail):
    Path("packed.mlir").write_text("""
    relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
      %y = relax.call_packed "custom"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
      relax.return %y : !relax.object
    }""")
    for backend in BACKENDS:
        said = fail("packed.mlir", "--input", "v.npy", "--backend", backend)
        assert "expected the name of a registered function" in said


@pytest.mark.slow
def test_as_a_command(folder: Path):
    command = [sys.executable, "-m", "lowering.tools.relax_run", "matmul.mlir"]
    done = subprocess.run(
        [*command, "--input", "x.npy", "v.npy"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "argument 'w': expected 2 dimensions" in done.stderr and "Traceback" not in done.stderr


def test_a_function_value_is_printed_on_one_line(
    succeed: Succeed, fail: Fail, capsys: pytest.CaptureFixture[str]
):
    Path("closure.mlir").write_text("""
    relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
      %f = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
        relax.return %y : !relax.tensor<[n], f32>
      }
      relax.return %f : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
    }""")
    assert relax_run.main([*INTERPRETED, "closure.mlir", "--random", "n=3"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "output: [] object"
    assert said[1].startswith("<function value @main: relax.closure (%f) : !relax.func<")
    assert len(said) == 2
    message = fail("closure.mlir", "--random", "n=3", "--output", "y.npz")
    assert "expected results that are arrays, found output: <function value" in message


def test_parameters_with_numbers_take_an_array_each(tmp_path: Path):
    """Names lose the numbers at their end as they are parsed; the parameters remain two."""
    type = "!relax.tensor<[2], f32>"
    (tmp_path / "m.mlir").write_text(
        f"relax.func @main(%x_1: {type}, %x_2: {type}) -> {type} {{\n"
        f"  %y = relax.subtract %x_1, %x_2 : ({type}, {type}) -> {type}\n"
        f"  relax.return %y : {type}\n}}\n"
    )
    np.save(tmp_path / "a.npy", np.float32([5, 5]))
    np.save(tmp_path / "b.npy", np.float32([1, 2]))
    files = [f"{tmp_path}/a.npy", f"x_1={tmp_path}/b.npy"]
    for inputs in (files, reversed(files)):
        options = ["--input", *inputs, "--output", f"{tmp_path}/y.npz"]
        assert relax_run.main([f"{tmp_path}/m.mlir", *options]) == 0
        assert np.load(tmp_path / "y.npz")["output"].tolist() == [4, 3]


@pytest.mark.slow
def test_a_compiled_model_is_run_by_its_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """As the program is, by the same arguments; standard input is a program as well."""
    (tmp_path / "p.mlir").write_text(MATMUL)
    assert relax_compile.main([str(tmp_path / "p.mlir"), "-o", str(tmp_path), "--quiet"]) == 0
    options = ["--random", "n=2,m=3", "--seed", "5"]
    shown: list[str] = []
    for file in (str(tmp_path / "p.mlir"), str(tmp_path / "p.json"), "-"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(MATMUL))
        capsys.readouterr()
        assert relax_run.main([file, *options]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] == shown[2] and "[2, 3] float32" in shown[0]
    assert relax_run.main([str(tmp_path / "p.json"), "--entry", "other", *options]) == 1
    assert "found @main; pass one of them with --entry" in capsys.readouterr().err
    assert relax_run.main([str(tmp_path / "p.json"), "--backend", "interpret", *options]) == 1
    assert "found the compiled model" in capsys.readouterr().err

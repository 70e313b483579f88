"""Structured ops on tensors: all points at once, reductions in order, in the element type."""

import numpy as np
import pytest

from relax_dialect.errors import ExecutionError

from .programs import numbers, run_text


def _generic(operands: dict[str, tuple[str, str]], iterators: str, out: str, body: str) -> str:
    """A function of one generic: operands by name with their type and map; the last is written."""
    names = list(operands)
    params = ", ".join(f"%{n}: {t}" for n, (t, _) in operands.items())
    maps = ", ".join(f"affine_map<{m}>" for _, m in operands.values())
    kinds = ", ".join(f'"{"parallel" if k == "p" else "reduction"}"' for k in iterators)
    ins = ", ".join(f"%{n}" for n in names[:-1])
    types = ", ".join(t for t, _ in list(operands.values())[:-1])
    element = out.split("x")[-1][:-1]
    args = ", ".join(f"%{n}_e: {t.split('x')[-1].rstrip('>')}" for n, (t, _) in operands.items())
    return f"""
    func.func @main({params}) -> {out} {{
      %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
        ins({ins} : {types}) outs(%{names[-1]} : {out}) {{
      ^bb0({args}):
        {body}
        linalg.yield %v : {element}
      }} -> {out}
      func.return %r : {out}
    }}
    """


MATMUL = _generic(
    {
        "a": ("tensor<?x?xf32>", "(i, j, k) -> (i, k)"),
        "b": ("tensor<?x?xf32>", "(i, j, k) -> (k, j)"),
        "c": ("tensor<?x?xf32>", "(i, j, k) -> (i, j)"),
    },
    "ppr",
    "tensor<?x?xf32>",
    "%p = arith.mulf %a_e, %b_e : f32\n%v = arith.addf %c_e, %p : f32",
)


@pytest.mark.parametrize(("m", "n", "k"), [(3, 5, 7), (1, 1, 1), (0, 5, 7), (3, 5, 0), (3, 0, 2)])
def test_matmul_accumulates_in_order(m, n, k):
    a, b, c = numbers((m, k)), numbers((k, n), seed=1), numbers((m, n), seed=2)
    expected = c.copy()
    for i in range(k):
        expected = expected + a[:, i, None] * b[i]
    given = c.copy()
    np.testing.assert_array_equal(run_text(MATMUL, a, b, given), expected)
    np.testing.assert_array_equal(given, c)  # a tensor is a value: the operand stays


def test_sizes_that_do_not_fit():
    with pytest.raises(
        ExecutionError, match=r"@main: linalg.generic \(%r\): expected size 3 .* loop d2 .* found 4"
    ):
        run_text(MATMUL, numbers((2, 3)), numbers((4, 5)), numbers((2, 5)))


def test_transposed_and_constant_accesses():
    text = _generic(
        {
            "a": ("tensor<?x?xf32>", "(i, j) -> (j, i)"),
            "b": ("tensor<?x2xf32>", "(i, j) -> (j, 1)"),
            "c": ("tensor<?x?xf32>", "(i, j) -> (i, j)"),
        },
        "pp",
        "tensor<?x?xf32>",
        "%v = arith.subf %a_e, %b_e : f32",
    )
    a, b = numbers((3, 4)), numbers((3, 2))
    np.testing.assert_array_equal(run_text(text, a, b, numbers((4, 3))), a.T - b[:, 1])


def test_windows():
    """A pool: the map `2 * i + k` is gathered; an operand that is only read for its shape."""
    text = _generic(
        {
            "a": ("tensor<?xf32>", "(i, k) -> (i * 2 + k)"),
            "w": ("tensor<3xf32>", "(i, k) -> (k)"),
            "c": ("tensor<?xf32>", "(i, k) -> (i)"),
        },
        "pr",
        "tensor<?xf32>",
        "%v = arith.maximumf %a_e, %c_e : f32",
    )
    a, low = numbers((9,)), np.full(4, -np.inf, np.float32)
    expected = [max(a[2 * i : 2 * i + 3]) for i in range(4)]
    np.testing.assert_array_equal(run_text(text, a, np.zeros(3, np.float32), low), expected)
    with pytest.raises(ExecutionError, match=r"expected an index from 0 to 7 .* found 8"):
        run_text(text, a[:8], np.zeros(3, np.float32), low)


def test_full_reduction_to_rank_zero():
    text = (
        _generic(
            {
                "a": ("tensor<?x?xi32>", "(i, j) -> (i, j)"),
                "c": ("tensor<i32>", "(i, j) -> ()"),
            },
            "rr",
            "tensor<i32>",
            "%v = arith.addi %a_e, %c_e : i32",
        )
        .replace("%c_e: tensor<i32", "%c_e: i32")
        .replace("linalg.yield %v : tensor<i32", "linalg.yield %v : i32")
    )
    a = numbers((3, 4), np.int32)
    result = run_text(text, a, np.array(5, np.int32))
    assert result == 5 + a.sum() and result.shape == ()


def test_integers_wrap_without_a_warning():
    text = _generic(
        {"a": ("tensor<?xi8>", "(i) -> (i)"), "c": ("tensor<?xi8>", "(i) -> (i)")},
        "p",
        "tensor<?xi8>",
        "%v = arith.muli %a_e, %a_e : i8",
    )
    a = np.array([100, -100, 3], np.int8)
    assert run_text(text, a, a).tolist() == [16, 16, 9]


PAD = """
func.func @main(%x: tensor<?xf32>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %zero = arith.constant 0.000000e+00 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    outs(%d : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = arith.subi %i, %c1 : index
    %low = arith.cmpi sge, %k, %c0 : index
    %high = arith.cmpi slt, %k, %n : index
    %in = arith.andi %low, %high : i1
    %v = scf.if %in -> (f32) {
      %e = tensor.extract %x[%k] : tensor<?xf32>
      %big = arith.cmpf ogt, %e, %zero : f32
      %w = scf.if %big -> (f32) {
        %q = arith.index_cast %i : index to i32
        %f = arith.sitofp %q : i32 to f32
        %s = arith.addf %e, %f : f32
        scf.yield %s : f32
      } else {
        scf.yield %e : f32
      }
      scf.yield %w : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
"""


@pytest.mark.parametrize("n", [0, 1, 6])
def test_conditions_guard_what_a_branch_reads(n):
    """Each branch runs for its own points only, or the extract would be out of bounds."""
    x = numbers((n,))
    expected = np.array([0, *(e + np.float32(i + 1) if e > 0 else e for i, e in enumerate(x)), 0])
    result = run_text(PAD, x, np.zeros(n + 2, np.float32))
    np.testing.assert_array_equal(result, expected.astype(np.float32))


def test_named_ops_and_several_results():
    text = """
    func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>,
                    %d: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
      %zero = arith.constant 0.000000e+00 : f32
      %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      %m = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
        outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
      %r:2 = "linalg.generic"(%m, %c, %d) <{
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                         affine_map<(i, j) -> (j, i)>],
        iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
        operandSegmentSizes = array<i32: 1, 2>}> ({
      ^bb0(%x: f32, %y: f32, %z0: f32):
        %n = arith.negf %x : f32
        "linalg.yield"(%z0, %n) : (f32, f32) -> ()
      }) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
        -> (tensor<?x?xf32>, tensor<?x?xf32>)
      func.return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
    }
    """
    a, b = numbers((3, 2)), numbers((2, 5))
    c, d = np.full((3, 5), np.nan, np.float32), numbers((5, 3))
    first, second = run_text(text, a, b, c, d)
    np.testing.assert_array_equal(first, d.T)
    np.testing.assert_allclose(second, -(a @ b).T, rtol=1e-5, atol=1e-6)

"""Entry points: what they check, what they say, and that nothing leaks or is touched on failure."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from optional import CPP_COMPILERS, SANITIZED

from lowering.emit_c import emit
from relax_dialect.errors import RelaxError

MODEL = """
func.func private @check(%n: index, %limit: index) {
  %ok = arith.cmpi sle, %n, %limit : index
  cf.assert %ok, "100%s \\"rows\\" at most"
  func.return
}
func.func @main(%n: index {relax.symbol = "n"}, %k: index {relax.symbol = "k"},
    %x: memref<?x4xf32> {relax.dims = ["n", "4"], relax.name = "x"},
    %y: memref<?xf32> {relax.dims = ["2 * n"], relax.name = "y"}, %shift: f32)
    -> (memref<?x4xf32> {relax.dims = ["n", "4"]}, memref<?xi32> {relax.dims = ["n + k"]})
    attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %limit = arith.constant 100 : index
  %a = memref.alloc(%n) : memref<?x4xf32>
  %nk = arith.addi %n, %k : index
  %b = memref.alloc(%nk) : memref<?xi32>
  %scratch = memref.alloc() : memref<f64>
  func.call @check(%n, %limit) : (index, index) -> ()
  memref.dealloc %scratch : memref<f64>
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.load %y[%i] : memref<?xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x4xf32>
      %p = arith.mulf %v, %s : f32
      %q = arith.addf %p, %shift : f32
      memref.store %q, %a[%i, %j] : memref<?x4xf32>
    }
  }
  %seven = arith.constant 7 : i32
  scf.for %i = %c0 to %nk step %c1 {
    memref.store %seven, %b[%i] : memref<?xi32>
  }
  func.return %a, %b : memref<?x4xf32>, memref<?xi32>
}
func.func @huge(%n: index {relax.symbol = "n"}) -> (memref<?x1048576xf64> {relax.dims = ["n", "1048576"]})
    attributes {relax.entry} {
  %a = memref.alloc(%n) : memref<?x1048576xf64>
  func.return %a : memref<?x1048576xf64>
}
func.func @empty() attributes {relax.entry} { func.return }
"""


@pytest.fixture(scope="module")
def module(build):
    return build(MODEL)


def test_success(module):
    assert module.empty() is None
    for n, k in ((3, 2), (0, 0), (1, 0), (100, 1)):
        x = np.random.default_rng(n).standard_normal((n, 4)).astype("float32")
        y = np.arange(2 * n, dtype="float32")
        a, b = module.main(x, y, 0.5, k)
        np.testing.assert_allclose(a, x * y[:n, None] + np.float32(0.5), rtol=1e-6)
        assert b.dtype == np.int32 and b.tolist() == [7] * (n + k)
        a += 1  # the result is an ordinary array, which owns its memory


@pytest.mark.parametrize(
    "args, message",
    [
        (((3, 5), (6,)), "@main: argument 'x': expected size 4 in dimension 1, found 5"),
        (((3, 4), (7,)), "@main: argument 'y': expected size 2 * n = 6 in dimension 0, found 7"),
        (
            ((3, 4, 1), (6,)),
            "@main: argument 'x': expected 2 dimensions, [n, 4], found 3, [3, 4, 1]",
        ),
        (((101, 4), (202,)), '100%s "rows" at most (101 vs 100)'),
    ],
)
def test_a_wrong_shape_is_named(module, args, message):
    arrays = [np.zeros(shape, "float32") for shape in args]
    with pytest.raises(RelaxError) as error:
        module.main(*arrays, 1.0, 0)
    assert str(error.value) == message


def test_a_wrong_call_is_named(module):
    x, y = np.zeros((2, 4), "float32"), np.zeros(4, "float32")
    for args, message in (
        ((x, y, 1.0), r"@main: expected 4 arguments \('x', 'y', 'shift', 'k'\), found 3"),
        (
            (x.astype("float64"), y, 1.0, 0),
            "'x': expected element type f32, found f64; convert the array",
        ),
        ((x.astype("int32"), y, 1.0, 0), "'x': expected element type f32, found i32"),
        ((x.astype(">f4"), y, 1.0, 0), "'x': expected numbers in native byte order"),
        ((x, y, 1.0, 0.5), "'k': expected a number for int64, found a Python float"),
        ((x, y, 1.0, 2**63), "'k': 9223372036854775808 does not fit into int64"),
        ((x, y, 1.0, -5), r"main: argument 'k': expected a size of 0 to \d+, found -5"),
    ):
        with pytest.raises(RelaxError, match=message):
            module.main(*args)
    with pytest.raises(RelaxError, match="no entry point 'other'; there are: main, huge, empty"):
        module["other"]


def test_sizes_too_large_for_memory(module):
    with pytest.raises(RelaxError, match="huge: a: the sizes are too large for memory"):
        module.huge(2**48)
    with pytest.raises(RelaxError, match="huge: a: out of memory for"):
        module.huge(2**38)


def test_a_view_of_another_layout_is_copied(module):
    x = np.arange(24, dtype="float32").reshape(4, 6).T[:, :]  # not contiguous
    a, _ = module.main(x[:3], np.ones(6, "float32"), 0.0, 0)
    np.testing.assert_array_equal(a, x[:3])


HEADER_FLAGS = ("-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic")


def test_the_header_alone(parse, tmp_path, cc):
    source = emit(parse(MODEL), "model")
    source.write(tmp_path)
    (tmp_path / "use.c").write_text('#include "model.h"\n#include "model.h"\nDLTensor t;\n')
    subprocess.run([cc, "-std=c11", *HEADER_FLAGS, "use.c"], cwd=tmp_path, check=True)
    dlpack = "#ifndef DLPACK_DLPACK_H_\n#define DLPACK_DLPACK_H_\n"
    body = source.h[source.h.index("typedef enum { kDLCPU") : source.h.index("#endif\n")]
    (tmp_path / "dlpack.h").write_text(f"#include <stdint.h>\n{dlpack}{body}#endif\n")
    (tmp_path / "both.c").write_text('#include "dlpack.h"\n#include "model.h"\n')
    subprocess.run([cc, "-std=c11", *HEADER_FLAGS, "both.c"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("cc", CPP_COMPILERS)
def test_the_header_from_cpp(parse, tmp_path, cc):
    emit(parse(MODEL), "model").write(tmp_path)
    (tmp_path / "use.cpp").write_text('#include "model.h"\n#include "model.h"\nDLTensor t;\n')
    subprocess.run([cc, *HEADER_FLAGS, "use.cpp"], cwd=tmp_path, check=True)


DRIVER = r"""
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int condition, const char *what)
{
    if (!condition) {
        printf("wrong: %s; last error: %s\n", what, model_last_error());
        ++failures;
    }
}

static void expect_error(int status, const DLTensor *out, const char *message)
{
    expect(status != 0, message);
    expect(out == NULL || (out->data == NULL && out->shape == NULL), "the result is untouched");
    if (strstr(model_last_error(), message) == NULL) {
        printf("expected '%s', found '%s'\n", message, model_last_error());
        ++failures;
    }
}

static DLTensor tensor(void *data, int code, int bits, int ndim, int64_t *shape)
{
    DLTensor t = {.data = data, .ndim = ndim, .shape = shape};
    t.device.device_type = kDLCPU;
    t.dtype.code = (uint8_t)code;
    t.dtype.bits = (uint8_t)bits;
    t.dtype.lanes = 1;
    return t;
}

int main(void)
{
    float xs[13] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, ys[6] = {1, 2, 3, 4, 5, 6};
    int64_t x_shape[2] = {3, 4}, y_shape[1] = {6}, many[2] = {101, 4}, many_y[1] = {202};
    DLTensor x = tensor(xs, kDLFloat, 32, 2, x_shape), y = tensor(ys, kDLFloat, 32, 1, y_shape);
    DLTensor a = {0}, b = {0};

    /* results allocated by the callee */
    expect(model_main(&x, &y, 1.0f, 2, &a, &b) == 0, "success");
    expect(a.ndim == 2 && a.shape[0] == 3 && a.shape[1] == 4 && a.dtype.bits == 32, "shape of a");
    expect(((float *)a.data)[4] == 11.0f && ((int32_t *)b.data)[4] == 7, "values");
    model_release(&a);
    model_release(&b);
    model_release(&b);
    model_release(NULL);
    expect(a.data == NULL && a.shape == NULL, "released");

    /* results into given buffers, one of them the input itself */
    int32_t bs[5] = {0};
    int64_t b_shape[1] = {5};
    DLTensor given = tensor(bs, kDLInt, 32, 1, b_shape);
    float copy[13];
    memcpy(copy, xs, sizeof xs);
    DLTensor same = x;
    expect(model_main(&x, &y, 1.0f, 2, &same, &given) == 0, "given buffers");
    expect(xs[0] == 2.0f && xs[4] == 11.0f && bs[0] == 7 && bs[4] == 7, "written in place");
    memcpy(xs, copy, sizeof xs);
    b_shape[0] = 4;
    expect_error(model_main(&x, &y, 1, 2, &a, &given), &a, "field 1: expected size");
    expect_error(model_main(&x, &y, 1, 2, &a, &given), &a, "expected size k + n = 5 in dimension 0, found 4");
    given.dtype.bits = 16;
    expect_error(model_main(&x, &y, 1, 2, &a, &given), &a, "field 1: expected element type i32");

    /* an offset, strides */
    DLTensor moved = x;
    moved.byte_offset = 4;
    expect(model_main(&moved, &y, 0, 0, &a, &b) == 0, "offset");
    expect(((float *)a.data)[0] == 2.0f, "values at the offset");
    model_release(&a);
    model_release(&b);
    moved.byte_offset = 2;
    expect_error(model_main(&moved, &y, 0, 0, &a, &b), &a, "'x': the data is not aligned");
    int64_t compact[2] = {4, 1}, turned[2] = {1, 3};
    DLTensor strided = x;
    strided.strides = compact;
    expect(model_main(&strided, &y, 0, 0, &a, &b) == 0, "compact strides");
    model_release(&a);
    model_release(&b);
    strided.strides = turned;
    expect_error(model_main(&strided, &y, 0, 0, &a, &b), &a, "make the tensor contiguous first");

    /* what is wrong with an input */
    expect_error(model_main(NULL, &y, 0, 0, &a, &b), &a, "'x': expected a tensor, found NULL");
    expect_error(model_main(&x, &y, 0, 0, NULL, &b), &b, "field 0: expected a tensor");
    expect_error(model_main(&x, &y, 0, 0, &a, NULL), &a, "field 1: expected a tensor");
    DLTensor bad = x;
    bad.data = NULL;
    expect_error(model_main(&bad, &y, 0, 0, &a, &b), &a, "'x': the data is NULL");
    bad = x;
    bad.shape = NULL;
    expect_error(model_main(&bad, &y, 0, 0, &a, &b), &a, "'x': the shape is NULL");
    bad = x;
    bad.device.device_type = (DLDeviceType)0;
    expect_error(model_main(&bad, &y, 0, 0, &a, &b), &a, "found device type 0");
    bad = x;
    bad.dtype.lanes = 4;
    expect_error(model_main(&bad, &y, 0, 0, &a, &b), &a, "expected elements of one lane, found 4 lanes");
    bad.dtype.lanes = 1;
    bad.dtype.code = 99;
    expect_error(model_main(&bad, &y, 0, 0, &a, &b), &a, "found unknown32");
    int64_t negative[2] = {-3, 4};
    bad = tensor(xs, kDLFloat, 32, 2, negative);
    expect_error(model_main(&bad, &y, 0, 0, &a, &b), &a, "'x': dimension 0 is negative: -3");
    bad = tensor(xs, kDLFloat, 32, 1, x_shape);
    expect_error(model_main(&bad, &y, 0, 0, &a, &b), &a, "'x': expected 2 dimensions, [n, 4], found 1, [3]");

    /* failures in the body, after allocations */
    float *zeros = calloc(404, sizeof(float));
    DLTensor big = tensor(zeros, kDLFloat, 32, 2, many);
    DLTensor big_y = tensor(zeros, kDLFloat, 32, 1, many_y);
    expect_error(model_main(&big, &big_y, 0, 0, &a, &b), &a, "100%s \"rows\" at most (101 vs 100)");
    expect_error(model_main(&x, &y, 0, -4, &a, &b), &a, "@main: argument 'k': expected a size of 0 to 281474976710656, found -4");
    expect_error(model_huge(281474976710656, &a), &a, "too large for memory");
    free(zeros);

    /* no elements: a NULL pointer is no error */
    int64_t none[2] = {0, 4}, none_y[1] = {0};
    DLTensor empty = tensor(NULL, kDLFloat, 32, 2, none);
    DLTensor empty_y = tensor(NULL, kDLFloat, 32, 1, none_y);
    expect(model_main(&empty, &empty_y, 0, 0, &a, &b) == 0, "no elements");
    expect(a.data != NULL && a.shape[0] == 0 && b.shape[0] == 0, "empty results");
    model_release(&a);
    model_release(&b);
    printf("%d failures\n", failures);
    return failures != 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_every_path_under_sanitizers(parse, run_sanitized, tmp_path, cc):
    """Address, undefined behaviour and leaks; the driver checks messages and results."""
    emit(parse(MODEL), "model").write(tmp_path)
    assert run_sanitized(cc, tmp_path, DRIVER) == "0 failures\n"


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_the_sanitizers_see_a_leak(parse, run_sanitized, tmp_path, cc):
    """The test above can fail: without `release` the leak is found."""
    emit(parse(MODEL), "model").write(tmp_path)
    driver = """#include "model.h"
    #include <string.h>
    static __attribute__((noinline)) int leak(void)
    {
        DLTensor a = {0};
        const int status = model_huge(0, &a);
        a.data = a.shape = 0;
        return status;
    }
    static __attribute__((noinline)) int forget(void) /* what the call has left on the stack */
    {
        char zeros[1 << 16];
        memset(zeros, 0, sizeof zeros);
        __asm__ volatile("" : : "r"(zeros) : "memory");
        return 0;
    }
    int main(void)
    {
        return leak() + forget();
    }\n"""
    with pytest.raises(AssertionError, match="LeakSanitizer"):
        run_sanitized(cc, tmp_path, driver.rstrip(" "))


def test_a_name_that_is_taken_is_refused(parse):
    entry = 'func.func @"a{}b"() attributes {{relax.entry}} {{ func.return }}'
    text = entry.format(".") + entry.format("_")
    with pytest.raises(RelaxError, match=r"@a_b would be called model_a_b, which is taken"):
        emit(parse(text), "model")
    with pytest.raises(RelaxError, match="must be a C identifier, found 'a b'"):
        emit(parse(text), "a b")


def test_names_from_the_program_are_made_safe(build, cc):
    """Keywords, library functions, odd characters and equal names give valid C."""
    module = build(
        """
func.func private @exp(%int: memref<2xf32>, %int_: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %exp = memref.load %int[%c0] : memref<2xf32>
  %expf = math.exp %exp : f32
  memref.store %expf, %int_[%c0] : memref<2xf32>
  func.return
}
func.func @"odd */ name"(%live: memref<2xf32>) attributes {relax.entry} {
  func.call @exp(%live, %live) : (memref<2xf32>, memref<2xf32>) -> ()
  %no = arith.constant false
  cf.assert %no, "*/ %n \\\\ ??/ \\"quoted\\""
  func.return
}""",
        cc=cc,
    )
    with pytest.raises(RelaxError) as error:
        module["odd */ name"](np.zeros(2, "float32"))
    assert str(error.value) == '*/ %n \\ ??/ "quoted"'

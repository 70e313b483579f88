"""Types of the operators as functions. Written by `python test/unit/support/operator_stubs.py`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder.values import Expression, Value
from relax_dialect.ops.core import FuncOp
from relax_dialect.symbolic import Expr

Array: TypeAlias = np.ndarray[Any, Any] | np.generic
Operand: TypeAlias = Value | Expression | SSAValue | Operation | Expr | float | Array
"""A value of the program, an expression, a number or an array."""

Number: TypeAlias = float | np.number[Any]
Size: TypeAlias = Expr | int | str
Shape: TypeAlias = Value | Expression | SSAValue | Operation | Iterable[Size | None]
"""A shape of the program, or sizes, as `x.shape` has them; an unknown one, None, is refused."""

Dtype: TypeAlias = Attribute | str | type | np.dtype[Any] | None
"""An element type, as `x.dtype` has it; an unknown one, None, is refused where it has to be known."""

def operators() -> Mapping[str, type[Operation]]:
    """Return the ops that expressions are made of, by name."""
    ...

RELAY_NAMES: Mapping[str, str]

def short_name(name: str) -> str:
    """Return the name of an operator alone: `dense` of `relax.nn.dense`."""
    ...

def our_name(name: str) -> str:
    """Return our name for an operator that TVM may call another, `nn.dense`; a name of ours is
    returned as it is."""
    ...

def get(name: str) -> type[Operation]:
    """Return the operator itself, as patterns match it: `is_op("add").match(op.get("add"))`."""
    ...

NAMESPACES: Sequence[str]

def constant(value: DenseIntOrFPElementsAttr) -> Expression:
    """A constant tensor: `relax.constant dense<[1.0, 2.0]> : tensor<2xf32>`, or of a .safetensors
    file in the folder of the program: `relax.constant file("model.safetensors", "w") :
    tensor<2xf32>`."""
    ...

def tuple(*fields: Operand) -> Expression:
    """Make a tuple of any number of values: `relax.tuple %a, %b : (A, B) -> tuple<A, B>`."""
    ...

def tuple_get_item(tuple: Operand, index: int) -> Expression:
    """Take field `index` of a tuple, counted from zero."""
    ...

def shape(sizes: Shape) -> Expression:
    """A shape value of symbolic expressions: `relax.shape [n, 2 * m]`."""
    ...

def shape_of(x: Operand) -> Expression:
    """The shape of a tensor as a value: `relax.shape_of %x : (tensor) -> shape`."""
    ...

def match_shape(value: Operand, pattern: Shape) -> Expression:
    """Match the shape of a tensor, or a shape value, against symbolic expressions."""
    ...

def match_cast(value: Operand, type: Attribute) -> Expression:
    """Check at run time that a value is of a type: `relax.match_cast %v : T1 -> T2`."""
    ...

def from_builtin(value: Operand) -> Expression:
    """View a builtin tensor as a Relax tensor, whose dynamic sizes are unknown."""
    ...

def to_builtin(value: Operand) -> Expression:
    """View a Relax tensor as a builtin one."""
    ...

def symbolic_value(expression: Size) -> Expression:
    """The value of a symbolic expression, an i64: `relax.symbolic_value [2 * n - 1]`."""
    ...

def prim_value(expression: Size) -> Expression:
    """The same as an i64 whose type has its value: `relax.prim_value [2 * n - 1]`,
    `relax.prim_value [5]`."""
    ...

def tensor_to_shape(x: Operand) -> Expression:
    """The shape whose sizes are the elements of a vector; each is checked to be at least 0."""
    ...

def shape_to_tensor(shape: Shape) -> Expression:
    """The sizes of a shape as a vector of i64."""
    ...

def scalar_to_tensor(value: Operand) -> Expression:
    """A scalar as a tensor of rank 0."""
    ...

def call(
    callee: FuncOp | str,
    args: Sequence[Operand],
    result_type: Attribute | None = None,
) -> Expression:
    """Call a function of this module, or a prim func: `relax.call @f(%x) : (T1) -> T2`."""
    ...

def call_tir(
    callee: func.FuncOp | str,
    args: Sequence[Operand],
    symbols: Shape = (),
    result_types: Sequence[Attribute] | None = None,
    **attributes: object,
) -> Expression:
    """Call a prim func, which returns fresh tensors: `relax.call_tir @f(%a, %b)[m] : (A, B) -> C`."""
    ...

def call_tir_with_grad(
    callee: func.FuncOp | str,
    args: Sequence[Operand],
    te_grad_name: str,
    te_grad_kwargs: Mapping[str, Attribute | str | float] | None = None,
    symbols: Shape = (),
    result_types: Sequence[Attribute] | None = None,
) -> Expression:
    """Call a prim func with a custom gradient function, by the name that it is registered under."""
    ...

def call_packed(
    func_name: str,
    args: Sequence[Operand | Attribute | str | float],
    result_type: Attribute,
) -> Expression:
    """Call an external function, which may have any effect: `relax.call_packed "f"(%x) : (T) -> T`."""
    ...

def call_closure(callee: Operand, args: Sequence[Operand]) -> Expression:
    """Call a function value: `relax.call_closure %f, %a : (!relax.func<(A) -> B>, A) -> B`."""
    ...

def make_closure(callee: FuncOp, args: Sequence[Operand], *, pure: bool = True) -> Expression:
    """A function of this module with its first arguments bound: `relax.make_closure @f(%a) : (A) ->
    F`."""
    ...

def let(value: Operand, stop_lift_params: bool = False) -> Expression:
    """A variable: the value, evaluated in the region of the let."""
    ...

def index_size(expression: Size) -> Expression:
    """A size as an index, in the region of a `relax.compute`: `relax.index_size [2 * n - 1]`."""
    ...

def call_pure_packed(
    func_name: str,
    args: Sequence[Operand | Attribute | str | float],
    result_type: Attribute,
) -> Expression:
    """Call an external function that has no effect: `relax.call_pure_packed "f"(%x) : (T) -> T`."""
    ...

def call_dps_packed(
    func_name: str,
    args: Sequence[Operand | Attribute | str | float],
    result_types: Attribute | Sequence[Attribute],
) -> Expression:
    """Call an external function that writes its results into its last arguments."""
    ...

def call_inplace_packed(
    func_name: str,
    args: Sequence[Operand | Attribute | str | float],
    inplace_indices: Sequence[int],
    result_types: Sequence[Attribute],
) -> Expression:
    """Call an external function that writes some of its arguments."""
    ...

def call_tir_inplace(
    callee: func.FuncOp | str,
    args: Sequence[Operand],
    inplace_indices: Sequence[int],
    symbols: Sequence[object] = (),
    result_types: Sequence[Attribute] | None = None,
) -> Expression:
    """Call a prim func that writes its results into some of its arguments."""
    ...

def print(*values: Operand, format: str | None = None) -> Expression:
    """Print values: `relax.print %x {format = "x = {}"} : (T) -> ()`."""
    ...

def assert_op(condition: Operand, *values: Operand, format: str | None = None) -> Expression:
    """Stop the program with a message unless a condition holds."""
    ...

def retain(object: Operand) -> Expression:
    """One more reference to an object: `%b = relax.retain %a`."""
    ...

def release(object: Operand) -> Expression:
    """Release a reference to an object: `relax.release %a`."""
    ...

def literal(value: Attribute | str) -> Expression:
    """A string or an element type as an object: `relax.literal "text"`, `relax.literal f32`."""
    ...

def relu(x: Operand) -> Expression:
    """The rectifier `maximum(x, 0)`; NaN stays NaN, and -0 stays -0."""
    ...

def relu6(x: Operand) -> Expression:
    """The rectifier cut off at six, `minimum(maximum(x, 0), 6)`; NaN stays NaN, and -0 stays -0."""
    ...

def leakyrelu(x: Operand, alpha: Number = 0.01) -> Expression:
    """`x` from zero on, `alpha * x` below (Maas, Hannun and Ng, 2013)."""
    ...

def prelu(x: Operand, alpha: Operand, axis: int = 1) -> Expression:
    """`x` from zero on, `alpha * x` below, with one alpha for every index along an axis (He and
    others, 2015)."""
    ...

def elu(x: Operand, alpha: Number = 1.0) -> Expression:
    """The exponential linear unit: `x` from zero on, `alpha * (exp(x) - 1)` below (Clevert,
    Unterthiner and Hochreiter, 2015)."""
    ...

def celu(x: Operand, alpha: Number = 1.0) -> Expression:
    """`x` from zero on, `alpha * (exp(x / alpha) - 1)` below (Barron, 2017)."""
    ...

def selu(x: Operand) -> Expression:
    """The exponential linear unit that normalizes itself, `scale * elu(x, alpha)` with alpha =
    1.6732632423543772 and scale = 1.0507009873554805 (Klambauer and others, 2017)."""
    ...

def silu(x: Operand) -> Expression:
    """The sigmoid linear unit `x * sigmoid(x)` (Elfwing, Uchibe and Doya, 2017)."""
    ...

def gelu(x: Operand) -> Expression:
    """The Gaussian error linear unit `x * (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel, 2016)."""
    ...

def gelu_tanh(x: Operand) -> Expression:
    """An approximation of gelu: `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) / 2`."""
    ...

def quick_gelu(x: Operand) -> Expression:
    """A coarser approximation of gelu: `x * sigmoid(1.702 * x)` (Hendrycks and Gimpel, 2016)."""
    ...

def hard_sigmoid(x: Operand) -> Expression:
    """The line `x / 6 + 1 / 2`, cut off at 0 and 1."""
    ...

def hard_swish(x: Operand) -> Expression:
    """`x * hard_sigmoid(x)` (Howard and others, 2019)."""
    ...

def hard_tanh(x: Operand, min: Number = -1.0, max: Number = 1.0) -> Expression:
    """x, cut off at `min` and `max`; NaN stays NaN."""
    ...

def softplus(x: Operand, beta: Number = 1.0, threshold: Number = 20.0) -> Expression:
    """The smooth rectifier `log(1 + exp(beta * x)) / beta`, and x itself if `beta * x` is above the
    threshold."""
    ...

def softsign(x: Operand) -> Expression:
    """`x / (1 + abs(x))`."""
    ...

def mish(x: Operand) -> Expression:
    """`x * tanh(log(1 + exp(x)))` (Misra, 2019)."""
    ...

def log_sigmoid(x: Operand) -> Expression:
    """`log(sigmoid(x))`, without overflow."""
    ...

def thresholded_relu(x: Operand, alpha: Number = 1.0) -> Expression:
    """`x` above alpha, else 0."""
    ...

def hard_shrink(x: Operand, lambd: Number = 0.5) -> Expression:
    """0 within `lambd` of zero, else x; NaN stays NaN."""
    ...

def soft_shrink(x: Operand, lambd: Number = 0.5) -> Expression:
    """x moved by `lambd` towards zero, 0 where it is not further away than that."""
    ...

def tanh_shrink(x: Operand) -> Expression:
    """`x - tanh(x)`."""
    ...

def softmax(x: Operand, axis: int = -1) -> Expression:
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along one axis."""
    ...

def log_softmax(x: Operand, axis: int = -1) -> Expression:
    """`x - max(x) - log(sum(exp(x - max(x))))` along one axis."""
    ...

def glu(x: Operand, axis: int = -1) -> Expression:
    """The gated linear unit: the first half along an axis times the sigmoid of the second (Dauphin
    and others, 2016)."""
    ...

def attention(
    query: Operand,
    key: Operand,
    value: Operand,
    bias: Operand | None = None,
    scale: Number | None = None,
    causal_mask: Literal["TopLeft", "BottomRight"] | str | None = None,
    window_size: int | None = None,
) -> Expression:
    """`softmax(scale * query @ transpose(key) + bias) @ value` for every head (Vaswani and others,
    2017), computed in f32 for f16 and bf16."""
    ...

def rotary_embedding(
    x: Operand,
    cos: Operand,
    sin: Operand,
    position_ids: Operand | None = None,
    interleaved: bool = False,
) -> Expression:
    """Pairs of elements (u, v) of every head, rotated by an angle that depends on the position:
    they become `u * cos - v * sin` and `u * sin + v * cos` (Su and others, 2021), computed in
    f32 for f16 and bf16."""
    ...

def attention_backward(
    output_grad: Operand,
    query: Operand,
    key: Operand,
    value: Operand,
    bias: Operand | None = None,
    scale: Number | None = None,
    causal_mask: Literal["TopLeft", "BottomRight"] | str | None = None,
    window_size: int | None = None,
) -> Expression:
    """The gradients of `attention` with respect to query, key and value, from `output_grad`, the
    cotangent of its result; all other arguments are those of attention. With its attention
    probabilities P, and G for `output_grad @ transpose(value)`, the scores have `S = P * (G -
    sum(P * G))`, and the results are `scale * S @ key`, `scale * transpose(S) @ query` and
    `transpose(P) @ output_grad`, for fewer heads of key or value summed over the query heads
    that share one (Dao and others, 2022, appendix B)."""
    ...

def no_grad(x: Operand) -> Expression:
    """x itself, through which no gradient flows: PyTorch's `detach`, JAX's `stop_gradient`."""
    ...

def max_pool2d_backward(
    output_grad: Operand,
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCHW",
    out_layout: str | None = None,
) -> Expression:
    """The gradient of `max_pool2d`: each cotangent goes to the first of the equal maxima of its
    window."""
    ...

def avg_pool2d_backward(
    output_grad: Operand,
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCHW",
    out_layout: str | None = None,
) -> Expression:
    """The gradient of `avg_pool2d`: each cotangent is shared by the elements of its window."""
    ...

def take_backward(
    output_grad: Operand,
    x: Operand,
    indices: Operand,
    axis: int | None = None,
) -> Expression:
    """The gradient of `take` in mode "fast": each cotangent is added where it was taken from. An
    index outside of the axis is an error when the program runs."""
    ...

def nll_loss_backward(
    output_grad: Operand,
    predictions: Operand,
    targets: Operand,
    weights: Operand | None = None,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
    ignore_index: int = -100,
) -> Expression:
    """The gradient of `nll_loss`: the prediction of each target that is not ignored gets the
    cotangent of its loss, times minus its weight, for a mean divided by the weights of all of
    them."""
    ...

def add(lhs: Operand, rhs: Operand) -> Expression:
    """The sum `lhs + rhs`; "or" for booleans."""
    ...

def subtract(lhs: Operand, rhs: Operand) -> Expression:
    """The difference `lhs - rhs`."""
    ...

def multiply(lhs: Operand, rhs: Operand) -> Expression:
    """The product `lhs * rhs`; "and" for booleans."""
    ...

def divide(lhs: Operand, rhs: Operand) -> Expression:
    """The quotient `lhs / rhs`; of integers, rounded towards zero, and 0 by zero."""
    ...

def floor_divide(lhs: Operand, rhs: Operand) -> Expression:
    """The quotient rounded down, as `numpy.floor_divide`; of an integer by zero it is 0."""
    ...

def floor_mod(lhs: Operand, rhs: Operand) -> Expression:
    """The remainder of `floor_divide`, with the sign of rhs, as `numpy.mod`; modulo an integer zero
    it is 0."""
    ...

def mod(lhs: Operand, rhs: Operand) -> Expression:
    """The remainder of the quotient rounded towards zero, with the sign of lhs, as `numpy.fmod`;
    modulo an integer zero it is 0."""
    ...

def power(lhs: Operand, rhs: Operand) -> Expression:
    """The power `lhs ** rhs`; of integers with a negative exponent, the quotient rounded to zero."""
    ...

def maximum(lhs: Operand, rhs: Operand) -> Expression:
    """The larger of both elements, True being greater than False; NaN if one of them is NaN, as
    `numpy.maximum`. Of equal ones, as 0 and -0, it is the first."""
    ...

def minimum(lhs: Operand, rhs: Operand) -> Expression:
    """The smaller of both elements, False being less than True; NaN if one of them is NaN, as
    `numpy.minimum`. Of equal ones, as 0 and -0, it is the first."""
    ...

def atan2(lhs: Operand, rhs: Operand) -> Expression:
    """The angle from -pi to pi of the point with ordinate lhs and abscissa rhs."""
    ...

def log_add_exp(lhs: Operand, rhs: Operand) -> Expression:
    """`log(exp(lhs) + exp(rhs))`, without overflow."""
    ...

def bitwise_and(lhs: Operand, rhs: Operand) -> Expression:
    """The bits that are set in both."""
    ...

def bitwise_or(lhs: Operand, rhs: Operand) -> Expression:
    """The bits that are set in one or both."""
    ...

def bitwise_xor(lhs: Operand, rhs: Operand) -> Expression:
    """The bits that are set in one and not in the other."""
    ...

def left_shift(lhs: Operand, rhs: Operand) -> Expression:
    """The bits of lhs shifted left by rhs, `lhs * 2 ** rhs`."""
    ...

def right_shift(lhs: Operand, rhs: Operand) -> Expression:
    """The bits of lhs shifted right by rhs, `lhs // 2 ** rhs`: signed numbers keep their sign."""
    ...

def logical_and(lhs: Operand, rhs: Operand) -> Expression:
    """Whether both are true."""
    ...

def logical_or(lhs: Operand, rhs: Operand) -> Expression:
    """Whether one or both are true."""
    ...

def logical_xor(lhs: Operand, rhs: Operand) -> Expression:
    """Whether one is true and the other is not."""
    ...

def equal(lhs: Operand, rhs: Operand) -> Expression:
    """Whether `lhs == rhs`."""
    ...

def not_equal(lhs: Operand, rhs: Operand) -> Expression:
    """Whether `lhs != rhs`."""
    ...

def less(lhs: Operand, rhs: Operand) -> Expression:
    """Whether `lhs < rhs`."""
    ...

def less_equal(lhs: Operand, rhs: Operand) -> Expression:
    """Whether `lhs <= rhs`."""
    ...

def greater(lhs: Operand, rhs: Operand) -> Expression:
    """Whether `lhs > rhs`."""
    ...

def greater_equal(lhs: Operand, rhs: Operand) -> Expression:
    """Whether `lhs >= rhs`."""
    ...

def collapse_sum_to(x: Operand, shape: Shape) -> Expression:
    """The sum over the elements that a broadcast from `shape` has repeated: the gradient of
    `broadcast_to`."""
    ...

def collapse_sum_like(x: Operand, collapse_target: Operand) -> Expression:
    """The sum over the elements that a broadcast from the shape of `collapse_target` has repeated."""
    ...

def conv1d(
    x: Operand,
    weight: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCW",
    kernel_layout: str = "OIW",
    out_layout: str | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The cross-correlation of x with a kernel, by strides s, dilation d and windows of k elements:
    `y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])` over the channels i of the group and
    the offsets k of the window (p and k run over the spatial axes); x is padded with zeros. A
    size h becomes `(h + before + after - d * (k - 1) - 1) floordiv s + 1`."""
    ...

def conv2d(
    x: Operand,
    weight: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The cross-correlation of x with a kernel, by strides s, dilation d and windows of k elements:
    `y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])` over the channels i of the group and
    the offsets k of the window (p and k run over the spatial axes); x is padded with zeros. A
    size h becomes `(h + before + after - d * (k - 1) - 1) floordiv s + 1`."""
    ...

def conv3d(
    x: Operand,
    weight: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCDHW",
    kernel_layout: str = "OIDHW",
    out_layout: str | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The cross-correlation of x with a kernel, by strides s, dilation d and windows of k elements:
    `y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])` over the channels i of the group and
    the offsets k of the window (p and k run over the spatial axes); x is padded with zeros. A
    size h becomes `(h + before + after - d * (k - 1) - 1) floordiv s + 1`."""
    ...

def conv1d_transpose(
    x: Operand,
    weight: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCW",
    kernel_layout: str = "IOW",
    out_layout: str | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The transpose of a convolution as a linear map, by strides s, dilation d and windows of k
    elements: `y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]` for all elements p of x and
    offsets k of the window (both run over the spatial axes); `padding` is cut off at both ends.
    A size h becomes `(h - 1) * s + d * (k - 1) + 1 - before - after + output_padding`."""
    ...

def conv2d_transpose(
    x: Operand,
    weight: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    kernel_layout: str = "IOHW",
    out_layout: str | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The transpose of a convolution as a linear map, by strides s, dilation d and windows of k
    elements: `y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]` for all elements p of x and
    offsets k of the window (both run over the spatial axes); `padding` is cut off at both ends.
    A size h becomes `(h - 1) * s + d * (k - 1) + 1 - before - after + output_padding`."""
    ...

def conv3d_transpose(
    x: Operand,
    weight: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCDHW",
    kernel_layout: str = "IODHW",
    out_layout: str | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The transpose of a convolution as a linear map, by strides s, dilation d and windows of k
    elements: `y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]` for all elements p of x and
    offsets k of the window (both run over the spatial axes); `padding` is cut off at both ends.
    A size h becomes `(h - 1) * s + d * (k - 1) + 1 - before - after + output_padding`."""
    ...

def full(shape: Shape, fill_value: Operand, dtype: Dtype = None) -> Expression:
    """A tensor of a shape, filled with a number that is converted to `dtype` if present."""
    ...

def full_like(x: Operand, fill_value: Operand, dtype: Dtype = None) -> Expression:
    """A tensor of the shape of x, filled with a number that is converted to its element type, or to
    `dtype` if present."""
    ...

def zeros(shape: Shape, dtype: Dtype = "f32") -> Expression:
    """A tensor of zeros."""
    ...

def ones(shape: Shape, dtype: Dtype = "f32") -> Expression:
    """A tensor of ones."""
    ...

def zeros_like(x: Operand, dtype: Dtype = None) -> Expression:
    """A tensor of zeros, of the shape of another."""
    ...

def ones_like(x: Operand, dtype: Dtype = None) -> Expression:
    """A tensor of ones, of the shape of another."""
    ...

def eye(n: Size, m: Size | None = None, k: int = 0, dtype: Dtype = "f32") -> Expression:
    """A matrix of zeros with ones on a diagonal, the one `k` above the main one."""
    ...

def eye_like(x: Operand, k: int = 0, dtype: Dtype = None) -> Expression:
    """A matrix of the shape of x: zeros with ones on a diagonal, the one `k` above the main one."""
    ...

def tril(x: Operand, k: int = 0) -> Expression:
    """The lower triangles, up to the diagonal that is `k` above the main one."""
    ...

def triu(x: Operand, k: int = 0) -> Expression:
    """The upper triangles, from the diagonal that is `k` above the main one on."""
    ...

def cumsum(
    x: Operand,
    axis: int | None = None,
    dtype: Dtype = None,
    exclusive: bool = False,
) -> Expression:
    """The sum of the elements so far; integers wrap around, booleans are or-ed."""
    ...

def cumprod(
    x: Operand,
    axis: int | None = None,
    dtype: Dtype = None,
    exclusive: bool = False,
) -> Expression:
    """The product of the elements so far; integers wrap around, booleans are and-ed."""
    ...

def cummax(x: Operand, axis: int = -1) -> Expression:
    """The largest element so far, NaN from the first one on (`torch.cummax`)."""
    ...

def cummin(x: Operand, axis: int = -1) -> Expression:
    """The smallest element so far, NaN from the first one on (`torch.cummin`)."""
    ...

def logcumsumexp(x: Operand, axis: int = -1) -> Expression:
    """The logarithm of the sum of the exponentials so far, which overflows only where the result
    does (`torch.logcumsumexp`)."""
    ...

def astype(
    x: Operand,
    dtype: Dtype,
    saturate: bool = False,
    rounding: Literal["nearest", "up", "down"] | str = "nearest",
) -> Expression:
    """The elements converted to another type, as `numpy.ndarray.astype`: integers wrap around,
    floats are truncated to integers, and every number but zero is true."""
    ...

def det(x: Operand) -> Expression:
    """The determinants of the matrices in the last two dimensions; 1 of a matrix without rows."""
    ...

def get_valid_counts(
    data: Operand,
    score_threshold: Number = 0.0,
    id_index: int = 0,
    score_index: int = 1,
) -> Expression:
    """The boxes whose score is greater than `score_threshold`, and whose class is not negative,
    moved to the front of each image in their order; `id_index = -1` means that boxes have no
    class."""
    ...

def non_max_suppression(
    data: Operand,
    valid_count: Operand,
    indices: Operand,
    max_output_size: int = -1,
    iou_threshold: Number = 0.5,
    force_suppress: bool = False,
    top_k: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = 0,
    return_indices: bool = True,
    invalid_to_bottom: bool = False,
    soft_nms_sigma: Number = 0.0,
    score_threshold: Number = 0.0,
) -> Expression:
    """The boxes of each image that no box of a higher score covers: of the first `valid_count`
    ones, in the order of their scores, each that is kept suppresses those after it of its class
    whose common area with it is at least `iou_threshold` of the area of both. Boxes are corners,
    from `coord_start` on; boxes with a score of 0 or less are left out."""
    ...

def all_class_non_max_suppression(
    boxes: Operand,
    scores: Operand,
    max_output_boxes_per_class: Operand,
    iou_threshold: Operand,
    score_threshold: Operand | None = None,
    center_point_box: bool = False,
) -> Expression:
    """The boxes that no box of a higher score covers, by image and class (ONNX's
    NonMaxSuppression): rows `[image, class, box]`, those of an image and class in the order of
    their scores, of equal ones the first box first."""
    ...

def resize1d(
    x: Operand,
    size: Shape,
    roi: Sequence[Number] | None = None,
    layout: str = "NCW",
    method: Literal["nearest_neighbor", "linear", "cubic"] | str = "linear",
    coordinate_transformation_mode: Literal[
        "half_pixel",
        "align_corners",
        "asymmetric",
        "pytorch_half_pixel",
        "tf_half_pixel_for_nn",
        "tf_crop_and_resize",
        "half_pixel_symmetric",
    ]
    | str = "half_pixel",
    rounding_method: Literal[
        "", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"
    ]
    | str = "",
    cubic_alpha: Number = -0.75,
    cubic_exclude: bool = False,
    extrapolation_value: Number = 0.0,
    out_dtype: Dtype = None,
    scales: Operand | None = None,
    antialias: bool = False,
) -> Expression:
    """Rows of another length."""
    ...

def resize2d(
    x: Operand,
    size: Shape,
    roi: Sequence[Number] | None = None,
    layout: str = "NCHW",
    method: Literal["nearest_neighbor", "linear", "cubic"] | str = "linear",
    coordinate_transformation_mode: Literal[
        "half_pixel",
        "align_corners",
        "asymmetric",
        "pytorch_half_pixel",
        "tf_half_pixel_for_nn",
        "tf_crop_and_resize",
        "half_pixel_symmetric",
    ]
    | str = "half_pixel",
    rounding_method: Literal[
        "", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"
    ]
    | str = "round",
    cubic_alpha: Number = -0.75,
    cubic_exclude: bool = False,
    extrapolation_value: Number = 0.0,
    out_dtype: Dtype = None,
    scales: Operand | None = None,
    antialias: bool = False,
) -> Expression:
    """Images of another size."""
    ...

def resize3d(
    x: Operand,
    size: Shape,
    roi: Sequence[Number] | None = None,
    layout: str = "NCDHW",
    method: Literal["nearest_neighbor", "linear", "cubic"] | str = "linear",
    coordinate_transformation_mode: Literal[
        "half_pixel",
        "align_corners",
        "asymmetric",
        "pytorch_half_pixel",
        "tf_half_pixel_for_nn",
        "tf_crop_and_resize",
        "half_pixel_symmetric",
    ]
    | str = "half_pixel",
    rounding_method: Literal[
        "", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"
    ]
    | str = "",
    cubic_alpha: Number = -0.75,
    cubic_exclude: bool = False,
    extrapolation_value: Number = 0.0,
    out_dtype: Dtype = None,
    scales: Operand | None = None,
    antialias: bool = False,
) -> Expression:
    """Volumes of another size."""
    ...

def grid_sample(
    x: Operand,
    grid: Operand,
    method: Literal["bilinear", "nearest", "bicubic"] | str = "bilinear",
    layout: str = "NCHW",
    padding_mode: Literal["zeros", "border", "reflection"] | str = "zeros",
    align_corners: bool = False,
) -> Expression:
    """Images sampled at the coordinates `grid[n, y, x] = (gx, gy)`, where -1 and 1 are the edges of
    x: the centres of its outermost elements with `align_corners`, else their outer edges."""
    ...

def grid_sample3d(
    x: Operand,
    grid: Operand,
    method: Literal["bilinear", "nearest"] | str = "bilinear",
    layout: str = "NCDHW",
    padding_mode: Literal["zeros", "border", "reflection"] | str = "zeros",
    align_corners: bool = False,
) -> Expression:
    """Volumes sampled as images are (`relax.grid_sample`), at `grid[n, z, y, x] = (gx, gy, gz)`;
    "bilinear" weights the eight elements around a point."""
    ...

def affine_grid(data: Operand, size: Shape, align_corners: bool = True) -> Expression:
    """The coordinates of a grid of `size` under affine maps: `result[n, :, y, x]` is `data[n] *
    (gx, gy, 1)`, where the coordinates gx and gy of the points run from -1 to 1, between the
    centres of the outermost points with `align_corners` (0 for a single point), else between
    their outer edges. For volumes `(gx, gy, gz, 1)`."""
    ...

def roi_align(
    x: Operand,
    rois: Operand,
    pooled_size: int | Sequence[int],
    spatial_scale: Number,
    sample_ratio: int = -1,
    aligned: bool = False,
    layout: str = "NCHW",
    mode: Literal["avg", "max", "max_addend"] | str = "avg",
) -> Expression:
    """Regions of images resampled to one size; each row of `rois` is `[image, x1, y1, x2, y2]` (He
    and others, Mask R-CNN, 2017)."""
    ...

def roi_pool(
    x: Operand,
    rois: Operand,
    pooled_size: int | Sequence[int],
    spatial_scale: Number,
    layout: str = "NCHW",
) -> Expression:
    """The maxima of equal parts of regions, each row of `rois` being `[image, x1, y1, x2, y2]`
    (Girshick, Fast R-CNN, 2015; ONNX's MaxRoiPool)."""
    ...

def take(
    x: Operand,
    indices: Operand,
    axis: int | None = None,
    mode: Literal["fast", "clip", "wrap", "nan"] | str = "fast",
) -> Expression:
    """The elements of x at indices along an axis, as `numpy.take` (ONNX's Gather)."""
    ...

def gather_elements(data: Operand, indices: Operand, axis: int = 0) -> Expression:
    """The elements of `data` whose index along an axis is an element of `indices`, and along the
    others the index of that element: `result[i, j] = data[indices[i, j], j]` for axis 0
    (`numpy.take_along_axis`)."""
    ...

def gather_nd(data: Operand, indices: Operand, batch_dims: int = 0) -> Expression:
    """The slices of `data` at the indices in the last dimension of `indices`, for each index of the
    first `batch_dims` dimensions of both: `result[b, i] = data[b, indices[b, i, 0], ...]`."""
    ...

def index_tensor(data: Operand, indices: Sequence[Operand]) -> Expression:
    """`data[indices[0], indices[1], ...]`: the tensors of indices broadcast, and index the first
    dimensions of `data`, as in numpy's advanced indexing."""
    ...

def scatter_elements(
    data: Operand,
    indices: Operand,
    updates: Operand,
    axis: int = 0,
    reduction: Literal["update", "add", "mul", "mean", "max", "min"] | str = "update",
) -> Expression:
    """`data` with each update combined with the element whose index along an axis is an element of
    `indices`, and along the others that of the update: `result[indices[i, j], j] = updates[i,
    j]` for axis 0."""
    ...

def scatter_nd(
    data: Operand,
    indices: Operand,
    updates: Operand,
    reduction: Literal["update", "add", "mul", "mean", "max", "min"] | str = "update",
) -> Expression:
    """`data` with the slices at the indices in the last dimension of `indices` combined with those
    of `updates`: `result[indices[i, 0], indices[i, 1], ...] = updates[i, ...]`."""
    ...

def index_put(
    data: Operand,
    indices: Sequence[Operand],
    values: Operand,
    accumulate: bool = False,
) -> Expression:
    """A copy of `data` with `data[indices[0], indices[1], ...] = values`: the tensors of indices
    broadcast and index the first dimensions, `values` broadcast to the elements there. Of
    several values for one element the last is stored, or with `accumulate` all are added to it."""
    ...

def strided_slice(
    x: Operand,
    axes: Sequence[int],
    begin: Sequence[Size | None],
    end: Sequence[Size | None],
    strides: Sequence[int] | None = None,
    assume_inbound: bool = False,
) -> Expression:
    """The elements of x within slices of some of its axes, as `x[begin:end:stride]` in numpy."""
    ...

def slice_scatter(
    input_tensor: Operand,
    src: Operand,
    start: Size | Sequence[Size | None] | None,
    end: Size | Sequence[Size | None] | None,
    step: int | Sequence[int] = 1,
    axis: int | Sequence[int] = 0,
) -> Expression:
    """A copy of `input_tensor` with a slice of it replaced by `src`, as `x[begin:end:stride] =
    src`."""
    ...

def dynamic_strided_slice(x: Operand, begin: Operand, end: Operand, strides: Operand) -> Expression:
    """The elements of x within a slice of every axis, as `x[begin:end:stride]` in numpy, where
    begin, end and stride are elements of vectors: the size of the result is found when the
    program runs."""
    ...

def concat(tensors: Sequence[Operand], axis: int = 0) -> Expression:
    """The tensors one after the other along an axis; without `axis`, their elements as a vector."""
    ...

def stack(tensors: Sequence[Operand], axis: int = 0) -> Expression:
    """Tensors of one shape one after the other along a new axis."""
    ...

def split(x: Operand, indices_or_sections: int | Sequence[int], axis: int = 0) -> Expression:
    """The pieces of a tensor along an axis, as numpy's slices take them."""
    ...

def meshgrid(tensors: Sequence[Operand], indexing: Literal["ij", "xy"] | str = "ij") -> Expression:
    """The coordinates of a grid whose axes the vectors describe: result `k` has the elements of
    tensor `k` along its own axis, repeated along the others."""
    ...

def pixel_shuffle(x: Operand, upscale_factor: int) -> Expression:
    """Channels to pixels: `[..., c * r * r, h, w]` to `[..., c, h * r, w * r]` (Shi et al., 2016)."""
    ...

def pixel_unshuffle(x: Operand, downscale_factor: int) -> Expression:
    """Pixels to channels, `[..., c, h * r, w * r]` to `[..., c * r * r, h, w]`: undoes
    pixel_shuffle."""
    ...

def depth_to_space(
    x: Operand,
    block_size: int,
    mode: Literal["DCR", "CRD"] | str = "DCR",
) -> Expression:
    """Channels of `[n, b * b * c, h, w]` to blocks of pixels of `[n, c, h * b, w * b]`."""
    ...

def space_to_depth(x: Operand, block_size: int) -> Expression:
    """Blocks of pixels of `[n, c, h * b, w * b]` to channels of `[n, b * b * c, h, w]`: undoes
    depth_to_space in mode "DCR"."""
    ...

def layout_transform(x: Operand, index_map: Any, pad_value: Number | None = None) -> Expression:
    """The elements rearranged by an index map: dimensions reordered, split into blocks, merged."""
    ...

def matmul(lhs: Operand, rhs: Operand, out_dtype: Dtype = None) -> Expression:
    """The matrix product."""
    ...

def linear(
    x: Operand,
    weight: Operand,
    bias: Operand | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The affine map `x @ transpose(weight) + bias` over the last axis of x; without bias a linear
    one."""
    ...

def outer(x1: Operand, x2: Operand, out_dtype: Dtype = None) -> Expression:
    """The products `x1[i] * x2[j]` of the elements of two vectors."""
    ...

def einsum(tensors: Sequence[Operand], subscripts: str, out_dtype: Dtype = None) -> Expression:
    """A sum of products in Einstein's notation, as `numpy.einsum`: `bij,bjk->bik` is a batched
    matrix product."""
    ...

def tensordot(
    x1: Operand,
    x2: Operand,
    axes: int | Sequence[Sequence[int]] = 2,
    out_dtype: Dtype = None,
) -> Expression:
    """The products summed over the axes `lhs_axes` of x1 and `rhs_axes` of x2, as
    `numpy.tensordot`: the result has the other axes of x1, then those of x2."""
    ...

def trace(x: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expression:
    """The sum over the diagonal of two axes, `offset` columns to the right, as `numpy.trace`; 0 if
    there is none."""
    ...

def mse_loss(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
) -> Expression:
    """The squared error `(prediction - target) ** 2`."""
    ...

def l1_loss(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
) -> Expression:
    """The absolute error `abs(prediction - target)`."""
    ...

def smooth_l1_loss(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
    beta: Number = 1.0,
) -> Expression:
    """The absolute error less `beta / 2`, or `error ** 2 / (2 * beta)` where it is below beta
    (Girshick, 2015)."""
    ...

def huber_loss(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
    delta: Number = 1.0,
) -> Expression:
    """`error ** 2 / 2` up to an absolute error of delta, `delta * (error - delta / 2)` beyond it
    (Huber, 1964)."""
    ...

def hinge_loss(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
) -> Expression:
    """`maximum(1 - target * prediction, 0)`, for targets that are 1 or -1."""
    ...

def hinge_embedding_loss(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
    margin: Number = 1.0,
) -> Expression:
    """The prediction, a distance, where the target is 1, and `maximum(margin - prediction, 0)`
    where it is -1; both are added where it is neither."""
    ...

def soft_margin_loss(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
) -> Expression:
    """`log(1 + exp(-target * prediction))`, without overflow, for targets that are 1 or -1."""
    ...

def kl_div(
    predictions: Operand,
    targets: Operand,
    reduction: Literal["mean", "sum", "none", "batchmean"] | str = "mean",
    log_target: bool = False,
) -> Expression:
    """The terms `target * (log(target) - prediction)` of the Kullback-Leibler divergence;
    predictions are logarithms, and so are targets with `log_target`. A target of 0 counts 0."""
    ...

def poisson_nll_loss(
    predictions: Operand,
    targets: Operand,
    log_input: bool = True,
    full: bool = False,
    eps: Number = 1e-08,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
) -> Expression:
    """The negative log likelihood of a Poisson distribution: `exp(prediction) - target *
    prediction`, or `prediction - target * log(prediction + eps)` where `log_input` is false."""
    ...

def binary_cross_entropy(
    predictions: Operand,
    targets: Operand,
    weights: Operand | None = None,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
) -> Expression:
    """`-(target * log(prediction) + (1 - target) * log(1 - prediction))` for probabilities;
    logarithms are cut off at -100."""
    ...

def binary_cross_entropy_with_logits(
    predictions: Operand,
    targets: Operand,
    weights: Operand | None = None,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
    positive_weights: Operand | None = None,
) -> Expression:
    """The binary cross entropy of `sigmoid(prediction)`, without overflow and not cut off."""
    ...

def cross_entropy_with_logits(predictions: Operand, labels: Operand) -> Expression:
    """`-sum(predictions * labels) / n`, the cross entropy of log-probabilities; n is the first size
    of a tensor of rank 2 or more, else 1."""
    ...

def cosine_similarity(x1: Operand, x2: Operand, axis: int = 1, eps: Number = 1e-08) -> Expression:
    """The cosine of the angle between vectors along an axis: their product, divided by their
    lengths, which count as eps at least."""
    ...

def nll_loss(
    predictions: Operand,
    targets: Operand,
    weights: Operand | None = None,
    reduction: Literal["mean", "sum", "none"] | str = "mean",
    ignore_index: int = -100,
) -> Expression:
    """The negative log likelihood `-weights[t] * predictions[n, t, ...]` of every target `t =
    targets[n, ...]`, 0 where t is `ignore_index`; the mean is divided by the weights of all
    targets that are not ignored."""
    ...

def reshape(x: Operand, shape: Shape) -> Expression:
    """The elements in row-major order in another shape."""
    ...

def flatten(x: Operand) -> Expression:
    """The elements in row-major order as a vector."""
    ...

def batch_flatten(x: Operand) -> Expression:
    """All dimensions but the first as one: `[n, c, h, w]` becomes `[n, c * h * w]`."""
    ...

def permute_dims(x: Operand, axes: int | Sequence[int] | None = None) -> Expression:
    """The dimensions in another order; reversed by default."""
    ...

def broadcast_to(x: Operand, shape: Shape) -> Expression:
    """The tensor repeated to a shape, as `numpy.broadcast_to`."""
    ...

def expand_dims(x: Operand, axis: int | Sequence[int]) -> Expression:
    """Dimensions of size 1 inserted as the axes `axis` of the result."""
    ...

def squeeze(x: Operand, axis: int | Sequence[int] | None = None) -> Expression:
    """Dimensions of size 1 removed: the axes `axis`, by default all."""
    ...

def size(x: Operand) -> Expression:
    """The number of elements, as an i64."""
    ...

def view(
    x: Operand,
    shape: Shape | None = None,
    dtype: Dtype = None,
    relative_byte_offset: int = 0,
) -> Expression:
    """The bytes of x, row-major and each number's least ones first, read from
    `relative_byte_offset` on as a tensor of another shape or element type: those of x by default
    (`relax.memory.view`)."""
    ...

def tile(x: Operand, repeats: int | Sequence[int]) -> Expression:
    """The whole tensor repeated along each axis; `repeats` and axes are aligned at the end, as in
    `numpy.tile`."""
    ...

def repeat(x: Operand, repeats: int, axis: int | None = None) -> Expression:
    """Every element repeated along an axis; without `axis` those of the flattened tensor."""
    ...

def flip(x: Operand, axis: int) -> Expression:
    """The elements along an axis in reverse order."""
    ...

def roll(
    x: Operand,
    shift: int | Sequence[int],
    axis: int | Sequence[int] | None = None,
) -> Expression:
    """The elements shifted cyclically along axes; without `axis` those of the flattened tensor. As
    `numpy.roll`."""
    ...

def reverse_sequence(
    x: Operand,
    seq_lengths: Operand,
    seq_axis: int = 1,
    batch_axis: int = 0,
) -> Expression:
    """The first `seq_lengths[b]` elements along `seq_axis` in reverse order, for each `b` along
    `batch_axis`; the rest stays. A length beyond the size counts as the size."""
    ...

def pad(
    x: Operand,
    pad_width: int | Sequence[int],
    pad_mode: Literal["constant", "reflect", "replicate", "circular"] | str = "constant",
    pad_value: Number | None = None,
) -> Expression:
    """The tensor with elements added before and after it along each axis."""
    ...

def batch_norm(
    x: Operand,
    gamma: Operand,
    beta: Operand,
    moving_mean: Operand,
    moving_var: Operand,
    axis: int = 1,
    epsilon: Number = 1e-05,
    center: bool = True,
    scale: bool = True,
    momentum: Number = 0.1,
    training: bool = True,
) -> Expression:
    """`gamma * (x - mean) / sqrt(var + epsilon) + beta` for each channel (Ioffe and Szegedy, 2015)."""
    ...

def layer_norm(
    x: Operand,
    gamma: Operand,
    beta: Operand,
    axes: int | Sequence[int],
    epsilon: Number = 1e-05,
    center: bool = True,
    scale: bool = True,
) -> Expression:
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes, whose sizes `gamma`
    and `beta` have (Ba et al., 2016)."""
    ...

def instance_norm(
    x: Operand,
    gamma: Operand,
    beta: Operand,
    channel_axis: int,
    axes: int | Sequence[int],
    epsilon: Number = 1e-05,
    center: bool = True,
    scale: bool = True,
) -> Expression:
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes, for each channel of
    each sample (Ulyanov et al., 2016)."""
    ...

def group_norm(
    x: Operand,
    gamma: Operand,
    beta: Operand,
    num_groups: int,
    channel_axis: int,
    axes: int | Sequence[int],
    epsilon: Number = 1e-05,
    center: bool = True,
    scale: bool = True,
) -> Expression:
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes and the channels of
    each of `num_groups` groups (Wu and He, 2018)."""
    ...

def rms_norm(
    x: Operand,
    weight: Operand,
    axes: int | Sequence[int] = -1,
    epsilon: Number = 1e-05,
) -> Expression:
    """`weight * x / sqrt(mean(x * x) + epsilon)` over the axes, whose sizes `weight` has (Zhang and
    Sennrich, 2019)."""
    ...

def local_response_norm(
    x: Operand,
    size: int,
    alpha: Number = 0.0001,
    beta: Number = 0.75,
    k: Number = 1.0,
) -> Expression:
    """`x / (k + alpha * mean) ** beta`, where the mean is that of the squares of `size` channels
    around one, missing ones counted as 0 (Krizhevsky et al., 2012). Axis 1 is that of the
    channels; the window begins `size floordiv 2` before."""
    ...

def dropout(x: Operand, rate: Number = 0.5) -> Expression:
    """x unchanged, and a mask of ones: dropout at a `rate` (Srivastava et al., 2014) in inference."""
    ...

def attention_var_len(
    queries: Operand,
    keys: Operand,
    values: Operand,
    seqstart_q: Operand,
    max_seqlen_q: Operand,
    seqstart_k: Operand | None = None,
    max_seqlen_k: Operand | None = None,
    scale: Number | None = None,
    causal_mask: Literal["TopLeft", "BottomRight"] | str | None = None,
    window_size: int | None = None,
) -> Expression:
    """`relax.attention` of each of several sequences with itself, or with a sequence of other keys."""
    ...

def max_pool1d(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCW",
    out_layout: str | None = None,
) -> Expression:
    """The maximum of each window, NaN if it contains one. Padding is less than every number: a
    window without any element of x yields the least value of the type. (`count_include_pad` has
    no effect here; it keeps the order of the arguments.)"""
    ...

def max_pool2d(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCHW",
    out_layout: str | None = None,
) -> Expression:
    """The maximum of each window, NaN if it contains one. Padding is less than every number: a
    window without any element of x yields the least value of the type. (`count_include_pad` has
    no effect here; it keeps the order of the arguments.)"""
    ...

def max_pool3d(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCDHW",
    out_layout: str | None = None,
) -> Expression:
    """The maximum of each window, NaN if it contains one. Padding is less than every number: a
    window without any element of x yields the least value of the type. (`count_include_pad` has
    no effect here; it keeps the order of the arguments.)"""
    ...

def max_pool1d_with_indices(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCW",
    out_layout: str | None = None,
    column_major: bool = False,
) -> Expression:
    """The maximum of each window, and the index of the first such element as i64: its linear index
    in x in the order N, C, spatial axes, whatever the layout is. With `column_major` the first
    spatial axis is the innermost one. A NaN counts as the maximum; a window without any element
    of x yields the least value of the type, and the index -1."""
    ...

def max_pool2d_with_indices(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCHW",
    out_layout: str | None = None,
    column_major: bool = False,
) -> Expression:
    """The maximum of each window, and the index of the first such element as i64: its linear index
    in x in the order N, C, spatial axes, whatever the layout is. With `column_major` the first
    spatial axis is the innermost one. A NaN counts as the maximum; a window without any element
    of x yields the least value of the type, and the index -1."""
    ...

def max_pool3d_with_indices(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCDHW",
    out_layout: str | None = None,
    column_major: bool = False,
) -> Expression:
    """The maximum of each window, and the index of the first such element as i64: its linear index
    in x in the order N, C, spatial axes, whatever the layout is. With `column_major` the first
    spatial axis is the innermost one. A NaN counts as the maximum; a window without any element
    of x yields the least value of the type, and the index -1."""
    ...

def avg_pool1d(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCW",
    out_layout: str | None = None,
) -> Expression:
    """The mean of each window: of its elements of x, and 0 if it has none. With `count_include_pad`
    the sum is divided by the number of its elements in the padded x instead, as in PyTorch.
    Integers are accumulated in 64 bits, and their mean is rounded towards zero."""
    ...

def avg_pool2d(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCHW",
    out_layout: str | None = None,
) -> Expression:
    """The mean of each window: of its elements of x, and 0 if it has none. With `count_include_pad`
    the sum is divided by the number of its elements in the padded x instead, as in PyTorch.
    Integers are accumulated in 64 bits, and their mean is rounded towards zero."""
    ...

def avg_pool3d(
    x: Operand,
    pool_size: int | Sequence[int] = 1,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    layout: str = "NCDHW",
    out_layout: str | None = None,
) -> Expression:
    """The mean of each window: of its elements of x, and 0 if it has none. With `count_include_pad`
    the sum is divided by the number of its elements in the padded x instead, as in PyTorch.
    Integers are accumulated in 64 bits, and their mean is rounded towards zero."""
    ...

def adaptive_max_pool1d(
    x: Operand,
    output_size: int | Sequence[int] | None = None,
    layout: str = "NCW",
    out_layout: str | None = None,
) -> Expression:
    """The maximum of equal parts, NaN if it contains one: along each axis of h elements, result p
    reduces the elements from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up.
    By default the sizes are those of x."""
    ...

def adaptive_max_pool2d(
    x: Operand,
    output_size: int | Sequence[int] | None = None,
    layout: str = "NCHW",
    out_layout: str | None = None,
) -> Expression:
    """The maximum of equal parts, NaN if it contains one: along each axis of h elements, result p
    reduces the elements from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up.
    By default the sizes are those of x."""
    ...

def adaptive_max_pool3d(
    x: Operand,
    output_size: int | Sequence[int] | None = None,
    layout: str = "NCDHW",
    out_layout: str | None = None,
) -> Expression:
    """The maximum of equal parts, NaN if it contains one: along each axis of h elements, result p
    reduces the elements from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up.
    By default the sizes are those of x."""
    ...

def adaptive_avg_pool1d(
    x: Operand,
    output_size: int | Sequence[int] | None = None,
    layout: str = "NCW",
    out_layout: str | None = None,
) -> Expression:
    """The mean of equal parts: along each axis of h elements, result p reduces the elements from `p
    * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes are those
    of x. Integers are accumulated in 64 bits, and their mean is rounded towards zero."""
    ...

def adaptive_avg_pool2d(
    x: Operand,
    output_size: int | Sequence[int] | None = None,
    layout: str = "NCHW",
    out_layout: str | None = None,
) -> Expression:
    """The mean of equal parts: along each axis of h elements, result p reduces the elements from `p
    * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes are those
    of x. Integers are accumulated in 64 bits, and their mean is rounded towards zero."""
    ...

def adaptive_avg_pool3d(
    x: Operand,
    output_size: int | Sequence[int] | None = None,
    layout: str = "NCDHW",
    out_layout: str | None = None,
) -> Expression:
    """The mean of equal parts: along each axis of h elements, result p reduces the elements from `p
    * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes are those
    of x. Integers are accumulated in 64 bits, and their mean is rounded towards zero."""
    ...

def quantize(
    data: Operand,
    scale: Operand,
    zero_point: Operand,
    axis: int = -1,
    out_dtype: Dtype = "i8",
    block_size: int = 0,
) -> Expression:
    """`round(data / scale) + zero_point`, halves rounded to even, cut off at the bounds of
    `out_dtype`; NaN becomes 0. For a storage type of floats it is `data / scale + zero_point`,
    rounded to that by `relax.astype` and cut off at its bounds."""
    ...

def dequantize(
    data: Operand,
    scale: Operand,
    zero_point: Operand,
    axis: int = -1,
    out_dtype: Dtype = "f32",
    block_size: int = 0,
) -> Expression:
    """`scale * (data - zero_point)`, of integers cut off at the largest finite numbers of f16 and
    bf16."""
    ...

def requantize(
    data: Operand,
    input_scale: Operand,
    input_zero_point: Operand,
    output_scale: Operand,
    output_zero_point: Operand,
    axis: int = -1,
    out_dtype: Dtype = "i8",
) -> Expression:
    """Quantized numbers with another scale and zero point: `round((data - input_zero_point) *
    (input_scale / output_scale)) + output_zero_point`, halves rounded to even, cut off at the
    bounds of `out_dtype`."""
    ...

def dynamic_quantize(x: Operand) -> Expression:
    """x quantized to ui8 by its own range, which is widened to hold 0; the scale and the zero
    point."""
    ...

def matmul_integer(
    lhs: Operand,
    rhs: Operand,
    lhs_zero_point: Operand,
    rhs_zero_point: Operand,
) -> Expression:
    """`(lhs - lhs_zero_point) @ (rhs - rhs_zero_point)` in i32."""
    ...

def qlinear_matmul(
    lhs: Operand,
    lhs_scale: Operand,
    lhs_zero_point: Operand,
    rhs: Operand,
    rhs_scale: Operand,
    rhs_zero_point: Operand,
    result_scale: Operand,
    result_zero_point: Operand,
) -> Expression:
    """The product of two quantized matrices, quantized: with the sums of `relax.matmul_integer`,
    `round(sums * (lhs_scale * rhs_scale / result_scale)) + result_zero_point`, halves rounded to
    even."""
    ...

def conv2d_integer(
    x: Operand,
    weight: Operand,
    x_zero_point: Operand,
    weight_zero_point: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str | None = None,
    out_dtype: Dtype = None,
) -> Expression:
    """The convolution of quantized images with a quantized kernel, less their zero points,
    accumulated in i32; the padding of x counts 0, as its zero point does."""
    ...

def random_bits(key: Operand, shape: Shape) -> Expression:
    """64 random bits for every element, as an i64: whole numbers, or keys of further draws."""
    ...

def random_uniform(
    key: Operand,
    shape: Shape,
    dtype: Dtype = "f32",
    low: Number = 0.0,
    high: Number = 1.0,
) -> Expression:
    """Numbers that are uniform from `low` to below `high` (which only rounding may yield)."""
    ...

def random_normal(
    key: Operand,
    shape: Shape,
    dtype: Dtype = "f32",
    mean: Number = 0.0,
    scale: Number = 1.0,
) -> Expression:
    """Numbers of the normal distribution of a mean and a standard deviation, by the method of Box
    and Muller (1958): `mean + scale * sqrt(-2 * log(u)) * cos(2 * pi * v)`."""
    ...

def one_hot(
    indices: Operand,
    on_value: Number,
    off_value: Number,
    depth: int,
    axis: int = -1,
) -> Expression:
    """For every index a row of `depth` elements along a new axis: `on_value` at the index,
    `off_value` elsewhere (everywhere for an index out of range)."""
    ...

def arange(
    start: Number | Size,
    end: Number | Size | None = None,
    step: Number = 1,
    dtype: Dtype = None,
) -> Expression:
    """The numbers `start`, `start + step`, `start + 2 * step`, ... before `end`."""
    ...

def linspace(start: Number, stop: Number, num: Size = 50, dtype: Dtype = "f32") -> Expression:
    """Numbers at equal distances from `start` to `stop`, both included; `start` where there is one."""
    ...

def hamming_window(
    window_size: Size,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    dtype: Dtype = "f32",
) -> Expression:
    """The window `alpha - beta * cos(2 * pi * i / m)` of n elements, with `m = n` where it is
    periodic and `m = n - 1` where it is symmetric (Blackman and Tukey, 1958); a single element
    is 1."""
    ...

def rnn_cell(
    x: Operand,
    h: Operand,
    w_ih: Operand,
    w_hh: Operand,
    b_ih: Operand | None = None,
    b_hh: Operand | None = None,
    activations: str = "",
    clip: Number = 0.0,
    nonlinearity: Literal["tanh", "relu"] | str = "tanh",
) -> Expression:
    """One step of an Elman network (Elman, 1990): `f(Wx + Uh)`, where f is tanh or relu, `Wx = x @
    transpose(w_ih) + b_ih` and `Uh = h @ transpose(w_hh) + b_hh`."""
    ...

def gru_cell(
    x: Operand,
    h: Operand,
    w_ih: Operand,
    w_hh: Operand,
    b_ih: Operand | None = None,
    b_hh: Operand | None = None,
    activations: str = "",
    clip: Number = 0.0,
    linear_before_reset: bool = True,
) -> Expression:
    """One step of gated recurrent units (Cho and others, 2014): `(1 - z) * n + z * h`, where `r =
    sigmoid(Wx_r + Uh_r)`, `z = sigmoid(Wx_z + Uh_z)` and `n = tanh(Wx_n + r * Uh_n)`; without
    `linear_before_reset` the last is `tanh(Wx_n + U(r * h)_n)`."""
    ...

def lstm_cell(
    x: Operand,
    h: Operand,
    c: Operand,
    w_ih: Operand,
    w_hh: Operand,
    b_ih: Operand | None = None,
    b_hh: Operand | None = None,
    peepholes: Operand | None = None,
    activations: str = "",
    clip: Number = 0.0,
    input_forget: bool = False,
) -> Expression:
    """One step of long short-term memories (Hochreiter and Schmidhuber, 1997; with the forget gate
    of Gers and others, 1999): `next_c = sigmoid(f) * c + sigmoid(i) * tanh(g)` and `next_h =
    sigmoid(o) * tanh(next_c)`."""
    ...

def rnn(
    x: Operand,
    h: Operand,
    w_ih: Operand,
    w_hh: Operand,
    b_ih: Operand | None = None,
    b_hh: Operand | None = None,
    lengths: Operand | None = None,
    activations: str = "",
    clip: Number = 0.0,
    direction: Literal["forward", "reverse", "bidirectional"] | str = "forward",
    batch_first: bool = False,
    nonlinearity: Literal["tanh", "relu"] | str = "tanh",
) -> Expression:
    """The steps of a sequence one after the other, each that of `relax.rnn_cell`."""
    ...

def gru(
    x: Operand,
    h: Operand,
    w_ih: Operand,
    w_hh: Operand,
    b_ih: Operand | None = None,
    b_hh: Operand | None = None,
    lengths: Operand | None = None,
    activations: str = "",
    clip: Number = 0.0,
    direction: Literal["forward", "reverse", "bidirectional"] | str = "forward",
    batch_first: bool = False,
    linear_before_reset: bool = True,
) -> Expression:
    """The steps of a sequence one after the other, each that of `relax.gru_cell`; shapes and
    results are as in `relax.rnn`."""
    ...

def lstm(
    x: Operand,
    h: Operand,
    c: Operand,
    w_ih: Operand,
    w_hh: Operand,
    b_ih: Operand | None = None,
    b_hh: Operand | None = None,
    lengths: Operand | None = None,
    peepholes: Operand | None = None,
    activations: str = "",
    clip: Number = 0.0,
    direction: Literal["forward", "reverse", "bidirectional"] | str = "forward",
    batch_first: bool = False,
    input_forget: bool = False,
) -> Expression:
    """The steps of a sequence one after the other, each that of `relax.lstm_cell`; shapes and
    results are as in `relax.rnn`, with c of h's shape, and the last c."""
    ...

def multinomial_from_uniform(
    prob: Operand,
    uniform_sample: Operand,
    sample_indices: Operand,
    dtype: Dtype = "i64",
) -> Expression:
    """An index drawn from a distribution for every number of `uniform_sample`, which is uniform in
    0..1: the first index at which the cumulative probability exceeds the number, or the last
    index."""
    ...

def argmax(x: Operand, axis: int | None = None, keepdims: bool = False) -> Expression:
    """The index of the largest element; of the first NaN if there is one."""
    ...

def argmin(x: Operand, axis: int | None = None, keepdims: bool = False) -> Expression:
    """The index of the smallest element; of the first NaN if there is one."""
    ...

def bucketize(
    input_tensor: Operand,
    boundaries: Operand,
    out_int32: bool = False,
    right: bool = False,
) -> Expression:
    """The number of the bucket that each element falls in: bucket i ends with boundary i, with
    `right` it begins after it."""
    ...

def searchsorted(
    sorted_sequence: Operand,
    values: Operand,
    out_int32: bool = False,
    right: bool = False,
) -> Expression:
    """The insertion index of each value that keeps its row of `sorted_sequence` sorted
    (`torch.searchsorted`)."""
    ...

def nonzero(x: Operand) -> Expression:
    """The indices of the nonzero elements (NaN is nonzero), in row-major order: a row for every
    dimension, a column for every element. A scalar counts as a vector."""
    ...

def unique(
    x: Operand,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Expression:
    """The distinct elements, in ascending order, or in order of first occurrence if `sorted` is
    false; with an axis the distinct slices along it. Every NaN is the same, after the numbers;
    of equal elements the first one is taken."""
    ...

def sort(x: Operand, axis: int = -1, descending: bool = False) -> Expression:
    """The elements in ascending or `descending` order along an axis."""
    ...

def argsort(
    x: Operand,
    axis: int = -1,
    descending: bool = False,
    dtype: Dtype = "i32",
) -> Expression:
    """The indices of the elements that sort first, second, ... along an axis; equal elements in the
    order of their indices."""
    ...

def topk(
    x: Operand,
    k: int = 1,
    axis: int = -1,
    ret_type: Literal["both", "values", "indices"] | str = "both",
    largest: bool = True,
    dtype: Dtype = "i32",
) -> Expression:
    """The `k` largest elements along an axis (the smallest if `largest` is false) in order, and
    their indices as integers of the type `dtype`; all elements if k is less than 1, as in TVM."""
    ...

def sum(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Expression:
    """The sum, in which integers wrap around; 0 over no elements; "or" for booleans."""
    ...

def prod(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Expression:
    """The product, in which integers wrap around; 1 over no elements; "and" for booleans."""
    ...

def max(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    of_nothing: bool = False,
) -> Expression:
    """The largest element, NaN where there is one."""
    ...

def min(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    of_nothing: bool = False,
) -> Expression:
    """The smallest element, NaN where there is one."""
    ...

def mean(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Expression:
    """The arithmetic mean; NaN over no elements. Of integers, which are summed up in 64 bits, it is
    rounded towards zero, and 0 over none."""
    ...

def reduce_l1(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The sum of the magnitudes, `sum(|x|)` (`ReduceL1` of ONNX)."""
    ...

def reduce_sum_square(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The sum of the squares (`ReduceSumSquare` of ONNX)."""
    ...

def variance(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The mean of the squared distances from the mean (not Bessel's); NaN over no elements."""
    ...

def std(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Expression:
    """The square root of the variance; NaN over no elements."""
    ...

def reduce_l2(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The Euclidean norm, `sqrt(sum(x * x))` (`ReduceL2` of ONNX)."""
    ...

def reduce_log_sum(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The logarithm of the sum (`ReduceLogSum` of ONNX); -inf over no elements."""
    ...

def logsumexp(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The logarithm of the sum of the exponentials, `log(sum(exp(x)))`, which overflows only where
    the result does; -inf over no elements."""
    ...

def all(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Expression:
    """Whether all elements are true; true over no elements."""
    ...

def any(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Expression:
    """Whether some element is true; false over no elements."""
    ...

def count_nonzero(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The number of nonzero elements (NaN is nonzero), as i64; for booleans the number of true
    ones."""
    ...

def median(
    x: Operand,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
) -> Expression:
    """The middle one of the sorted elements, the lower one of two; NaN if there is one."""
    ...

def where(condition: Operand, x1: Operand, x2: Operand) -> Expression:
    """The element of x1 where the condition holds, else that of x2."""
    ...

def ewise_fma(x1: Operand, x2: Operand, x3: Operand) -> Expression:
    """The sum `x1 * x2 + x3`, element by element. Its rank is known if the ranks of all operands
    are: an operand of unknown rank may have more axes than the others."""
    ...

def lerp(start: Operand, end: Operand, weight: Operand) -> Expression:
    """The linear interpolation `start + weight * (end - start)`."""
    ...

def clip(x: Operand, min: Number | None = None, max: Number | None = None) -> Expression:
    """The elements clamped to two bounds (to `max` if the bounds are in the wrong order). NaN is
    kept, and so is a zero that equals a zero bound."""
    ...

def masked_fill(x: Operand, mask: Operand, value: Number) -> Expression:
    """The elements of x, replaced by the number `value` where the mask holds."""
    ...

def tree_leaves(
    x: Operand,
    nodes: Operand,
    roots: Operand,
    missing_first: Operand | None = None,
    depth: int = 0,
) -> Expression:
    """The leaf that each row of x reaches in each decision tree, by number: [rows, trees]."""
    ...

def negative(x: Operand) -> Expression:
    """The negation `-x`; the least integer is its own, and unsigned integers wrap around."""
    ...

def abs(x: Operand) -> Expression:
    """The absolute value; the least integer is its own."""
    ...

def sign(x: Operand) -> Expression:
    """-1, 0 or 1 by the sign of x; NaN stays NaN."""
    ...

def square(x: Operand) -> Expression:
    """The square `x * x`."""
    ...

def ceil(x: Operand) -> Expression:
    """The least integer that is not less than x; integers stay."""
    ...

def floor(x: Operand) -> Expression:
    """The greatest integer that is not greater than x; integers stay."""
    ...

def round(x: Operand) -> Expression:
    """The nearest integer, the even one of two, as `numpy.round`; integers stay."""
    ...

def trunc(x: Operand) -> Expression:
    """The integer next to x on the way to zero; integers stay."""
    ...

def reciprocal(x: Operand) -> Expression:
    """The reciprocal `1 / x`."""
    ...

def exp(x: Operand) -> Expression:
    """The exponential function."""
    ...

def exp2(x: Operand) -> Expression:
    """The power `2 ** x`."""
    ...

def expm1(x: Operand) -> Expression:
    """`exp(x) - 1`, with all its digits where x is next to 0."""
    ...

def log(x: Operand) -> Expression:
    """The natural logarithm; -infinity of zero, NaN below."""
    ...

def log2(x: Operand) -> Expression:
    """The logarithm to base 2."""
    ...

def log10(x: Operand) -> Expression:
    """The logarithm to base 10."""
    ...

def log1p(x: Operand) -> Expression:
    """`log(1 + x)`, with all its digits where x is next to 0."""
    ...

def sqrt(x: Operand) -> Expression:
    """The square root; NaN below zero."""
    ...

def rsqrt(x: Operand) -> Expression:
    """The reciprocal square root `1 / sqrt(x)`."""
    ...

def cbrt(x: Operand) -> Expression:
    """The cube root, which has the sign of x."""
    ...

def sin(x: Operand) -> Expression:
    """The sine of an angle in radians."""
    ...

def cos(x: Operand) -> Expression:
    """The cosine of an angle in radians."""
    ...

def tan(x: Operand) -> Expression:
    """The tangent of an angle in radians."""
    ...

def asin(x: Operand) -> Expression:
    """The angle from -pi/2 to pi/2 of which x is the sine; NaN beyond -1 and 1."""
    ...

def acos(x: Operand) -> Expression:
    """The angle from 0 to pi of which x is the cosine; NaN beyond -1 and 1."""
    ...

def atan(x: Operand) -> Expression:
    """The angle from -pi/2 to pi/2 of which x is the tangent."""
    ...

def sinh(x: Operand) -> Expression:
    """The hyperbolic sine."""
    ...

def cosh(x: Operand) -> Expression:
    """The hyperbolic cosine."""
    ...

def tanh(x: Operand) -> Expression:
    """The hyperbolic tangent."""
    ...

def asinh(x: Operand) -> Expression:
    """The number of which x is the hyperbolic sine."""
    ...

def acosh(x: Operand) -> Expression:
    """The number of at least 0 of which x is the hyperbolic cosine; NaN below 1."""
    ...

def atanh(x: Operand) -> Expression:
    """The number of which x is the hyperbolic tangent; NaN beyond -1 and 1."""
    ...

def erf(x: Operand) -> Expression:
    """The error function."""
    ...

def erfc(x: Operand) -> Expression:
    """`1 - erf(x)`, with all its digits where erf(x) is next to 1."""
    ...

def sigmoid(x: Operand) -> Expression:
    """The logistic function `1 / (1 + exp(-x))`."""
    ...

def isnan(x: Operand) -> Expression:
    """Whether x is no number."""
    ...

def isinf(x: Operand) -> Expression:
    """Whether x is infinite, of either sign."""
    ...

def isfinite(x: Operand) -> Expression:
    """Whether x is neither infinite nor NaN."""
    ...

def logical_not(x: Operand) -> Expression:
    """The negation of a boolean."""
    ...

def bitwise_not(x: Operand) -> Expression:
    """Every bit of x inverted."""
    ...

def __getattr__(name: str) -> Callable[..., Expression]:
    """Return the function of an operator that an extension adds."""
    ...

class _Namespace:
    """The functions of this module under the names of TVM."""

    def __getattr__(self, name: str) -> Callable[..., Expression]: ...

nn: _Namespace
image: _Namespace
vision: _Namespace
memory: _Namespace
grad: _Namespace

class _Ccl:
    """The functions of communication between ranks."""

    @staticmethod
    def allreduce(
        x: Operand,
        op_type: Literal["sum", "prod", "min", "max", "avg"] | str = "sum",
        in_group: bool = True,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """The elements of all ranks of a group reduced: every rank gets the same result, bit by bit."""
        ...

    @staticmethod
    def allgather(
        x: Operand,
        num_workers: Shape | Size,
        in_group: bool = True,
        axis: int = 0,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """The tensors of all ranks of a group one after the other along an axis, on every rank."""
        ...

    @staticmethod
    def reduce_scatter(
        x: Operand,
        num_workers: Shape | Size,
        op_type: Literal["sum", "prod", "min", "max", "avg"] | str = "sum",
        axis: int = 0,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """Part r along an axis of the elements of all ranks reduced, on the rank of number r in its
        group."""
        ...

    @staticmethod
    def broadcast_from_worker0(
        x: Operand,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """The tensor of rank 0 of the group, on every rank of it."""
        ...

    @staticmethod
    def scatter_from_worker0(
        x: Operand,
        num_workers: Shape | Size,
        axis: int = 0,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """Part r along an axis of the tensor of rank 0 of the group, on the rank of number r in it."""
        ...

    @staticmethod
    def all_to_all(
        x: Operand,
        num_workers: Shape | Size,
        split_axis: int = 0,
        concat_axis: int = 0,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """Part r along `split_axis` of the tensors of all ranks of a group, one after the other along
        `concat_axis`, on the rank of number r in it."""
        ...

    @staticmethod
    def send(
        x: Operand,
        worker: Shape | Size,
        tag: int = 0,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """Send a tensor to another rank, which receives it by `relax.ccl.recv`."""
        ...

    @staticmethod
    def recv(
        worker: Shape | Size,
        shape: Shape,
        dtype: Dtype = "f32",
        tag: int = 0,
        grid: int | Sequence[int] = (),
        grid_axes: int | Sequence[int] = (),
    ) -> Expression:
        """The tensor that another rank sends by `relax.ccl.send`: of this shape and element type."""
        ...

    @staticmethod
    def rank(grid: int | Sequence[int] = (), grid_axes: int | Sequence[int] = ()) -> Expression:
        """The number of this rank in its group, from 0: `relax.ccl.rank : () -> !relax.shape<[?]>`."""
        ...

    @staticmethod
    def world_size(
        grid: int | Sequence[int] = (), grid_axes: int | Sequence[int] = ()
    ) -> Expression:
        """The number of ranks in a group: `relax.ccl.world_size : () -> !relax.shape<[?]>`."""
        ...

ccl: _Ccl

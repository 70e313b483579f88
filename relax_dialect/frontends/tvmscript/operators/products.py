"""Products of matrices, and quantization."""

SIGNATURES = """
matmul(x1, x2, out_dtype=None)
linear(data, weight, bias=None, out_dtype=None)
einsum(operands, subscripts)
outer(x1, x2)
quantize(data, scale, zero_point, axis=-1, out_dtype="int8")
dequantize(data, scale, zero_point, axis=-1, out_dtype="float32")
"""

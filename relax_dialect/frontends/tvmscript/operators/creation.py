"""Tensors from sizes and numbers."""

SIGNATURES = """
arange(start, end=None, step=1, dtype=None)
eye(n, m=None, k=0, dtype="float32")
eye_like(x, k=0, dtype=None)
full(shape, fill_value, dtype=None)
full_like(x, fill_value, dtype=None)
ones(shape, dtype)
ones_like(x, dtype=None)
zeros(shape, dtype)
zeros_like(x, dtype=None)
hamming_window(window_size, periodic, alpha, beta, dtype)
tril(x, k=0)
triu(x, k=0)
one_hot(indices, on_value, off_value, depth, axis=-1)
multinomial_from_uniform(prob, uniform_sample, sample_indices, dtype="int64")
"""

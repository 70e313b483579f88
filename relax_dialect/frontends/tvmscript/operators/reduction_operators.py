"""Reductions and running ones."""

SIGNATURES = """
argmax(x, axis=None, keepdims=False)
argmin(x, axis=None, keepdims=False)
max(x, axis=None, keepdims=False)
min(x, axis=None, keepdims=False)
mean(x, axis=None, keepdims=False)
median(x, axis=None, keepdims=False)
prod(x, axis=None, keepdims=False)
std(x, axis=None, keepdims=False)
sum(x, axis=None, keepdims=False)
variance(x, axis=None, keepdims=False)
cumprod(data, axis=None, dtype=None, exclusive=False)
cumsum(data, axis=None, dtype=None, exclusive=False)
"""

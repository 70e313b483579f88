"""Expressions of PyTorch, by operator family, over a pool of inputs with a symbolic size n.

A family is one program that returns the results of all its expressions, so that it is exported, imported and
compiled once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SMALL = ("x", "y", "p", "b", "i", "j", "d", "h")


def pool(n: int, seed: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    """The inputs of all expressions, by name."""
    random = np.random.default_rng([n, seed])

    def f32(*shape: int) -> Any:
        return random.standard_normal(shape).astype(np.float32)

    def integers(low: int, high: int, *shape: int) -> Any:
        return random.integers(low, high, shape)

    return {
        "x": f32(n, 6), "y": f32(n, 6), "p": (random.random((n, 6)) + 0.1).astype(np.float32),
        "u": (random.random((n, 6)) * 1.8 - 0.9).astype(np.float32),
        "b": random.random((n, 6)) < 0.5, "i": integers(-9, 9, n, 6), "j": integers(1, 7, n, 6),
        "k": integers(-9, 9, n, 6).astype(np.int32), "q": integers(0, 9, n, 6).astype(np.uint8),
        "d": random.standard_normal((n, 6)), "h": f32(n, 6).astype(np.float16),
        "w": f32(6, 5), "v": f32(6), "m": f32(n, 3, 6), "r": f32(n, 6, 4), "s": f32(6, 6),
        "seq": f32(n, 4, 9), "img": f32(n, 4, 9, 8), "vol": f32(n, 2, 5, 6, 4),
        "at": integers(0, 6, n, 4), "rows": integers(-3, 3, 5), "table": f32(7, 4),
        "ids": integers(0, 7, n, 5), "grid": (random.random((n, 5, 4, 2)) * 2.4 - 1.2).astype(np.float32),
        "keys": f32(n, 2, 7, 8), "query": f32(n, 4, 5, 8), "few": f32(n, 2, 5, 8),
        "mask": random.random((n, 1, 5, 7)) < 0.8, "bias": f32(5, 7),
        "k1": f32(6, 4, 3), "k2": f32(6, 4, 3, 3), "g2": f32(8, 2, 3, 3), "k3": f32(3, 2, 2, 3, 2),
        "t1": f32(4, 3, 4), "t2": f32(4, 3, 3, 3), "t3": f32(2, 3, 2, 2, 2), "c": f32(6), "c3": f32(3), "c8": f32(8),
        "w4": f32(4), "pos4": (random.random(4) + 0.5).astype(np.float32),
    }  # fmt: skip


FAMILIES: dict[str, tuple[str, ...]] = {
    "unary": (
        "x.abs()", "x.ceil()", "x.floor()", "x.round()", "torch.round(x, decimals=2)", "x.trunc()", "x.frac()",
        "x.neg()", "x.sign()", "x.square()", "i.abs()", "i.neg()", "i.sign()", "i.square()", "k.abs()",
        "(x / (x > 0)).isnan()", "(x / (x > 0)).isinf()", "(x / (x > 0)).isfinite()", "x.isnan()",
        "u.acos()", "(p + 1).acosh()", "u.asin()", "x.asinh()", "x.atan()", "u.atanh()", "x.cos()", "x.cosh()",
        "x.erf()", "x.erfc()", "x.exp()", "x.exp2()", "x.expm1()", "p.log()", "p.log10()", "p.log1p()",
        "p.log2()", "x.reciprocal()", "p.rsqrt()", "x.sigmoid()", "x.sin()", "x.sinh()", "p.sqrt()", "x.tan()",
        "x.tanh()", "i.sin()", "i.exp()", "b.exp()", "j.sqrt()", "d.sin()", "h.exp()", "h.tanh()", "b.logical_not()",
        "x.logical_not()", "i.logical_not()", "i.bitwise_not()", "b.bitwise_not()", "q.bitwise_not()",
        "torch.special.expit(x)", "torch.positive(x)", "torch.deg2rad(x)", "torch.nan_to_num(x / (x > 0))",
        "torch.logit(p / 2)", "torch.sinc(x)", "torch.signbit(x)",
    ),
    "activation": (
        "F.relu(x)", "F.relu(i)", "F.relu6(x * 5)", "F.hardsigmoid(x * 3)", "F.hardswish(x * 3)", "F.logsigmoid(x)",
        "F.mish(x)", "F.selu(x)", "F.silu(x)", "F.gelu(x)", "F.gelu(x, approximate='tanh')",
        "F.leaky_relu(x, 0.2)", "F.elu(x, 0.7)", "torch.ops.aten.elu(x, 0.7, 1.5, 0.5)", "F.celu(x, 0.8)", "F.prelu(seq, w4)",
        "F.prelu(x, w4[:1])", "F.hardtanh(x, -0.3, 0.6)", "F.hardtanh(i, -3, 5)", "F.softplus(x, 2.0, 1.5)", "F.threshold(x, 0.1, 0.7)",
        "F.hardshrink(x)", "F.softshrink(x)", "F.tanhshrink(x)", "F.softsign(x)", "F.glu(x, -1)", "F.softmax(x, 1)", "F.softmax(m, 1)",
        "F.softmax(h, -1)", "A._safe_softmax(x.masked_fill(x > y[:, :1], float('-inf')), 1)", "A._safe_softmax(x[:, :1].masked_fill(b[:, :1], float('-inf')), 1)", "torch.softmax(x, 1, dtype=torch.float64)", "F.log_softmax(x, 0)", "F.softmin(x, -1)",
        "F.dropout(x, training=False)", "F.normalize(x, dim=1)",
    ),
    "binary": (
        "x + y", "x + 2", "x - 1.5", "2 - x", "torch.add(x, y, alpha=0.5)", "torch.sub(x, y, alpha=2)", "torch.rsub(x, y, alpha=3)",
        "x * y", "x / y", "x / 3", "i / j", "i // j", "x // y", "x % y", "i % j", "torch.fmod(x, y)", "torch.fmod(i, j)",
        "torch.remainder(x, 0.7)", "torch.div(x, y, rounding_mode='trunc')", "torch.div(i, j, rounding_mode='trunc')",
        "torch.div(i, j, rounding_mode='floor')", "torch.div(x, 0.3, rounding_mode='floor')", "x ** 2", "x ** 3", "p ** 0.5",
        "p ** -0.5", "p ** y", "2 ** x", "i ** 2", "j ** j", "p ** 1.7", "x ** 1", "torch.atan2(x, y)", "torch.maximum(x, y)", "torch.minimum(i, j)",
        "torch.max(x, y)", "torch.logaddexp(x, y)", "i & j", "i | j", "i ^ j", "b & (x > 0)", "b | (x > 0)", "b ^ (x > 0)", "i & 3",
        "j << 2", "i >> 1", "x == y", "x != y", "x < y", "x <= 0", "i > 2.5", "i >= j", "b == (x > 0)", "x < d", "k < i",
        "torch.logical_and(x, b)", "torch.logical_or(i, b)", "torch.logical_xor(b, x > 0)", "x + i", "h + x", "h * 2", "h + 0.1",
        "i + 1.5", "q + 1", "q + i", "b + i", "b + b", "d * x", "x * v", "x * p[:, :1]", "i * True", "torch.hypot(x, y)",
        "x.lerp(y, 0.3)", "torch.addcmul(x, y, p, value=0.5)", "torch.addcdiv(x, y, p, value=2)", "torch.where(b, x, y)",
        "torch.where(b, x, 0.0)", "torch.where(x > 0, i, 3)", "x.masked_fill(b, -2)", "x.clamp(-0.5, 0.5)", "x.clamp(min=0.1)", "i.clamp(-3, 3)", "i.clamp(max=2.5)",
        "x.clamp(y - 1, y + 1)", "x.clamp_min(0.2)", "torch.floor_divide(x, 0.4)", "torch.true_divide(i, 2)", "torch.copysign(x, y)", "torch.heaviside(x, y)",
        "torch.dist(x, y)", "torch.xlogy(p, p)", "torch.float_power(p, 2)",
    ),
    "datatype": (
        "x.to(torch.float64)", "x.to(torch.int64)", "i.to(torch.float16)", "x.half()", "(x > 0).float()", "i.bool()", "x.bool()", "d.float()",
        "x.to(torch.bfloat16).float()", "x.type_as(d)", "x.clone()", "x.contiguous()", "x.detach()", "i.to(torch.uint8)", "j.to(torch.int8)",
    ),
    "create": (
        "torch.full((n, 3), 2.5)", "torch.full_like(x, 2)", "torch.full_like(i, 2.9)", "x.new_full((n, 2), 1.5)", "torch.zeros(n, 2)", "torch.zeros_like(i)",
        "torch.ones(2, n)", "torch.ones_like(x, dtype=torch.int32)", "torch.arange(n)", "torch.arange(2, n + 2)", "torch.arange(0, 10, 3)", "torch.arange(0, 1, 0.25)",
        "torch.arange(10, 0, -3)", "torch.arange(9.0, 1.0, -2.0, dtype=torch.int64)", "torch.arange(5, dtype=torch.float32) * 0.5", "torch.linspace(0, 1, 5)", "torch.eye(4)", "torch.eye(n, 3)", "torch.tril(s)", "torch.triu(s, 1)",
        "torch.tril(m, -1)", "F.one_hot(ids, 7)", "torch.scalar_tensor(3.5)", "torch.tensor([1.0, 2.0]) + 1", "x.new_zeros(3)", "x * x.shape[0]", "x / x.shape[0]", "x + n / 2",
        "torch.full((), 7)", "x * n ** -0.5", "torch.tensor(n)", "torch.hann_window(8)", "torch.logspace(0, 1, 4)",
    ),
    "manipulate": (
        "x.view(-1)", "x.reshape(-1, 3)", "m.flatten(1)", "x.unflatten(1, (2, 3))", "x[:, None].squeeze(1)", "x[None].squeeze()", "x.unsqueeze(-1)",
        "x.unsqueeze(0)", "v.expand(n, 6)", "x[:, :1].expand(-1, 4)", "m.permute(2, 0, 1)", "x.t()", "x.T", "m.transpose(-1, 1)", "m.mT", "img.movedim(1, -1)",
        "img.movedim((0, 1), (2, 0))", "s.diagonal()", "s.diagonal(2)", "s.diagonal(-1)", "m.diagonal(0, 1, 2)", "torch.as_strided(s, (2, 3), (3, 1), 4)", "s.diag()", "torch.diag_embed(x)",
        "torch.atleast_3d(x)", "x.view_as(y)", "m.swapaxes(0, 1)", "img.to(memory_format=torch.channels_last)", "torch.ravel(m)", "x.broadcast_to(2, n, 6)", "m.transpose(1, 2).reshape(n, -1)",
    ),
    "joining": (
        "torch.cat([x, y])", "torch.cat([x, y], -1)", "torch.cat([x, i], 1)", "torch.cat([x, torch.zeros(0), y])", "torch.stack([x, y])", "torch.stack([x, y], -1)", "list(x.split(2, 1))",
        "list(x.split([1, 2, 3], -1))", "list(x.chunk(4, 1))", "list(x.unbind(1))", "list(torch.tensor_split(x, 4, 1))", "list(torch.meshgrid(v, w4, indexing='ij'))", "torch.hstack([x, y])",
        "torch.vstack([x, y])", "torch.cat([x])", "torch.block_diag(s, w)", "torch.cartesian_prod(v, w4)",
    ),
    "moving": (
        "x.repeat(2, 3)", "x.repeat(2, 1, 2)", "v.repeat(n, 1)", "x.tile((2,))", "x.repeat_interleave(2, 1)", "x.repeat_interleave(3)", "x.flip(1)", "m.flip(0, 2)", "x.roll(2, 1)", "x.roll((1, -1), (0, 1))",
        "x.roll(3)", "F.pad(x, (1, 2))", "F.pad(x, (1, 2, 3, 0), value=0.5)", "F.pad(x, (-1, 2))", "F.pad(x, (-1, -2, 1, 0))", "F.pad(i, (1, 1), value=7)", "F.pad(seq, (2, 1), mode='reflect')",
        "F.pad(img, (2, 1, 3, 0), mode='reflect')", "F.pad(img, (2, 1, 3, 0), mode='replicate')", "F.pad(vol, (1, 1, 1, 2, 1, 0), mode='replicate')", "F.pad(vol, (1, 1, 1, 2, 1, 0), mode='reflect')",
        "F.pad(img, (2, 1, 3, 0), mode='circular')", "x.unfold(1, 3, 2)", "img.unfold(2, 3, 1)", "F.pixel_shuffle(img, 2)", "F.pixel_unshuffle(img[..., :8, :], 2)", "F.channel_shuffle(img, 2)", "torch.rot90(s)",
        "F.unfold(img, 3, padding=1)", "torch.fliplr(x)", "F.pad(x, (0, n))", "F.fold(F.unfold(img, 3, padding=1), (9, 8), 3, padding=1)",
    ),
    "slicing": (
        "x[1:]", "x[:, 1:4]", "x[:, ::2]", "x[:-1]", "x[:, -3:]", "x[:, -4:-1]", "x[:, 2]", "x[-1]", "x[0]", "x.narrow(1, 2, 3)", "x[:, :100]", "img[:, 1, 2:, ::3]", "m[:, -1]", "m[..., None, 0]",
        "x.select_scatter(y[:, 0], 1, 2)", "x.slice_scatter(y[:, :3], 1, 1, 4)", "x.slice_scatter(y[:, :3], 1, 0, 6, 2)", "x[: n - 1]", "x[n - 2 :]", "torch.select(x, 0, n - 1)",
        "mutated(x.clone(), y)", "list(late_view(x))", "x[:, 1:4].clone().fill_(2.0) + 1",
    ),
    "indexing": (
        "F.embedding(ids, table)", "F.embedding(ids, table, padding_idx=0)", "table[ids]", "x.index_select(1, at[0])", "x.gather(1, at)", "x.gather(1, at[:1])", "x[rows % n]",
        "x[:, rows]", "m[:, rows, 1:]", "s[rows, rows]", "m[:, rows[:2], rows[1:3]]", "img[:, rows, :, rows]", "img[:, :, rows, rows]", "x.scatter(1, at, y)", "x.scatter(1, at[:, :2], 3.5)", "x.scatter_add(1, at, y)",
        "x.scatter_reduce(1, at, y, 'amax')", "x.scatter_reduce(1, at, y, 'prod')", "x.scatter_reduce(1, at, y, 'amin')", "x.scatter_reduce(1, at, y, 'sum', include_self=False)", "x.scatter_reduce(1, at, y, 'mean')",
        "s.index_add(0, rows % 6, w.t())", "s.index_add(0, rows % 6, w.t(), alpha=2)", "s.index_copy(1, torch.tensor([0, 3]), w[:, :2])", "s.index_fill(0, torch.tensor([1, 4]), 2.0)", "s.index_put((rows, rows), v[:5])",
        "s.index_put((rows,), v, accumulate=True)", "x.index_put((b,), torch.tensor(2.0))", "m.masked_fill(b[:, None] & True, 1.0)", "mutated_rows(img.clone(), rows[:2])", "F.embedding_bag(ids, table, mode='max')", "F.embedding_bag(ids, table, mode='sum')", "x.scatter_reduce(1, at, y, 'mean', include_self=False)", "table.take(ids)", "x[b]", "x[x > 0] * 2",
        "x.masked_select(b)", "x.masked_scatter(b, y)", "torch.index_put(x, (torch.arange(n), at[:, 0]), y[:, 0])", "F.embedding_bag(ids, table)", "x[torch.arange(n), at[:, 1]]", "s[rows][:, rows]",
    ),
    "statistical": (
        "x.sum()", "x.sum(1)", "m.sum((0, 2))", "x.sum(1, keepdim=True)", "i.sum()", "b.sum(1)", "x.sum(dtype=torch.float64)", "h.sum(1)", "x.mean()", "m.mean((1, 2), keepdim=True)", "i.mean(dtype=torch.float32)",
        "x.prod(1)", "x.prod()", "j.prod(1)", "x.amax(1)", "x.amin((0, 1))", "i.amax()", "x.max()", "i.min()", "list(x.max(1))", "list(i.min(1, keepdim=True))", "x.max(1).values", "x.argmax()", "x.argmax(1)", "x.argmin(1, keepdim=True)", "list(torch.aminmax(x, dim=1))",
        "b.any()", "b.all(1)", "x.any(1)", "i.all(0)", "b.any((0, 1))", "torch.count_nonzero(i, 1)", "torch.count_nonzero(i)", "x.var(1)", "x.var()", "x.var(1, correction=0)", "x.std(1)", "x.std(unbiased=False)", "m.var((1, 2), keepdim=True)",
        "list(torch.var_mean(x, 1))", "list(torch.std_mean(x, 1))", "x.norm()", "x.norm(dim=1)", "torch.linalg.vector_norm(x, 1, 1)", "torch.linalg.vector_norm(x, float('inf'), 1)", "torch.linalg.vector_norm(x, 3, 1)",
        "torch.linalg.vector_norm(x, 0, 1)", "torch.logsumexp(x, 1)", "torch.logsumexp(x, (0, 1))", "x.cumsum(1)", "i.cumsum(0)", "b.cumsum(1)", "x.cumprod(1)", "x.logcumsumexp(1)", "x.cummax(1).values", "list(x.cummin(1))", "list(x.topk(3))", "list(x.topk(2, 1, largest=False))", "list(x.sort(1))",
        "x.sort(1, descending=True).values", "x.argsort(1)", "list(i.sort(dim=1, stable=True))", "x.median()", "torch.bucketize(x, v.sort().values)", "torch.searchsorted(v.sort().values, x)", "b.nonzero()", "torch.nonzero(x > 0)",
        "torch.unique(i)", "x.nanmean()", "torch.nansum(x)", "torch.trace(s)", "list(x.kthvalue(2, 1))", "x.median(1).values", "i.kthvalue(3, 1).values", "torch.cdist(w.t(), s)", "torch.cdist(m, m + 1, p=1.0)",
        "torch.histc(x, 7, -1.0, 1.5)", "torch.histc(x, 5)", "torch.histc(torch.cat([x, x / (x > 0)]), 3, -1.0, 1.0)", "torch.histc(x * 0, 4)",
        "x.diff()", "x.diff(2)", "i.diff(dim=1, prepend=j[:, :1], append=j)", "b.diff()",
    ),
    "linear_algebra": (
        "x @ w", "m @ r", "m @ w", "x @ v", "v @ w", "v @ v", "torch.mv(x, v)", "torch.dot(v, v)", "torch.mm(x, w)", "torch.bmm(m, r)", "torch.addmm(y[:, :5], x, w)", "torch.addmm(y[:, :5], x, w, beta=0.5, alpha=2)",
        "torch.addmm(y[:, :5], x, w, beta=0)", "torch.baddbmm(m[..., :4], m, r)", "F.linear(x, w.t())", "F.linear(m, w.t(), w[0])", "F.linear(v, w.t())", "torch.einsum('bij,bjk->bik', m, r)", "torch.einsum('ij, kj -> ik', x, y)",
        "torch.outer(v, w4)", "torch.tensordot(m, r, dims=([2], [1]))", "torch.inner(x, v)", "torch.kron(s[:2, :2], s[2:4, :3])", "torch.addmv(y[:, 0], x, v)", "i @ i.t()", "torch.linalg.det(s)", "torch.cross(x[:, :3], y[:, :3], dim=1)", "h @ h.t()",
        "F.bilinear(x, y, torch.ones(2, 6, 6))", "torch.addbmm(m[0, :, :4], m, r)", "torch.matrix_power(s, 3)", "torch.vander(v)",
        "A._grouped_mm(F.pad(x.round(), (0, 2)).bfloat16(), k2.round().flatten(2).flatten(0, 1)[:, :8].reshape(3, 8, 8).bfloat16(), torch.tensor([1, 1, 3], dtype=torch.int32))[:3].float()",
    ),
    "attention": (
        "F.scaled_dot_product_attention(few, keys, keys)", "F.scaled_dot_product_attention(few, keys, keys, is_causal=True)", "F.scaled_dot_product_attention(few, keys, keys, attn_mask=mask)",
        "F.scaled_dot_product_attention(few, keys, keys, attn_mask=bias, scale=0.2)", "F.scaled_dot_product_attention(query, keys, keys, enable_gqa=True)", "F.scaled_dot_product_attention(few[:, 0], keys[:, 0], keys[:, 1])",
        "F.scaled_dot_product_attention(few[:1], keys, keys)", "F.scaled_dot_product_attention(few[None], keys[None], keys[None])", "F.scaled_dot_product_attention(few.half(), keys.half(), keys.half())",
    ),
    "convolution": (
        "F.conv1d(seq, k1)", "F.conv1d(seq, k1, c, stride=2, padding=1, dilation=2)", "F.conv2d(img, k2, c)", "F.conv2d(img, k2, c, stride=(2, 1), padding=(1, 2))", "F.conv2d(img, k2, padding='same', dilation=2)", "F.conv2d(img, k2, padding='valid')", "F.conv2d(img, g2, c8, groups=2)",
        "F.conv2d(img[0], k2)", "F.conv3d(vol, k3, c3, padding=1)", "F.conv_transpose1d(seq, t1, stride=2)", "F.conv_transpose2d(img, t2, c3, stride=2, padding=1, output_padding=1)", "F.conv_transpose2d(img, t2, dilation=2)",
        "F.conv_transpose3d(vol, t3, stride=2)", "F.conv2d(img.to(memory_format=torch.channels_last), k2)", "F.conv1d(seq[0], k1, padding='same')", "F.conv2d(img[:, :, ::2], k2[:, :, ::2], padding=1)", "F.conv1d(seq, k1[..., :2], padding='same')",
    ),
    "normalization": (
        "F.layer_norm(x, (6,))", "F.layer_norm(x, (6,), v, c)", "F.layer_norm(m, (3, 6), eps=1e-3)", "F.layer_norm(x, (6,), v)", "F.rms_norm(x, (6,))", "F.rms_norm(x, (6,), v, eps=1e-6)", "F.group_norm(img, 2, w4, pos4)", "F.group_norm(seq, 4)", "F.instance_norm(img)",
        "F.instance_norm(img, weight=w4, bias=pos4)", "F.batch_norm(img, w4, pos4, w4, pos4)", "F.batch_norm(img, w4, pos4)", "F.batch_norm(x, v, v.abs() + 0.1)", "F.local_response_norm(img, 3)",
    ),
    "pooling": (
        "F.max_pool1d(seq, 2)", "F.max_pool2d(img, 2)", "F.max_pool2d(img, 3, 2, 1)", "F.max_pool2d(img, 3, 2, 1, ceil_mode=True)", "F.max_pool2d(img, 2, dilation=2)", "list(F.max_pool2d(img, 2, return_indices=True))", "F.max_pool3d(vol, 2)", "F.max_pool2d(img[0], 2)",
        "F.avg_pool1d(seq, 3, 2, 1)", "F.avg_pool2d(img, 2)", "F.avg_pool2d(img, 3, 2, 1)", "F.avg_pool2d(img, 3, 2, 1, count_include_pad=False)", "F.avg_pool2d(img, 3, 2, 1, ceil_mode=True)", "F.avg_pool2d(img, 3, 2, 1, ceil_mode=True, count_include_pad=False)", "F.avg_pool2d(img, 2, divisor_override=3)", "F.avg_pool3d(vol, 2)",
        "F.adaptive_avg_pool1d(seq, 3)", "F.adaptive_avg_pool2d(img, 1)", "F.adaptive_avg_pool2d(img, (4, 3))", "F.adaptive_avg_pool3d(vol, 2)", "F.adaptive_max_pool2d(img, (4, 3))", "F.adaptive_max_pool1d(seq, 4)", "F.adaptive_avg_pool2d(img, (None, 2))", "F.lp_pool2d(img, 2, 3)",
    ),
    "image": (
        "F.interpolate(img, scale_factor=2)", "F.interpolate(img, size=(5, 13))", "F.interpolate(img, scale_factor=1.7)", "F.interpolate(img, scale_factor=2, mode='bilinear')", "F.interpolate(img, size=(5, 13), mode='bilinear', align_corners=True)", "F.interpolate(img, scale_factor=1.7, mode='bilinear')", "F.interpolate(img, scale_factor=0.6, mode='bilinear')",
        "F.interpolate(img, size=(13, 5), mode='bicubic')", "F.interpolate(img, size=(13, 5), mode='bicubic', align_corners=True)", "F.interpolate(seq, scale_factor=2)", "F.interpolate(seq, size=13, mode='linear')", "F.interpolate(vol, scale_factor=2)", "F.interpolate(vol, size=(3, 7, 9), mode='trilinear')",
        "F.interpolate(img, size=(5, 13), mode='nearest-exact')", "F.interpolate(img, size=(4, 3), mode='bilinear', antialias=True)", "F.interpolate(img, size=(4, 3), mode='area')", "F.grid_sample(img, grid)", "F.grid_sample(img, grid, mode='nearest', padding_mode='border')", "F.grid_sample(img, grid, mode='bicubic', padding_mode='reflection', align_corners=True)",
        "F.grid_sample(img, grid, align_corners=True)", "F.affine_grid(m[:, :2, :3], (n, 4, 5, 6))", "F.interpolate(img, scale_factor=1.7, recompute_scale_factor=True, mode='bilinear')", "F.upsample(img, scale_factor=2)",
    ),
    "backward": (
        "list(A.convolution_backward(F.conv2d(img, k2, stride=2, padding=1), img, k2, [6], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True]))",
        "list(A.convolution_backward(F.conv2d(img, g2, groups=2), img, g2, [8], [1, 1], [0, 0], [1, 1], False, [0, 0], 2, [True, True, True]))",
        "A.convolution_backward(F.conv_transpose2d(img, t2, stride=2), img, t2, None, [2, 2], [0, 0], [1, 1], True, [0, 0], 1, [True, True, False])[1]",
        "A.avg_pool2d_backward(F.avg_pool2d(img, 3, 2, 1), img, [3, 3], [2, 2], [1, 1], False, True, None)",
        "A._adaptive_avg_pool2d_backward(F.adaptive_avg_pool2d(img, (4, 3)), img)",
        "list(A.native_layer_norm_backward(y, x, [6], x.mean(1, True), 1 / x.var(1, correction=0, keepdim=True).sqrt(), v, c, [True, True, True]))",
        "A.embedding_dense_backward(F.embedding(ids, table), ids, 7, -1, False)", "A.threshold_backward(x, y, 0)", "A.gelu_backward(x, y)", "A.tanh_backward(x, y)",
        "A._softmax_backward_data(x, F.softmax(y, 1), 1, torch.float32)", "A.silu_backward(x, y)", "A.sigmoid_backward(x, u)",
    ),
    "quantization": (
        "Q.quantize_per_tensor(x, 0.05, 3, -128, 127, torch.int8)", "Q.quantize_per_tensor(x, 0.05, 3, 5, 90, torch.uint8)",
        "Q.dequantize_per_tensor(q, 0.05, 3, 0, 255, torch.uint8)", "Q.quantize_per_tensor(x, c8[0].abs(), torch.tensor(2), -128, 127, torch.int8)",
        "Q.quantize_per_channel(x, v.abs(), rows[:1].repeat(6), 1, -127, 127, torch.int8)",
        "Q.dequantize_per_channel(q, v.abs(), torch.arange(6), 1, 0, 255, torch.uint8)",
    ),
    "loss": (
        "F.mse_loss(x, y)", "F.l1_loss(x, y, reduction='sum')", "F.smooth_l1_loss(x, y)", "F.huber_loss(x, y)", "F.binary_cross_entropy(p / 2, p / 3)", "F.binary_cross_entropy_with_logits(x, p)", "F.cross_entropy(x, at[:, 0])", "F.cross_entropy(x, at[:, 0], reduction='none')",
        "F.nll_loss(F.log_softmax(x, 1), at[:, 0])", "F.kl_div(x, p)", "F.cosine_similarity(x, y)", "F.cosine_similarity(x, y, dim=0)", "F.soft_margin_loss(x, y.sign())", "F.poisson_nll_loss(x, p)", "F.hinge_embedding_loss(x, y.sign())", "F.pairwise_distance(x, y)", "F.triplet_margin_loss(x, y, p)",
    ),
}  # fmt: skip
"""The expressions, by family."""

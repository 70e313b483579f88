"""Activations, normalisations, attention and losses."""

SIGNATURES = """
nn.attention(query, key, value, bias=None, scale=None, causal_mask=None, window_size=None)
nn.attention_bias(query, key, value, bias=None, scale=None, causal_mask=None, window_size=None) ->
    attention
nn.attention_var_len(queries, keys, values, seqstart_q, max_seqlen_q, seqstart_k=None,
    max_seqlen_k=None, scale=None, causal_mask=None, window_size=None)
nn.batch_flatten(data)
nn.batch_norm(data, gamma, beta, moving_mean, moving_var, axis, epsilon=1e-05, center=True,
    scale=True, momentum=0.1, training=True)
nn.cross_entropy_with_logits(predictions, labels)
nn.dropout(data, rate=0.5)
nn.gelu(data)
nn.gelu_tanh(data)
nn.group_norm(data, gamma, beta, num_groups, channel_axis, axes, epsilon=1e-05, center=True,
    scale=True)
nn.instance_norm(data, gamma, beta, channel_axis, axes, epsilon=1e-05, center=True, scale=True)
nn.layer_norm(data, gamma, beta, axes, epsilon=1e-05, center=True, scale=True)
nn.leakyrelu(data, alpha=0.01)
nn.log_softmax(data, axis=-1)
nn.nll_loss(predictions, targets, weights=None, reduction="mean", ignore_index=-100)
nn.pad(data, pad_width, pad_mode="constant", pad_value=0.0)
nn.pixel_shuffle(data, upscale_factor)
nn.prelu(data, alpha, axis=1)
nn.relu(data)
nn.relu6(data)
nn.rms_norm(data, weight, axes=-1, epsilon=1e-05)
nn.selu(data)
nn.silu(data)
nn.softmax(data, axis=-1)
nn.softplus(data, beta=1.0, threshold=20.0)
"""

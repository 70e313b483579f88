"""The operators of gradients."""

SIGNATURES = """
grad.avg_pool2d_backward(output_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0, 0, 0),
    dilation=(1, 1), ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
grad.max_pool2d_backward(output_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0, 0, 0),
    dilation=(1, 1), ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
grad.nll_loss_backward(output_grad, predictions, targets, weights=None, reduction="mean",
    ignore_index=-100)
grad.no_grad(input)
grad.take_backward(output_grad, x, indices, axis=None)
"""

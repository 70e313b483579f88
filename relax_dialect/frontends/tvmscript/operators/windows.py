"""Convolutions and pools."""

SIGNATURES = """
nn.adaptive_avg_pool1d(data, output_size=None, layout="NCW", out_layout=None)
nn.adaptive_avg_pool2d(data, output_size=None, layout="NCHW", out_layout=None)
nn.adaptive_avg_pool3d(data, output_size=None, layout="NCDHW", out_layout=None)
nn.avg_pool1d(data, pool_size=(1,), strides=(1,), padding=(0, 0), dilation=(1,), ceil_mode=False,
    count_include_pad=True, layout="NCW", out_layout=None)
nn.avg_pool2d(data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), dilation=(1, 1),
    ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
nn.avg_pool3d(data, pool_size=(1, 1, 1), strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1),
    ceil_mode=False, count_include_pad=True, layout="NCDHW", out_layout=None)
nn.conv1d(data, weight, strides=1, padding=0, dilation=1, groups=1, data_layout="NCW",
    kernel_layout="OIW", out_layout=None, out_dtype=None)
nn.conv1d_transpose(data, weight, strides=1, padding=0, output_padding=0, dilation=1, groups=1,
    data_layout="NCW", kernel_layout="IOW", out_layout=None, out_dtype=None)
nn.conv2d(data, weight, strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1,
    data_layout="NCHW", kernel_layout="OIHW", out_layout=None, out_dtype=None)
nn.conv2d_transpose(data, weight, strides=(1, 1), padding=(0, 0), output_padding=(0, 0),
    dilation=(1, 1), groups=1, data_layout="NCHW", kernel_layout="IOHW", out_layout=None,
    out_dtype=None)
nn.conv3d(data, weight, strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), groups=1,
    data_layout="NCDHW", kernel_layout="OIDHW", out_layout=None, out_dtype=None)
nn.conv3d_transpose(data, weight, strides=(1, 1, 1), padding=(0, 0, 0), output_padding=(0, 0, 0),
    dilation=(1, 1, 1), groups=1, data_layout="NCDHW", kernel_layout="IODHW", out_layout=None,
    out_dtype=None)
nn.max_pool1d(data, pool_size=(1,), strides=(1,), padding=(0, 0), dilation=(1,), ceil_mode=False,
    count_include_pad=False, layout="NCW", out_layout=None)
nn.max_pool2d(data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), dilation=(1, 1),
    ceil_mode=False, count_include_pad=False, layout="NCHW", out_layout=None)
nn.max_pool3d(data, pool_size=(1, 1, 1), strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1),
    ceil_mode=False, count_include_pad=False, layout="NCDHW", out_layout=None)
"""

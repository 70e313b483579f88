"""The parts of relax-quantize: calibration inputs, ranges, the scheme, regions and what connects them."""

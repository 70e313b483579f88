"""The parts of relax-quantize: calibration inputs, ranges, the scheme, regions and their connections."""

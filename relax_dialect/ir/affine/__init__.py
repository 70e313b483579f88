"""The ops of the affine dialect that xDSL lacks or defines otherwise."""

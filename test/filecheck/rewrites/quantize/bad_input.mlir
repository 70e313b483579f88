// RUN: python -c "import numpy as np; x = np.ones((2, 3), 'f4'); a = dict(missing={'y': x}, dtype={'x': x.astype('f8')}, rank={'x': x[0]}, size={'x': x[:, :2]}, none={}, samples={'x': x[:0]}, nan={'x': x * np.nan}, good={'x': x}); [np.savez('%t.' + n + '.npz', **v) for n, v in a.items()]"
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.missing.npz"}' 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.none.npz"}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.dtype.npz"}' 2>&1 | filecheck %s --check-prefix=DTYPE
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.rank.npz"}' 2>&1 | filecheck %s --check-prefix=RANK
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.size.npz"}' 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.samples.npz"}' 2>&1 | filecheck %s --check-prefix=SAMPLES
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.nan.npz"}' 2>&1 | filecheck %s --check-prefix=NAN
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.gone.npz"}' 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.good.npz" entry=f}' 2>&1 | filecheck %s --check-prefix=ENTRY
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.good.npz" activations=i4}' 2>&1 | filecheck %s --check-prefix=ACTIVATIONS
// RUN: not relax-opt %s -p 'relax-quantize{calibration="%t.good.npz" percentile=101.0}' 2>&1 | filecheck %s --check-prefix=PERCENTILE
// RUN: not relax-opt %s -p 'relax-quantize' 2>&1 | filecheck %s --check-prefix=OPTION

// MISSING: relax-quantize: @main: parameter 'x': expected an array of that name among the calibration inputs, found 'y'; save it under the parameter's name
// NONE: relax-quantize: @main: parameter 'x': expected an array of that name among the calibration inputs, found none at all; save
// DTYPE: relax-quantize: @main: parameter 'x': expected element type f32, found f64; convert the array with astype
// RANK: relax-quantize: @main: parameter 'x': expected shape [n, 3], found [3]; reshape the array, or stack
// SIZE: relax-quantize: @main: parameter 'x': expected shape [n, 3], found [2, 2]; reshape the array
// SAMPLES: relax-quantize: @main: parameter 'x': expected elements to calibrate on, found shape [0, 3]; pass at least one sample
// NAN: relax-quantize: @main: relax.matmul (%y): expected finite numbers in calibration, found others; leave out the inputs that lead to NaN or infinity
// FILE: relax-quantize: {{.*}}.gone.npz: expected a readable .npz file of arrays, found none: {{.*}}; write one with numpy.savez
// ENTRY: relax-quantize: @f: expected a function of the module (@main), found no relax.func of that name; correct the option entry
// ACTIVATIONS: relax-quantize: activations: expected ui8 or i8, found 'i4'; name one of these
// PERCENTILE: relax-quantize: percentile: expected a number above 50 and up to 100, found 101.0; write 99.9
// OPTION: calibration
// MISSING-NOT: Traceback
relax.func @main(%x: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 1], f32> {
  %w = relax.constant dense<1.0> : tensor<3x1xf32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 1], f32>) -> !relax.tensor<[n, 1], f32>
  relax.return %y : !relax.tensor<[n, 1], f32>
}

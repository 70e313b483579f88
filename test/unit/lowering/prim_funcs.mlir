// Prim funcs on tensors; test_prim_funcs.py holds what each of them computes, in numpy.

#i = affine_map<(i) -> (i)>
#none_of_1 = affine_map<(i) -> ()>
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#none = affine_map<(i, j) -> ()>
#one_row = affine_map<(i, j) -> (0, j)>
#ij3 = affine_map<(i, j, k) -> (i, j)>
#ik3 = affine_map<(i, j, k) -> (i, k)>
#kj3 = affine_map<(i, j, k) -> (k, j)>
#jk3 = affine_map<(i, j, k) -> (j, k)>

func.func private @matmul(
    %A: tensor<?x?xf32> {relax.dims = ["n", "k"]}, %B: tensor<?x17xf32> {relax.dims = ["k", "17"]})
    -> (tensor<?x17xf32> {relax.dims = ["n", "17"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x17xf32>) -> tensor<?x17xf32>
  %C = linalg.generic {indexing_maps = [#ik3, #kj3, #ij3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<?x?xf32>, tensor<?x17xf32>) outs(%init : tensor<?x17xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x17xf32>
  func.return %C : tensor<?x17xf32>
}

// A times the transpose of B: both are walked along k.
func.func private @matmul_transposed(
    %A: tensor<?x?xf32> {relax.dims = ["n", "k"]}, %B: tensor<?x?xf32> {relax.dims = ["m", "k"]})
    -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x?xf32>
  %m = tensor.dim %B, %c0 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %C = linalg.generic {indexing_maps = [#ik3, #jk3, #ij3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  func.return %C : tensor<?x?xf32>
}

func.func private @matmul_bias_relu(
    %A: tensor<?x13xf32> {relax.dims = ["n", "13"]}, %B: tensor<13x8xf32> {relax.dims = ["13", "8"]},
    %bias: tensor<8xf32> {relax.dims = ["8"]})
    -> (tensor<?x8xf32> {relax.dims = ["n", "8"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x13xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %C = linalg.generic {indexing_maps = [#ik3, #kj3, #ij3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<?x13xf32>, tensor<13x8xf32>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %R = linalg.generic {indexing_maps = [#ij, #col, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%C, %bias : tensor<?x8xf32>, tensor<8xf32>) outs(%empty : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  func.return %R : tensor<?x8xf32>
}

func.func private @softmax(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]})
    -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%n) : tensor<?xf32>
  %all = tensor.empty(%n, %m) : tensor<?x?xf32>
  %max_init = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%max_init : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.maximumf %acc, %v : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %d = arith.subf %v, %w : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %sum_init = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%sum_init : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.addf %acc, %v : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#ij, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %r = arith.divf %v, %w : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}

func.func private @add_broadcast(
    %x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %row: tensor<1x?xf32> {relax.dims = ["1", "m"]},
    %s: tensor<f32> {relax.dims = []})
    -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#ij, #one_row, #none, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %s : tensor<?x?xf32>, tensor<1x?xf32>, tensor<f32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}

func.func private @transpose(%x: tensor<?x?xi64> {relax.dims = ["n", "m"]})
    -> (tensor<?x?xi64> {relax.dims = ["m", "n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi64>
  %m = tensor.dim %x, %c1 : tensor<?x?xi64>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi64>
  %y = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xi64>) outs(%empty : tensor<?x?xi64>) {
  ^bb0(%a: i64, %o: i64):
    linalg.yield %a : i64
  } -> tensor<?x?xi64>
  func.return %y : tensor<?x?xi64>
}

// x + transpose(-x): the negation dies in the sum, but must not be overwritten by it.
func.func private @antisymmetric(%x: tensor<?x?xf32> {relax.dims = ["n", "n"]})
    -> (tensor<?x?xf32> {relax.dims = ["n", "n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %n) : tensor<?x?xf32>
  %neg = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#ij, #ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%neg, %neg : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}

// Adds columns up to a start vector that the caller keeps: it must be copied.
func.func private @column_sums(
    %x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %start: tensor<?xf32> {relax.dims = ["m"]})
    -> (tensor<?xf32> {relax.dims = ["m"]}) {
  %y = linalg.generic {indexing_maps = [#ij, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}

// Two results, one made over the other's value: that one is read again later.
func.func private @sums_and_total(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}, tensor<f32> {relax.dims = []}, tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %rows = tensor.empty(%n) : tensor<?xf32>
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %twice = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%sums : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %total_init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %total = linalg.generic {indexing_maps = [#i, #none_of_1], iterator_types = ["reduction"]}
      ins(%sums : tensor<?xf32>) outs(%total_init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  func.return %sums, %total, %twice : tensor<?xf32>, tensor<f32>, tensor<?xf32>
}

// The same value twice, and an argument.
func.func private @returns_twice(%x: tensor<?xf32> {relax.dims = ["n"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}, tensor<?xf32> {relax.dims = ["n"]}, tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  func.return %y, %x, %y : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The window is an operand for its shape only.
func.func private @max_pool(%x: tensor<?x?xf32> {relax.dims = ["2 * n + 1", "w"]}, %n: index {relax.symbol = "n"})
    -> (tensor<?x?xf32> {relax.dims = ["n", "w - 1"]}) {
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %w = tensor.dim %x, %c1 : tensor<?x?xf32>
  %width = arith.subi %w, %c1 : index
  %empty = tensor.empty(%n, %width) : tensor<?x?xf32>
  %window = tensor.empty() : tensor<3x2xf32>
  %init = linalg.fill ins(%lowest : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, p, q) -> (i * 2 + p, j + q)>,
                                        affine_map<(i, j, p, q) -> (p, q)>,
                                        affine_map<(i, j, p, q) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : tensor<?x?xf32>, tensor<3x2xf32>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %r = arith.maximumf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}

func.func private @gather(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %idx: tensor<?xi64> {relax.dims = ["k"]})
    -> (tensor<?x?xf32> {relax.dims = ["k", "m"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.dim %idx, %c0 : tensor<?xi64>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%k, %m) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%idx : tensor<?xi64>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%at: i64, %o: f32):
    %r = arith.index_cast %at : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%r, %c] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}

// Reads its input backwards: what it reads there dies with it, but is not overwritten.
func.func private @reverse_of_double(%x: tensor<?xf32> {relax.dims = ["n"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %d = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%d : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %size = tensor.dim %d, %c0 : tensor<?xf32>
    %i = linalg.index 0 : index
    %last = arith.subi %size, %c1 : index
    %at = arith.subi %last, %i : index
    %v = tensor.extract %d[%at] : tensor<?xf32>
    %r = arith.subf %v, %a : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}

func.func private @arange(%m: index {relax.symbol = "m"}) -> (tensor<?xi64> {relax.dims = ["m"]}) {
  %empty = tensor.empty(%m) : tensor<?xi64>
  %y = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%empty : tensor<?xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<?xi64>
  func.return %y : tensor<?xi64>
}

func.func private @reshape(%x: tensor<?x6xf32> {relax.dims = ["n", "6"]})
    -> (tensor<?x2x3xf32> {relax.dims = ["n", "2", "3"]}, tensor<?xf32> {relax.dims = ["6 * n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %empty = tensor.empty(%n) : tensor<?x6xf32>
  %d = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x6xf32>) outs(%empty : tensor<?x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x6xf32>
  %y = tensor.expand_shape %d [[0], [1, 2]] output_shape [%n, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
  %z = tensor.collapse_shape %x [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
  func.return %y, %z : tensor<?x2x3xf32>, tensor<?xf32>
}

func.func private @cast(%x: tensor<4x?xf32> {relax.dims = ["4", "m"]})
    -> (tensor<4x?xf32> {relax.dims = ["4", "m"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %wide = tensor.cast %x : tensor<4x?xf32> to tensor<?x?xf32>
  %n = tensor.dim %wide, %c0 : tensor<?x?xf32>
  %m = tensor.dim %wide, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%wide : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %y = tensor.cast %d : tensor<?x?xf32> to tensor<4x?xf32>
  func.return %y : tensor<4x?xf32>
}

func.func private @copy(%x: tensor<?x3xf32> {relax.dims = ["n", "3"]})
    -> (tensor<?x3xf32> {relax.dims = ["n", "3"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %y = linalg.copy ins(%x : tensor<?x3xf32>) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return %y : tensor<?x3xf32>
}

// Value and place of each row's greatest element: two results of one op.
func.func private @argmax(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}, tensor<?xi64> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %nowhere = arith.constant -1 : i64
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xi64>
  %v0 = linalg.fill ins(%lowest : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %p0 = linalg.fill ins(%nowhere : i64) outs(%f : tensor<?xi64>) -> tensor<?xi64>
  %v, %p = "linalg.generic"(%x, %v0, %p0) <{indexing_maps = [#ij, #row, #row],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %a, %best : f32
    %b = arith.select %more, %a, %best : f32
    %q = arith.select %more, %here, %at : i64
    linalg.yield %b, %q : f32, i64
  }) : (tensor<?x?xf32>, tensor<?xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xi64>)
  func.return %v, %p : tensor<?xf32>, tensor<?xi64>
}

// Padding on the left: the subscript is negative before it is clamped, so mod and floordiv floor.
func.func private @cyclic(%x: tensor<5xf32> {relax.dims = ["5"]}, %y: tensor<3xf32> {relax.dims = ["3"]})
    -> (tensor<12xf32> {relax.dims = ["12"]}) {
  %e = tensor.empty() : tensor<12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> ((i - 7) mod 5)>, affine_map<(i) -> (i floordiv 4)>, #i],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<5xf32>, tensor<3xf32>) outs(%e : tensor<12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<12xf32>
  func.return %r : tensor<12xf32>
}

// One zero on each side: a branch, since reading outside is no option.
func.func private @pad(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]})
    -> (tensor<?x?xf32> {relax.dims = ["n", "m + 2"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %width = arith.addi %m, %c2 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n, %width) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = arith.subi %j, %c1 : index
    %inside = arith.cmpi ult, %at, %m : index
    %v = scf.if %inside -> (f32) {
      %w = tensor.extract %x[%i, %at] : tensor<?x?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}

// Not ours: no relax.dims.
func.func private @plain(%x: memref<4xf32>, %y: f32) {
  linalg.fill ins(%y : f32) outs(%x : memref<4xf32>)
  func.return
}

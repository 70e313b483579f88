// Loops, branches and subscripts by affine maps, on tensors and on memory.
func.func @from_the_end(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = affine.for %i = 0 to %n iter_args(%a = %e) -> (tensor<?xf32>) {
    %j = affine.apply affine_map<(d0)[s0] -> (-d0 + s0 - 1)>(%i)[%n]
    %v = tensor.extract %x[%j] : tensor<?xf32>
    %b = tensor.insert %v into %a[%i] : tensor<?xf32>
    affine.yield %b : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
func.func @rotated(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x4xf32>) {
  ^bb0(%b: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(d0, d1) -> ((d1 - d0 * 3) mod 4)>(%i, %j)
    %r = tensor.extract %x[%i, %k] : tensor<?x4xf32>
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// In tiles of 3 rows, the last one of which is cut off.
func.func @tiled_sum(%x: memref<?x5xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x5xf32>
  %s = affine.for %t = 0 to %n step 3 iter_args(%a = %z) -> (f32) {
    %b = affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0)[s0] -> (d0 + 3, s0)>(%t)[%n] iter_args(%c = %a) -> (f32) {
      %r = affine.parallel (%j) = (0) to (5) reduce ("addf") -> (f32) {
        %v = affine.load %x[%i, %j] : memref<?x5xf32>
        affine.yield %v : f32
      }
      %d = arith.addf %c, %r : f32
      affine.yield %d : f32
    }
    affine.yield %b : f32
  }
  return %s : f32
}
// Every second row is doubled, but for the last column.
func.func @every_second(%x: memref<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x5xf32>
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 5) {
    affine.if affine_set<(d0, d1) : (d0 mod 2 == 0, -d1 + 3 >= 0)>(%i, %j) {
      %v = affine.load %x[%i, %j] : memref<?x5xf32>
      %w = arith.addf %v, %v : f32
      affine.store %w, %x[%i, %j] : memref<?x5xf32>
    }
  }
  return
}
func.func @column(%x: memref<3x4xf32>, %pad: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %v = vector.transfer_read %x[%c1, %c1], %pad {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<3x4xf32>, vector<4xf32>
  %s = vector.reduction <add>, %v : vector<4xf32> into f32
  return %s : f32
}
func.func @padded(%x: memref<?xf32>, %pad: f32, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vector.transfer_read %x[%c1], %pad : memref<?xf32>, vector<4xf32>
  %w = arith.addf %v, %v : vector<4xf32>
  vector.transfer_write %w, %o[%c0] {in_bounds = [true]} : vector<4xf32>, memref<?xf32>
  vector.transfer_write %w, %x[%c1] : vector<4xf32>, memref<?xf32>
  return
}

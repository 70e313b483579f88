// Functions of several blocks on memory, and tensor functions and prim funcs beside them.

func.func @count(%n: i32) -> i32 attributes {relax.entry} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %zero : i32, i32)
^head(%i: i32, %sum: i32):
  %c = arith.cmpi slt, %i, %n : i32
  cf.cond_br %c, ^body, ^done
^body:
  %next = arith.addi %i, %one : i32
  %more = arith.addi %sum, %next : i32
  cf.br ^head(%next, %more : i32, i32)
^done:
  return %sum : i32
}

func.func private @helper(%a: memref<?xf32>, %i: index, %c: i1) {
  %one = arith.constant 1.0 : f32
  cf.cond_br %c, ^set, ^done
^set:
  memref.store %one, %a[%i] : memref<?xf32>
  cf.br ^done
^done:
  return
}

func.func @caller(%a: memref<?xf32>, %c: i1) {
  %zero = arith.constant 0 : index
  func.call @helper(%a, %zero, %c) : (memref<?xf32>, index, i1) -> ()
  return
}

func.func private @double(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

relax.func @main(%x: !relax.tensor<[n, 4], f32>, %v: !relax.tensor<[m], f32>)
    -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>> {
  %0 = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %1 = relax.sum %0 {axis = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32>
  %2 = relax.call_tir @double(%v) : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %3 = relax.tuple %1, %2 : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>
  relax.return %3 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>
}

// Several blocks on tensors: a function, a prim func, a region.

func.func @abs(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  cf.cond_br %c, ^then, ^done(%x : tensor<?xf32>)
^then:
  %y = math.absf %x : tensor<?xf32>
  cf.br ^done(%y : tensor<?xf32>)
^done(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}

func.func private @sign(%x: tensor<?xf32> {relax.dims = ["n"]}, %t: tensor<i1> {relax.dims = []}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c = tensor.extract %t[] : tensor<i1>
  cf.cond_br %c, ^then, ^done(%x : tensor<?xf32>)
^then:
  %y = math.absf %x : tensor<?xf32>
  cf.br ^done(%y : tensor<?xf32>)
^done(%r: tensor<?xf32>):
  return %r : tensor<?xf32>
}

relax.func @signed(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %0 = relax.call_tir @sign(%x, %c) : (!relax.tensor<[n], f32>, !relax.tensor<[], i1>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}

relax.func @region(%x: !relax.tensor<[n], f32>, %c: i1) -> !relax.tensor<[n], f32> {
  %z = scf.execute_region -> (!relax.tensor<[n], f32>) {
    cf.cond_br %c, ^a, ^b
  ^a:
    %1 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    scf.yield %1 : !relax.tensor<[n], f32>
  ^b:
    scf.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %z : !relax.tensor<[n], f32>
}

// Ops of other dialects at the top of the module; names of values are used again in functions.
%x = arith.constant 1 : i32
%y = scf.execute_region -> (i32) {
  scf.yield %x : i32
}
builtin.module @inner {
  func.func @main(%x: i1) {
    cf.cond_br %x, ^a, ^b
  ^a:
    return
  ^b:
    return
  }
}
llvm.func @llvm(%p: i32) -> i32 {
  "llvm.br"()[^bb1] : () -> ()
^bb1:
  llvm.return %p : i32
}
riscv_func.func @riscv(%p: !riscv.reg) -> !riscv.reg {
  riscv_func.return %p : !riscv.reg
}
pdl.pattern @pattern : benefit(1) {
  %p = pdl.operand
  %q = pdl.operation "relax.tan" (%p : !pdl.value)
  pdl.rewrite %q {
    pdl.erase %q
  }
}
builtin.module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%p: !transform.any_op) {
    transform.yield
  }
}
irdl.dialect @cmath {
  irdl.type @complex {
    %p = irdl.any
    irdl.parameters(elem: %p)
  }
}
"test.op"() ({
^bb0(%p: i32):
  %q = "test.op"(%z) : (i32) -> i32
  %z = "test.op"(%p) : (i32) -> i32
  "test.termop"()[^bb1] : () -> ()
^bb1:
  "test.termop"() : () -> ()
}) {sym_name = "graph"} : () -> ()

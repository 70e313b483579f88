"""TVM's names and ours, the data of docs/from-tvm-names.md: a row is `theirs | ours | note`.

Passes (`lowering.tools.tvm_comparison.tvm_pass_names`) and analyses stand without their packages, several in one row; an empty
cell between the bars is ours of the same name, `-` is no counterpart, followed by the reason.
Operators have a row only if they are not read by their signature (`relax_dialect.frontends.tvmscript.operators`).
Cells of the other tables are copied to the page.
"""

from lowering.tools.tvm_comparison.tvm_pass_names import DEVICES, VM, WORKERS

ANALYSES = """
BaseCheckResult | |
all_global_vars | |
all_vars | |
bound_vars | |
check_well_formed | relax_dialect.analysis.well_formed | a bool
collect_non_negative_expressions | |
computable_at_compile_time | |
contains_impure_call | | `find_impure_call` returns the first one
definable_tir_vars_in_type | relax_dialect.analysis.definable_tir_vars_in_struct_info |
defined_symbolic_vars | |
derive_call_ret_type | relax_dialect.BlockBuilder.call | ops infer their results when they are made
detect_recursion | |
erase_to_well_defined | |
estimate_memory_usage | lowering.estimate_memory_usage | formulas of the sizes
free_symbolic_vars | |
free_vars | |
get_static_type | |
get_var2val | |
has_reshape_pattern | |
name_to_binding | |
post_order_visit | relax_dialect.visitor.ExprVisitor | or `module.walk()` of xDSL
remove_all_unused | |
suggest_layout_transforms | - | relax-convert-layout takes the layouts that are wanted
tir_vars_in_type | relax_dialect.analysis.tir_vars_in_struct_info |
type_base_check | relax_dialect.analysis.struct_info_base_check |
type_lca | relax_dialect.analysis.struct_info_lca |
udchain | |
used_vars | |
well_formed | relax_dialect.verify | always on: parser and builder verify, and errors state the expectation
"""
"""Of `tvm.relax.analysis`."""

CALLS = "[language.md](language.md)"
OPERATORS = f"""
assert_op | relax.assert_op | {CALLS}
base.render_object | relax.print | which prints all values
builtin.alloc_tensor, memory.alloc_storage, memory.alloc_tensor, memory.kill_storage, memory.kill_tensor, vm.alloc_storage, vm.alloc_tensor, vm.kill_object | relax-plan-memory | what a prim func writes into memory is read as what its call gives
builtin.stop_lift_params | relax.let | with `stop_lift_params`
call_builtin_with_ctx | - | {VM}
call_dps_packed, call_inplace_packed, call_pure_packed | relax.call_dps_packed, relax.call_inplace_packed, relax.call_pure_packed | {CALLS}
call_py_func | relax.call_packed | a Python function by `relax_dialect.interpret.register_packed`
call_tir | relax.call_tir | extra sizes in brackets, `@f(%x)[m]`
call_tir_inplace | relax.call_tir_inplace | an overwritten tensor is a parameter and a result of the prim func; it is exported as `R.call_tir`
call_tir_with_grad | relax.call_tir_with_grad | `relax_dialect.gradient.register_te_gradient`; a gradient that is `None` is zero
distributed.annotate_sharding, distributed.call_tir_local_view, distributed.redistribute, distributed.redistribute_replica_to_shard | - | {WORKERS}
grad.end_checkpoint, grad.start_checkpoint | relax.binding_block | `attributes {{checkpoint}}`, `with bb.checkpoint():`; the ops between the two are in the block
hint_on_device, to_vdevice | - | {DEVICES}
invoke_closure, invoke_pure_closure | relax.call_closure | {CALLS}
make_closure | relax.make_closure, relax.closure | {CALLS}
masked_fill | relax.masked_fill | exported as `R.where` and `R.full_like`
memory.ensure_zero_offset | - | an offset is added to the pointer when a function is entered
null_value | - | an omitted operand is absent
print | relax.print | {CALLS}
register_gradient | relax_dialect.gradient.adjoint | by the class of the operator
vision.all_class_non_max_suppression | relax.all_class_non_max_suppression | the result has as many rows as boxes are selected, their number is its size
vision.multibox_transform_loc | - | the decoder of one detector, a composition of other operators
vm.call_tir_dyn | - | {VM}
wrap_param | relax.astype | a conversion of a constant
"""
"""Names of `tvm.relax.op` that are not operators on tensors, or are not read."""

TYPES = """
`relax.TensorType`, `R.Tensor` | `!relax.tensor`, `relax_dialect.ir.types.TensorType` | `!relax.tensor<[n, 4], f32>`; `<*>` is unknown rank, `?` an unknown size
`relax.ShapeType`, `R.Shape` | `!relax.shape`, `relax_dialect.ir.types.ShapeType` | `!relax.shape<[n, 4]>`
`R.Prim` | `!relax.prim`, `relax_dialect.ir.types.PrimType` | a number of known value; other numbers are `i64`, `f32`, ...
`relax.TupleType`, `R.Tuple` | `relax.tuple` | the type is builtin's `tuple<T, U>`
`relax.FuncType`, `R.Callable` | `!relax.func`, `relax_dialect.ir.types.FuncType` | binds its own variables
`relax.ObjectType`, `R.Object`, `relax.AnyType`, `R.Any` | `!relax.object`, `relax_dialect.ir.types.ObjectType` |
`relax.Type` | any type attribute of xDSL | `xdsl.ir.TypeAttribute`
`tvm.tirx.Var` in a shape | `relax_dialect.symbolic.var` | `n`; from Python a name in a shape is enough
`relax.Expr`, `relax.Call` | `relax_dialect.builder.Value` | an op and its result
`relax.const`, `R.const` | `relax.constant`, `relax_dialect.builder.const` |
`relax.ShapeExpr`, `R.ShapeExpr`, `R.shape` | `relax.shape` |
`relax.Tuple`, `R.tuple` | `relax.tuple` |
`relax.prim_value`, `R.prim_value` | `relax.prim_value` | a number operand of an operator
`relax.get_shape_of` | `relax.shape_of` |
`relax.TupleGetItem`, `R.TupleGetItem` | `relax.tuple_get_item` | `t[0]` from Python
`relax.Var`, `relax.Binding`, `relax.VarBinding` | `relax_dialect.builder.var` | a binding is an SSA value
`relax.DataflowVar`, `R.output` | `relax.output` | a value that is no output of its block
`relax.MatchCast`, `R.match_cast` | `relax.match_cast`, `relax.match_shape` | defines the variables that are bare in its type
`relax.DataflowBlock`, `R.dataflow` | `relax.dataflow` |
`relax.BindingBlock` | `relax.binding_block` |
`relax.SeqExpr`, `R.SeqExpr`, `relax.Function`, `R.function` | `relax.func` | `private` if `global_symbol` is missing
`relax.If` | `relax.if` | loops too, `relax.while`; both in `relax.graph`
`R.call_packed`, `relax.ExternFunc`, `R.ExternFunc`, `relax.extern` | `relax.call_packed` | calls refer to an external function by name
`relax.PackedFuncType` | not here | an external function is not a value
`relax.GlobalVar` | `relax.call` | `@name`, a symbol
`tvm.IRModule` | `relax_dialect.parse` | `builtin.module`
`relax.BasePyModule` | `relax.call_packed` | Python functions are registered
`relax.Span` | `loc("block.py":3:5)` | MLIR's locations, kept by all passes
`relax.VDevice`, `relax.DummyGlobalInfo`, `R.device`, `R.cpu`, `R.cuda`, `R.ext_dev`, `R.hexagon`, `R.metal`, `R.opencl`, `R.rocm`, `R.vpi`, `R.vulkan`, `R.webgpu` | not here | there is one device, the CPU
`tvm.register_global_func` | `relax_dialect.interpret.register_packed` | compiled code calls them too, or C functions by `packed=`
`R.func_attr` | `attributes {num_input = 1}` | of a `relax.func`, kept in both directions
`R.dtype`, `R.str` | attributes of ops, `relax.literal` | `dtype = f32`, `"name"`; a value is `relax.literal`
`R.stop_lift_params` | `relax.let` | with `stop_lift_params`
`R.emit_te`, `R.macro` | not read | they run Python; `emit_te` of the builder
`R.rewriter` | `relax_dialect.dpl.template_rule` | a rule as two functions
`R.If`, `R.Then`, `R.Else`, `R.arg`, `R.emit`, `R.emit_match_cast`, `R.emit_var_binding`, `R.emit_with_type`, `R.emit_with_ty`, `R.func_name`, `R.func_ret_type`, `R.func_ret_ty`, `R.func_ret_value` | not read | internal to TVM's parser; scripts use statements instead
`R.func_attr({"tir_var_upper_bound": {"n": 1024}})` | `attributes {tir_var_upper_bound = {n = 1024}}` | checked when the function is called
"""

BUILDER = """
add_func | |
begin_scope, end_scope, testing_scope | - | variables are known by their names
call_te, emit_te, call_te_with_grad | | [te.md](te.md)
current, get_unique_name | - | there is no global builder, and the printer makes names unique
current_block_is_dataflow | |
dataflow, function | |
emit, emit_output | |
emit_func_output | |
emit_normalized | relax_dialect.BlockBuilder.emit | values are always in normal form
finalize, get | relax_dialect.BlockBuilder.get | verifies
lookup_binding, normalize | |
match_cast | | `match_shape` too
update_func | - | existing modules are changed by passes, or by `relax_dialect.visitor.ExprMutator`
"""
"""The methods of `relax.BlockBuilder`."""

BUILDING = """
`relax.BlockBuilder` | `relax_dialect.BlockBuilder` | [builder.md](builder.md)
`tvm.te.compute`, `tvm.te.placeholder`, `tvm.te.reduce_axis` | `relax_dialect.te.compute`, `relax_dialect.te.placeholder`, `relax_dialect.te.reduce_axis` |
`tvm.te.create_prim_func` | `relax_dialect.te.emit.create_prim_func` | returns a `func.func` of `linalg.generic`
`tvm.te.extern`, `tvm.te.scan` | `relax_dialect.te.kernels.extern`, `relax_dialect.te.scan` |
`tvm.topi` | `lowering.topi` | the operators as functions of tensors
`relax.PyExprVisitor`, `relax.PyExprMutator`, `relax.ExprFunctor` | `relax_dialect.visitor.ExprVisitor`, `relax_dialect.visitor.ExprMutator`, `relax_dialect.visitor.ExprFunctor` | no recursion over the program
`relax.DataflowBlockRewrite` | `relax_dialect.visitor.DataflowMutator` | or xDSL's rewriters
`relax.convert_to_expr` | `relax_dialect.BlockBuilder.operand` | values may be numbers
`tvm.ir.assert_structural_equal` | `relax_dialect.assert_structural_equal` |
"""

PATTERNS = """
AndPattern, AttrPattern, CallPattern, ConstantPattern, DFPattern, DataTypePattern, ExprPattern, FunctionPattern, NotPattern, OrPattern, SameShapeConstraint, ShapePattern, TupleGetItemPattern, TuplePattern, TypePattern, VarPattern, WildcardPattern | | [dpl.md](dpl.md); all kinds: [patterns.md](patterns.md)
DFConstraint | relax_dialect.dpl.SameShapeConstraint | the only one
DataflowVarPattern, ExternFuncPattern, GlobalVarPattern | relax_dialect.dpl.is_dfv, relax_dialect.dpl.is_call_packed, relax_dialect.dpl.is_gv | created by functions
ExprPatternRewriter, OrRewriter, PatternMatchingRewriter | relax_dialect.dpl.PatternRule, relax_dialect.dpl.RuleSet, relax_dialect.dpl.apply_rules | a rule is a class with a pattern and a method
PatternContext, rewrite_bindings | |
PatternSeq | relax_dialect.dpl.used_by, relax_dialect.dpl.only_used_by | `p ^ q`, `p >> q`
PrimArrPattern | relax_dialect.dpl.is_shape |
UnorderedTuplePattern | relax_dialect.dpl.is_tuple | `unordered=True`
has_attr, has_dtype | |
is_call_dps_packed, is_call_packed, is_call_tir | |
is_const, is_dfv, is_expr, is_gv, is_op, is_shape, is_tuple, is_tuple_get_item, is_var, wildcard | |
make_fused_bias_activation_pattern | - | `is_op("relu")(is_op("add")(is_op("conv2d")(x, w), b))` is the same
register_df_node | - | registers classes of C++
reject | - | `~p`
rewrite_call | relax_dialect.dpl.rewrite_call, relax_dialect.dpl.rewrite |
"""
"""Of `tvm.relax.dpl`; ours have the same names in `relax_dialect.dpl`."""

TRAINING = """
`relax.training.utils.register_te_gradient` | `relax_dialect.gradient.register_te_gradient` |
`relax.training.optimizer.Optimizer`, `relax.training.optimizer.SGD`, `relax.training.optimizer.MomentumSGD`, `relax.training.optimizer.Adam` | `relax_dialect.training.Optimizer`, `relax_dialect.training.SGD`, `relax_dialect.training.Adam` and others | momentum is an attribute: [training.md](training.md)
`relax.training.loss.Loss`, `relax.training.loss.CrossEntropyLoss`, `relax.training.loss.L1Loss`, `relax.training.loss.MSELoss` | `relax_dialect.training.Loss`, `relax_dialect.training.CrossEntropyLoss`, `relax_dialect.training.L1Loss`, `relax_dialect.training.MSELoss` |
`relax.training.loss.CategoricalCrossEntropyLoss` | not here | its targets are rows of one-hot numbers: an argmax away from `CrossEntropyLoss`
`relax.training.AppendLoss` | `relax_dialect.training.append_loss` |
`relax.training.SetupTrainer`, `relax.training.Trainer` | `relax_dialect.training.make_step` | a function, and a loop around it; it overwrites parameters and state
"""

RUNNING = """
`tvm.transform.Sequential` | `lowering.lower` | a list of names; `relax-opt -p a,b`
`relax.get_pipeline`, `relax.get_default_pipeline` | `lowering.pipeline.optimizations`, `lowering.pipeline.PASSES` | the passes of `relax-compile -O1`, and the lowering to C
`relax.register_pipeline` | `relax-optimize` | an extension adds its passes to a level ([extending.md](extending.md))
`tvm.s_tir.Schedule` | `relax-schedule` | [schedules.md](schedules.md)
`tvm.compile`, `relax.build` | `lowering.compile`, `lowering.to_c` | `relax-compile` from the shell
`relax.VMExecutable`, `relax.ExecBuilder` | `lowering.emit_c.syntax.c_source.CSource` | `.c`, `.h`, `.so`, `.weights`
`relax.VirtualMachine` | `lowering.runtime.loading.CompiledModule` | `model.main(x)`; arrays by DLPack
`tvm.script.from_source` | `relax_dialect.frontends.tvmscript.loads` | [TVMScript](from-tvm.md#tvmscript)
`tvm.IRModule.script` | `relax_dialect.frontends.tvmscript.dump` | text that `from_source` takes; `relax-opt -t tvmscript`
`relax.frontend.onnx.from_onnx` | `relax_dialect.frontends.onnx.load` | takes the path; `dims` fixes sizes, `bind` inputs
`relax.frontend.detach_params` | `relax_dialect.rewrites.params.lift_constants.lift_constants` | weights are constants until then; `relax-lift-constants` writes a file; the `params` of a TVM module are read as parameters
`relax.frontend.torch.from_exported_program`, `relax.frontend.torch.from_fx`, `relax.frontend.nn.Module.export_tvm` | `relax_dialect.frontends.tvmscript.from_tvm` | for the module that TVM's importer returns; PyTorch models also through ONNX ([onnx.md](onnx.md))
`relax.frontend.torch.relax_dynamo`, `relax.frontend.torch.dynamo_capture_subgraphs` | not here | models are imported, not traced at run time
`tvm.target.Target` | `lowering.support.target.Cpu` | `cpu="x86-64-v4"`; CPUs alone
`relax.VMInstrumentReturnKind` | `relax_dialect.interpret.run` | the interpreter runs op by op: `watch=f` gets each result
"""

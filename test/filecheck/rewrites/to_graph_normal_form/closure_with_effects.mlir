// RUN: relax-opt %s | relax-opt | filecheck %s --check-prefix=TEXT
// RUN: relax-opt %s -p relax-to-graph-normal-form | filecheck %s --check-prefix=GRAPH
// RUN: relax-opt %s -p relax-to-basic-block-normal-form,relax-check-basic-block-normal-form,relax-to-a-normal-form | filecheck %s --check-prefix=ANF
// RUN: relax-opt %s -p relax-lambda-lift | filecheck %s --check-prefix=LIFT

// A closure with effects is made in a graph region like any other. Its body keeps its order and is one
// use of what it captures: nothing is evaluated in there that is written outside.
relax.func @later(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %f, %u = relax.dataflow {
    %g = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> impure {
      %t = relax.tanh %y : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.print %t : (!relax.tensor<[], f32>) -> ()
      %s = relax.add %t, %e : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.return %s : !relax.tensor<[], f32>
    }
    %e = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %n = relax.negative %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %g, %n : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>, impure>, !relax.tensor<[], f32>
  }
  %r = relax.call_closure %f, %u : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>, impure>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}
// TEXT:       = relax.dataflow {
// TEXT-NEXT:    %g = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> impure {

// GRAPH:      = relax.graph {
// GRAPH-NEXT:   %e = relax.exp %x
// GRAPH-NEXT:   %e_1 = relax.let %e
// GRAPH-NEXT:   %g_1 = relax.closure
// GRAPH-NEXT:     %t = relax.graph {
// GRAPH-NEXT:       %t_1 = relax.tanh %y
// GRAPH-NEXT:       relax.output %t_1
// GRAPH:          relax.binding_block {
// GRAPH-NEXT:       relax.print %t
// GRAPH:          relax.graph {
// GRAPH-NEXT:       relax.add %t, %e_1
// GRAPH:          relax.return
// GRAPH:        relax.negative %x
// GRAPH:      relax.binding_block {
// GRAPH-NEXT:   relax.call_closure

// ANF:        %e = relax.exp %x
// ANF-NEXT:   %g = relax.closure
// ANF-NEXT:     %t = relax.tanh %y
// ANF-NEXT:     relax.print %t
// ANF-NEXT:     %s = relax.add %t, %e
// ANF-NEXT:     relax.return %s
// ANF-NEXT:   }
// ANF-NEXT:   %n = relax.negative %x
// ANF-NEXT:   relax.call_closure %g, %n

// LIFT:       = relax.dataflow {
// LIFT-DAG:     relax.exp %x
// LIFT-DAG:     relax.make_closure @later_g(%e)
// LIFT:       relax.func private @later_g(%e: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>)
// LIFT-NEXT:    relax.tanh %y
// LIFT-NEXT:    relax.print

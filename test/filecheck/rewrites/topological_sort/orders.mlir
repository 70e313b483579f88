// RUN: relax-opt %s -p 'relax-topological-sort{order=depth-first direction=from-inputs}' | filecheck %s --check-prefix=DEPTH-INPUTS
// RUN: relax-opt %s -p 'relax-topological-sort{order=breadth-first direction=from-inputs}' | filecheck %s --check-prefix=BREADTH-INPUTS
// RUN: relax-opt %s -p 'relax-topological-sort{order=depth-first direction=from-outputs}' | filecheck %s --check-prefix=DEPTH-OUTPUTS
// RUN: relax-opt %s -p 'relax-topological-sort{order=breadth-first direction=from-outputs}' | filecheck %s --check-prefix=BREADTH-OUTPUTS

// Two chains that meet; a constant, an unused op, a size that a match defines.
relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[?], f32>) -> !relax.object {
  %y = relax.dataflow {
    %b3 = relax.tanh %b2 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    %c = relax.constant dense<1.0> : tensor<f32>
    %s = relax.shape [m]
    %b2 = relax.exp %b1 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    %a2 = relax.tanh %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %a1 = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b1 = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %unused = relax.sin %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %t = relax.tuple %a2, %b3, %s, %c : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
    relax.output %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
  }
  // What has an order keeps it.
  %z = relax.binding_block {
    relax.print %a {format = "{}"} : (!relax.tensor<[n], f32>) -> ()
    %c = relax.constant dense<1.0> : tensor<f32>
    relax.output %c : !relax.tensor<[], f32>
  }
  relax.return %y : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
}

// DEPTH-INPUTS:      relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[?], f32>) -> !relax.object {
// DEPTH-INPUTS-NEXT:   %y = relax.dataflow {
// DEPTH-INPUTS-NEXT:     %a1 = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// DEPTH-INPUTS-NEXT:     %a2 = relax.tanh %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// DEPTH-INPUTS-NEXT:     %unused = relax.sin %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// DEPTH-INPUTS-NEXT:     %b1 = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
// DEPTH-INPUTS-NEXT:     %s = relax.shape [m]
// DEPTH-INPUTS-NEXT:     %b2 = relax.exp %b1 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// DEPTH-INPUTS-NEXT:     %b3 = relax.tanh %b2 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// DEPTH-INPUTS-NEXT:     %c = relax.constant dense<1.000000e+00> : tensor<f32>
// DEPTH-INPUTS-NEXT:     %t = relax.tuple %a2, %b3, %s, %c : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// DEPTH-INPUTS-NEXT:     relax.output %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// DEPTH-INPUTS-NEXT:   }
// DEPTH-INPUTS-NEXT:   %z = relax.binding_block {
// DEPTH-INPUTS-NEXT:     relax.print %a {format = "{}"} : (!relax.tensor<[n], f32>) -> ()
// DEPTH-INPUTS-NEXT:     %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// DEPTH-INPUTS-NEXT:     relax.output %c_1 : !relax.tensor<[], f32>
// DEPTH-INPUTS-NEXT:   }
// DEPTH-INPUTS-NEXT:   relax.return %y : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// DEPTH-INPUTS-NEXT: }

// BREADTH-INPUTS:      relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[?], f32>) -> !relax.object {
// BREADTH-INPUTS-NEXT:   %y = relax.dataflow {
// BREADTH-INPUTS-NEXT:     %c = relax.constant dense<1.000000e+00> : tensor<f32>
// BREADTH-INPUTS-NEXT:     %a1 = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// BREADTH-INPUTS-NEXT:     %b1 = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
// BREADTH-INPUTS-NEXT:     %a2 = relax.tanh %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// BREADTH-INPUTS-NEXT:     %unused = relax.sin %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// BREADTH-INPUTS-NEXT:     %s = relax.shape [m]
// BREADTH-INPUTS-NEXT:     %b2 = relax.exp %b1 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// BREADTH-INPUTS-NEXT:     %b3 = relax.tanh %b2 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// BREADTH-INPUTS-NEXT:     %t = relax.tuple %a2, %b3, %s, %c : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// BREADTH-INPUTS-NEXT:     relax.output %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// BREADTH-INPUTS-NEXT:   }
// BREADTH-INPUTS-NEXT:   %z = relax.binding_block {
// BREADTH-INPUTS-NEXT:     relax.print %a {format = "{}"} : (!relax.tensor<[n], f32>) -> ()
// BREADTH-INPUTS-NEXT:     %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// BREADTH-INPUTS-NEXT:     relax.output %c_1 : !relax.tensor<[], f32>
// BREADTH-INPUTS-NEXT:   }
// BREADTH-INPUTS-NEXT:   relax.return %y : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// BREADTH-INPUTS-NEXT: }

// DEPTH-OUTPUTS:      relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[?], f32>) -> !relax.object {
// DEPTH-OUTPUTS-NEXT:   %y = relax.dataflow {
// DEPTH-OUTPUTS-NEXT:     %a1 = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// DEPTH-OUTPUTS-NEXT:     %unused = relax.sin %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// DEPTH-OUTPUTS-NEXT:     %a2 = relax.tanh %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// DEPTH-OUTPUTS-NEXT:     %b1 = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
// DEPTH-OUTPUTS-NEXT:     %b2 = relax.exp %b1 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// DEPTH-OUTPUTS-NEXT:     %b3 = relax.tanh %b2 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// DEPTH-OUTPUTS-NEXT:     %s = relax.shape [m]
// DEPTH-OUTPUTS-NEXT:     %c = relax.constant dense<1.000000e+00> : tensor<f32>
// DEPTH-OUTPUTS-NEXT:     %t = relax.tuple %a2, %b3, %s, %c : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// DEPTH-OUTPUTS-NEXT:     relax.output %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// DEPTH-OUTPUTS-NEXT:   }
// DEPTH-OUTPUTS-NEXT:   %z = relax.binding_block {
// DEPTH-OUTPUTS-NEXT:     relax.print %a {format = "{}"} : (!relax.tensor<[n], f32>) -> ()
// DEPTH-OUTPUTS-NEXT:     %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// DEPTH-OUTPUTS-NEXT:     relax.output %c_1 : !relax.tensor<[], f32>
// DEPTH-OUTPUTS-NEXT:   }
// DEPTH-OUTPUTS-NEXT:   relax.return %y : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// DEPTH-OUTPUTS-NEXT: }

// BREADTH-OUTPUTS:      relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[?], f32>) -> !relax.object {
// BREADTH-OUTPUTS-NEXT:   %y = relax.dataflow {
// BREADTH-OUTPUTS-NEXT:     %b1 = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
// BREADTH-OUTPUTS-NEXT:     %b2 = relax.exp %b1 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// BREADTH-OUTPUTS-NEXT:     %a1 = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// BREADTH-OUTPUTS-NEXT:     %c = relax.constant dense<1.000000e+00> : tensor<f32>
// BREADTH-OUTPUTS-NEXT:     %s = relax.shape [m]
// BREADTH-OUTPUTS-NEXT:     %b3 = relax.tanh %b2 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// BREADTH-OUTPUTS-NEXT:     %a2 = relax.tanh %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// BREADTH-OUTPUTS-NEXT:     %t = relax.tuple %a2, %b3, %s, %c : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// BREADTH-OUTPUTS-NEXT:     %unused = relax.sin %a1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// BREADTH-OUTPUTS-NEXT:     relax.output %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// BREADTH-OUTPUTS-NEXT:   }
// BREADTH-OUTPUTS-NEXT:   %z = relax.binding_block {
// BREADTH-OUTPUTS-NEXT:     relax.print %a {format = "{}"} : (!relax.tensor<[n], f32>) -> ()
// BREADTH-OUTPUTS-NEXT:     %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// BREADTH-OUTPUTS-NEXT:     relax.output %c_1 : !relax.tensor<[], f32>
// BREADTH-OUTPUTS-NEXT:   }
// BREADTH-OUTPUTS-NEXT:   relax.return %y : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.tensor<[], f32>>
// BREADTH-OUTPUTS-NEXT: }

// Generators run when the program is compiled; every missing form is named.
// REQUIRES: dolfinx
// RUN: not %sluice build %s -o %t 2>&1 | FileCheck %s

dfg.object @state
dfg.task_graph @errors python_path("Inputs") {
  // CHECK: form-errors.mlir:[[#@LINE+1]]:8: error: 'generate' of module 'forms' returns no form 'masses'; did you mean 'mass'?
  %a = dfg.task fem "masses" of "forms"(@state)
  // CHECK: form-errors.mlir:[[#@LINE+1]]:8: error: entry 'space' of 'generate' of module 'forms' is a FunctionSpace, expected a form or a function
  %b = dfg.task fem "space" of "forms"(@state)
  // CHECK-NOT: error
  %c = dfg.task fem "mass" of "forms"(@state)
}

// What is wrong with Python tasks is found without running any of their code,
// and said at the task's line.
// REQUIRES: python-tasks
// RUN: rm -f %t
// RUN: not %sluice build %s -o %t 2>&1 | FileCheck %s
// RUN: not ls %t

dfg.object @state
dfg.dataset @A : f64 [3, 2]
dfg.scalar @n : si32 = 2

dfg.task_graph @errors python_path("Inputs") {
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: module 'kern' ({{.*}}/kern.py) has no function 'slove'; did you mean 'solve'?
  %a = dfg.task python "slove" of "kern"(@state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: 'solve' ({{.*}}/kern.py:8) takes 3 arguments, but the task passes 1
  %b = dfg.task python "solve" of "kern"(@state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: 'scale' ({{.*}}/kern.py:17) takes 1 to 2 arguments, but the task passes 3
  %c = dfg.task python "scale" of "kern"(@A, value @n, value @n)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: 'named' ({{.*}}/kern.py:23) needs the keyword argument 'count', but arguments of tasks have no names
  %d = dfg.task python "named" of "kern"(@state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: 'later' ({{.*}}/kern.py:31) is asynchronous, so a call would not run it
  %e = dfg.task python "later" of "kern"(@state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: 'lazy' ({{.*}}/kern.py:35) is a generator, so a call would not run it
  %f = dfg.task python "lazy" of "kern"(@state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: there is no Python module 'package.kern' in {{.*}}; --python-path=FOLDER names another folder
  %g = dfg.task python "solve" of "package.kern"(@state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: a finite-element task puts what it assembles into its PyObj, so it does not only read it
  %h = dfg.task fem "mass" of "kern"(in @state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: module 'kern' ({{.*}}/kern.py) has no function 'generate', which generates its forms
  %i = dfg.task fem "mass" of "kern"(@state)
  // CHECK: errors.mlir:[[#@LINE+1]]:8: error: a finite-element task takes one PyObj, into which it puts what it assembles
  %j = dfg.task fem "mass" of "kern"(@A)
  // CHECK-NOT: error
  %k = dfg.task python "anything" of "kern"(@state, @A, value @n)
  %l = dfg.task python "joined" of "kern"(@state)
  %m = dfg.task python "decorated" of "kern"(@state)
}

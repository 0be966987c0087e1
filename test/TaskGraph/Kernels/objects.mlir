// A Python dictionary is nothing for C.
//
// RUN: not %sluice check %s 2>&1 | FileCheck %s
// CHECK: objects.mlir:[[#@LINE+3]]:{{.*}}error: 'state' is a Python dictionary, which C kernels do not take
dfg.object @state
dfg.task_graph @wrong {
  %0 = dfg.task c "number"(@state)
}

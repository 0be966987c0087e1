// Arguments that do not fit the ports of a graph, and roots that are none.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t && cp %S/Inputs/graphs.c .
// RUN: not %sluice check graph.mlir 2>&1 | FileCheck %s
// RUN: not %sluice check roots.mlir 2>&1 | FileCheck --check-prefix=ROOTS %s
// RUN: not %sluice check racy.mlir 2>&1 | FileCheck --check-prefix=RACY %s
// RUN: not %sluice check stream.mlir 2>&1 | FileCheck --check-prefix=STREAM %s
// RUN: not %sluice check rules.mlir 2>&1 | FileCheck --check-prefix=RULES %s

//--- graph.mlir
dfg.dataset @A : f64 [6]
dfg.dataset @F : f32 [6]
dfg.scalar @d : f64 = 2.0
dfg.scalar @i : si32 = 2
dfg.task_graph @ports {
// CHECK: graph.mlir:[[#@LINE+2]]:{{.*}}error: input 0 'data' of 'root' is 'double *', but 'F' holds 'float'
// CHECK: graphs.c:14:{{.*}}note: the graph is 'void root(double *data, size_t bytes, double factor)'
  %0 = dfg.task hpvm "root"(@F, value @d) source("graphs.c")
// CHECK: error: input 2 'factor' of 'root' is 'double', but the value of 'i' is 'int32_t'
  %1 = dfg.task hpvm "root"(@A, value @i) source("graphs.c")
// CHECK: error: the graph writes 'A', its input 0 'data' of 'root' (inout), but the task says that it only reads it; remove 'in'
  %2 = dfg.task hpvm "root"(in @A, value @d) source("graphs.c")
// CHECK: error: the graph reads 'A', its input 0 'data' of 'root' (inout), but the task says that it only writes it; remove 'out'
  %3 = dfg.task hpvm "root"(out @A, value @d) source("graphs.c")
// CHECK: error: the graph 'root' has 3 inputs, but the arguments of the task become 2 ('A' 2)
  %4 = dfg.task hpvm "root"(@A) source("graphs.c")
// CHECK: error: input 2 'factor' of 'root' is 'double', but the value of 'i' is 'int32_t'
  %6 = dfg.task hpvm "root"(@d, value @i) source("graphs.c")
// CHECK: error: 'A' is given as input 0 'from' of 'copy' and as input 2 'to' of 'copy', but the graph writes one of them
  %7 = dfg.task hpvm "copy"(in @A, out @A) source("graphs.c")
}

//--- roots.mlir
dfg.dataset @A : f64 [6]
dfg.task_graph @roots {
// ROOTS: error: no kernel source has the graph 'nowhere'; name its source with the kernel
// ROOTS: error: 'graphs.o' is no source of HPVM graphs; expected .c, .cc, .cpp, .cxx, .C, .ll, .bc or .mlir
// ROOTS: error: 'graphs.c' has no graph 'rooty'; it has 'root', 'copy'
  %0 = dfg.task hpvm "rooty"(@A) source("graphs.c")
// ROOTS: error: 'scale' in 'graphs.c' creates no nodes
  %1 = dfg.task hpvm "scale"(@A) source("graphs.c")
  %2 = dfg.task hpvm "nowhere"(@A)
  %3 = dfg.task hpvm "root"(@A) source("graphs.o")
// ROOTS: error: 'nosuch.c' does not exist
  %4 = dfg.task hpvm "root"(@A) source("nosuch.c")
}

//--- racy.c
#include <hpvm.h>
void leaf(double *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  data[0] += __hpvm__getNodeInstanceID_x(__hpvm__getNode());
}
void racy(double *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)4);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

//--- racy.mlir
// RACY: racy.c:{{[0-9]+}}:{{.*}}error: 'leaf' {{.*}}argument 'data' of 'racy'{{.*}}[race]
dfg.dataset @A : f64 [6]
dfg.task_graph @roots {
  %0 = dfg.task hpvm "racy"(@A) source("racy.c")
}

//--- stream.c
#include <hpvm.h>
void leaf(double *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  data[0] += 1;
}
void streaming(double *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(0, leaf);
  __hpvm__bindIn(node, 0, 0, 1);
  __hpvm__bindIn(node, 1, 1, 1);
}
//--- stream.mlir
// STREAM: error: 'streaming' takes a stream of items, but a task runs once
dfg.dataset @A : f64 [6]
dfg.task_graph @roots {
  %0 = dfg.task hpvm "streaming"(@A) source("stream.c")
}

//--- rules.c
#include <hpvm.h>
void leaf(double *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
}
void root(double *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(0, leaf);
  __hpvm__bindIn(node, 0, 0, 0);
}
//--- rules.mlir
// RULES: rules.c:{{[0-9]+}}:{{.*}}error: {{.*}}[H
dfg.dataset @A : f64 [6]
dfg.task_graph @roots {
  %0 = dfg.task hpvm "root"(@A) source("rules.c")
}

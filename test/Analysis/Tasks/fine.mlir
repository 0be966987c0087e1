// What only the order of creation says is a remark; the rest is proven.
// RUN: sluice check %s 2>&1 | FileCheck %s
// RUN: sluice build %s --print=rdir > %t.mlir
// RUN: FileCheck %s --check-prefix=RDIR < %t.mlir
// RUN: sluice check %t.mlir | FileCheck %s --check-prefix=PROOF

dfg.dataset @img : f64 [8]
dfg.dataset @other : f64 [8]
dfg.dataset @read : f64 [8] initial(dense<1.0> : tensor<8xf64>)
dfg.scalar @n : f64
dfg.kernel_source "Inputs/kernels.c"
dfg.task_graph @g {
  %blur = dfg.task c "one"(@img) named("blur")
  // CHECK: fine.mlir:[[#@LINE+2]]:{{[0-9]+}}: remark: 'save' waits for 'blur', because both use 'img' and 'blur' is created before it
  // CHECK: fine.mlir:[[#@LINE-2]]:{{[0-9]+}}: note: 'blur' is created here
  %save = dfg.task c "one"(in @img) named("save") writes(["a.bmp"])
  // Stated: no remark.
  // CHECK-NOT: 'show' waits for 'blur'
  %show = dfg.task c "one"(in @img) after(%blur) named("show")
  // CHECK: remark: 'load' waits for 'save', because both use the file 'a.bmp'
  dfg.task c "two"(@other, in @read) named("load") reads(["a.bmp"])
  // CHECK: remark: 'sum' waits for 'count', because both use 'n'
  dfg.task c "pointer"(@n) named("count")
  dfg.task c "number"(value @n) named("sum")
  // Halves that nobody uses wait for nobody.
  // CHECK-NOT: 'even' waits for 'odd'
  // CHECK: remark: 'odd' waits for 'load'
  dfg.task c "one"(@other[1:8:2]) named("odd")
  // CHECK: remark: 'even' waits for 'load'
  dfg.task c "one"(@other[0:8:2]) named("even")
}
// CHECK: no problems in a graph of 8 tasks

// RDIR: rdir.root @img
// RDIR: rdir.graph @g
// RDIR: %save = rdir.task @save reads({{.*}}) discards({{.*}}) writes({{.*}}) after(%blur)
// RDIR: %show = rdir.task @show reads({{.*}}) after(%blur)
// RDIR: %even = rdir.task @even
// PROOF: proven free of races and serializable

// RUN: sluice-opt %s | FileCheck %s
// RUN: sluice-opt %s | sluice-opt | FileCheck %s
// RUN: sluice-opt %s --mlir-print-op-generic | sluice-opt | FileCheck %s

// CHECK: dfg.kernel @scale(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) target(cpu) symbol("scale.leaf")
dfg.kernel @scale(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64)
  target(cpu) symbol("scale.leaf")

// Unnamed outputs, a name that looks like a type, a struct.
// CHECK: dfg.kernel @odd(%x: !llvm.ptr in, %bytes: i64, %s: !llvm.struct<(i64, i16)>) -> (a: f32, i64, "i32": i32)
dfg.kernel @odd(%x: !llvm.ptr in, %bytes: i64, %s: !llvm.struct<(i64, i16)>)
  -> (a: f32, i64, "i32": i32)

// CHECK: dfg.kernel @nothing()
dfg.kernel @nothing()

// CHECK: dfg.dataset @field : f64 [512, 512]
dfg.dataset @field : f64 [512, 512]

// CHECK: dfg.code file("leaves.bc") hash("9f86d081")
dfg.code file("leaves.bc") hash("9f86d081")

// CHECK-LABEL: dfg.graph @inner(%x: !llvm.ptr inout, %bytes: i64, %n: i64) -> (done: i64)
dfg.graph @inner(%x: !llvm.ptr inout, %bytes: i64, %n: i64) -> (done: i64) {
  // CHECK: %[[C:.*]] = arith.constant 4 : i64
  %c = arith.constant 4 : i64
  // CHECK: %[[M:.*]] = arith.muli %n, %[[C]]
  %m = arith.muli %n, %c : i64
  // CHECK: %scale = dfg.node @scale[%[[M]], %[[C]]](%x, %bytes) : (!llvm.ptr, i64) -> i64
  %0 = dfg.node @scale[%m, %c](%x, %bytes) : (!llvm.ptr, i64) -> i64
  // CHECK: dfg.node @scale[%{{.*}}, ordered %{{.*}}](%x, %bytes) : (!llvm.ptr, i64) -> i64
  dfg.node @scale[%m, ordered %c](%x, %bytes) : (!llvm.ptr, i64) -> i64
  // CHECK: dfg.output %scale : i64
  dfg.output %0 : i64
}

// CHECK-LABEL: dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) target(gpu)
dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64) -> (done: i64) target(gpu) {
  %n = arith.constant 1024 : i64
  // CHECK: %first:2 = dfg.node @scale[%{{.*}}](%x, %bytes) named("first") : (!llvm.ptr, i64) -> (i64, !dfg.token)
  %first, %t = dfg.node @scale[%n](%x, %bytes) named("first")
    : (!llvm.ptr, i64) -> (i64, !dfg.token)
  // CHECK: dfg.node @scale[%{{.*}}](%x, one_to_one stream %first#0) after(%first#1) : (!llvm.ptr, i64) -> i64
  %second = dfg.node @scale[%n](%x, one_to_one stream %first) after(%t)
    : (!llvm.ptr, i64) -> i64
  // CHECK: %address, %size = dfg.use_dataset @field : !llvm.ptr
  %p, %size = dfg.use_dataset @field : !llvm.ptr
  // CHECK: dfg.node @inner(%address, %size, %scale)
  %third = dfg.node @inner(%p, %size, %second) : (!llvm.ptr, i64, i64) -> i64
  // CHECK: dfg.node @nothing() : () -> ()
  dfg.node @nothing() : () -> ()
  // CHECK: dfg.output stream %inner : i64
  dfg.output stream %third : i64
}

// An extent that is a member of a structure.
// CHECK-LABEL: dfg.graph @member(
dfg.graph @member(%s: !llvm.struct<(i64, struct<(i64)>)>) {
  // CHECK: %[[N:.*]] = llvm.extractvalue %s[1, 0]
  %n = llvm.extractvalue %s[1, 0] : !llvm.struct<(i64, struct<(i64)>)>
  // CHECK: dfg.node @nothing[%[[N]]]()
  dfg.node @nothing[%n]() : () -> ()
  dfg.output
}

// CHECK-LABEL: dfg.graph @between(%x: !llvm.ptr inout temporary, %bytes: i64, %y: !llvm.ptr temporary) {
dfg.graph @between(%x: !llvm.ptr inout temporary, %bytes: i64, %y: !llvm.ptr temporary) {
  dfg.output
}

// CHECK-LABEL: dfg.graph @empty()
dfg.graph @empty() {
  // CHECK: dfg.output
  dfg.output
}

; RUN: sluice-translate %s --print=dfg | FileCheck %s
; RUN: sluice-translate %s --print=dfg | sluice-opt | FileCheck %s

; Extents depend on data: arguments, arithmetic on them, and values that arrive
; along edges. What is computed twice is built once.

; CHECK: dfg.graph @inner(%n: i64) {
; CHECK: dfg.node @work[%n]()
; CHECK: dfg.graph @root
; CHECK: %[[TILE:.*]] = arith.constant 16 : i64
; CHECK: %[[SUM:.*]] = arith.addi %n, %[[TILE]] : i64
; CHECK: %[[ONE:.*]] = arith.constant 1 : i64
; CHECK: %[[UP:.*]] = arith.subi %[[SUM]], %[[ONE]] : i64
; CHECK: %[[BLOCKS:.*]] = arith.divui %[[UP]], %[[TILE]] : i64
; CHECK: %[[ROWS:.*]] = arith.extsi %rows : i32 to i64
; CHECK: %[[SMALL:.*]] = arith.cmpi slt, %[[ROWS]], %n : i64
; CHECK: %[[LEAST:.*]] = arith.select %[[SMALL]], %[[ROWS]], %n : i64
; CHECK: %[[MOST:.*]] = arith.maxsi %[[LEAST]], %[[ONE]] : i64
; CHECK: dfg.node @work[%[[BLOCKS]], %[[MOST]], %[[BLOCKS]]]()
; CHECK: %[[PARTS:.*]] = arith.divsi %n, %parts : i64
; CHECK: dfg.node @work[%[[PARTS]]]()
; CHECK: %[[COUNT:.*]] = dfg.node @count() : () -> i64
; CHECK: dfg.node @inner(%[[COUNT]])

define {} @work() {
  ret {} undef
}

define { i64 } @count() {
  ret { i64 } zeroinitializer
}

define {} @inner(i64 %n) {
  call ptr @llvm.hpvm.createNode1D(ptr @work, i64 %n)
  ret {} undef
}

define {} @root(i64 %n, i32 %rows, i64 %parts) {
  %sum = add i64 %n, 16
  %up = sub i64 %sum, 1
  %blocks = udiv i64 %up, 16
  %wide = sext i32 %rows to i64
  %small = icmp slt i64 %wide, %n
  %least = select i1 %small, i64 %wide, i64 %n
  %most = call i64 @llvm.smax.i64(i64 %least, i64 1)
  %a = call ptr @llvm.hpvm.createNode3D(ptr @work, i64 %blocks, i64 %most, i64 %blocks)
  %part = sdiv i64 %n, %parts
  %b = call ptr @llvm.hpvm.createNode1D(ptr @work, i64 %part)
  %c = call ptr @llvm.hpvm.createNode(ptr @count)
  %d = call ptr @llvm.hpvm.createNode(ptr @inner)
  call ptr @llvm.hpvm.createEdge(ptr %c, ptr %d, i1 true, i32 0, i32 0, i1 false)
  ret {} undef
}

declare i64 @llvm.smax.i64(i64, i64)
declare ptr @llvm.hpvm.createNode(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare ptr @llvm.hpvm.createNode2D(ptr, i64, i64)
declare ptr @llvm.hpvm.createNode3D(ptr, i64, i64, i64)
declare ptr @llvm.hpvm.createEdge(ptr, ptr, i1, i32, i32, i1)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.bind.output(ptr, i32, i32, i1)

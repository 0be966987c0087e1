; RUN: sluice-translate %s --print=dfg | FileCheck %s
; RUN: sluice-translate %s --print=dfg | sluice-opt | FileCheck %s

; Three levels, a leaf and a graph that stand at two places, one-to-one edges
; and a stream. A function becomes one kernel or graph, however often it is
; used; nodes of one function are told apart by their variables.

; CHECK: dfg.kernel @step(%value: i32) -> (i32)
; CHECK-NOT: dfg.kernel
; CHECK: dfg.graph @pair(%value: i32) -> (i32) {
; CHECK: %[[EIGHT:.*]] = arith.constant 8 : i64
; CHECK: %[[FIRST:.*]] = dfg.node @step[%[[EIGHT]], %[[EIGHT]]](%value) named("step.1") : (i32) -> i32
; CHECK: dfg.node @step[%[[EIGHT]], %[[EIGHT]]](one_to_one %[[FIRST]]) named("step.2") : (i32) -> i32
; CHECK: dfg.graph @root(%value: i32, %n: i64) -> (i32) {
; CHECK-NEXT: %[[A:.*]] = dfg.node @pair[%n](stream %value) named("pair.a") : (i32) -> i32
; CHECK-NEXT: %[[B:.*]] = dfg.node @pair[%n](one_to_one stream %[[A]]) named("pair.b") : (i32) -> i32
; CHECK-NEXT: %[[C:.*]] = dfg.node @step(stream %[[B]]) : (i32) -> i32
; CHECK-NEXT: dfg.output stream %[[C]] : i32

define { i32 } @step(i32 %value) {
  %result = insertvalue { i32 } undef, i32 %value, 0
  ret { i32 } %result
}

define { i32 } @pair(i32 %value) {
  %1 = call ptr @llvm.hpvm.createNode2D(ptr @step, i64 8, i64 8)
  %2 = call ptr @llvm.hpvm.createNode2D(ptr @step, i64 8, i64 8)
  %3 = call ptr @llvm.hpvm.createEdge(ptr %1, ptr %2, i1 false, i32 0, i32 0, i1 false)
  call void @llvm.hpvm.bind.input(ptr %1, i32 0, i32 0, i1 false)
  call void @llvm.hpvm.bind.output(ptr %2, i32 0, i32 0, i1 false)
  ret { i32 } undef
}

define { i32 } @root(i32 %value, i64 %n) {
  %a = call ptr @llvm.hpvm.createNode1D(ptr @pair, i64 %n)
  %b = call ptr @llvm.hpvm.createNode1D(ptr @pair, i64 %n)
  %c = call ptr @llvm.hpvm.createNode(ptr @step)
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 false, i32 0, i32 0, i1 true)
  call ptr @llvm.hpvm.createEdge(ptr %b, ptr %c, i1 true, i32 0, i32 0, i1 true)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 true)
  call void @llvm.hpvm.bind.output(ptr %c, i32 0, i32 0, i1 true)
  ret { i32 } undef
}

declare ptr @llvm.hpvm.createNode(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare ptr @llvm.hpvm.createNode2D(ptr, i64, i64)
declare ptr @llvm.hpvm.createNode3D(ptr, i64, i64, i64)
declare ptr @llvm.hpvm.createEdge(ptr, ptr, i1, i32, i32, i1)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.bind.output(ptr, i32, i32, i1)

; RUN: sluice-translate %s --print=dfg | FileCheck %s
; RUN: sluice-translate %s --print=dfg | sluice-opt | FileCheck %s

; Unequal port numbers everywhere: the child's output comes first in an output
; bind, the parent's input first in an input bind, and an input of the parent
; may feed several children. Nodes are created in another order than they run.

; CHECK: dfg.graph @root(%a: i16, %b: i32, %c: i64) -> (first: f64, second: i32) {
; CHECK-NEXT: %[[MAKE:.*]]:3 = dfg.node @make(%c, %b) : (i64, i32) -> (f32, i32, f64)
; CHECK-NEXT: %[[TAKE:.*]]:2 = dfg.node @take(%[[MAKE]]#2, %a, %b, %[[MAKE]]#0) : (f64, i16, i32, f32) -> (i32, f64)
; CHECK-NEXT: dfg.output %[[TAKE]]#1, %[[MAKE]]#1 : f64, i32

define { float, i32, double } @make(i64 %x, i32 %y) {
  ret { float, i32, double } zeroinitializer
}

define { i32, double } @take(double %x, i16 %y, i32 %z, float %w) {
  ret { i32, double } zeroinitializer
}

define { double, i32 } @root(i16 %a, i32 %b, i64 %c) "hpvm.outputs"="first,second" {
  %take = call ptr @llvm.hpvm.createNode(ptr @take)
  %make = call ptr @llvm.hpvm.createNode(ptr @make)
  call ptr @llvm.hpvm.createEdge(ptr %make, ptr %take, i1 true, i32 2, i32 0, i1 false)
  call ptr @llvm.hpvm.createEdge(ptr %make, ptr %take, i1 true, i32 0, i32 3, i1 false)
  call void @llvm.hpvm.bind.input(ptr %take, i32 0, i32 1, i1 false)
  call void @llvm.hpvm.bind.input(ptr %take, i32 1, i32 2, i1 false)
  call void @llvm.hpvm.bind.input(ptr %make, i32 1, i32 1, i1 false)
  call void @llvm.hpvm.bind.input(ptr %make, i32 2, i32 0, i1 false)
  call void @llvm.hpvm.bind.output(ptr %take, i32 1, i32 0, i1 false)
  call void @llvm.hpvm.bind.output(ptr %make, i32 1, i32 1, i1 false)
  ret { double, i32 } undef
}

declare ptr @llvm.hpvm.createNode(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare ptr @llvm.hpvm.createNode2D(ptr, i64, i64)
declare ptr @llvm.hpvm.createNode3D(ptr, i64, i64, i64)
declare ptr @llvm.hpvm.createEdge(ptr, ptr, i1, i32, i32, i1)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.bind.output(ptr, i32, i32, i1)

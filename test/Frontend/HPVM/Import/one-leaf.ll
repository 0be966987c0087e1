; RUN: sluice-translate %s --print=dfg | FileCheck %s
; RUN: sluice-translate %s --print=dfg | sluice-opt | FileCheck %s
; RUN: sluice-translate %s --print=layouts | FileCheck %s --check-prefix=LAYOUT

; One leaf below a root: names, access, extents and target.

; CHECK: dfg.kernel @scale(%x: !llvm.ptr inout, %bytes: i64, %factor: f32) -> (done: i64) target(cpu)
; CHECK: dfg.graph @root(%x: !llvm.ptr inout, %bytes: i64, %factor: f32, %n: i64) -> (i64) {
; CHECK: %[[SCALE:.*]] = dfg.node @scale[%n](%x, %bytes, %factor) : (!llvm.ptr, i64, f32) -> i64
; CHECK: dfg.output %[[SCALE]] : i64

; LAYOUT: launch of root: packed

%args = type <{ ptr, i64, float, i64, { i64 } }>

define { i64 } @scale(ptr "hpvm.in" "hpvm.out" %x, i64 %bytes, float %factor) "hpvm.outputs"="done" {
  %node = call ptr @llvm.hpvm.getNode()
  %i = call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %node)
  %address = getelementptr float, ptr %x, i64 %i
  %old = load float, ptr %address
  %new = fmul float %old, %factor
  store float %new, ptr %address
  %result = insertvalue { i64 } undef, i64 %bytes, 0
  ret { i64 } %result
}

define { i64 } @root(ptr "hpvm.in" "hpvm.out" %x, i64 %bytes, float %factor, i64 %n) {
  %node = call ptr @llvm.hpvm.createNode1D(ptr @scale, i64 %n)
  call void @llvm.hpvm.bind.input(ptr %node, i32 0, i32 0, i1 false)
  call void @llvm.hpvm.bind.input(ptr %node, i32 1, i32 1, i1 false)
  call void @llvm.hpvm.bind.input(ptr %node, i32 2, i32 2, i1 false)
  call void @llvm.hpvm.bind.output(ptr %node, i32 0, i32 0, i1 false)
  ret { i64 } undef
}

define i32 @main() {
  %arguments = alloca %args, align 1
  call void @llvm.hpvm.init()
  %graph = call ptr @llvm.hpvm.launch(ptr @root, ptr %arguments, i1 false)
  call void @llvm.hpvm.wait(ptr %graph)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

declare ptr @llvm.hpvm.getNode()
declare i64 @llvm.hpvm.getNodeInstanceID.x(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare void @llvm.hpvm.bind.output(ptr, i32, i32, i1)
declare void @llvm.hpvm.init()
declare void @llvm.hpvm.cleanup()
declare ptr @llvm.hpvm.launch(ptr, ptr, i1)
declare void @llvm.hpvm.wait(ptr)

!hpvm_hint_cpu = !{!0}
!0 = !{ptr @scale}

; Warnings do not stop a program: H36, H46 and H48.

; RUN: cat %s %S/Inputs/hpvm.ll | sluice-translate - 2>&1 | FileCheck %s

define { i32 } @fill(ptr "hpvm.out" %data, i64 %bytes, i32 %value) {
  ret { i32 } zeroinitializer
}
define { i32 } @sum(ptr "hpvm.in" %data, i64 %bytes, i32 %value) {
  %address = getelementptr i32, ptr %data, i64 3
  store i32 %value, ptr %address
; CHECK: :[[@LINE+1]]:{{.*}}: warning: input 0 'data' of 'sum' is marked in, but written here; mark it out as well, so that the host sees the result [H36]
  store i32 %value, ptr %data
; CHECK: :[[@LINE-5]]: note: 'sum' is defined here
  ret { i32 } zeroinitializer
}
define { i32 } @root(ptr "hpvm.in" %data, i64 %bytes, i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @fill)
  %b = call ptr @llvm.hpvm.createNode(ptr @sum)
; CHECK: :[[@LINE+1]]:{{.*}}: warning: input 0 'data' of 'root' is marked in, but the child writes it as input 0 'data' of 'fill'; mark it out as well, so that the host sees the result [H36]
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
; CHECK: :[[@LINE-5]]: note: 'root' is defined here
; CHECK: :[[@LINE-17]]: note: 'fill' is defined here
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 2, i32 2, i1 1)
  call void @llvm.hpvm.bind.input(ptr %b, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %b, i32 1, i32 1, i1 0)
; CHECK: :[[@LINE+1]]:{{.*}}: warning: 'fill' runs once for each item of a stream, so this edge carries a stream although it is not marked as one; set its stream flag [H46]
  call ptr @llvm.hpvm.createEdge(ptr %a, ptr %b, i1 1, i32 0, i32 2, i1 0)
; CHECK: :[[@LINE-12]]:{{.*}}: note: 'fill' is created here
  call void @llvm.hpvm.bind.output(ptr %b, i32 0, i32 0, i1 1)
  ret { i32 } undef
}

define i32 @main() {
  %args = alloca <{ ptr, i64, i32 }>
  call void @llvm.hpvm.init()
; CHECK: :[[@LINE+1]]:{{.*}}: warning: nothing waits for this launch of 'root'; keep the handle and pass it to 'wait' [H48]
  call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 1)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

; CHECK: dfg.graph @root

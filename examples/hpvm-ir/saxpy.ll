; saxpy.ll - y = a x + y in LLVM IR with HPVM's intrinsics
;
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A node function returns one struct field for each of its outputs, here none.
; Pointer parameters say by "hpvm.in" and "hpvm.out" what is done with them.

@success = private constant [16 x i8] c"saxpy in IR: ok\00"
@failure = private constant [53 x i8] c"saxpy in IR: expected %g, but element %ld became %g\0A\00"

declare void @llvm.hpvm.init()
declare void @llvm.hpvm.cleanup()
declare void @llvm.hpvm.trackMemory(ptr, i64)
declare void @llvm.hpvm.untrackMemory(ptr)
declare void @llvm.hpvm.requestMemory(ptr, i64)
declare ptr @llvm.hpvm.launch(ptr, ptr, i1)
declare void @llvm.hpvm.wait(ptr)
declare ptr @llvm.hpvm.createNode1D(ptr, i64)
declare void @llvm.hpvm.bind.input(ptr, i32, i32, i1)
declare ptr @llvm.hpvm.getNode()
declare i64 @llvm.hpvm.getNodeInstanceID.x(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @puts(ptr)
declare i32 @printf(ptr, ...)

; The leaf: one element.
define {} @saxpy(float %a, ptr "hpvm.in" %x, i64 %x.bytes,
                 ptr "hpvm.in" "hpvm.out" %y, i64 %y.bytes) {
  %self = call ptr @llvm.hpvm.getNode()
  %i = call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %self)
  %x.i = getelementptr float, ptr %x, i64 %i
  %y.i = getelementptr float, ptr %y, i64 %i
  %x.value = load float, ptr %x.i
  %y.value = load float, ptr %y.i
  %product = fmul float %a, %x.value
  %sum = fadd float %product, %y.value
  store float %sum, ptr %y.i
  ret {} zeroinitializer
}

; The root: as many instances of the leaf as there are elements.
define {} @root(float %a, ptr "hpvm.in" %x, i64 %x.bytes,
                ptr "hpvm.in" "hpvm.out" %y, i64 %y.bytes, i64 %n) {
  %node = call ptr @llvm.hpvm.createNode1D(ptr @saxpy, i64 %n)
  call void @llvm.hpvm.bind.input(ptr %node, i32 0, i32 0, i1 false)
  call void @llvm.hpvm.bind.input(ptr %node, i32 1, i32 1, i1 false)
  call void @llvm.hpvm.bind.input(ptr %node, i32 2, i32 2, i1 false)
  call void @llvm.hpvm.bind.input(ptr %node, i32 3, i32 3, i1 false)
  call void @llvm.hpvm.bind.input(ptr %node, i32 4, i32 4, i1 false)
  ret {} zeroinitializer
}

!hpvm_hint_cpu = !{!0, !1}
!0 = !{ptr @saxpy}
!1 = !{ptr @root}

; The launch's arguments: the root's, packed.
%arguments = type <{ float, ptr, i64, ptr, i64, i64 }>

; x(i) = i and y(i) = 1, so y(i) must become 2 i + 1.
define i32 @main() {
entry:
  %x = call ptr @malloc(i64 40000)
  %y = call ptr @malloc(i64 40000)
  br label %fill

fill:
  %i = phi i64 [ 0, %entry ], [ %i.next, %fill ]
  %x.i = getelementptr float, ptr %x, i64 %i
  %y.i = getelementptr float, ptr %y, i64 %i
  %i.float = uitofp i64 %i to float
  store float %i.float, ptr %x.i
  store float 1.0, ptr %y.i
  %i.next = add i64 %i, 1
  %filled = icmp eq i64 %i.next, 10000
  br i1 %filled, label %run, label %fill

run:
  %args = alloca %arguments
  %arg.a = getelementptr %arguments, ptr %args, i32 0, i32 0
  %arg.x = getelementptr %arguments, ptr %args, i32 0, i32 1
  %arg.x.bytes = getelementptr %arguments, ptr %args, i32 0, i32 2
  %arg.y = getelementptr %arguments, ptr %args, i32 0, i32 3
  %arg.y.bytes = getelementptr %arguments, ptr %args, i32 0, i32 4
  %arg.n = getelementptr %arguments, ptr %args, i32 0, i32 5
  store float 2.0, ptr %arg.a, align 1
  store ptr %x, ptr %arg.x, align 1
  store i64 40000, ptr %arg.x.bytes, align 1
  store ptr %y, ptr %arg.y, align 1
  store i64 40000, ptr %arg.y.bytes, align 1
  store i64 10000, ptr %arg.n, align 1
  call void @llvm.hpvm.init()
  call void @llvm.hpvm.trackMemory(ptr %x, i64 40000)
  call void @llvm.hpvm.trackMemory(ptr %y, i64 40000)
  %graph = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 false)
  call void @llvm.hpvm.wait(ptr %graph)
  call void @llvm.hpvm.requestMemory(ptr %y, i64 40000)
  call void @llvm.hpvm.untrackMemory(ptr %x)
  call void @llvm.hpvm.untrackMemory(ptr %y)
  call void @llvm.hpvm.cleanup()
  br label %check

check:
  %k = phi i64 [ 0, %run ], [ %k.next, %right ]
  %done = icmp eq i64 %k, 10000
  br i1 %done, label %end, label %compare

compare:
  %y.k = getelementptr float, ptr %y, i64 %k
  %got = load float, ptr %y.k
  %k.float = uitofp i64 %k to float
  %twice = fmul float %k.float, 2.0
  %expected = fadd float %twice, 1.0
  %equal = fcmp oeq float %got, %expected
  br i1 %equal, label %right, label %wrong

right:
  %k.next = add i64 %k, 1
  br label %check

wrong:
  %expected.double = fpext float %expected to double
  %got.double = fpext float %got to double
  %printed = call i32 (ptr, ...) @printf(ptr @failure,
      double %expected.double, i64 %k, double %got.double)
  br label %leave

end:
  %put = call i32 @puts(ptr @success)
  br label %leave

leave:
  %code = phi i32 [ 1, %wrong ], [ 0, %end ]
  call void @free(ptr %x)
  call void @free(ptr %y)
  ret i32 %code
}

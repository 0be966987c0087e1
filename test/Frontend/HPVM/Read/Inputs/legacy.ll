; As LLVM 9 wrote it for HPVM; "in" this text: in, out.
source_filename = "in out"

%struct.out.leaf = type <{ i64 }>
%struct.out.root = type <{ i64 }>
%struct.S = type { i64, i64, i64 }
%struct.arguments = type <{ i32*, i64, i32*, i64, %struct.out.root }>

declare i8* @llvm.hpvm.createNode2D(i8*, i64, i64) #1
declare void @llvm.hpvm.bind.input(i8*, i32, i32, i1) #1
declare void @llvm.hpvm.bind.output(i8*, i32, i32, i1) #1
declare void @llvm.hpvm.init() #1
declare void @llvm.hpvm.cleanup() #1
declare i8* @llvm.hpvm.launch(i8*, i8*, i1) #1
declare void @llvm.hpvm.wait(i8*) #1

define %struct.out.leaf @leaf(i32* in %in, i64 %out, i32* in out %data, i64 %bytes) #0 {
entry:
  %value = load i32, i32* %in
  store i32 %value, i32* %data
  %returnStruct = insertvalue %struct.out.leaf undef, i64 %bytes, 0
  ret %struct.out.leaf %returnStruct
}

define %struct.out.root @root(i32* in %in, i64 %out, i32* in out %data, i64 %bytes) #0 {
entry:
  %node = call i8* @llvm.hpvm.createNode2D(i8* bitcast (%struct.out.leaf (i32*, i64, i32*, i64)* @leaf to i8*), i64 1, i64 %bytes)
  call void @llvm.hpvm.bind.input(i8* %node, i32 0, i32 0, i1 false)
  call void @llvm.hpvm.bind.input(i8* %node, i32 1, i32 1, i1 false)
  call void @llvm.hpvm.bind.input(i8* %node, i32 2, i32 2, i1 false)
  call void @llvm.hpvm.bind.input(i8* %node, i32 3, i32 3, i1 false)
  call void @llvm.hpvm.bind.output(i8* %node, i32 0, i32 0, i1 false)
  ret %struct.out.root undef
}

define void @helper(%struct.S* noalias sret %result, %struct.S* byval align 8 %s) {
  ret void
}

define i32 @main() {
entry:
  %arguments = alloca %struct.arguments, align 8
  %a = alloca %struct.S
  call void @helper(%struct.S* sret %a, %struct.S* byval align 8 %a)
  call void @llvm.hpvm.init()
  %raw = bitcast %struct.arguments* %arguments to i8*
  %graph = call i8* @llvm.hpvm.launch(i8* bitcast (%struct.out.root (i32*, i64, i32*, i64)* @root to i8*), i8* %raw, i1 false)
  call void @llvm.hpvm.wait(i8* %graph)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

attributes #0 = { nounwind "no-in-out"="in out" }
attributes #1 = { nounwind }

!hpvm_hint_gpu = !{!0}
!hpvm_hint_cpu = !{!1}
!0 = !{%struct.out.leaf (i32*, i64, i32*, i64)* @leaf}
!1 = !{%struct.out.root (i32*, i64, i32*, i64)* @root}

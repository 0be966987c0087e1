; Rules about argument structures: H41 and H47.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/no-result-field.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-RESULT-FIELD --implicit-check-not=error:
; RUN: cat %t/short-malloc.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=SHORT-MALLOC --implicit-check-not=error:
; RUN: cat %t/short-array.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=SHORT-ARRAY --implicit-check-not=error:
; RUN: cat %t/unknown-layout.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN-LAYOUT --implicit-check-not=error:
; RUN: cat %t/wrong-field.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=WRONG-FIELD --implicit-check-not=error:
; RUN: cat %t/float-field.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=FLOAT-FIELD --implicit-check-not=error:
; RUN: cat %t/null-arguments.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NULL-ARGUMENTS --implicit-check-not=error:
; RUN: cat %t/two-structures.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-STRUCTURES --implicit-check-not=error:
; RUN: cat %t/push-of-wrong-structure.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=PUSH-OF-WRONG-STRUCTURE --implicit-check-not=error:
; RUN: cat %t/pop-of-padded.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=POP-OF-PADDED --implicit-check-not=error:

;--- no-result-field.ll
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main() {
  %args = alloca <{ i32, i64 }>
  call void @llvm.hpvm.init()
; NO-RESULT-FIELD: :[[@LINE+1]]:{{.*}}: error: the argument structure has 12 bytes, but the arguments and the result of 'root' need 20; declare a packed structure with one field for each argument and one for the result [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
; NO-RESULT-FIELD: :[[@LINE-4]]:{{.*}}: note: the structure is declared here
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- short-malloc.ll
declare ptr @malloc(i64)
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main() {
  %args = call ptr @malloc(i64 16)
  call void @llvm.hpvm.init()
; SHORT-MALLOC: :[[@LINE+1]]:{{.*}}: error: the argument structure has 16 bytes, but the arguments and the result of 'root' need 20; {{.*}} [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- short-array.ll
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main() {
  %args = alloca [19 x i8]
  call void @llvm.hpvm.init()
; SHORT-ARRAY: :[[@LINE+1]]:{{.*}}: error: the argument structure has 19 bytes, but the arguments and the result of 'root' need 20; {{.*}} [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- unknown-layout.ll
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main(i32 %count, ptr %args) {
  call void @llvm.hpvm.init()
; UNKNOWN-LAYOUT: :[[@LINE+1]]:{{.*}}: error: whether the argument structure of 'root' is packed (20 bytes) or padded (24) cannot be told from this pointer; point to it with a variable of the structure's type in the function that launches [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- wrong-field.ll
%args = type <{ i32, i32, i64, i64 }>
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main() {
  %args = alloca %args
  call void @llvm.hpvm.init()
; WRONG-FIELD: :[[@LINE+1]]:{{.*}}: error: the argument structure 'args' does not fit 'root': field 1 has 4 bytes, but input 1 'size' of 'root' of type i64 has 8; declare one field for each argument in order, and one for the result [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
; WRONG-FIELD: :[[@LINE-4]]:{{.*}}: note: the structure is declared here
; WRONG-FIELD: :[[@LINE-13]]: note: 'root' is defined here
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- float-field.ll
%args = type <{ float, i64, { i64 } }>
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main() {
  %args = alloca %args
  call void @llvm.hpvm.init()
; FLOAT-FIELD: :[[@LINE+1]]:{{.*}}: error: the argument structure 'args' does not fit 'root': field 0 is a floating-point number, but input 0 'value' of 'root' has type i32; {{.*}} [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- null-arguments.ll
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main() {
  call void @llvm.hpvm.init()
; NULL-ARGUMENTS: :[[@LINE+1]]:{{.*}}: error: the argument structure is null, but 'root' needs 20 bytes for its arguments and its result [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr null, i1 0)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- two-structures.ll
define { i64 } @work(i32 %value, i64 %size) {
  ret { i64 } zeroinitializer
}
define { i64 } @root(i32 %value, i64 %size) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  call void @llvm.hpvm.bind.input(ptr %a, i32 1, i32 1, i1 0)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 0)
  ret { i64 } undef
}
define i32 @main(i32 %count) {
  %packed = alloca <{ i32, i64, i64 }>
  %padded = alloca { i32, i64, i64 }
  %some = icmp sgt i32 %count, 1
  %args = select i1 %some, ptr %packed, ptr %padded
  call void @llvm.hpvm.init()
; TWO-STRUCTURES: :[[@LINE+1]]:{{.*}}: error: the argument structure may be <{ i32, i64, i64 }> or { i32, i64, i64 }, which lay out their fields differently; use one structure for all launches of 'root' [H41]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
; TWO-STRUCTURES: :[[@LINE-7]]:{{.*}}: note: <{ i32, i64, i64 }> is used here
; TWO-STRUCTURES: :[[@LINE-7]]:{{.*}}: note: { i32, i64, i64 } is used here
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- push-of-wrong-structure.ll
define { i32 } @work(i32 %value) {
  ret { i32 } zeroinitializer
}
define { i32 } @stream(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 1)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 1)
  ret { i32 } undef
}
define i32 @main() {
  %args = alloca { i32 }
  %item = alloca { float }
  call void @llvm.hpvm.init()
  %g = call ptr @llvm.hpvm.launch(ptr @stream, ptr %args, i1 1)
; PUSH-OF-WRONG-STRUCTURE: :[[@LINE+1]]:{{.*}}: error: the argument structure { float } does not fit 'stream': field 0 is a floating-point number, but input 0 'value' of 'stream' has type i32; {{.*}} [H41]
  call void @llvm.hpvm.push(ptr %g, ptr %item)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- pop-of-padded.ll
; What is popped is packed, and may not be read as a padded structure.
define { i32, i64 } @work(i32 %value) {
  ret { i32, i64 } zeroinitializer
}
define { i32, i64 } @stream(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 1)
  call void @llvm.hpvm.bind.output(ptr %a, i32 0, i32 0, i1 1)
  call void @llvm.hpvm.bind.output(ptr %a, i32 1, i32 1, i1 1)
  ret { i32, i64 } undef
}
%result = type { i32, i64 }
define i32 @main() {
  %args = alloca { i32 }
  call void @llvm.hpvm.init()
  %g = call ptr @llvm.hpvm.launch(ptr @stream, ptr %args, i1 1)
  call void @llvm.hpvm.push(ptr %g, ptr %args)
; POP-OF-PADDED: :[[@LINE+1]]:{{.*}}: error: 'pop' returns the outputs of 'stream' as a packed structure of 12 bytes, but it is read as 'result': it has padding between its fields; declare a packed structure with one field for each output [H47]
  %r = call ptr @llvm.hpvm.pop(ptr %g)
; POP-OF-PADDED: :[[@LINE+1]]:{{.*}}: note: the structure is used here
  %address = getelementptr %result, ptr %r, i32 0, i32 1
  %value = load i64, ptr %address
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

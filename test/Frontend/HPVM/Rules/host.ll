; Rules about host code: H38 to H40, H42 to H45 and H48.

; RUN: split-file --leading-lines %s %t
; RUN: cat %t/two-inits.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-INITS --implicit-check-not=error:
; RUN: cat %t/two-cleanups.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=TWO-CLEANUPS --implicit-check-not=error:
; RUN: cat %t/no-init.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-INIT --implicit-check-not=error:
; RUN: cat %t/no-cleanup.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NO-CLEANUP --implicit-check-not=error:
; RUN: cat %t/before-init.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=BEFORE-INIT --implicit-check-not=error:
; RUN: cat %t/after-cleanup.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=AFTER-CLEANUP --implicit-check-not=error:
; RUN: cat %t/unknown-root.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN-ROOT --implicit-check-not=error:
; RUN: cat %t/unknown-mode.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=UNKNOWN-MODE --implicit-check-not=error:
; RUN: cat %t/streaming-launch.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=STREAMING-LAUNCH --implicit-check-not=error:
; RUN: cat %t/not-streaming-launch.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=NOT-STREAMING-LAUNCH --implicit-check-not=error:
; RUN: cat %t/push-without-stream.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=PUSH-WITHOUT-STREAM --implicit-check-not=error:
; RUN: cat %t/pop-through-variable.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=POP-THROUGH-VARIABLE --implicit-check-not=error:
; RUN: cat %t/push-after-wait.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=PUSH-AFTER-WAIT --implicit-check-not=error:
; RUN: cat %t/wait-for-nothing.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=WAIT-FOR-NOTHING --implicit-check-not=error:
; RUN: cat %t/wait-for-null.ll %S/Inputs/hpvm.ll | not sluice-translate - 2>&1 | FileCheck %s --check-prefix=WAIT-FOR-NULL --implicit-check-not=error:

;--- two-inits.ll
define i32 @main() {
  call void @llvm.hpvm.init()
; TWO-INITS: :[[@LINE+1]]:{{.*}}: error: a second call of 'init'; a program has exactly one, so remove it or move both into one function [H38]
  call void @llvm.hpvm.init()
; TWO-INITS: :[[@LINE-3]]:{{.*}}: note: the first call is here
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- two-cleanups.ll
define void @end() {
  call void @llvm.hpvm.cleanup()
  ret void
}
define i32 @main() {
  call void @llvm.hpvm.init()
  call void @end()
; TWO-CLEANUPS: :[[@LINE+1]]:{{.*}}: error: a second call of 'cleanup'; {{.*}} [H38]
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- no-init.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
define i32 @main() {
  %args = alloca { i32 }
; NO-INIT: :[[@LINE+1]]:{{.*}}: error: the program uses HPVM, but calls 'init' nowhere; call it once, before everything else [H38]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- no-cleanup.ll
define i32 @main() {
  %memory = alloca [8 x i64]
; NO-CLEANUP: :[[@LINE+1]]:{{.*}}: error: the program uses HPVM, but calls 'cleanup' nowhere; call it once, after everything else [H38]
  call void @llvm.hpvm.init()
  call void @llvm.hpvm.trackMemory(ptr %memory, i64 64)
  ret i32 0
}

;--- before-init.ll
define i32 @main() {
  %memory = alloca [8 x i64]
; BEFORE-INIT: :[[@LINE+1]]:{{.*}}: error: 'trackMemory' runs before 'init'; move it between the two [H39]
  call void @llvm.hpvm.trackMemory(ptr %memory, i64 64)
; BEFORE-INIT: :[[@LINE+1]]:{{.*}}: note: 'init' is called here
  call void @llvm.hpvm.init()
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- after-cleanup.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
define i32 @main() {
  %args = alloca { i32 }
  call void @llvm.hpvm.init()
  call void @llvm.hpvm.cleanup()
; AFTER-CLEANUP: :[[@LINE+1]]:{{.*}}: error: 'launch' runs after 'cleanup'; move it between the two [H39]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
; AFTER-CLEANUP: :[[@LINE-3]]:{{.*}}: note: 'cleanup' is called here
; AFTER-CLEANUP: :[[@LINE+1]]:{{.*}}: error: 'wait' runs after 'cleanup'; {{.*}} [H39]
  call void @llvm.hpvm.wait(ptr %g)
  ret i32 0
}

;--- unknown-root.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
define i32 @main(i32 %count, ptr %which) {
  %args = alloca { i32 }
  call void @llvm.hpvm.init()
; UNKNOWN-ROOT: :[[@LINE+1]]:{{.*}}: error: the root that is launched here is 'which', but it must be known at compile time; name the root node function in the call, and use one launch for each root [H40]
  %g = call ptr @llvm.hpvm.launch(ptr %which, ptr %args, i1 0)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- unknown-mode.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
define i32 @main(i32 %count, ptr %arguments) {
  %args = alloca { i32 }
  %mode = icmp sgt i32 %count, 1
  call void @llvm.hpvm.init()
; UNKNOWN-MODE: :[[@LINE+1]]:{{.*}}: error: whether this launch is streaming must be known at compile time; use one launch for each mode [H40]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 %mode)
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- streaming-launch.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
define i32 @main() {
  %args = alloca { i32 }
  call void @llvm.hpvm.init()
; STREAMING-LAUNCH: :[[@LINE+1]]:{{.*}}: error: this launch is streaming, but no bind of the root 'root' is; mark the binds of what is pushed and popped as streaming, or launch without streaming [H42]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 1)
; STREAMING-LAUNCH: :[[@LINE-10]]: note: 'root' is defined here
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- not-streaming-launch.ll
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
  %args = alloca { i32, i32 }
  call void @llvm.hpvm.init()
; NOT-STREAMING-LAUNCH: :[[@LINE+1]]:{{.*}}: error: this launch is not streaming, but a bind of the root 'stream' is; launch it as streaming and push its inputs, or clear the flag of the bind [H42]
  %g = call ptr @llvm.hpvm.launch(ptr @stream, ptr %args, i1 0)
; NOT-STREAMING-LAUNCH: :[[@LINE-9]]:{{.*}}: note: the streaming bind is here
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- push-without-stream.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
define i32 @main() {
  %args = alloca { i32 }
  call void @llvm.hpvm.init()
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
; PUSH-WITHOUT-STREAM: :[[@LINE+1]]:{{.*}}: error: 'push' needs a streaming launch, but this graph was launched without streaming; launch it as streaming, or read the result from the argument structure after 'wait' [H43]
  call void @llvm.hpvm.push(ptr %g, ptr %args)
; PUSH-WITHOUT-STREAM: :[[@LINE-3]]:{{.*}}: note: it is launched here
  call void @llvm.hpvm.wait(ptr %g)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- pop-through-variable.ll
; The handle goes through a variable of the module.
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
@handle = internal global ptr null
define void @finish() {
  %g = load ptr, ptr @handle
; POP-THROUGH-VARIABLE: :[[@LINE+1]]:{{.*}}: error: 'pop' needs a streaming launch, {{.*}} [H43]
  %result = call ptr @llvm.hpvm.pop(ptr %g)
; POP-THROUGH-VARIABLE: :[[@LINE+7]]:{{.*}}: note: it is launched here
  call void @llvm.hpvm.wait(ptr %g)
  ret void
}
define i32 @main() {
  %args = alloca { i32 }
  call void @llvm.hpvm.init()
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
  store ptr %g, ptr @handle
  call void @finish()
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- push-after-wait.ll
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
  call void @llvm.hpvm.init()
  %g = call ptr @llvm.hpvm.launch(ptr @stream, ptr %args, i1 1)
  call void @llvm.hpvm.wait(ptr %g)
; PUSH-AFTER-WAIT: :[[@LINE+1]]:{{.*}}: error: 'push' after 'wait': a graph that was waited for takes no more data; push before, or launch it again [H44]
  call void @llvm.hpvm.push(ptr %g, ptr %args)
; PUSH-AFTER-WAIT: :[[@LINE-3]]:{{.*}}: note: 'wait' is called here
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- wait-for-nothing.ll
define {} @work(i32 %value) {
  ret {} undef
}
define {} @root(i32 %value) {
  %a = call ptr @llvm.hpvm.createNode(ptr @work)
  call void @llvm.hpvm.bind.input(ptr %a, i32 0, i32 0, i1 0)
  ret {} undef
}
define i32 @main() {
  %args = alloca { i32 }
  call void @llvm.hpvm.init()
; WAIT-FOR-NOTHING: :[[@LINE+1]]:{{.*}}: warning: nothing waits for this launch of 'root'; keep the handle and pass it to 'wait' [H48]
  %g = call ptr @llvm.hpvm.launch(ptr @root, ptr %args, i1 0)
; WAIT-FOR-NOTHING: :[[@LINE+1]]:{{.*}}: error: 'wait' takes the handle of a launch, but this is 'args'; pass what 'launch' returned [H45]
  call void @llvm.hpvm.wait(ptr %args)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

;--- wait-for-null.ll
define i32 @main() {
  call void @llvm.hpvm.init()
; WAIT-FOR-NULL: :[[@LINE+1]]:{{.*}}: error: 'wait' takes the handle of a launch, but this is null; {{.*}} [H45]
  call void @llvm.hpvm.wait(ptr null)
  call void @llvm.hpvm.cleanup()
  ret i32 0
}

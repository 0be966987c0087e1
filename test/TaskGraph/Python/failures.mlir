// A failing task ends the program with its name, its kernel, its place, what
// Python says, and exit code 1; files that it began are removed.
// REQUIRES: python-tasks
// RUN: not %sluice run --root=raises %s 2>&1 | FileCheck %s --check-prefix=RAISES
// RUN: not %sluice run --root=leaves %s 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not %sluice run --root=answers %s 2>&1 | FileCheck %s --check-prefix=ANSWERS

dfg.object @state

// RAISES: task 'checking' (kern.fail at {{.*}}failures.mlir:[[#@LINE+5]]{{.*}}): exception in Python:
// RAISES-NEXT: Traceback (most recent call last):
// RAISES-NEXT: kern.py", line 41, in fail
// RAISES: ValueError: three is too many: [1, 2, 3]
dfg.task_graph @raises python_path("Inputs") {
  %a = dfg.task python "fail" of "kern"(@state) named("checking")
}
// LEAVES: task 'kern.leave' {{.*}}: exception in Python:
// LEAVES: SystemExit: 0
dfg.task_graph @leaves python_path("Inputs") {
  %a = dfg.task python "leave" of "kern"(@state)
}
// ANSWERS: task 'kern.answer' {{.*}}: the function returned 42 of type int, expected None; put results into a PyObj or an array
dfg.task_graph @answers python_path("Inputs") {
  %a = dfg.task python "answer" of "kern"(@state)
}

// Names that no file has, or not in a form that can be called.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t
// RUN: not %sluice check alone.mlir 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: not %sluice check graph.mlir one.c two.cpp 2>&1 | FileCheck %s
// RUN: %clang -c one.c && %clang++ -g -c two.cpp
// RUN: not %sluice check graph.mlir one.o two.o 2>&1 | FileCheck --check-prefix=OBJECT %s
// RUN: not %sluice check twice.mlir one.c again.c 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not %sluice check flags.mlir 2>&1 | FileCheck --check-prefix=FLAGS %s
// RUN: not %sluice check own.mlir 2>&1 | FileCheck --check-prefix=OWN %s
// RUN: %sluice check main.mlir 2>&1 | FileCheck --check-prefix=MAIN %s
// RUN: %clang -c main.c
// RUN: not %sluice check graph.mlir main.o 2>&1 | FileCheck --check-prefix=MAINOBJECT %s
// RUN: not %sluice check nofile.mlir 2>&1 | FileCheck --check-prefix=NOFILE %s
// RUN: not %sluice check alone.mlir bad.c 2>&1 | FileCheck --check-prefix=BAD %s

//--- one.c
static void hidden(int x) {}
int variable = 3;
void shared(int x) { hidden(x); }
//--- two.cpp
void mangled(double *x) {}
//--- again.c
void shared(int x) {}
//--- bad.c
void broken(int x) { return 1 +; }
//--- main.c
void kernel(int x) {}
int main(void) { return 0; }

//--- graph.mlir
dfg.scalar @i : si32 = 1
dfg.scalar @d : f64 = 1.0
dfg.task_graph @wrong {
// CHECK: graph.mlir:[[#@LINE+5]]:{{.*}}error: no kernel source defines 'nothing'; searched 'one.c', 'two.cpp'
// CHECK: error: no kernel source defines 'hidden'; searched
// CHECK: one.c{{.*}}note: 'one.c' has a static function 'hidden', which no other file can call; remove 'static'
// OBJECT: error: no kernel source defines 'hidden'; searched 'one.o', 'two.o'
// OBJECT: one.o{{.*}}note: 'one.o' has 'hidden', but it is static or hidden
  %0 = dfg.task c "nothing"(value @i)
  %1 = dfg.task c "hidden"(value @i)
// CHECK: error: no kernel source defines 'mangled'
// CHECK: two.cpp:{{[0-9]+}}:{{.*}}note: 'two.cpp' defines 'mangled(double*)', which C++ gives another name; declare it extern "C"
// OBJECT: error: no kernel source defines 'mangled'
// OBJECT: note: 'two.o' defines 'mangled(double*)', which C++ gives another name; declare it extern "C"
  %2 = dfg.task c "mangled"(@d)
// CHECK: error: no kernel source defines 'variable'
// CHECK: note: 'one.c' has 'variable', but not as a function
// OBJECT: note: 'one.o' has a variable 'variable', not a function
  %3 = dfg.task c "variable"(value @i)
}
// MAINOBJECT: error: 'main.o' defines 'main', which the program of a task graph has itself; compile the kernels without it

//--- alone.mlir
// ALONE: error: no kernel source defines 'nothing'; there are none: name a source, object or library with the kernel, or with --kernel-source=FILE
// BAD: bad.c:{{[0-9]+}}:{{.*}} error: expected expression
// BAD: error: 'bad.c' does not compile
dfg.scalar @i : si32 = 1
dfg.task_graph @wrong {
  %0 = dfg.task c "nothing"(value @i)
}

//--- twice.mlir
// TWICE: again.c:{{[0-9]+}}:{{.*}}error: 'shared' is defined in 'one.c' and in 'again.c'; rename one, or make it static
// TWICE: one.c:{{[0-9]+}}:{{.*}}note: the other one is here
dfg.scalar @i : si32 = 1
dfg.task_graph @wrong {
  %0 = dfg.task c "shared"(value @i)
}

//--- flags.mlir
// FLAGS: flags.mlir:[[#@LINE+5]]:{{.*}}error: 'one.c' is compiled with flags '-DB', but elsewhere with '-DA'; a program holds each source once
// FLAGS: flags.mlir:[[#@LINE+3]]:{{.*}}note: it is named here, too
dfg.scalar @i : si32 = 1
dfg.task_graph @wrong {
  %0 = dfg.task c "shared"(value @i) source("one.c") flags(["-DA"])
  %1 = dfg.task c "shared"(value @i) source("one.c") flags(["-DB"])
}

//--- own.mlir
// OWN: error: no kernel source defines 'other'; searched 'one.c'
dfg.scalar @i : si32 = 1
dfg.task_graph @wrong {
  %0 = dfg.task c "shared"(value @i) source("one.c")
  %1 = dfg.task c "other"(value @i) source("one.c")
}

//--- main.mlir
// MAIN: main.c:{{[0-9]+}}:{{.*}}remark: 'main' is left out: the task graph is the program
// MAIN: no problems
dfg.scalar @i : si32 = 1
dfg.kernel_source "main.c"
dfg.task_graph @good {
  %0 = dfg.task c "kernel"(value @i)
}

//--- nofile.mlir
// NOFILE: nofile.mlir:[[#@LINE+4]]:{{.*}}error: 'nosuch.c' does not exist
// NOFILE: nofile.mlir:[[#@LINE+4]]:{{.*}}error: 'nosuch.o' cannot be read: No such file or directory
// NOFILE: nofile.mlir:[[#@LINE+4]]:{{.*}}error: no library for '-lnosuch' is in the folders that -L names or those of the system
dfg.scalar @i : si32 = 1
dfg.kernel_source "nosuch.c"
dfg.kernel_source "nosuch.o"
dfg.kernel_source "-lnosuch"
dfg.task_graph @wrong {
  %0 = dfg.task c "nothing"(value @i)
}

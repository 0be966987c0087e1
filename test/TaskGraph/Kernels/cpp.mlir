// Kernels in C++: constructors run, variables of threads work, references are
// pointers; exceptions, statuses and exit() end the run with the task's name.
//
// RUN: rm -rf %t && split-file --leading-lines %s %t && cd %t
// RUN: sed -e 's/TASK/"show"(@x)/' graph.mlir > good.mlir
// RUN: %sluice run good.mlir | FileCheck --match-full-lines %s
// RUN: sed -e 's/TASK/"fails"(@x)/' graph.mlir > throws.mlir
// RUN: not %sluice run throws.mlir 2>&1 | FileCheck --check-prefix=THROWS %s
// RUN: sed -e 's/TASK/"status"(value @y)/' graph.mlir > status.mlir
// RUN: not %sluice run status.mlir 2>&1 | FileCheck --check-prefix=STATUS %s
// RUN: sed -e 's/TASK/"leaves"(value @x)/' graph.mlir > exits.mlir
// RUN: not %sluice run exits.mlir 2>&1 | FileCheck --check-prefix=EXITS %s
//
// CHECK: constructed
// CHECK-NEXT: x 1 values 3 count 5
// CHECK-NEXT: x 2 values 3 count {{[56]}}
// CHECK-NEXT: destroyed
// THROWS: task 'last one' (fails at throws.mlir:{{.*}}): an exception left it: too large
// STATUS: task 'last one' (status at status.mlir:{{.*}}): the kernel returned 3
// EXITS: task 'last one' (leaves at exits.mlir:{{.*}}): it called exit(3)

//--- kernels.cpp
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <vector>

namespace {
struct Start {
  std::vector<int> values{1, 2, 3};
  Start() { std::cout << "constructed" << std::endl; }
  ~Start() { std::cout << "destroyed" << std::endl; }
} start;
thread_local int count = 5;
} // namespace

extern "C" void show(double &x) {
  std::cout << "x " << x << " values " << start.values.size() << " count "
            << count++ << std::endl;
  x += 1;
}
extern "C" void fails(double *x) {
  if (*x > 1.5)
    throw std::runtime_error("too large");
}
extern "C" int status(double x) { return x > 2 ? 3 : 0; }
extern "C" void leaves(double) { std::exit(3); }

//--- graph.mlir
dfg.scalar @x : f64 = 1.0
dfg.scalar @y : f64 = 4.0
dfg.kernel_source "kernels.cpp"
dfg.task_graph @cpp {
  %0 = dfg.task c "show"(@x)
  %1 = dfg.task c "status"(value @x)
  %2 = dfg.task c TASK named("last one")
}

//===- Tasks.cpp - Tasks that cannot be -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of kernels, grids, variants and files.
//
// RUN: wrong-graphs c_name_empty | \
// RUN:   FileCheck %s --check-prefix=C_NAME_EMPTY --implicit-check-not=error:
// RUN: wrong-graphs c_name_bad | \
// RUN:   FileCheck %s --check-prefix=C_NAME_BAD --implicit-check-not=error:
// RUN: wrong-graphs c_source_missing | \
// RUN:   FileCheck %s --check-prefix=C_SOURCE_MISSING --implicit-check-not=error:
// RUN: wrong-graphs kernel_source_missing | \
// RUN:   FileCheck %s --check-prefix=KERNEL_SOURCE_MISSING --implicit-check-not=error:
// RUN: wrong-graphs kernel_source_empty | \
// RUN:   FileCheck %s --check-prefix=KERNEL_SOURCE_EMPTY --implicit-check-not=error:
// RUN: wrong-graphs halide_name_empty | \
// RUN:   FileCheck %s --check-prefix=HALIDE_NAME_EMPTY --implicit-check-not=error:
// RUN: wrong-graphs halide_name_bad | \
// RUN:   FileCheck %s --check-prefix=HALIDE_NAME_BAD --implicit-check-not=error:
// RUN: wrong-graphs halide_parameter | \
// RUN:   FileCheck %s --check-prefix=HALIDE_PARAMETER --implicit-check-not=error:
// RUN: wrong-graphs halide_variant_again | \
// RUN:   FileCheck %s --check-prefix=HALIDE_VARIANT_AGAIN --implicit-check-not=error:
// RUN: wrong-graphs halide_variant_of_kernel | \
// RUN:   FileCheck %s --check-prefix=HALIDE_VARIANT_OF_KERNEL --implicit-check-not=error:
// RUN: wrong-graphs python_module_empty | \
// RUN:   FileCheck %s --check-prefix=PYTHON_MODULE_EMPTY --implicit-check-not=error:
// RUN: wrong-graphs python_module_bad | \
// RUN:   FileCheck %s --check-prefix=PYTHON_MODULE_BAD --implicit-check-not=error:
// RUN: wrong-graphs python_function | \
// RUN:   FileCheck %s --check-prefix=PYTHON_FUNCTION --implicit-check-not=error:
// RUN: wrong-graphs form_empty | \
// RUN:   FileCheck %s --check-prefix=FORM_EMPTY --implicit-check-not=error:
// RUN: wrong-graphs two_generators | \
// RUN:   FileCheck %s --check-prefix=TWO_GENERATORS --implicit-check-not=error:
// RUN: wrong-graphs generator_name | \
// RUN:   FileCheck %s --check-prefix=GENERATOR_NAME --implicit-check-not=error:
// RUN: wrong-graphs hpvm_without_source | \
// RUN:   FileCheck %s --check-prefix=HPVM_WITHOUT_SOURCE --implicit-check-not=error:
// RUN: wrong-graphs hpvm_source | \
// RUN:   FileCheck %s --check-prefix=HPVM_SOURCE --implicit-check-not=error:
// RUN: wrong-graphs grid_rank | \
// RUN:   FileCheck %s --check-prefix=GRID_RANK --implicit-check-not=error:
// RUN: wrong-graphs grid_of_nothing | \
// RUN:   FileCheck %s --check-prefix=GRID_OF_NOTHING --implicit-check-not=error:
// RUN: wrong-graphs grid_extent | \
// RUN:   FileCheck %s --check-prefix=GRID_EXTENT --implicit-check-not=error:
// RUN: wrong-graphs grid_too_large | \
// RUN:   FileCheck %s --check-prefix=GRID_TOO_LARGE --implicit-check-not=error:
// RUN: wrong-graphs grid_twice | \
// RUN:   FileCheck %s --check-prefix=GRID_TWICE --implicit-check-not=error:
// RUN: wrong-graphs task_without_name | \
// RUN:   FileCheck %s --check-prefix=TASK_WITHOUT_NAME --implicit-check-not=error:
// RUN: wrong-graphs written_file | \
// RUN:   FileCheck %s --check-prefix=WRITTEN_FILE --implicit-check-not=error:
// RUN: wrong-graphs no_tasks_at_all | \
// RUN:   FileCheck %s --check-prefix=NO_TASKS_AT_ALL --implicit-check-not=error:
// RUN: wrong-graphs several | \
// RUN:   FileCheck %s --check-prefix=SEVERAL --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(c_name_empty) {
  // C_NAME_EMPTY: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of the C function is empty
  graph.createTask(CKernel(""));
}

WRONG(c_name_bad) {
  // C_NAME_BAD: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'add two' is not the name of a C function
  graph.createTask(CKernel("add two"));
}

WRONG(c_source_missing) {
  // C_SOURCE_MISSING: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: cannot find 'nowhere.c', the source of kernel 'add'
  graph.createTask(CKernel("add", "nowhere.c"));
}

WRONG(kernel_source_missing) {
  // KERNEL_SOURCE_MISSING: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: cannot find the kernel source 'nowhere.o'
  graph.addKernelSource("nowhere.o");
}

WRONG(kernel_source_empty) {
  // KERNEL_SOURCE_EMPTY: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the path of this kernel source is empty
  graph.addKernelSource("");
}

WRONG(halide_name_empty) {
  // HALIDE_NAME_EMPTY: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of the Halide generator is empty
  graph.createTask(HalideKernel(""));
}

WRONG(halide_name_bad) {
  // HALIDE_NAME_BAD: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'blur-x' is not the name of a Halide generator
  graph.createTask(HalideKernel("blur-x"));
}

WRONG(halide_parameter) {
  // HALIDE_PARAMETER: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'tile size' is not the name of a parameter of 'blur'
  graph.createTask(HalideKernel("blur", {{"tile size", "4"}}));
}

WRONG(halide_variant_again) {
  HalideTask &task = graph.createTask(HalideKernel("blur", {{"p", "1"}}));
  task.addVariant({{"p", "2"}});
  // HALIDE_VARIANT_AGAIN: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: this variant of 'blur' has the parameters of variant 1
  task.addVariant({{"p", "2"}});
  // HALIDE_VARIANT_AGAIN: Tasks.cpp:[[@LINE-4]]:{{[0-9]+}}: note: the task is created here
}

WRONG(halide_variant_of_kernel) {
  HalideTask &task = graph.createTask(HalideKernel("blur", {{"p", "1"}}));
  // HALIDE_VARIANT_OF_KERNEL: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: this variant of 'blur' has the parameters of variant 0
  task.addVariant({});
}

WRONG(python_module_empty) {
  // PYTHON_MODULE_EMPTY: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of the Python module is empty
  graph.createTask(PyKernel("", "solve"));
}

WRONG(python_module_bad) {
  // PYTHON_MODULE_BAD: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'kern.py!' is not the name of a Python module
  graph.createTask(PyKernel("kern.py!", "solve"));
}

WRONG(python_function) {
  // PYTHON_FUNCTION: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'solve()' is not the name of a Python function
  graph.createTask(PyKernel("kern", "solve()"));
}

WRONG(form_empty) {
  // FORM_EMPTY: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of the finite-element form is empty
  graph.createTask(FEMAKernel("kern", ""), {&graph.createPyObj()});
}

WRONG(two_generators) {
  graph.registerPyGenerator("kern", "generate");
  // TWO_GENERATORS: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: module 'kern' has the generator 'generate' already, not 'make'
  graph.registerPyGenerator("kern", "make");
  // TWO_GENERATORS: Tasks.cpp:[[@LINE-3]]:{{[0-9]+}}: note: it is registered here
}

WRONG(generator_name) {
  // GENERATOR_NAME: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the generator 'kern.make it' is not a module and a function of Python
  graph.registerPyGenerator("kern", "make it");
}

WRONG(hpvm_without_source) {
  // HPVM_WITHOUT_SOURCE: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: root 'pipeline' needs the source of its HPVM program
  graph.createTask(HPVMKernel("pipeline", ""));
}

WRONG(hpvm_source) {
  // HPVM_SOURCE: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: cannot find 'nowhere.cpp', the source of kernel 'pipeline'
  graph.createTask(HPVMKernel("pipeline", "nowhere.cpp"));
}

WRONG(grid_rank) {
  CTask &task = graph.createTask(CKernel("scale"));
  // GRID_RANK: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a grid has one to three dimensions, not 4
  task.replicate({2, 2, 2, 2});
}

WRONG(grid_of_nothing) {
  CTask &task = graph.createTask(CKernel("scale"));
  // GRID_OF_NOTHING: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a grid has one to three dimensions, not 0
  task.replicate({});
}

WRONG(grid_extent) {
  CTask &task = graph.createTask(CKernel("scale"));
  // GRID_EXTENT: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the grid has the extent 0, expected at least 1
  task.replicate({64, 0});
}

WRONG(grid_too_large) {
  CTask &task = graph.createTask(CKernel("scale"));
  // GRID_TOO_LARGE: Tasks.cpp:[[@LINE+2]]:{{[0-9]+}}: error: a grid of 4294967296 x 4294967296 has more points than 64 bits can count
  const int64_t many = int64_t(1) << 32;
  task.replicate({many, many});
}

WRONG(grid_twice) {
  CTask &task = graph.createTask(CKernel("scale"));
  task.replicate({4, 4});
  // GRID_TWICE: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the task is replicated already, over 4 x 4
  task.replicate({8});
}

WRONG(task_without_name) {
  // TASK_WITHOUT_NAME: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of this task is empty
  graph.createTask(CKernel("scale")).setName("");
}

WRONG(written_file) {
  // WRITTEN_FILE: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of a file of this task is empty
  graph.createTask(CKernel("save")).writesFile("");
}

WRONG(no_tasks_at_all) {
  // NO_TASKS_AT_ALL: main.cpp:{{[0-9]+}}:{{[0-9]+}}: error: graph 'wrong' has no tasks
  graph.createDat(2, 2);
}

WRONG(several) {
  // SEVERAL: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: dimension 1 has the extent 0, expected at least 1
  Dat &dat = graph.createDat(3, 0);
  // SEVERAL: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: 'a b' is not the name of a C function
  graph.createTask(CKernel("a b"), {&dat});
  // SEVERAL: Tasks.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the value 300 does not fit into 8 bits
  graph.createIntScalar(8, 300);
}

// Forms are compiled with the program: neither a second build nor a run
// compiles anything. If they are gone, the run makes them.
// REQUIRES: dolfinx
// RUN: rm -rf %t && mkdir -p %t/cache
// RUN: env SLUICE_CACHE_DIR=%t/cache %sluice build %s -o %t/app
// RUN: ls %t/cache/forms > %t/before
// RUN: grep 'libffcx_forms_.*so$' %t/before | count 1
// RUN: env SLUICE_CACHE_DIR=%t/cache %t/app > %t/out
// RUN: FileCheck %s --input-file=%t/out
// RUN: ls %t/cache/forms | diff %t/before -
// RUN: rm -r %t/cache/forms
// RUN: env SLUICE_CACHE_DIR=%t/cache %t/app | diff %t/out -

// CHECK: generating
// CHECK-NEXT: mass matrix of size (5, 5) norm 0.333333
dfg.object @state
dfg.task_graph @form python_path("Inputs") {
  %a = dfg.task fem "mass" of "forms"(@state)
  %b = dfg.task python "show" of "forms"(@state)
}

// Profiles count host code and leaves alike, and are used for both.

// RUN: rm -rf %t.raw %t.cache
// RUN: %sluice build %s -o %t -fprofile-generate=%t.raw
// RUN: env SLUICE_WORKERS=4 %t | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: 4 1000
// RUN: llvm-profdata merge -o %t.profdata %t.raw
// RUN: llvm-profdata show --all-functions --counts %t.profdata | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: {{^ +rare:$}}
// COUNTS-DAG: Block counts: [125]
// COUNTS-DAG: {{^ +by_host:$}}
// COUNTS-DAG: Block counts: [7]
// COUNTS: Instrumentation level: IR

// Workers lose no count unless that is asked for.
// RUN: %sluice build %s -fprofile-generate --print=llvm | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: @__llvm_profile_filename = {{.*}}default_%m.profraw
// ATOMIC: atomicrmw add ptr @__profc_
// RUN: %sluice build %s -fprofile-instr-generate=%t.single -fprofile-update=single --print=llvm | FileCheck %s --check-prefix=SINGLE
// SINGLE: @__llvm_profile_filename = {{.*}}.single
// SINGLE-NOT: atomicrmw add ptr @__profc_
// RUN: %sluice build %s -fprofile-generate -fno-profile-generate --print=llvm | FileCheck %s --check-prefix=NONE
// NONE-NOT: __profc_

// RUN: %sluice build %s -fprofile-use=%t.profdata --print=llvm 2>&1 | FileCheck %s --check-prefix=USED
// USED-NOT: warning
// USED-DAG: define {{.*}}@rare{{.*}} !prof [[RARE:![0-9]+]]
// USED-DAG: define {{.*}}@by_host{{.*}} !prof [[HOST:![0-9]+]]
// USED-DAG: [[RARE]] = !{!"function_entry_count", i64 125}
// USED-DAG: [[HOST]] = !{!"function_entry_count", i64 7}
// RUN: mkdir -p %t.folder && cp %t.profdata %t.folder/default.profdata
// RUN: %sluice build %s -o %t.used -fprofile-use=%t.folder
// RUN: %t.used | FileCheck %s --check-prefix=OUTPUT

// Another profile is another program.
// RUN: env SLUICE_CACHE_DIR=%t.cache %sluice run %s -fprofile-instr-use=%t.profdata | FileCheck %s --check-prefix=OUTPUT
// RUN: env SLUICE_CACHE_DIR=%t.cache %sluice run %s -fprofile-instr-use=%t.profdata | FileCheck %s --check-prefix=OUTPUT
// RUN: ls %t.cache/programs | grep -v files | count 1
// RUN: llvm-profdata merge -o %t.profdata %t.raw %t.raw
// RUN: env SLUICE_CACHE_DIR=%t.cache %sluice run %s -fprofile-instr-use=%t.profdata | FileCheck %s --check-prefix=OUTPUT
// RUN: ls %t.cache/programs | grep -v files | count 2
// RUN: cp %t.profdata %t.kept
// RUN: not %sluice build %s -o %t.profdata -fprofile-use=%t.profdata 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: cmp %t.kept %t.profdata
// INPUT: error: the output '{{.*}}.profdata' is also an input

// RUN: not %sluice build %s -o %t -fprofile-use=%t.none 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read the profile '{{.*}}.none': No such file
// RUN: cat %t.raw/*.profraw > %t.one
// RUN: not %sluice build %s -o %t -fprofile-use=%t.one 2>&1 | FileCheck %s --check-prefix=RAW
// RAW: error: '{{.*}}.one' is what a run wrote, and not yet a profile: 'llvm-profdata-22 merge
// RUN: not %sluice build %s -o %t -fprofile-use=%s 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: error: '{{.*}}profile.c' is no profile:
// RUN: echo "int main(void) { return 0; }" > %t.clang.c
// RUN: %clang -fprofile-instr-generate=%t.clang.raw %t.clang.c -o %t.clang
// RUN: %t.clang
// RUN: llvm-profdata merge -o %t.clang.profdata %t.clang.raw
// RUN: not %sluice build %s -o %t -fprofile-use=%t.clang.profdata 2>&1 | FileCheck %s --check-prefix=CLANG
// CLANG: error: '{{.*}}' counts what clang's -fprofile-instr-generate counts
// RUN: not %sluice build %s -o %t -fprofile-generate -fprofile-use 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: '-fprofile-use': a program is built to make a profile or by one, not both
// RUN: not %sluice build %s -o %t -fprofile-update=now 2>&1 | FileCheck %s --check-prefix=UPDATE
// UPDATE: error: unknown value of -fprofile-update: 'now', expected atomic
// RUN: not %sluice build %s -o %t -fprofile-usefile 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown argument: '-fprofile-usefile'
// RUN: not %sluice build %s -o %t -fprofile-sample-use=%s 2>&1 | FileCheck %s --check-prefix=SAMPLE
// SAMPLE: error: '-fprofile-sample-use={{.*}}' is not supported: profiles are made with -fprofile-generate

#include <hpvm.h>
#include <stdio.h>

__attribute__((noinline)) int rare(int value) { return value * 3 + 1; }

__attribute__((noinline)) int by_host(int value) {
  __asm__ volatile("" : "+r"(value));
  return value + 1;
}

void leaf(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  x[i] = i % 8 == 3 ? rare(x[i]) : x[i] + 1;
}

void root(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  void *node = __hpvm__createNodeND(1, leaf, (long)1000);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

int main(void) {
  static int x[1000];
  struct __attribute__((packed)) {
    int *x;
    size_t bytes;
  } arguments = {x, sizeof x};
  for (int i = 0; i < 1000; ++i)
    x[i] = 1;
  int calls = 0;
  for (int i = 0; i < 7; ++i)
    calls = by_host(calls);
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  int threes = 0;
  for (int i = 0; i < 1000; ++i)
    threes += x[i] == (i % 8 == 3 ? 4 : 2);
  printf("%d %d\n", x[3], threes);
  return calls != 7;
}

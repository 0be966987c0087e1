// Flags that build files pass are taken with their meaning, or refused by name
// with what to do instead.

// RUN: mkdir -p %t.dir/system %t.dir/quote
// RUN: echo "#define FROM_SYSTEM 1" > %t.dir/system/from_system.h
// RUN: echo "#define FROM_QUOTE 2" > %t.dir/quote/from_quote.h
// RUN: %sluice build %s -o %t -w -pthread -isystem %t.dir/system -iquote %t.dir/quote -Og -mavx2 -mfma -mtune=native -g -pipe -std=gnu11 -pedantic -Wall -Wno-unused -fPIC -fPIE -pie -fno-exceptions -fomit-frame-pointer -fstack-protector-strong -fcf-protection -ffunction-sections -fdata-sections -flto=thin -fopenmp -Wl,--gc-sections -Wl,-rpath,/nowhere -rpath /elsewhere -Xlinker --as-needed -L%t.dir -lm -rdynamic -DA -UB -include stdlib.h -UA -DA=7 -MD -MF %t.d -MT target -MP
// RUN: %t | FileCheck %s
// CHECK: 7 1 2 optimized avx2 openmp 16
// RUN: FileCheck %s --check-prefix=DEPENDS < %t.d
// DEPENDS: target: \
// DEPENDS-NEXT: flags.c \
// DEPENDS-DAG: from_quote.h \
// DEPENDS-DAG: from_system.h \
// DEPENDS-NOT: flags.c:
// DEPENDS-DAG: from_quote.h:
// DEPENDS-DAG: from_system.h:
// DEPENDS-NOT: flags.c:
// RUN: llvm-readelf -d %t | FileCheck %s --check-prefix=RPATH
// RPATH: /nowhere
// RPATH-SAME: /elsewhere

// Definitions and undefinitions count in their order.
// RUN: %sluice run %s -DPLAIN -DA=1 -UA -DA=3 | FileCheck %s --check-prefix=PLAIN
// RUN: %sluice run %s -DPLAIN -DA=3 -g0 -s -Os -no-pie | FileCheck %s --check-prefix=PLAIN
// RUN: %sluice run %s -DPLAIN -DA=3 -Ofast -march=x86-64-v3 -mno-fma -m64 -ansi -w | FileCheck %s --check-prefix=PLAIN
// RUN: %sluice run %s -DPLAIN -DA=3 -Oz -static-libstdc++ -static-libgcc -fuse-ld=lld -z now | FileCheck %s --check-prefix=PLAIN
// PLAIN: 3 16

// RUN: %sluice build %s -DPLAIN -DA=3 -Os --print=llvm | FileCheck %s --check-prefix=SIZE
// SIZE: optsize

// RUN: not %sluice run %s -fsanitize=address 2>&1 | FileCheck %s --check-prefix=ASAN
// ASAN: error: '-fsanitize=address' is not supported: programs are not built with sanitizers; SLUICE_CHECK=1
// RUN: not %sluice run %s -fsanitize=undefined 2>&1 | FileCheck %s --check-prefix=UBSAN
// UBSAN: error: '-fsanitize=undefined' is not supported
// RUN: not %sluice run %s -fsanitize-coverage=trace-pc-guard 2>&1 | FileCheck %s --check-prefix=COVERAGE
// COVERAGE: error: '-fsanitize-coverage=trace-pc-guard' is not supported
// RUN: not %sluice build %s -o %t -static 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: error: '-static' is not supported: {{.*}} --static-runtime
// RUN: not %sluice build %s -o %t -c 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: error: '-c' is not supported: Sluice makes whole programs
// RUN: not %sluice build %s -o %t -m32 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: '-m32' is not supported
// RUN: not %sluice build %s -o %t -fprofile-arcs 2>&1 | FileCheck %s --check-prefix=PROFILE
// PROFILE: error: '-fprofile-arcs' is not supported: code is not instrumented for coverage
// RUN: not %sluice build %s -o %t -fpass-plugin=%t.so 2>&1 | FileCheck %s --check-prefix=PLUGIN
// PLUGIN: error: '-fpass-plugin={{.*}}' is not supported: 'sluice build' contains LLVM and loads no plugins; 'sluice cc -c' has clang compile with them
// RUN: not %sluice build %s -o %t -fsave-optimization-record 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: error: '-fsave-optimization-record' is not supported: -Rpass=
// RUN: not %sluice build %s -o %t -x c++ 2>&1 | FileCheck %s --check-prefix=LANGUAGE
// LANGUAGE: error: '-x' is not supported: the ending of a file
// RUN: not %sluice run %s -MD 2>&1 | FileCheck %s --check-prefix=RUN-MD
// RUN-MD: error: -MD and -MMD need 'sluice build'
// RUN: not %sluice run %s -Wl,x -l 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: '-l' needs a value behind it
// RUN: not %sluice run %s -mfrob 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown argument: '-mfrob'
// RUN: sh -c '%sluice run %s -fsanitize=thread; test $? = 2'

#include <hpvm.h>
#include <stdio.h>

#ifndef PLAIN
#include "from_quote.h"
#include <from_system.h>
#include <omp.h>
#endif

#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef B
#error B is not defined
#endif

struct __attribute__((packed)) arguments {
  int *out;
  size_t size;
};

void leaf(int *out, size_t size) {
  long i;
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#ifdef __AVX2__
  out[i] = _mm256_extract_epi32(_mm256_set1_epi32(2), 3) + (int)i;
#else
  out[i] = 2 + (int)i;
#endif
}

void root(int *out, size_t size) {
  void *node;
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  node = __hpvm__createNodeND(1, leaf, (long)8);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

int main(void) {
  int out[8];
  struct arguments arguments;
  arguments.out = out;
  arguments.size = sizeof out;
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, (void *)root, &arguments));
  __hpvm__cleanup();
  printf("%d", A);
#ifndef PLAIN
  printf(" %d %d", FROM_SYSTEM, FROM_QUOTE);
#ifdef __OPTIMIZE__
  printf(" optimized");
#endif
#ifdef __AVX2__
  printf(" avx2");
#endif
#ifdef _OPENMP
  printf(omp_get_max_threads() > 0 ? " openmp" : "");
#endif
#endif
  printf(" %d\n", out[7] + 7);
  return 0;
}

// Clang's own messages come first, with carets; HPVM's are not lost.
//
// RUN: not sluice-translate %s 2>&1 | FileCheck %s
// RUN: not sluice-translate %s.missing.c 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING

#include <hpvm.h>

void leaf(int a) {
  // CHECK: broken.c:[[#@LINE+3]]:21: error: use of undeclared identifier 'b'
  // CHECK-NEXT: __hpvm__return(1, b);
  // CHECK-NEXT: {{^ +\| +\^$}}
  __hpvm__return(1, b);
}
// CHECK: 1 error generated.
// CHECK: error: '{{.*}}broken.c' does not compile
// MISSING: error: '{{.*}}broken.c.missing.c' does not exist

// What clang refuses does not hide what is wrong with graphs elsewhere, and
// what follows from it is not said.

// RUN: not %sluice check %s -DHEADER 2>&1 | FileCheck %s
// RUN: not %sluice check %s -DHEADER 2>&1 | grep error: | count 6
// CHECK-DAG: parse-errors.cpp:[[#]]:78: error: use of undeclared identifier 'missing'
// CHECK-DAG: error: unknown type name 'flaot'
// CHECK-DAG: error: expected expression
// CHECK-DAG: error: '{{.*}}parse-errors.cpp' does not compile
// CHECK-DAG: error: input 0 'o' of 'leaf2' is a pointer without in or out;
// CHECK-DAG: error: input port 7 is out of range

// Nor where the host is refused, which launches all of them.
// RUN: not %sluice check %s -DHOST 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not %sluice check %s -DHOST 2>&1 | grep error: | count 5
// HOST-DAG: error: use of undeclared identifier 'missing'
// HOST-DAG: error: no matching function for call to 'twice'
// HOST-DAG: error: input 0 'o' of 'leaf2' is a pointer without in or out;
// HOST-DAG: error: input port 7 is out of range

// An error outside of functions may concern all of them.
// RUN: not %sluice check %s -DOUTSIDE 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: unknown type name 'Nothing'
// OUTSIDE-NOT: leaf2
// RUN: not %sluice check %s -DOPEN 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN-DAG: error: expected '}'
// OPEN-DAG: error: input 0 'o' of 'leaf2' is a pointer without in or out;

// Warnings that are errors keep a program from being built.
// RUN: %sluice check %s -DRIGHT -Wunused-variable 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: warning: unused variable
// RIGHT: no problems in 1 graph
// RUN: rm -f %t
// RUN: not %sluice build %s -o %t -DRIGHT -Werror=unused-variable 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: error: unused variable
// UNUSED: error: '{{.*}}parse-errors.cpp' does not compile
// RUN: not test -e %t

#include <hpvm.h>
struct __attribute__((packed)) Args { int *o; size_t n; };
#ifndef RIGHT
void leaf1(int *o, size_t n) { __hpvm__hint(hpvm::CPU_TARGET); o[0] = 1 + 2; missing(); }
void root1(int *o, size_t n) {
  __hpvm__hint(hpvm::CPU_TARGET); __hpvm__attributes(0, 1, o);
  void *t = __hpvm__createNodeND(0, leaf1);
  __hpvm__bindIn(t, 0, 0, 0); __hpvm__bindIn(t, 1, 9, 0);
}
#endif
#ifdef HEADER
template <class T> int twice(flaot value) { return 2 * value; }
static int helper() { return 1 + ; }
#else
template <class T> int twice(T value) { return 2 * value; }
#endif
#ifdef OUTSIDE
Nothing nothing;
#endif
void leaf2(int *o, size_t n) {
  __hpvm__hint(hpvm::CPU_TARGET);
#ifdef RIGHT
  __hpvm__attributes(0, 1, o);
  int unused = 3;
#endif
  o[0] = 2;
}
void root2(int *o, size_t n) {
  __hpvm__hint(hpvm::CPU_TARGET); __hpvm__attributes(0, 1, o);
  void *t = __hpvm__createNodeND(0, leaf2);
#ifdef RIGHT
  __hpvm__bindIn(t, 0, 0, 0); __hpvm__bindIn(t, 1, 1, 0);
#else
  __hpvm__bindIn(t, 0, 0, 0); __hpvm__bindIn(t, 7, 1, 0);
#endif
}
int main() {
  int o[1];
  Args a{o, 4};
  __hpvm__init();
#ifndef RIGHT
  __hpvm__wait(__hpvm__launch(0, (void *)root1, &a));
#endif
  __hpvm__wait(__hpvm__launch(0, (void *)root2, &a));
  __hpvm__cleanup();
#ifdef HEADER
  return helper();
#elif defined(HOST)
  return twice(1, 2);
#elif defined(OPEN)
  if (o[0]) {
    return 0;
#else
  return 0;
#endif
}

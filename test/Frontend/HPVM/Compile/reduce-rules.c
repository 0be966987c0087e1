// What a leaf may declare as a reduction, and what it may do with it.
// RUN: sluice check %s 2>&1 | FileCheck %s
// CHECK: proven free of races
// RUN: not sluice check -DTWICE %s 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: input 2 'sum' of 'leaf' is declared as a reduction twice; one declaration holds for all of its elements [reduce]
// RUN: not sluice check -DINSIDE %s 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error: 'sluice_reduce' is given something else than a pointer parameter of 'leaf'
// RUN: not sluice check -DBRANCH %s 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: 'sluice_reduce' stands behind a branch, but it holds for all instances; call it at the start of 'leaf' [reduce]
// RUN: not sluice check -DINPUT %s 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: input 0 'x' of 'leaf' is a reduction, which reads and writes what is there; mark it in and out [reduce]
// RUN: not sluice check -DOPERATOR %s 2>&1 | FileCheck %s --check-prefix=OPERATOR
// OPERATOR: error: the operator of 'sluice_reduce' must be a constant of the code, one of SLUICE_SUM to SLUICE_XOR [reduce]
// RUN: not sluice check -DBITS %s 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: the operator 'xor' is for integers, but the elements are double
// RUN: not sluice check -DPART %s 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: 'sluice_reduce' is given 12 bytes, which is no multiple of the 8 bytes of an element [reduce]
// RUN: not sluice check -DDIVIDED %s 2>&1 | FileCheck %s --check-prefix=DIVIDED
// DIVIDED: error: the size that 'sluice_reduce' is given must be the same for all instances
// RUN: not sluice check -DREAD %s 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: input 2 'sum' of 'leaf' is declared as a reduction, but the leaf reads an element for another purpose than to update it with 'sum';
// RUN: not sluice check -DWRITE %s 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: input 2 'sum' of 'leaf' is declared as a reduction, but the leaf writes an element without updating it with 'sum';
// RUN: not sluice check -DOTHER %s 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not sluice check -DDOUBLED %s 2>&1 | FileCheck %s --check-prefix=DOUBLED
// DOUBLED: but the leaf updates an element with another one, or with itself [reduce]
// RUN: not sluice check -DELSEWHERE %s 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not sluice check -DATOMIC %s 2>&1 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: but the leaf passes the address to a call; write the update of an element 'e' as 'e += v', 'e -= v' or 'e = e + v' [reduce]
// RUN: not sluice check -DALIAS %s 2>&1 | FileCheck %s --check-prefix=ALIAS
// ALIAS: error: 'leaf' {{reads|writes}} argument 'sum' of 'root' here, where another instance writes it at the same time
// RUN: not sluice check -DTYPE %s 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: call to 'sluice_reduce' is ambiguous
// RUN: not sluice check -DNONE %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'sluice_reduce_with' must name two functions of this program
// RUN: not sluice check -DSIBLING %s 2>&1 | FileCheck %s --check-prefix=SIBLING
// SIBLING: error: 'leaf' reads argument 'sum' of 'root' here, and 'again' writes it, but no edge orders the two
// The two zeros are different numbers: a maximum never replaces 0 by -0.
// RUN: not sluice check -DZEROS %s 2>&1 | FileCheck %s --check-prefix=ZEROS
// ZEROS: error: input 2 'sum' of 'leaf' is declared as a reduction, but the leaf

#include <hpvm.h>

void nothing(void *element);
static void join(void *into, const void *from) {
  *(double *)into += *(const double *)from;
}

void leaf(double *x, size_t xBytes, double *sum, size_t sumBytes, int op) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, sum, 1, sum);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#if defined(BRANCH)
  if (i > 3)
    sluice_reduce(sum, sumBytes, SLUICE_SUM);
#elif defined(INSIDE)
  sluice_reduce(sum + 1, sumBytes, SLUICE_SUM);
#elif defined(TWICE)
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  sluice_reduce(sum, sumBytes, SLUICE_MAX);
#elif defined(INPUT)
  sluice_reduce(x, xBytes, SLUICE_SUM);
#elif defined(OPERATOR)
  sluice_reduce(sum, sumBytes, op);
#elif defined(BITS)
  sluice_reduce(sum, sumBytes, SLUICE_XOR);
#elif defined(PART)
  sluice_reduce(sum, 12, SLUICE_SUM);
#elif defined(DIVIDED)
  sluice_reduce(sum, sumBytes / 2 * 2, SLUICE_SUM);
#elif defined(ZEROS)
  sluice_reduce(sum, sumBytes, SLUICE_MAX);
#elif defined(TYPE)
  sluice_reduce((void **)sum, sumBytes, SLUICE_SUM);
#elif defined(NONE)
  sluice_reduce_with(sum, sumBytes, sizeof *sum, nothing, join);
#else
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
#endif
#if defined(READ)
  sum[0] += x[i];
  sum[1] += sum[0];
#elif defined(WRITE)
  sum[0] = x[i];
#elif defined(OTHER)
  sum[0] *= x[i];
#elif defined(DOUBLED)
  sum[0] += sum[0];
#elif defined(ELSEWHERE)
  sum[1] = sum[0] + x[i];
#elif defined(ZEROS)
  if (sum[0] <= 0.0)
    sum[0] = -0.0;
#elif defined(ATOMIC)
  __hpvm__atomic_add_f64(sum, x[i]);
#else
  if (x[i] > 0)
    sum[0] += x[i] * 2 + 1;
  else
    sum[1] -= x[i];
#endif
}

void again(double *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  sum[0] += 1;
}

void root(double *x, size_t xBytes, double *sum, size_t sumBytes, int op) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, sum, 1, sum);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)100);
#ifdef ALIAS
  __hpvm__bindIn(node, 2, 0, 0);
  __hpvm__bindIn(node, 3, 1, 0);
#else
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
#endif
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
  __hpvm__bindIn(node, 4, 4, 0);
#ifdef SIBLING
  void *other = __hpvm__createNodeND(1, again, (size_t)100);
  __hpvm__bindIn(other, 2, 0, 0);
  __hpvm__bindIn(other, 3, 1, 0);
#endif
}

int main(void) {
  static double x[100], sum[2];
  struct __attribute__((packed)) {
    double *x;
    size_t xBytes;
    double *sum;
    size_t sumBytes;
    int op;
  } arguments = {x, sizeof x, sum, sizeof sum, 0};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
}

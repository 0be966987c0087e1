// Where tables say which row of an array an instance uses, and whether it does,
// each launch tests whether rows of different instances overlap.
// DEFINE: %{check} = sluice check %s
// DEFINE: %{tested} = FileCheck %s --check-prefix=TESTED
// DEFINE: %{unknown} = FileCheck %s --check-prefix=UNKNOWN
// TESTED-NOT: remark:
// TESTED: {{^}}free of races if the entries that are read in {{.*}} send no two instances to the same memory, which each launch tests{{$}}
// UNKNOWN: remark: cannot tell whether instances of 'work' meet in argument 'out' of 'root'
//
// From one entry to the next, up and down, with a stride, and with elements.
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) out[k] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (long k = first[x + 1] - 1; k >= first[x]; --k) out[k] += x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) for (int j = 0; j < 3; ++j) out[3 * k + j] = x" 2>&1 | %{tested}
// RUN: %{check} "-DTYPE=long" "-DCODE=for (long k = first[x]; k < first[x + 1]; ++k) out[k] = x" 2>&1 | %{tested}
// RUN: %{check} "-DTYPE=unsigned" "-DCODE=for (long k = first[x]; k < first[x + 1]; ++k) out[k] = x" 2>&1 | %{tested}
// As long as another table says, or an argument, or where a comparison ends them.
// RUN: %{check} "-DCODE=for (int k = 0; k < in[x]; ++k) out[first[x] + k] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = 0; k < n; ++k) out[first[x] + k] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = 0; k < 8; ++k) if (first[x] + k < first[x + 1]) out[first[x] + k] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = 0; k < in[x]; ++k) out[8 * x + k] = x" 2>&1 | %{tested}
// Under a condition, through two tables, and from the columns of a sparse matrix.
// RUN: %{check} "-DCODE=if (in[x]) out[first[x]] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=if (in[x] > 4 && x != 3) out[first[x]] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[first[in[x]]] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = first[in[x]]; k < first[in[x] + 1]; ++k) out[k] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) out[in[k]] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = 0; k < 4; ++k) out[in[4 * x + k]] = x" 2>&1 | %{tested}
// They store the same; the numbers are no row; what decides is not known.
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) out[k] = 7" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) out[k / 2] = x" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) if (out[k] > x) out[k] = x" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) { if (out[n]) break; out[k] = x; }" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) { if (in[k] == 3) break; out[k] = x; }" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) out[k] = out[k + 1]" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) { out[k] = x; first[n + x] = 1; }" 2>&1 | %{unknown}
//
// RUN: %sluice build --print=plan "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) out[k] = x" %s -o %t.run | FileCheck %s --check-prefix=PLAN
// PLAN: rows apart in 'out', by 'first'{{$}}
// RUN: %sluice build "-DCODE=for (int k = first[x]; k < first[x + 1]; ++k) out[k] = x" %s -o %t.run
// RUN: %t.run | FileCheck %s --check-prefix=DONE
// RUN: %t.run 9 | FileCheck %s --check-prefix=DONE
// RUN: not %t.run 10 2>&1 | FileCheck %s --check-prefix=FALLS
// DONE: done
// FALLS: sluice: error: the entries of 'first' send instances (2) and (4) to element 6 of argument 'out' of graph 'root', but the graph is free of races only if no two instances go to the same place; let each instance go to a place of its own, or use atomic operations

#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TYPE
#define TYPE int
#endif

void work(int *out, size_t outBytes, TYPE *first, size_t firstBytes, int *in,
          size_t inBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, out, first, in, 2, out, first);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  CODE;
}

void root(int *out, size_t outBytes, TYPE *first, size_t firstBytes, int *in,
          size_t inBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, out, first, in, 2, out, first);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 7; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

struct __attribute__((packed)) Arguments {
  int *out;
  size_t outBytes;
  TYPE *first;
  size_t firstBytes;
  int *in;
  size_t inBytes;
  long n;
};

int main(int argc, char **argv) {
  static int out[64], in[64];
  // Rows of two, but for one that is empty.
  static TYPE first[17];
  for (int i = 0; i < 17; ++i)
    first[i] = 2 * i - (i > 3 ? 2 : 0);
  // A row that ends before it begins is empty, and right.
  if (argc > 1 && atoi(argv[1]) == 9)
    first[16] = 1;
  else if (argc > 1)
    first[3] = 9;
  struct Arguments all = {out, sizeof out, first, sizeof first,
                          in,  sizeof in,  16};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &all));
  __hpvm__cleanup();
  puts("done");
}

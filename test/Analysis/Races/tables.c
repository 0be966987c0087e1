// Where a table says where instances go, they are apart if it names no place
// twice. Launches test that if they can tell which entries are used. Otherwise
// a remark says so, and a checked run finds out. That is said only where nothing
// else can make them meet.
// DEFINE: %{check} = sluice check %s
// DEFINE: %{table} = FileCheck %s --check-prefix=TABLE
// DEFINE: %{unknown} = FileCheck %s --check-prefix=UNKNOWN
// TABLE: remark: cannot tell whether instances of 'work' meet in argument 'out' of 'root': they do only if two of the entries that they read in 'table' are equal; SLUICE_CHECK=1 checks it at run time
// TABLE: {{^}}free of races but for what the remarks name{{$}}
// DEFINE: %{tested} = FileCheck %s --check-prefix=TESTED
// TESTED-NOT: remark:
// TESTED: {{^}}free of races if no two of the entries that are read in 'table' are equal, which each launch tests{{$}}
// DEFINE: %{rows} = FileCheck %s --check-prefix=ROWS
// ROWS-NOT: remark:
// ROWS: {{^}}free of races if the entries that are read in {{.*}} send no two instances to the same memory, which each launch tests{{$}}
// UNKNOWN: remark: cannot tell whether instances of 'work' meet in argument 'out' of 'root'
// UNKNOWN-NOT: they do only if
//
// RUN: %{check} "-DCODE=out[table[x]] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[table[x]] += x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[table[x + 3]] = x" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[2 * table[n - x]] = out[2 * table[n - x] + 1]" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = 0; k < 4; ++k) out[4 * table[x] + k] = x" 2>&1 | %{tested}
// An instance may well find an entry twice.
// RUN: %{check} "-DCODE=for (int k = 0; k < 4; ++k) out[table[4 * x + k]] = x" 2>&1 | %{rows}
// Instances with equal entries may go to different places there.
// RUN: %{check} "-DCODE=for (int k = 0; k < n; ++k) if (k >= x) out[table[x] * n + k] = x" 2>&1 | %{table}
// RUN: %{check} "-DCODE=for (int k = 0; k < n; ++k) if (k < x) out[table[x] * n + k] = x" 2>&1 | %{tested}
// They store the same.
// RUN: %{check} "-DCODE=out[table[x]] = 1" 2>&1 | %{table}
// RUN: %{check} "-DCODE=out[table[x]] = 2 * n" 2>&1 | %{table}
// RUN: %{check} "-DCODE=out[table[x]] = in[0]" 2>&1 | %{table}
// RUN: %{check} "-DCODE=out[table[x]] = table[x] + 1" 2>&1 | %{table}
// RUN: %{check} "-DCODE=__builtin_memset(out + 2 * table[x], 0, 8)" 2>&1 | %{table}
// RUN: %{check} "-DCODE=out[table[x]] = x > 3" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[table[x]] = table[x + 1]" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=if (x < n / 2) out[table[x]] = in[x]" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=if (in[x]) out[table[x]] = x" 2>&1 | %{rows}
// That a divisor is not 0 decides nothing.
// RUN: %{check} "-DCODE=out[table[x]] = x / in[0] + n / in[x]" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=if (x < n / 2) out[table[x]] = x %% n" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[table[x]] = x" -DTYPE=unsigned 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[table[x]] = x" -DTYPE=long 2>&1 | %{tested}
// RUN: %{check} "-DCODE=out[table[x]] = x" "-DTYPE=unsigned short" 2>&1 | %{tested}
// RUN: %{check} "-DCODE=for (int k = 0; k < 4; ++k) out[table[x] + n * k] = k" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=if (x != 3) out[table[x]] = x" 2>&1 | %{rows}
// RUN: %{check} "-DCODE=if (table[x] >= 0) out[table[x]] = x" 2>&1 | %{rows}
// RUN: %{check} "-DCODE=out[table[2 * x]] = out[table[2 * x + 1]]" 2>&1 | %{table}
// RUN: %{check} "-DCODE=if (x < 5) out[table[x]] = 0; if (x < 9) out[table[x]] = 1" 2>&1 | %{table}
// RUN: not sluice check --require-proof "-DCODE=out[table[x]] = x" %s
// RUN: %sluice build --print=plan "-DCODE=out[table[x]] = x" %s -o %t.run | FileCheck %s --check-prefix=PLAN
// PLAN: different entries of 4 bytes in 'table'
// RUN: %{check} "-DCODE=out[in[table[x]]] = x" 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: free of races if the entries that are read in 'in' and in 'table' send no two instances to the same memory, which each launch tests
//
// RUN: %{check} "-DCODE=out[table[x]] = out[table[x] + 1]" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH-DAG: meet in argument 'out' of 'root': it depends on a value that is loaded from memory
// RUN: %{check} "-DCODE=out[table[x]] = x; out[x ^ 1] = 2" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[4 * table[x]] = x; out[2 * table[x]] = 2" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[table[x]] = x; out[in[x]] = 2" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[table[x] / 2] = x" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[table[x] & 15] = x" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[(unsigned char)table[x]] = x" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[table[x / 2]] = x" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[table[x] + x] = x" 2>&1 | %{rows}
// RUN: %{check} "-DCODE=out[table[x] * (x - 1)] = x" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=for (int k = 0; k < 4; ++k) out[2 * table[x] + k] = k" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=out[table[x]] = 1; table[n + x] = 3" 2>&1 | %{unknown}
//
// RUN: env SLUICE_CHECK=1 %sluice run "-DCODE=out[table[x]] = x" %s 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: not env SLUICE_CHECK=1 %sluice run -DTWICE "-DCODE=out[table[x]] = x" %s 2>&1 | FileCheck %s --check-prefix=TWICE
// ONCE-NOT: error
// ONCE: done
// TWICE: error: {{.*}}'root/work'{{.*}}'out'

#include <hpvm.h>
#include <stdio.h>

#ifndef TYPE
#define TYPE int
#endif

void work(int *out, size_t outBytes, TYPE *table, size_t tableBytes, int *in,
          size_t inBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, out, table, in, 3, out, table, in);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  CODE;
}

void root(int *out, size_t outBytes, TYPE *table, size_t tableBytes, int *in,
          size_t inBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, out, table, in, 3, out, table, in);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 7; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

struct __attribute__((packed)) Arguments {
  int *out;
  size_t outBytes;
  TYPE *table;
  size_t tableBytes;
  int *in;
  size_t inBytes;
  long n;
};

int main(void) {
  static int out[64], in[64];
  static TYPE table[64];
  for (int i = 0; i < 64; ++i)
    table[i] = in[i] = (29 * i + 5) % 64;
#ifdef TWICE
  table[7] = table[3];
#endif
  struct Arguments all = {out, sizeof out, table, sizeof table,
                          in,  sizeof in,  16};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &all));
  __hpvm__cleanup();
  puts("done");
}

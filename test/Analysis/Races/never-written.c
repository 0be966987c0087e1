// What nobody writes is as good as constant: tables and pointers in static
// variables. What somebody may write is not. And functions that call themselves
// touch what they are passed, and their own memory.
// DEFINE: %{check} = sluice check %s
// DEFINE: %{proven} = FileCheck %s --check-prefix=PROVEN
// DEFINE: %{unknown} = FileCheck %s --check-prefix=UNKNOWN
// DEFINE: %{racy} = FileCheck %s --check-prefix=RACY
// PROVEN-NOT: {{remark|error}}
// PROVEN: proven free of races
// UNKNOWN: remark: cannot tell w
// RACY: error: 'work' writes the same place of {{(argument 'v'|global variable '(place|calls)')}}
//
// RUN: %{check} "-DCODE=v[where[x]] = 1" 2>&1 | %{proven}
// RUN: not %{check} "-DCODE=v[again[x]] = 1" 2>&1 | %{racy}
// RUN: %{check} "-DCODE=v[where[x]] = 1" "-DHOST=where[n] = 1" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=v[where[x]] = 1" "-DHOST=use(where)" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=v[where[x]] = 1" "-DHOST=kept = where" 2>&1 | %{unknown}
// RUN: %{check} "-DCODE=v[where[x]] = 1" -DVISIBLE 2>&1 | %{unknown}
// RUN: not %{check} "-DCODE=(*counter)++; v[x] = 1" 2>&1 | %{racy}
// RUN: %{check} "-DCODE=(*counter)++; v[x] = 1" "-DHOST=counter = &other" 2>&1 | %{unknown}
//
// RUN: %{check} "-DCODE=v[x] = fib(x)" 2>&1 | %{proven}
// RUN: not %{check} "-DCODE=v[x] = count(x)" 2>&1 | %{racy}
// RUN: %{check} "-DCODE=v[x] = follow(x, &kept)" 2>&1 | %{unknown}

#include <hpvm.h>

#ifndef VISIBLE
static
#endif
    int where[4] = {1, 5, 0, 2};
static int again[4] = {1, 5, 1, 2};
static int place, other, *counter = &place, *kept, calls;
void use(int *pointer);

static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static long count(long n) { return n < 2 ? calls++ : count(n - 1) + 1; }
static long follow(long n, int **at) {
  return n < 2 ? (*at)[0]++ : follow(n - 1, at) + 1;
}

void work(long *v, size_t vBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, v, 1, v);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  CODE;
}

void root(long *v, size_t vBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, v, 1, v);
  void *node = __hpvm__createNodeND(1, work, 4);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

struct __attribute__((packed)) Arguments {
  long *v;
  size_t vBytes;
};

int main(int n, char **arguments) {
  static long v[8];
  struct Arguments all = {v, sizeof v};
#ifdef HOST
  HOST;
#endif
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &all));
  __hpvm__cleanup();
  return (int)(fib(1) + count(1) + follow(1, &kept) + other + *counter);
}

// What devices do not have is said with its place, and runs on the host.

// RUN: %sluice build --print=device %s | FileCheck %s

#include <hpvm.h>
#include <stdarg.h>
#include <stdio.h>

#define LEAF(name, ...)                                                        \
  void name(int *in, size_t bytes, int *out, size_t outBytes) {                \
    __hpvm__hint(GPU_TARGET);                                                  \
    __hpvm__attributes(1, in, 1, out);                                         \
    long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());                   \
    __VA_ARGS__                                                                \
  }                                                                            \
  void name##Root(int *in, size_t bytes, int *out, size_t outBytes, long n) {  \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, in, 1, out);                                         \
    void *node = __hpvm__createNodeND(1, name, n);                             \
    __hpvm__bindIn(node, 0, 0, 0);                                             \
    __hpvm__bindIn(node, 1, 1, 0);                                             \
    __hpvm__bindIn(node, 2, 2, 0);                                             \
    __hpvm__bindIn(node, 3, 3, 0);                                             \
  }

// clang-format off

// CHECK-LABEL: kernels of plan 'printsRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:23: leaf 'prints': calls 'printf', which devices do not have
LEAF(prints, out[i] = printf("%d", in[i]);)

static int factorial(int n) {
  if (n < 2)
    return 1;
  // CHECK-LABEL: kernels of plan 'recursesRoot'
  // CHECK: runs on the host: {{.*}}refused.c:[[@LINE+3]]:{{[0-9]+}}: leaf 'recurses': calls 'factorial', which calls itself
  return n * factorial(n - 1);
}
LEAF(recurses, out[i] = factorial(in[i]);)

// CHECK-LABEL: kernels of plan 'loadsRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'loads': loads an address from memory, which is one of the host's; pass the memory as an argument of its own
LEAF(loads, out[i] = **(int **)&in[2 * i];)

// CHECK-LABEL: kernels of plan 'storesRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'stores': stores an address, which the host could not use
LEAF(stores, *(int **)&out[2 * i] = in;)

int counter;
// CHECK-LABEL: kernels of plan 'countsRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'counts': uses the variable 'counter' of the program; pass its address to the node instead
LEAF(counts, out[i] = counter;)

// Each instance has this variable of its own, which a kernel can have too.
_Thread_local int own;
// CHECK-LABEL: kernels of plan 'threadsRoot'
// CHECK-NEXT: node 'threadsRoot/threads' kernel 'sluice_threadsRoot_threads'
LEAF(threads, out[i] = own;)

// CHECK-LABEL: kernels of plan 'wideRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'wide': computes with 'long double', which devices do not have
LEAF(wide, out[i] = (int)((long double)in[i] / 3);)

// CHECK-LABEL: kernels of plan 'hugeRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'huge': computes with '__int128', which devices do not have
LEAF(huge, __int128 v = in[i]; v = v * v * v * v; out[i] = (int)(v >> 70);)

// CHECK-LABEL: kernels of plan 'assemblesRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'assembles': has assembly of the host
LEAF(assembles, __asm__ volatile("nop"); out[i] = 1;)

typedef int Function(int);
static int once(int n) { return n; }
static int doubled(int n) { return 2 * n; }
static Function *choose(int which) { return which ? once : doubled; }
// CHECK-LABEL: kernels of plan 'indirectRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE-2]]:{{[0-9]+}}: leaf 'indirect': takes the address of the function 'doubled', which devices cannot
LEAF(indirect, out[i] = choose(in[i])(in[i]);)

static int sum(int n, ...) {
  va_list list;
  va_start(list, n);
  int result = va_arg(list, int);
  va_end(list);
  return result;
}
// CHECK-LABEL: kernels of plan 'variesRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'varies': calls 'sum', which takes any number of arguments
LEAF(varies, out[i] = sum(1, in[i]);)

__attribute__((weak)) int replaceable(int n) { return n + 1; }
// CHECK-LABEL: kernels of plan 'weakRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'weak': calls 'replaceable', which another file may replace (it is weak)
LEAF(weak, out[i] = replaceable(in[i]);)

// CHECK-LABEL: kernels of plan 'numbersRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'numbers': makes an address of a number
LEAF(numbers, out[i] = *(int *)(bytes + 4 * i);)

// CHECK-LABEL: kernels of plan 'sizesRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'sizes': has a variable whose size is not constant
LEAF(sizes, int own[bytes]; for (long k = 0; k < bytes; ++k) own[k] = in[k]; out[i] = own[in[i]];)

// CHECK-LABEL: kernels of plan 'ordersRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'orders': orders memory by an atomic operation, which devices do not; __hpvm__atomic_* are relaxed, and __hpvm__barrier orders a work-group
LEAF(orders, out[i] = in[i]; __atomic_fetch_add(&out[i], 1, __ATOMIC_SEQ_CST);)

// CHECK-LABEL: kernels of plan 'mixesRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'mixes': an address here may be in the node's own variables, in the work-group's memory or in an argument, and devices keep these apart
LEAF(mixes, int mine[64]; for (int k = 0; k < 64; ++k) mine[k] = k * in[k]; int *p = in[i] & 1 ? mine : in; out[i] = p[in[i + 1]];)

// CHECK-LABEL: kernels of plan 'allocatesRoot'
// CHECK: runs on the host: {{.*}}refused.c:[[@LINE+1]]:{{[0-9]+}}: leaf 'allocates': allocates memory that is not a work-group's: devices do so only in a child without dimensions of a replicated node
LEAF(allocates, int *p = __hpvm__malloc(4); *p = in[i]; out[i] = *p + 1;)

// clang-format on

#define RUN(name)                                                              \
  {                                                                            \
    void *graph = __hpvm__launch(0, name##Root, &arguments);                   \
    __hpvm__wait(graph);                                                       \
  }

struct __attribute__((packed)) Arguments {
  int *in;
  size_t bytes;
  int *out;
  size_t outBytes;
  long n;
};

int main(void) {
  static int in[64], out[64];
  struct Arguments arguments = {in, sizeof in, out, sizeof out, 16};
  __hpvm__init();
  RUN(prints) RUN(recurses) RUN(loads) RUN(stores) RUN(counts) RUN(threads)
  RUN(wide) RUN(huge) RUN(assembles) RUN(indirect) RUN(varies) RUN(weak)
  RUN(numbers) RUN(sizes) RUN(orders) RUN(mixes) RUN(allocates)
  __hpvm__cleanup();
  return 0;
}

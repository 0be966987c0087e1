// Reductions in graphs: work-groups with barriers, a node between others,
// items of a stream, a size that does not fit, what cannot be run.
// RUN: sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 sluice run %s | FileCheck %s
// RUN: env SLUICE_EXECUTOR=sequential sluice run %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s | FileCheck %s
// RUN: sluice run --no-transforms %s | FileCheck %s
// RUN: sluice run -DDEVICE=GPU_TARGET %s | FileCheck %s
// CHECK: groups 499500 45000
// CHECK-NEXT: chain 1998 999
// CHECK-NEXT: items 100 300 600 1000
// RUN: not sluice run -DWRONG_SIZE %s 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: the bytes of a reduction are not a whole number of elements
// RUN: env SLUICE_CHECK=1 not sluice run -DBEYOND %s 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: reads 8 bytes at byte 8 of 'sum', which has 8 bytes; only these were given to the node
// RUN: not sluice build -DBESIDE %s -o %t 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: error: below the replicated node 'group' a leaf has a reduction beside other nodes
// RUN: sluice build -DDEVICE=GPU_TARGET --print=plan %s -o %t | FileCheck %s --check-prefix=PLAN
// PLAN: reduces or scans, the address of copies at frame offset
// PLAN: runs on the host: {{.*}}leaf 'turn': has a reduction and waits at barriers, which only the host runs

#include <hpvm.h>
#include <stdio.h>

#ifdef WRONG_SIZE
#define SUM_BYTES 12
#elif defined(BEYOND)
#define SUM_BYTES 8
#else
#define SUM_BYTES 16
#endif

// Each group of ten lanes turns its numbers round, then adds them up.
void turn(long *data, size_t dataBytes, long *sum, size_t sumBytes) {
  __hpvm__hint(DEVICE);
  __hpvm__attributes(2, data, sum, 2, data, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  void *node = __hpvm__getNode();
  long lane = __hpvm__getNodeInstanceID_x(node);
  long group = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(node));
  data[group * 10 + lane] = group * 10 + lane;
  __hpvm__barrier();
  long other = data[group * 10 + 9 - lane];
  sum[0] += other;
  if (lane == 0)
    for (long l = 0; l < 10; ++l)
      sum[1] += other % 10 * l + l;
}

void mark(long *data, size_t dataBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  data[10 *
       __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(__hpvm__getNode()))] =
      1;
  __hpvm__return(1, dataBytes);
}

void group(long *data, size_t dataBytes, long *sum, size_t sumBytes) {
  __hpvm__hint(DEVICE);
  __hpvm__attributes(2, data, sum, 2, data, sum);
  void *node = __hpvm__createNodeND(1, turn, (size_t)10);
#ifdef BESIDE
  void *other = __hpvm__createNodeND(0, mark);
  __hpvm__bindIn(other, 0, 0, 0);
  __hpvm__bindIn(other, 1, 1, 0);
  __hpvm__edge(other, node, 1, 0, 1, 0);
#else
  __hpvm__bindIn(node, 1, 1, 0);
#endif
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

void groups(long *data, size_t dataBytes, long *sum, size_t sumBytes) {
  __hpvm__hint(DEVICE);
  __hpvm__attributes(2, data, sum, 2, data, sum);
  void *node = __hpvm__createNodeND(1, group, (size_t)100);
  for (int i = 0; i != 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

// fill, then largest, then use, which sees the result of all.
void fill(long *data, size_t dataBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  data[i] = i * 7 % 1000;
  __hpvm__return(2, dataBytes, i);
}

void largest(long *data, size_t dataBytes, long *sum, size_t sumBytes, long i) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_MAX);
  sum[0] = data[i] > sum[0] ? data[i] : sum[0];
  __hpvm__return(1, sumBytes);
}

void use(long *data, size_t dataBytes, long *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 1, data);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  data[i] = sum[0] + i;
}

void chain(long *data, size_t dataBytes, long *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, sum, 2, data, sum);
  void *first = __hpvm__createNodeND(1, fill, (size_t)1000);
  void *second = __hpvm__createNodeND(1, largest, (size_t)1000);
  void *third = __hpvm__createNodeND(1, use, (size_t)1000);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(second, 0, 0, 0);
  __hpvm__edge(first, second, 1, 0, 1, 0);
  __hpvm__edge(first, second, 0, 1, 4, 0);
  __hpvm__bindIn(second, 2, 2, 0);
  __hpvm__bindIn(second, 3, 3, 0);
  __hpvm__bindIn(third, 0, 0, 0);
  __hpvm__bindIn(third, 1, 1, 0);
  __hpvm__bindIn(third, 2, 2, 0);
  __hpvm__edge(second, third, 1, 0, 3, 0);
}

// Items add to one total.
void add(long *sum, size_t sumBytes, long value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  sum[0] += value;
  __hpvm__return(1, sumBytes);
}

void get(long *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 0);
  __hpvm__return(1, sum[0]);
}

void items(long *sum, size_t sumBytes, long value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 1, sum);
  void *first = __hpvm__createNodeND(1, add, (size_t)100);
  void *second = __hpvm__createNodeND(0, get);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(first, 2, 2, 1);
  __hpvm__bindIn(second, 0, 0, 0);
  __hpvm__edge(first, second, 1, 0, 1, 1);
  __hpvm__bindOut(second, 0, 0, 1);
}

struct __attribute__((packed)) Arguments {
  long *data;
  size_t dataBytes;
  long *sum;
  size_t sumBytes;
};

struct __attribute__((packed)) Item {
  long *sum;
  size_t sumBytes;
  long value;
};

int main(void) {
  static long data[1000], sum[2], top[1] = {5}, total[1];
  struct Arguments arguments = {data, sizeof data, sum, SUM_BYTES};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, groups, &arguments));
  printf("groups %ld %ld\n", sum[0], sum[1]);
  struct Arguments others = {data, sizeof data, top, sizeof top};
  __hpvm__wait(__hpvm__launch(0, chain, &others));
  printf("chain %ld %ld\n", data[999], top[0]);
  struct Item item = {total, sizeof total, 0};
  void *stream = __hpvm__launch(1, items, &item);
  for (item.value = 1; item.value != 5; ++item.value)
    __hpvm__push(stream, &item);
  printf("items");
  for (int i = 0; i != 4; ++i)
    printf(" %ld", *(long *)__hpvm__pop(stream));
  puts("");
  __hpvm__wait(stream);
  __hpvm__cleanup();
}

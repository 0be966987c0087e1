// Every instance has thread-local variables of its own, however many workers
// there are, with and without barriers, in functions and in arrays. `errno` is
// the library's and works like one.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run -O0 %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 %sluice run --reference %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 %sluice run --march=native %s | FileCheck %s
// CHECK: all 4200 instances agree

// What an instance finds in a variable that it has not set is worth a remark.
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: thread-locals.c:{{[0-9]+}}:{{[0-9]+}}: remark: thread-local variable 'last' starts from its initial value in every instance of 'leaf': what another instance left in it is not seen [thread-local]
// REMARK-NOT: 'scale'
// REMARK-NOT: 'sum'

#include <errno.h>
#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>

enum { Groups = 42, Items = 100, N = Groups * Items };

static __thread int scale = 3;        // only read
static _Thread_local float sum;       // set before it is read
static _Thread_local int counts[4] = {5, 6, 7, 8};
__thread int stage;                   // other files could see it

static void add(float value) { sum += value; }
__attribute__((noinline)) static void enter(int value) { stage = value; }

static int next(int value) {
  static __thread int last = 9;
  int before = last;
  last = value;
  return before;
}

static __thread int depth;
static int descend(int n) {
  ++depth;
  return n ? descend(n - 1) : depth;
}

static int parse(const char *text) {
  long value = strtol(text, NULL, 10);
  return errno == ERANGE ? -1 : (int)value;
}

void leaf(float *out, size_t outBytes, const int *in, size_t inBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, out, in, 1, out);
  void *self = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(self)) * Items +
           __hpvm__getNodeInstanceID_x(self);
  int result = errno; // 0
  sum = in[i];
  for (int k = 0; k < 50; ++k)
    add(in[k]);
  counts[in[i] % 4] += 10;
  enter(in[i]);
  errno = in[i];
  __hpvm__barrier();
  result += errno + stage;
  stage = 0;
  next(in[i]);
  result += next(0) + next(1) + 1000 * scale;
  result += descend(in[i]);
  for (int k = 0; k < 4; ++k)
    result += counts[k];
  errno = 0;
  result += parse(in[i] % 2 ? "99999999999999999999" : "12");
  result += parse("7"); // still a matter of range, if it was before
  out[i] = sum + result;
  __hpvm__return(0);
}

#define PASS(node)                                                             \
  __hpvm__bindIn(node, 0, 0, 0), __hpvm__bindIn(node, 1, 1, 0),                \
      __hpvm__bindIn(node, 2, 2, 0), __hpvm__bindIn(node, 3, 3, 0)

void group(float *out, size_t outBytes, const int *in, size_t inBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, out, in, 1, out);
  void *node = __hpvm__createNodeND(1, leaf, (size_t)Items);
  PASS(node);
}

void root(float *out, size_t outBytes, const int *in, size_t inBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, out, in, 1, out);
  void *node = __hpvm__createNodeND(1, group, (size_t)Groups);
  PASS(node);
}

int main(void) {
  static float out[N];
  static int in[N];
  float total = 0;
  for (int i = 0; i < N; ++i)
    in[i] = i % 7;
  for (int k = 0; k < 50; ++k)
    total += in[k];
  stage = -1; // of this thread
  __hpvm__init();
  struct __attribute__((packed)) {
    float *out;
    size_t outBytes;
    const int *in;
    size_t inBytes;
  } arguments = {out, sizeof(out), in, sizeof(in)};
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  int good = 0;
  for (int i = 0; i < N; ++i) {
    int v = in[i];
    int parsed = v % 2 ? -2 : 12 + 7;
    int result = 2 * v + v + 0 + 3000 + (v + 1) + 26 + 10 + parsed;
    good += out[i] == total + v + result;
  }
  if (good == N && stage == -1)
    printf("all %d instances agree\n", good);
  else
    printf("%d of %d; stage %d\n", good, N, stage);
}

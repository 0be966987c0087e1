// Launches of test graphs that read `in` and write `out`.

#ifndef GRAPHS_H
#define GRAPHS_H

#include <hpvm.h>
#include <stdio.h>
#include <string.h>

#ifndef TARGET
#define TARGET GPU_TARGET
#endif

enum { Size = 8192 };

struct __attribute__((packed)) Arguments {
  int *in;
  size_t inBytes;
  int *out;
  size_t outBytes;
  long n, m;
};

// A leaf or graph with the arguments of all of them.
#define NODE(name)                                                             \
  void name(int *in, size_t inBytes, int *out, size_t outBytes, long n, long m)
#define BEGIN                                                                  \
  __hpvm__hint(TARGET);                                                        \
  __hpvm__attributes(2, in, out, 1, out);

#define PASS(node)                                                             \
  __hpvm__bindIn(node, 0, 0, 0);                                               \
  __hpvm__bindIn(node, 1, 1, 0);                                               \
  __hpvm__bindIn(node, 2, 2, 0);                                               \
  __hpvm__bindIn(node, 3, 3, 0);                                               \
  __hpvm__bindIn(node, 4, 4, 0);                                               \
  __hpvm__bindIn(node, 5, 5, 0);

// The same for a node that waits for one whose output is `outBytes`.
#define PASS_AFTER(before, node)                                               \
  __hpvm__bindIn(node, 0, 0, 0);                                               \
  __hpvm__bindIn(node, 1, 1, 0);                                               \
  __hpvm__bindIn(node, 2, 2, 0);                                               \
  __hpvm__edge(before, node, 1, 0, 3, 0);                                      \
  __hpvm__bindIn(node, 4, 4, 0);                                               \
  __hpvm__bindIn(node, 5, 5, 0);

// A graph with one child.
#define AROUND(name, child, dims, ...)                                         \
  NODE(name) {                                                                 \
    BEGIN void *node = __hpvm__createNodeND(dims, child, __VA_ARGS__);         \
    PASS(node)                                                                 \
  }

#define X(node) __hpvm__getNodeInstanceID_x(node)
#define Y(node) __hpvm__getNodeInstanceID_y(node)
#define Z(node) __hpvm__getNodeInstanceID_z(node)
#define NX(node) __hpvm__getNumNodeInstances_x(node)
#define NY(node) __hpvm__getNumNodeInstances_y(node)
#define NZ(node) __hpvm__getNumNodeInstances_z(node)
#define SELF __hpvm__getNode()
#define PARENT(node) __hpvm__getParentNode(node)

static int in[Size], out[Size];

static inline void prepare(void) {
  for (int i = 0; i < Size; ++i) {
    in[i] = (int)(i * 2654435761u >> 7);
    out[i] = i;
  }
}

static inline void print(const char *name) {
  unsigned sum = 0, last = 0;
  for (int i = 0; i < Size; ++i) {
    sum = sum * 31 + (unsigned)out[i];
    if (out[i] != i)
      last = i;
  }
  printf("%s: %08x, the last change is at %u\n", name, sum, last);
}

#define RUN(root, N, M)                                                        \
  {                                                                            \
    prepare();                                                                 \
    struct Arguments arguments = {in, sizeof in, out, sizeof out, N, M};       \
    llvm_hpvm_track_mem(in, sizeof in);                                        \
    llvm_hpvm_track_mem(out, sizeof out);                                      \
    __hpvm__wait(__hpvm__launch(0, root, &arguments));                         \
    llvm_hpvm_request_mem(out, sizeof out);                                    \
    llvm_hpvm_untrack_mem(in);                                                 \
    llvm_hpvm_untrack_mem(out);                                                \
    print(#root);                                                              \
  }

#endif

//===- chain.c - Three nodes for a device, launched again and again -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one node writes the next one reads; the last one adds to what the first
// one reads in the next launch. The host looks at all of it once, at the end,
// or after every launch with EACH. The sums are those of plain integers.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdio.h>

enum { length = 5000, launches = 5 };

void scale(long *in, size_t inBytes, long *middle, size_t middleBytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, in, 1, middle);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  middle[i] = 3 * in[i] + i;
  __hpvm__return(1, middleBytes);
}

void reverse(long *middle, size_t middleBytes, long *out, size_t outBytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, middle, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  out[i] = middle[length - 1 - i];
  __hpvm__return(1, outBytes);
}

void add(long *out, size_t outBytes, long *in, size_t inBytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, out, in, 1, in);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  in[i] += out[i];
}

void root(long *in, size_t inBytes, long *middle, size_t middleBytes, long *out,
          size_t outBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, in, middle, out, 3, in, middle, out);
  void *first = __hpvm__createNodeND(1, scale, (size_t)length);
  void *second = __hpvm__createNodeND(1, reverse, (size_t)length);
  void *third = __hpvm__createNodeND(1, add, (size_t)length);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(first, 2, 2, 0);
  __hpvm__bindIn(first, 3, 3, 0);
  __hpvm__bindIn(second, 2, 0, 0);
  __hpvm__edge(first, second, 1, 0, 1, 0);
  __hpvm__bindIn(second, 4, 2, 0);
  __hpvm__bindIn(second, 5, 3, 0);
  __hpvm__bindIn(third, 4, 0, 0);
  __hpvm__edge(second, third, 1, 0, 1, 0);
  __hpvm__bindIn(third, 0, 2, 0);
  __hpvm__bindIn(third, 1, 3, 0);
}

struct __attribute__((packed)) Arguments {
  long *in;
  size_t inBytes;
  long *middle;
  size_t middleBytes;
  long *out;
  size_t outBytes;
};

static long in[length], middle[length], out[length];

int main(void) {
  struct Arguments arguments = {in, sizeof in, middle, sizeof middle,
                                out, sizeof out};
  long sum = 0;
  for (long i = 0; i < length; ++i)
    in[i] = i % 7;
  __hpvm__init();
  llvm_hpvm_track_mem(in, sizeof in);
  llvm_hpvm_track_mem(middle, sizeof middle);
  llvm_hpvm_track_mem(out, sizeof out);
  for (int launch = 0; launch < launches; ++launch) {
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
#ifdef EACH
    llvm_hpvm_request_mem(in, sizeof in);
    sum += in[launch];
    in[launch] += 1;
#endif
  }
  llvm_hpvm_request_mem(in, sizeof in);
  llvm_hpvm_request_mem(middle, sizeof middle);
  llvm_hpvm_request_mem(out, sizeof out);
  for (long i = 0; i < length; ++i)
    sum = 31 * sum + in[i] + 3 * middle[i] + 7 * out[i];
  llvm_hpvm_untrack_mem(in);
  llvm_hpvm_untrack_mem(middle);
  llvm_hpvm_untrack_mem(out);
  __hpvm__cleanup();
  printf("sum %lx\n", (unsigned long)sum);
}

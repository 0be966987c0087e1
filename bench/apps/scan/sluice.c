//===- sluice.c - Prefix sums in HPVM-C -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instance writes its element, and a scan is declared of them.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void scanLeaf(int *from, size_t fromBytes, int *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, to, 1, to);
  sluice_scan(to, toBytes, SLUICE_SUM);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  to[i] = from[i];
}

void scanRoot(int *from, size_t fromBytes, int *to, size_t toBytes,
              long count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, to, 1, to);
  void *scan = __hpvm__createNodeND(1, scanLeaf, (size_t)count);
  for (int port = 0; port < 4; ++port)
    __hpvm__bindIn(scan, port, port, 0);
}

typedef struct __attribute__((__packed__)) {
  int *from;
  size_t fromBytes;
  int *to;
  size_t toBytes;
  long count;
} Arguments;

static void run(void) {
  size_t bytes = sizeof(int) * length;
  Arguments arguments = {input, bytes, output, bytes, length};
  __hpvm__wait(__hpvm__launch(0, scanRoot, &arguments));
  llvm_hpvm_request_mem(output, bytes);
}

int main(void) {
  __hpvm__init();
  int status = appServe();
  __hpvm__cleanup();
  return status;
}

//===- serial.cpp - The stencil in plain loops ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time without any runtime, to which the others are compared.
//
//===----------------------------------------------------------------------===//

#include "halo.h"

using namespace bench;

void bench::prepareHalo() {}
void bench::releaseHalo() {}

void bench::runHalo() {
  int64_t n = plate.n;
  for (int64_t pair = 0; pair < plate.pairs; ++pair) {
    sweepBox(plate.now, plate.next, 0, n, 0, n, n);
    sweepBox(plate.next, plate.now, 0, n, 0, n, n);
  }
}

void bench::instantiateHalo() {}

int main() { return serveHalo(); }

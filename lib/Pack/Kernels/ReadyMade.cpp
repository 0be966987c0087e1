//===- ReadyMade.cpp - The choice of a ready-made kernel ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel serves a layout before, or without, compiling one.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Kernel.h"

using namespace sluice::pack;

Kernel sluice::pack::readyMadeKernel(const Layout &layout, const Processor &) {
  return interpretedKernel(layout);
}

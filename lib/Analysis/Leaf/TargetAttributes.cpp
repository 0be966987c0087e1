//===- TargetAttributes.cpp - Target processors of functions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single list of these attributes, for all code that makes functions from
// leaves.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/TargetAttributes.h"

using namespace llvm;

ArrayRef<StringLiteral> sluice::targetAttributes() {
  static constexpr StringLiteral names[] = {
      "target-cpu",    "target-features",  "tune-cpu",
      "frame-pointer", "no-trapping-math", vectorWidthAttribute};
  return names;
}

void sluice::copyTargetAttributes(const Function &from, Function &to) {
  for (StringRef name : targetAttributes())
    if (from.hasFnAttribute(name))
      to.addFnAttr(from.getFnAttribute(name));
}

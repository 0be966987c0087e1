//===- check.h - What the programs for the checker share ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program is wrong in one way, and right with -DFIXED.
//
//===----------------------------------------------------------------------===//

#ifndef CHECK_H
#define CHECK_H

#include "hpvm.h"

#include <stdio.h>

#ifdef FIXED
#define WRONG(WrongText, FixedText) FixedText
#else
#define WRONG(WrongText, FixedText) WrongText
#endif

#define PACKED struct __attribute__((packed))

/// The instance's own index, and that of its parent.
#define own() __hpvm__getNodeInstanceID_x(__hpvm__getNode())
#define parent()                                                               \
  __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(__hpvm__getNode()))

#endif // CHECK_H

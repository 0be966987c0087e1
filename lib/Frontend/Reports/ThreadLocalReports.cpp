//===- ThreadLocalReports.cpp - Messages about thread-locals of leaves ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lib/Transforms gives each instance its own thread-local variables and reports
// where this is impossible. This file prints these reports at locations in the
// source.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Reports/ThreadLocalReports.h"
#include "sluice/Transforms/ThreadLocals.h"

using namespace llvm;
using namespace sluice;

bool driver::giveThreadLocals(Module &code, ArrayRef<Function *> leaves,
                              StringRef kind, bool hasRemarks,
                              Diagnostics &diagnostics) {
  bool isGood = true;
  for (transforms::ThreadLocalFinding &finding :
       transforms::privatizeThreadLocals(code, leaves, kind)) {
    SourcePlace place =
        finding.place ? placeOf(finding.place) : placeOf(*finding.function);
    if (finding.isError)
      diagnostics.error(place, std::move(finding.message), "thread-local");
    else if (hasRemarks)
      diagnostics.remark(place, std::move(finding.message), "thread-local");
    isGood &= !finding.isError;
  }
  return isGood;
}

//===- CGridRaces.cpp - Races between the instances of one task -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks are ordered by the data that they use. The instances of a replicated
// task are not, so they are checked like those of any node.
//
//===----------------------------------------------------------------------===//

#include "CKernelFiles.h"
#include "CPrune.h"
#include "sluice/Frontend/Reports/RaceReports.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

bool driver::checkGridRaces(mlir::ModuleOp module, const Module &code) {
  RaceReport report = checkRaces(module, code);
  erase_if(report.findings, [](const RaceFinding &finding) {
    return finding.verdict != RaceVerdict::Racy ||
           finding.kind == RaceKind::NoEdge ||
           finding.kind == RaceKind::OneToOneEdge;
  });
  report.serialStages.clear();
  Diagnostics diagnostics;
  describeRaces(report, /*hasRemarks=*/false, diagnostics);
  return emitAll(diagnostics, module.getContext(), /*hasRemarks=*/false);
}

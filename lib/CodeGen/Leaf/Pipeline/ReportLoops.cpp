//===- ReportLoops.cpp - Which leaves have become vectors -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf has several loops: for borders, for the instances that remain after
// whole vectors, and for rare extents. The leaf counts as vectorised if one of
// these loops uses vectors.
//
//===----------------------------------------------------------------------===//

#include "ReportLoops.h"

#include "../Group/InstanceLoops.h"
#include "../Lanes/LaneBuilder.h"
#include "LeafRemarks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DerivedTypes.h"

#define DEBUG_TYPE "sluice-report-loops"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numVectorLeaves, "Places in leaves that are vectors");
ALWAYS_ENABLED_STATISTIC(numScalarLeaves,
                         "Places in leaves whose instances run one by one");

namespace sluice::codegen {

/// The elements of the widest vectors that the loop computes; 1 if it has none.
static unsigned lanesOf(const Loop &loop) {
  unsigned most = 1;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (const auto *type = dyn_cast<FixedVectorType>(instruction.getType()))
        most = std::max(most, type->getNumElements());
  return most;
}

/// What LLVM, or lanes, leave after whole vectors.
static bool isRemainder(const Loop &loop) {
  return getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized") ||
         getBooleanLoopAttribute(&loop, remainderMark);
}

PreservedAnalyses ReportLoops::run(Function &function,
                                   FunctionAnalysisManager &analyses) {
  struct Found {
    Loop *loop;
    unsigned lanes;
  };
  MapVector<std::pair<unsigned, unsigned>, Found> places;
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!isInstanceLoop(loop->getLoopID()) || hasInstanceLoop(*loop))
      continue;
    unsigned lanes = lanesOf(*loop);
    if (lanes == 1 && isRemainder(*loop))
      continue;
    DebugLoc place = leafPlace(*loop);
    auto [entry, isNew] = places.insert(
        {{place ? place.getLine() : 0, place ? place.getCol() : 0},
         {loop, lanes}});
    if (!isNew && entry->second.lanes < lanes)
      entry->second = {loop, lanes};
  }
  for (auto &[place, found] : places)
    if (found.lanes > 1) {
      ++numVectorLeaves;
      remark(RemarkKind::Done, analyses, DEBUG_TYPE, *found.loop,
             "instances run as vectors of up to " + Twine(found.lanes) +
                 " elements");
    } else {
      ++numScalarLeaves;
      remark(RemarkKind::Missed, analyses, DEBUG_TYPE, *found.loop,
             "instances run one after another; -Rpass-analysis=loop-vectorize "
             "and -Rpass-missed=sluice say why");
    }
  return PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE

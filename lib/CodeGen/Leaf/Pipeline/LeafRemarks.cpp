//===- LeafRemarks.cpp - What passes say about leaves ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeafRemarks.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"

using namespace llvm;

namespace sluice::codegen {

static void emitRemark(RemarkKind kind, FunctionAnalysisManager &analyses,
                       const char *pass, const DebugLoc &place,
                       const BasicBlock &block, const Twine &text) {
  auto &emitter = analyses.getResult<OptimizationRemarkEmitterAnalysis>(
      *const_cast<Function *>(block.getParent()));
  auto make = [&](auto remark) {
    remark << text.str();
    return remark;
  };
  switch (kind) {
  case RemarkKind::Done:
    return emitter.emit(
        [&] { return make(OptimizationRemark(pass, "Done", place, &block)); });
  case RemarkKind::Missed:
    return emitter.emit([&] {
      return make(OptimizationRemarkMissed(pass, "Refused", place, &block));
    });
  case RemarkKind::Analysis:
    return emitter.emit([&] {
      return make(OptimizationRemarkAnalysis(pass, "Reason", place, &block));
    });
  }
}

DebugLoc leafPlace(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (const DebugLoc &place = instruction.getDebugLoc();
          place && place.getLine() != 0)
        return place;
  return loop.getStartLoc();
}

void remark(RemarkKind kind, FunctionAnalysisManager &analyses,
            const char *pass, const Loop &loop, const Twine &text) {
  emitRemark(kind, analyses, pass, leafPlace(loop), *loop.getHeader(), text);
}

void remark(RemarkKind kind, FunctionAnalysisManager &analyses,
            const char *pass, const Instruction &instruction,
            const Twine &text) {
  emitRemark(kind, analyses, pass, instruction.getDebugLoc(),
             *instruction.getParent(), text);
}

} // namespace sluice::codegen

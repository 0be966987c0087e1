//===- Transform.cpp - The graph transforms over a program ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which graph transforms run, in which order, and what is checked after
// each.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/Program.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

bool driver::transformProgram(Program &program,
                              const transforms::TransformOptions &options) {
  std::vector<std::string> before;
  for (const Function *function : program.getNodeFunctions())
    before.push_back(function->getName().str());
  if (mlir::failed(transforms::transformGraphs(*program.graphs, *program.code,
                                               options))) {
    printError("the transformed graphs are not valid, which is a defect of "
               "sluice; --no-transforms avoids it");
    return false;
  }
  // Functions that lost their nodes contain intrinsics, too.
  SmallPtrSet<Function *, 16> known;
  for (Function *function : program.getNodeFunctions())
    known.insert(function);
  for (const std::string &name : before)
    if (Function *function = program.code->getFunction(name))
      if (!known.contains(function))
        program.unusedNodeFunctions.push_back(name);
  return true;
}

//===- TestGraph.h - Task graphs for tests --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a small task graph and collects the messages, for several tests.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_TESTGRAPH_H
#define SLUICE_LIB_ANALYSIS_TASKS_TESTGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "sluice/Analysis/TaskOrder.h"
#include "gtest/gtest.h"

#include <set>
#include <string>

namespace sluice {

/// A module with one task graph, and the messages that checks of it gave.
class TestGraph {
public:
  explicit TestGraph(const std::string &text, bool isOrdered = true) {
    context.loadDialect<dfg::DFGDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        messages += "note: " + note.str() + "\n";
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << messages << text;
    if (module && isOrdered)
      order = inferTaskOrder(*module->getOps<dfg::TaskGraphOp>().begin());
  }

  /// "0-1 1-2": the edges of the order, without implied ones.
  std::string text() const {
    std::string result;
    for (unsigned task = 0; task != order.predecessors.size(); ++task)
      for (unsigned before : order.predecessors[task])
        result += (result.empty() ? "" : " ") + std::to_string(before) + "-" +
                  std::to_string(task);
    return result;
  }

  mlir::MLIRContext context;
  std::string messages;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TaskOrder order;
};

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_TESTGRAPH_H

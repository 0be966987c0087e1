//===- AddOrders.cpp - Known orders between points ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the runtime itself, with the program's parameters, so that the table
// holds exactly the orders that the runtime would find.
//
//===----------------------------------------------------------------------===//

#include "AddOrders.h"
#include "sluice/Runtime/RegionOrders.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Larger graphs are left to the runtime: their orders would make up most of
/// the program's file.
static constexpr uint64_t maxPoints = 1 << 14, maxOrders = 1 << 17;

void driver::addOrders(const codegen::RegionModel &program,
                       codegen::RegionTable &table) {
  std::vector<std::optional<std::vector<SluiceOrderCondition>>> conditions;
  std::vector<bool> isWanted;
  for (const codegen::RegionGraph &graph : program.graphs) {
    conditions.push_back(orderConditions(program, graph));
    isWanted.push_back(conditions.back().has_value());
  }
  std::vector<int64_t> parameters;
  for (const codegen::RegionParameter &parameter : program.parameters)
    parameters.push_back(defaultOf(parameter));
  std::vector<std::optional<regions::GraphOrders>> orders =
      regions::findOrders(*table.program, parameters, isWanted, maxPoints);
  for (unsigned i = 0; i != orders.size(); ++i)
    if (orders[i] && orders[i]->predecessors.size() <= maxOrders)
      table.setOrders(i, *conditions[i], orders[i]->firstPredecessor,
                      orders[i]->predecessors);
}

//===- RegionOrder.cpp - Proven properties and orders of a module ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of 'sluice check' for a module of regions without errors.
//
//===----------------------------------------------------------------------===//

#include "RegionOrder.h"
#include "sluice/Base/Text.h"
#include "sluice/RDIR/Order.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// "main", or "main, body of '%l'".
static std::string titleOf(const rdir::ImportedGraph &imported) {
  if (!imported.parent)
    return cast<rdir::GraphOp>(imported.op).getSymName().str();
  return titleOf(*imported.parent) + ", body of " +
         imported.parent->name(imported.owner);
}

static void printOrder(const rdir::ImportedGraph &imported,
                       const rdir::ModuleCheck &check, raw_ostream &os) {
  rdir::Schedule schedule =
      rdir::schedule(imported.graph, check.added.at(&imported));
  os << titleOf(imported) << ": "
     << countOf(schedule.tasks.size(), "task", "tasks") << " in "
     << countOf(schedule.criticalPath, "step", "steps") << ", at most "
     << schedule.width << " at a time\n";
  for (auto [index, task] : enumerate(schedule.tasks)) {
    mlir::Operation *op = imported.operations[task];
    os << "  " << index + 1 << ". " << imported.name(task);
    if (auto function = op->getAttrOfType<mlir::FlatSymbolRefAttr>("function");
        function && !rdir::isUnnamed(op))
      os << " @" << function.getValue();
    os << ", step " << schedule.steps[index] + 1 << '\n';
  }
  for (const auto &nested : imported.nested)
    printOrder(*nested, check, os);
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

namespace {
/// Counts over a module, bodies included.
struct Counts {
  size_t tasks = 0, data = 0, edges = 0;

  void add(const rdir::ImportedGraph &imported) {
    for (const rdir::Node &node : imported.graph.allNodes()) {
      tasks += rdir::isTaskLike(node.kind);
      data += !rdir::isCompute(node.kind);
    }
    edges += imported.graph.allEdges().size();
    for (const auto &nested : imported.nested)
      add(*nested);
  }
};

} // namespace

/// "'a', 'b' and 'c'", or "'a', 'b' and 7 more".
static std::string listText(ArrayRef<std::string> words) {
  constexpr size_t maxTold = 16;
  std::string text;
  for (auto [i, word] : enumerate(words.take_front(maxTold)))
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + word;
  if (words.size() > maxTold)
    text += " and " + std::to_string(words.size() - maxTold) + " more";
  return text;
}

/// ", assuming that 'owned' is disjoint (checked when the program runs)".
static std::string assumptionText(const rdir::ModuleCheck &check) {
  std::vector<std::string> checked, declared;
  for (const rdir::Assumption &assumption : check.assumptions)
    (assumption.isChecked ? checked : declared).push_back(assumption.text);
  std::string text;
  if (!checked.empty())
    text = ", assuming that " + listText(checked) +
           " (checked when the program runs)";
  if (!declared.empty())
    text += (checked.empty() ? ", assuming that " : ", and that ") +
            listText(declared);
  return text;
}

ProofState driver::printProof(const rdir::ImportedModule &imported,
                              const rdir::ModuleCheck &check, raw_ostream &os) {
  Counts counts;
  for (const auto &graph : imported.graphs)
    counts.add(*graph);
  os << "no problems in " << countOf(imported.graphs.size(), "graph", "graphs")
     << " with " << countOf(counts.tasks, "task", "tasks") << ", "
     << countOf(counts.data, "version", "versions") << " of regions and "
     << countOf(counts.edges, "edge", "edges") << '\n';
  if (counts.tasks == 0) {
    os << "nothing was checked\n";
    return ProofState::Nothing;
  }
  os << "proven free of races and serializable" << assumptionText(check)
     << '\n';
  return check.assumptions.empty() ? ProofState::Proven : ProofState::Assumed;
}

void driver::printOrders(const rdir::ImportedModule &imported,
                         const rdir::ModuleCheck &check, raw_ostream &os) {
  for (const auto &graph : imported.graphs)
    printOrder(*graph, check, os);
}

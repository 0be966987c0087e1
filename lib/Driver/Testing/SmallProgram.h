//===- SmallProgram.h - Small region modules that run -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. A small module of the oracle (lib/RDIR/Testing/OracleBodies.h)
// that all checks accept, in the form that code generators receive, with the
// behaviour of its task functions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TESTING_SMALLPROGRAM_H
#define SLUICE_LIB_DRIVER_TESTING_SMALLPROGRAM_H

#include "Leaf.h"
#include "OracleBodies.h"
#include "sluice/CodeGen/RegionModel.h"
#include "sluice/RDIR/ImportModule.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace sluice::rdir::oracle {

/// Sets the trip count of every loop whose count is a parameter.
void setParameter(SmallBody &body, int64_t count);

/// An argument of a function. A region has a slot for each field. A scalar has
/// one slot for its value before, and one for the function's result.
struct LeafArgument {
  uint32_t firstSlot = 0, numSlots = 0;
  bool isScalar = false;
  /// Positions in the root, by point; regions only.
  std::vector<std::set<int64_t>> elements;
};

struct LeafFunction {
  std::unique_ptr<Leaf> leaf;
  std::vector<LeafArgument> arguments;
};

struct SmallProgram {
  /// Makes a random module; `seed` determines all choices.
  SmallProgram(const SmallForest &forest, uint64_t seed,
               const SmallKinds &kinds);

  /// Checks the module and lowers it; false if either step rejects it.
  bool lower(mlir::MLIRContext &context);
  /// The functions of the tasks, before any turn.
  std::map<std::string, LeafFunction> functions() const;
  /// The final number of each place, according to the graph.
  std::vector<int64_t> expected() const;

  const SmallForest &forest;
  SmallBody graph;
  /// The value of the parameter 'n'.
  int64_t count;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Whether the checks accept the module.
  bool isAccepted = false;
  std::optional<codegen::RegionModel> program;
  /// The reason why an accepted module is not lowered.
  std::string refusal;

private:
  void addFunctions(const SmallBody &body, const ImportedGraph &imported,
                    std::vector<int> path, std::vector<int64_t> iterations,
                    std::map<std::string, LeafFunction> &functions) const;
  LeafFunction makeFunction(const SmallBody &body, const SmallNode &task,
                            NodeOpInterface op, std::vector<int> path,
                            std::vector<int64_t> iterations) const;
};

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_DRIVER_TESTING_SMALLPROGRAM_H

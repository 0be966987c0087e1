//===- SmallProgram.h - Small region modules that run -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. A small module of the oracle (lib/RDIR/Testing/OracleBodies.h)
// that all checks accept, in the form in which generators of code get it, with
// what its task functions do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TESTING_SMALLPROGRAM_H
#define SLUICE_LIB_DRIVER_TESTING_SMALLPROGRAM_H

#include "Leaf.h"
#include "OracleBodies.h"
#include "sluice/CodeGen/RegionProgram.h"
#include "sluice/RDIR/Import.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace sluice::rdir::oracle {

/// Lets every loop whose count is a parameter run `count` times.
void setParameter(SmallBody &body, int64_t count);

/// What an argument of a function has: a slot for each field of a region; of a
/// scalar one for its value before, and one for the function's result.
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
  /// The modules that random choices make; `seed` says all.
  SmallProgram(const SmallForest &forest, uint64_t seed,
               const SmallKinds &kinds);

  /// Checks the module and lowers it; false if one of the two refuses it.
  bool lower(mlir::MLIRContext &context);
  /// The functions of the tasks, with no turn taken yet.
  std::map<std::string, LeafFunction> functions() const;
  /// What each place holds in the end, by the graph.
  std::vector<int64_t> expected() const;

  const SmallForest &forest;
  SmallBody graph;
  /// What the parameter 'n' is.
  int64_t count;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Whether the checks accept the module.
  bool isAccepted = false;
  std::optional<codegen::RegionProgram> program;
  /// Why it is not lowered, if it is accepted.
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

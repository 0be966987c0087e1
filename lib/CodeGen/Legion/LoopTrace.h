//===- LoopTrace.h - Dependences of a loop body, for static traces --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside a static trace, Legion does not analyse dependences: each operation
// states its own, as pairs of region requirements. They are derived here from
// the proven dependences between statements.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEGION_LOOPTRACE_H
#define SLUICE_LIB_CODEGEN_LEGION_LOOPTRACE_H

#include "sluice/CodeGen/RegionModel.h"

#include <optional>

namespace sluice::codegen::legion {

/// One region requirement: an argument or, if it is reduced to, its fields of
/// one size.
struct Requirement {
  const RegionArgument *argument;
  std::vector<unsigned> fields;
};

/// The region requirements of an argument, and of a task in Legion's order.
std::vector<Requirement> requirementsOf(const RegionModel &program,
                                        const RegionArgument &argument);
std::vector<Requirement> requirementsOf(const RegionModel &program,
                                        const RegionStatement &statement);

/// A fill becomes one operation for the fields of each type.
std::vector<Requirement> fillsOf(const RegionModel &program,
                                 const RegionArgument &argument);

/// A region requirement that conflicts with one of an earlier operation.
struct TracedDependence {
  /// The distance to the earlier operation; 1 means the previous one.
  unsigned offset;
  unsigned previous, current;
  /// A read before a write: no data flows.
  bool isAnti;
  unsigned root;
  std::vector<unsigned> fields;
};

/// One operation that Legion sees.
struct TracedOperation {
  std::vector<TracedDependence> dependences;
};

/// Operations of each statement of a loop body.
struct LoopTrace {
  std::vector<std::vector<TracedOperation>> operations;
};

/// None if a statement cannot be traced: host statements, loops and epochs.
std::optional<LoopTrace> traceOf(const RegionModel &program,
                                 llvm::ArrayRef<RegionStatement> body);

} // namespace sluice::codegen::legion

#endif // SLUICE_LIB_CODEGEN_LEGION_LOOPTRACE_H

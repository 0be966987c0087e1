//===- Trace.h - Dependences of a loop body, for static traces --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside a static trace Legion does not look for dependences: each operation
// brings its own, as pairs of region requirements. They are made here from the
// proven dependences between statements.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEGION_TRACE_H
#define SLUICE_LIB_CODEGEN_LEGION_TRACE_H

#include "sluice/CodeGen/RegionProgram.h"

#include <optional>

namespace sluice::codegen::legion {

/// One region requirement: an argument, or its fields of one size where it is
/// reduced to.
struct Requirement {
  const RegionArgument *argument;
  std::vector<unsigned> fields;
};

/// The region requirements of an argument, and of a task in Legion's order.
std::vector<Requirement> requirementsOf(const RegionProgram &program,
                                        const RegionArgument &argument);
std::vector<Requirement> requirementsOf(const RegionProgram &program,
                                        const RegionStatement &statement);

/// A fill becomes one operation for the fields of each type.
std::vector<Requirement> fillsOf(const RegionProgram &program,
                                 const RegionArgument &argument);

/// One region requirement meets one of an earlier operation.
struct TracedDependence {
  /// How many operations earlier; 1: the one before.
  unsigned offset;
  unsigned previous, current;
  /// Reading before writing: nothing flows.
  bool isAnti;
  unsigned root;
  std::vector<unsigned> fields;
};

/// One operation that Legion sees.
struct TracedOperation {
  std::vector<TracedDependence> dependences;
};

/// Operations of each statement of a loop body.
struct Trace {
  std::vector<std::vector<TracedOperation>> operations;
};

/// Nothing if a statement cannot be traced: host statements, loops and epochs.
std::optional<Trace> traceOf(const RegionProgram &program,
                             llvm::ArrayRef<RegionStatement> body);

} // namespace sluice::codegen::legion

#endif // SLUICE_LIB_CODEGEN_LEGION_TRACE_H

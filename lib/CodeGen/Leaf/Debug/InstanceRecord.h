//===- InstanceRecord.h - The instance as a variable ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the scope of its leaf, an instance is the variable `sluice_instance`:
//
//   struct SluiceLevel { long dims; long id[3]; long extent[3]; };
//   struct SluiceInstance { char *leaf; SluiceLevel levels[N]; };
//
// The levels are those from below the root to the leaf. gdb and lldb print it
// by the formatters of tools/debuggers, which know these names.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_DEBUG_INSTANCERECORD_H
#define SLUICE_LIB_CODEGEN_LEAF_DEBUG_INSTANCERECORD_H

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

inline constexpr llvm::StringLiteral instanceVariableName = "sluice_instance";

/// Describes `sluice_instance` in the item function `item`, into which the leaf
/// has been inlined. Does nothing if the leaf has no debug information.
void describeInstance(llvm::Function &item, const RangeSpec &spec);

/// The debugger's representation of a node's handle, for the node `depth`
/// levels above the leaf: a global called "sluice_node_<leaf>" that contains
/// the leaf's name.
llvm::Constant *describeHandle(const RangeSpec &spec, unsigned depth);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_DEBUG_INSTANCERECORD_H

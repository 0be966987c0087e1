//===- DFG.h - The dfg dialect --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialect's operations, types and enums, generated from the .td
// files beside this header.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_DFG_H
#define SLUICE_DFG_DFG_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "sluice/DFG/DFGDialect.h.inc"
#include "sluice/DFG/DFGEnums.h.inc"

namespace sluice::dfg {

/// How a pointer port is used: bits, `InOut` is both.
enum class Access : int32_t { None = 0, In = 1, Out = 2, InOut = 3 };

} // namespace sluice::dfg

#define GET_ATTRDEF_CLASSES
#include "sluice/DFG/DFGAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "sluice/DFG/DFGTypes.h.inc"

namespace sluice::dfg {

/// True if `access` includes reading.
inline bool reads(Access access) {
  return static_cast<int32_t>(access) & static_cast<int32_t>(Access::In);
}
/// True if `access` includes writing.
inline bool writes(Access access) {
  return static_cast<int32_t>(access) & static_cast<int32_t>(Access::Out);
}
/// "in", "out", "inout" or "".
llvm::StringRef spellAccess(Access access);

/// The readable name of a symbol: "blur" for `_Z4blurPfm`, the name of a C++
/// function without namespaces and parameters.
std::string displayName(llvm::StringRef symbol);

/// The constant behind an extent, looking through arithmetic on constants;
/// nullopt if it depends on an argument.
std::optional<int64_t> constantExtent(mlir::Value value);

} // namespace sluice::dfg

#define GET_OP_CLASSES
#include "sluice/DFG/DFGOps.h.inc"

#endif // SLUICE_DFG_DFG_H

//===- RDIR.h - The rdir dialect ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialect's operations, types and enums, generated from the .td
// files beside this header, and how the edges of a node are stored in it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_RDIR_H
#define SLUICE_RDIR_RDIR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "sluice/RDIR/Graph.h"

#include "sluice/RDIR/RDIRDialect.h.inc"
#include "sluice/RDIR/RDIREnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "sluice/RDIR/RDIRTypes.h.inc"

#include "sluice/RDIR/RDIRInterfaces.h.inc"

#define GET_OP_CLASSES
#include "sluice/RDIR/RDIROps.h.inc"

namespace sluice::rdir {

/// Kind and direction of an edge, as `kinds` of a node stores them.
struct EdgeCode {
  EdgeKind kind;
  /// From the node that has the edge to its operand.
  bool isOutgoing;

  int8_t encode() const {
    return static_cast<int8_t>(kind) | (isOutgoing ? 8 : 0);
  }
  static EdgeCode decode(int8_t code) {
    return {static_cast<EdgeKind>(code & 7), (code & 8) != 0};
  }
  static bool isValid(int8_t code) {
    return code >= 0 && code < 16 &&
           (code & 7) <= static_cast<int8_t>(EdgeKind::HappensBefore);
  }
};

/// "reads", the clause of a compute node for its edges of this kind; the
/// direction is implied.
llvm::StringRef clauseName(EdgeKind kind);
/// "read", as in `edges(read to %x)`.
llvm::StringRef edgeName(EdgeKind kind);

/// The number of an extent, 0 if it is a parameter.
int64_t constantExtent(mlir::Attribute extent);

/// The rdir declaration that `name` stands for at `op`, null if there is none.
mlir::Operation *lookupDeclaration(mlir::Operation *op,
                                   mlir::FlatSymbolRefAttr name,
                                   mlir::SymbolTableCollection &tables);

/// The root or variable that a declaration is part of: itself, or that of a
/// partition's parent. Null if a name on the way stands for nothing.
mlir::Operation *rootOf(mlir::Operation *declaration,
                        mlir::SymbolTableCollection &tables);

/// The name of a node in the source, without the sign: "t2" for `%t2`, "2" for
/// `%2`. Empty if it had none, or no source.
llvm::StringRef sourceName(mlir::Operation *node);

/// A location that carries such a name.
mlir::Location nameLocation(llvm::StringRef name, mlir::Location location);

/// True for a node whose result the source does not name at all.
bool isUnnamed(mlir::Operation *node);

/// Bound of the numbers in colors where the extent is a parameter.
inline constexpr int64_t maxColor = int64_t(1) << 21;

/// Partitions and launches have fewer colors and points than this, in all.
inline constexpr int64_t maxPoints = int64_t(1) << 31;

/// The number of a color, row-major; extents that are parameters count as
/// `maxColor`. None if it does not fit.
std::optional<int64_t> linearColor(mlir::ArrayAttr extents,
                                   llvm::ArrayRef<int64_t> color);

/// The numbers of an affine projection, row by row: color[r] = sum of
/// matrix[r * numDims + d] * point[d] + offset[r].
struct LinearMap {
  std::vector<int64_t> matrix, offset;
};
/// None if the map is not linear, or has a number that is not between -2^62 and
/// 2^62.
std::optional<LinearMap> linearMap(mlir::AffineMap map);

/// Values that an element of a field with a vector type may have.
inline constexpr int64_t maxVectorLength = int64_t(1) << 20;

/// The port of each edge that a compute node has, with the defaults filled in;
/// 0 for HappensBefore. Those of edges that data nodes have come after them.
llvm::SmallVector<uint32_t> edgePorts(NodeOpInterface node);

/// True for i8, i16, i32, i64, f32 and f64.
bool isElementType(mlir::Type type);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_RDIR_H

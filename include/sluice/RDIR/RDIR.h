//===- RDIR.h - The rdir dialect ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the dialect's operations, types and enums, which are generated from
// the .td files next to this header, and the representation of a node's edges.
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

/// Kind and direction of an edge, as stored in `kinds` of a node.
struct EdgeCode {
  EdgeKind kind;
  /// The edge leads from the node to its operand.
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

/// "reads", the clause of a compute node for its edges of this kind, which
/// implies the direction.
llvm::StringRef clauseName(EdgeKind kind);
/// "read", as in `edges(read to %x)`.
llvm::StringRef edgeName(EdgeKind kind);

/// The number of an extent, 0 if it is a parameter.
int64_t constantExtent(mlir::Attribute extent);

/// The rdir declaration to which `name` refers at `op`; null if there is none.
mlir::Operation *lookupDeclaration(mlir::Operation *op,
                                   mlir::FlatSymbolRefAttr name,
                                   mlir::SymbolTableCollection &tables);

/// The root or variable of a declaration: the declaration itself, or the root
/// of a partition's parent. Null if a name on the way cannot be resolved.
mlir::Operation *rootOf(mlir::Operation *declaration,
                        mlir::SymbolTableCollection &tables);

/// The name of a node in the source, without the sign: "t2" for `%t2`, "2" for
/// `%2`. Empty if there was no name or no source.
llvm::StringRef sourceName(mlir::Operation *node);

/// A location that contains such a name.
mlir::Location nameLocation(llvm::StringRef name, mlir::Location location);

/// True for a node with an unnamed result in the source.
bool isUnnamed(mlir::Operation *node);

/// Bound of color numbers if the extent is a parameter.
inline constexpr int64_t maxColor = int64_t(1) << 21;

/// Partitions and launches have fewer colors and points in total than this.
inline constexpr int64_t maxPoints = int64_t(1) << 31;

/// The number of a color, row-major; extents that are parameters count as
/// `maxColor`. None if it does not fit.
std::optional<int64_t> linearColor(mlir::ArrayAttr extents,
                                   llvm::ArrayRef<int64_t> color);

/// The numbers of an affine projection, row by row: color[r] = sum of matrix[r
/// * numDims + d] * point[d] + offset[r].
struct LinearMap {
  std::vector<int64_t> matrix, offset;
};
/// None if the map is not linear, or contains a number outside of -2^62 to
/// 2^62.
std::optional<LinearMap> linearMap(mlir::AffineMap map);

/// The maximum number of values in an element of a field with a vector type.
inline constexpr int64_t maxVectorLength = int64_t(1) << 20;

/// The port of each edge of a compute node, including defaults; 0 for
/// HappensBefore. The edges that data nodes own come last.
llvm::SmallVector<uint32_t> edgePorts(NodeOpInterface node);

/// True for i8, i16, i32, i64, f32 and f64.
bool isElementType(mlir::Type type);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_RDIR_H

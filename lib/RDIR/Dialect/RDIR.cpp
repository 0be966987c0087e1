//===- RDIR.cpp - Registration of the rdir dialect ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the dialect with MLIR, and defines the queries on types and
// declarations that all parts of the dialect share.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/RDIR.h"
#include "RDIRSyntax.h"
#include "RDIRVerify.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "sluice/RDIR/RDIRDialect.cpp.inc"
#include "sluice/RDIR/RDIREnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "sluice/RDIR/RDIRTypes.cpp.inc"

#include "sluice/RDIR/RDIRInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "sluice/RDIR/RDIROps.cpp.inc"

using namespace mlir;
using namespace sluice::rdir;

void RDIRDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "sluice/RDIR/RDIRTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sluice/RDIR/RDIROps.cpp.inc"
      >();
}

bool sluice::rdir::isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF32() || type.isF64();
}

int64_t sluice::rdir::constantExtent(Attribute extent) {
  auto number = dyn_cast<IntegerAttr>(extent);
  return number ? number.getInt() : 0;
}

std::optional<int64_t> sluice::rdir::linearColor(ArrayAttr extents,
                                                 ArrayRef<int64_t> color) {
  int64_t linear = 0;
  for (auto [number, extent] : llvm::zip(color, extents)) {
    int64_t known = constantExtent(extent);
    if (__builtin_mul_overflow(linear, known ? known : maxColor, &linear) ||
        __builtin_add_overflow(linear, number, &linear))
      return std::nullopt;
  }
  return linear;
}

/// Adds `factor` times the expression to a row of factors and an offset.
static bool addLinear(AffineExpr expr, int64_t factor,
                      MutableArrayRef<int64_t> row) {
  auto add = [](int64_t value, int64_t &to) {
    constexpr int64_t limit = int64_t(1) << 62;
    return !__builtin_add_overflow(to, value, &to) && -limit < to && to < limit;
  };
  int64_t product;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return !__builtin_mul_overflow(factor, constant.getValue(), &product) &&
           add(product, row.back());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return add(factor, row[dim.getPosition()]);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, row) &&
           addLinear(binary.getRHS(), factor, row);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && by &&
         !__builtin_mul_overflow(factor, by.getValue(), &product) &&
         addLinear(binary.getLHS(), product, row);
}

std::optional<LinearMap> sluice::rdir::linearMap(AffineMap map) {
  LinearMap result;
  for (AffineExpr expr : map.getResults()) {
    SmallVector<int64_t> row(map.getNumDims() + 1, 0);
    if (!addLinear(expr, 1, row))
      return std::nullopt;
    result.matrix.insert(result.matrix.end(), row.begin(), row.end() - 1);
    result.offset.push_back(row.back());
  }
  return result;
}

Operation *sluice::rdir::lookupDeclaration(Operation *op,
                                           FlatSymbolRefAttr name,
                                           SymbolTableCollection &tables) {
  Operation *found = tables.lookupNearestSymbolFrom(op, name.getAttr());
  return found && isa<RDIRDialect>(found->getDialect()) ? found : nullptr;
}

Operation *sluice::rdir::rootOf(Operation *declaration,
                                SymbolTableCollection &tables) {
  while (auto partition = dyn_cast_or_null<PartitionOp>(declaration)) {
    Operation *parent =
        lookupDeclaration(partition, partition.getParentAttr(), tables);
    // Parents come before their parts; the verifier rejects other parents.
    if (!parent || parent->getBlock() != partition->getBlock() ||
        !parent->isBeforeInBlock(partition))
      return nullptr;
    declaration = parent;
  }
  return isa_and_nonnull<RootOp, VariableOp>(declaration) ? declaration
                                                          : nullptr;
}

StringRef sluice::rdir::sourceName(Operation *node) {
  auto name = dyn_cast<NameLoc>(node->getLoc());
  return name && name.getName() != "@" ? name.getName().getValue()
                                       : StringRef();
}

bool sluice::rdir::isUnnamed(Operation *node) {
  auto name = dyn_cast<NameLoc>(node->getLoc());
  return name && name.getName() == "@";
}

Location sluice::rdir::nameLocation(StringRef name, Location location) {
  return NameLoc::get(StringAttr::get(location.getContext(), name), location);
}

//===- RDIRVerifyDeclarations.cpp - Verifies roots and partitions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors in a single root, partition, parameter or operator are reported when
// the module is read, at their location in the text.
//
//===----------------------------------------------------------------------===//

#include "RDIRSums.h"
#include "RDIRVerify.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// The words for extents in messages, and for what they count.
struct ExtentWords {
  StringRef extents, counted, limit;
};
} // namespace

/// With `isSum`, an extent may be a sum, too.
static LogicalResult verifyExtent(Operation *op, Attribute extent,
                                  StringRef what, bool isSum) {
  if (isa<ArrayAttr>(extent) && isSum)
    if (std::optional<Sum> sum = readSum(extent); sum && !sum->modulus)
      return success();
  auto number = dyn_cast<IntegerAttr>(extent);
  if (!number && !isa<FlatSymbolRefAttr>(extent))
    return op->emitOpError("has ")
           << extent << " among its " << what
           << ", expected numbers and names of parameters"
           << (isSum ? ", or sums of them and of iterations" : "");
  if (number && !number.getType().isInteger(64))
    return op->emitOpError("has ")
           << extent << " among its " << what << ", expected a number of type "
           << "i64";
  if (number && number.getInt() < 1)
    return op->emitOpError("has ")
           << number.getValue().getSExtValue() << " among its " << what
           << ", expected at least 1";
  return success();
}

LogicalResult sluice::rdir::verifyExtents(Operation *op, ArrayAttr extents,
                                          ExtentsOf of) {
  static constexpr ExtentWords allWords[] = {
      {"extents", "elements", "2^63"},
      {"extents of colors", "colors", "2^31"},
      {"extents in 'over'", "points", "2^31"}};
  const ExtentWords &words = allWords[unsigned(of)];
  if (extents.empty() || extents.size() > 3)
    return op->emitOpError("has ")
           << extents.size() << ' ' << words.extents << ", expected 1 to 3";
  for (Attribute extent : extents)
    if (failed(verifyExtent(op, extent, words.extents,
                            /*isSum=*/of == ExtentsOf::Launch)))
      return failure();
  int64_t count = 1;
  bool isLarge = false;
  for (Attribute extent : extents) {
    // A launch has no points if a parameter is 0; others are at least 1.
    int64_t number = constantExtent(extent);
    if (number == 0 && of == ExtentsOf::Launch)
      return success();
    isLarge |=
        __builtin_mul_overflow(count, std::max<int64_t>(number, 1), &count);
  }
  if (isLarge || (of != ExtentsOf::Root && count >= maxPoints))
    return op->emitOpError("has the ")
           << words.extents << ' ' << extents << ", expected fewer than "
           << words.limit << ' ' << words.counted << " in all";
  return success();
}

LogicalResult sluice::rdir::verifyParameterName(Operation *op,
                                                FlatSymbolRefAttr name,
                                                SymbolTableCollection &tables) {
  auto parameter =
      dyn_cast_or_null<ParameterOp>(lookupDeclaration(op, name, tables));
  if (!parameter)
    return op->emitOpError("names ")
           << name << ", which is not a parameter of the module";
  if (!isa<IntegerType>(parameter.getValue().getType()))
    return op->emitOpError("uses parameter ")
           << name << " of type " << parameter.getValue().getType()
           << " as a number of elements or repetitions, which needs an "
              "integer";
  return success();
}

LogicalResult sluice::rdir::verifyExtentSymbols(Operation *op,
                                                ArrayAttr extents,
                                                SymbolTableCollection &tables) {
  for (Attribute extent : extents)
    if (std::optional<Sum> sum = readSum(extent))
      if (failed(verifySumNames(op, *sum, /*numDims=*/0, tables)))
        return failure();
  return success();
}

/// A color is a point of the partition's grid.
static LogicalResult verifyColor(Operation *op, PartitionOp partition,
                                 DenseI64ArrayAttr color) {
  ArrayAttr colors = partition.getColors();
  if (color.size() != int64_t(colors.size()))
    return op->emitOpError("gives a color with ")
           << color.size() << " numbers, but '" << partition.getSymName()
           << "' has colors with " << colors.size();
  for (auto [number, extent] : llvm::zip(color.asArrayRef(), colors)) {
    int64_t known = constantExtent(extent);
    if (number < 0 || number >= (known ? known : maxColor)) {
      InFlightDiagnostic error = op->emitOpError("names color ")
                                 << number << " of '" << partition.getSymName()
                                 << "', which has colors 0 to ";
      if (known)
        error << known - 1;
      else
        error << extent << " - 1, and at most " << maxColor - 1;
      error.attachNote(partition.getLoc())
          << "'" << partition.getSymName() << "' is declared here";
      return error;
    }
  }
  if (!linearColor(colors, color.asArrayRef()))
    return op->emitOpError("names a color of '")
           << partition.getSymName()
           << "' that may be beyond all that there can be; give the extents of "
              "its colors as numbers";
  return success();
}

LogicalResult sluice::rdir::verifyRegionName(Operation *op,
                                             FlatSymbolRefAttr name,
                                             DenseI64ArrayAttr color,
                                             SymbolTableCollection &tables) {
  Operation *declaration = lookupDeclaration(op, name, tables);
  if (auto partition = dyn_cast_or_null<PartitionOp>(declaration))
    return color ? verifyColor(op, partition, color) : success();
  if (!isa_and_nonnull<RootOp>(declaration))
    return op->emitOpError("names ")
           << name << ", which is neither a root nor a partition of the module";
  if (color)
    return op->emitOpError("gives a color of ")
           << name << ", which is a root; only partitions have colors";
  return success();
}

//===----------------------------------------------------------------------===//
// Numbers and operators
//===----------------------------------------------------------------------===//

/// A value of a type that elements may have.
static LogicalResult verifyValue(Operation *op, TypedAttr value) {
  if (!isElementType(value.getType()))
    return op->emitOpError("has the type ")
           << value.getType() << ", expected i8, i16, i32, i64, f32 or f64";
  if (!isa<IntegerAttr, FloatAttr>(value))
    return op->emitOpError("has the value ") << value << ", expected a number";
  return success();
}

LogicalResult ParameterOp::verify() { return verifyValue(*this, getValue()); }
LogicalResult VariableOp::verify() { return verifyValue(*this, getValue()); }
LogicalResult ReductionOp::verify() {
  return verifyValue(*this, getIdentity());
}

//===----------------------------------------------------------------------===//
// RootOp
//===----------------------------------------------------------------------===//

/// The type of one component of a field's element.
static Type elementOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable()
             ? vector.getElementType()
             : type;
}

LogicalResult RootOp::verify() {
  if (failed(verifyExtents(*this, getExtents(), ExtentsOf::Root)))
    return failure();
  ArrayAttr names = getFieldNames(), types = getFieldTypes();
  if (names.size() != types.size())
    return emitOpError("has ") << names.size() << " names of fields, but "
                               << types.size() << " types";
  if (names.size() > 64)
    return emitOpError("has ")
           << names.size() << " fields, expected at most 64";
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (auto [name, type] :
       llvm::zip(names, types.getAsValueRange<TypeAttr>())) {
    if (cast<StringAttr>(name).empty())
      return emitOpError("has a field without a name");
    if (!seen.insert(name).second)
      return emitOpError("has two fields ") << name;
    if (!isElementType(elementOf(type)))
      return emitOpError("field ")
             << name << " has the type " << type
             << ", expected i8, i16, i32, i64, f32, f64 or a vector of these";
    if (auto vector = dyn_cast<VectorType>(type);
        vector && vector.getNumElements() > maxVectorLength)
      return emitOpError("field ")
             << name << " has the type " << type << ", expected at most "
             << maxVectorLength << " values in an element";
  }
  return success();
}

LogicalResult RootOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyExtentSymbols(*this, getExtents(), tables);
}

int RootOp::getFieldIndex(StringRef name) {
  for (auto [index, field] : llvm::enumerate(getFieldNames()))
    if (cast<StringAttr>(field).getValue() == name)
      return index;
  return -1;
}

//===----------------------------------------------------------------------===//
// PartitionOp
//===----------------------------------------------------------------------===//

/// Verifies the parts of a partition's rule.
static LogicalResult verifyRuleParts(PartitionOp op) {
  using Kind = PartitionKind;
  Kind kind = op.getKind();
  bool isSet = kind == Kind::Union || kind == Kind::Intersection ||
               kind == Kind::Difference;
  bool isMap = kind == Kind::Image || kind == Kind::Preimage;
  bool isHalo = kind == Kind::Halo;
  bool needs[] = {isSet || isMap || isHalo, isSet, isMap || kind == Kind::Field,
                  kind == Kind::Coloring, isHalo};
  bool has[] = {bool(op.getLeftAttr()), bool(op.getRightAttr()),
                bool(op.getFieldAttr()), bool(op.getFunctionAttr()),
                bool(op.getWidthAttr())};
  const char *names[] = {"left", "right", "field", "function", "width"};
  for (auto [isNeeded, isThere, name] : llvm::zip(needs, has, names))
    if (isNeeded != isThere)
      return op.emitOpError("'by ") << stringifyPartitionKind(kind) << "' "
                                    << (isNeeded ? "needs" : "cannot have")
                                    << " the attribute '" << name << "'";
  if (op.getAxesOnly() && !isHalo)
    return op.emitOpError("only 'by halo' can have 'axes'");
  if (isHalo && llvm::any_of(*op.getWidth(), [](int64_t w) { return w < 0; }))
    return op.emitOpError("has a halo of negative width");
  return success();
}

LogicalResult PartitionOp::verify() {
  if (failed(verifyExtents(*this, getColors(), ExtentsOf::Colors)))
    return failure();
  return verifyRuleParts(*this);
}

/// The declaration that a partition is made from; it comes before the
/// partition.
static FailureOr<Operation *> lookupSource(PartitionOp op,
                                           FlatSymbolRefAttr name,
                                           SymbolTableCollection &tables) {
  Operation *source = lookupDeclaration(op, name, tables);
  if (!isa_and_nonnull<RootOp, PartitionOp>(source))
    return op.emitOpError("names ")
           << name << ", which is neither a root nor a partition of the module";
  if (source->getBlock() != op->getBlock() || !source->isBeforeInBlock(op))
    return op.emitOpError("names ")
           << name
           << ", which is declared below; declare what a partition is "
              "made from above it";
  return source;
}

static FailureOr<PartitionOp> lookupPartition(PartitionOp op,
                                              FlatSymbolRefAttr name,
                                              SymbolTableCollection &tables) {
  FailureOr<Operation *> source = lookupSource(op, name, tables);
  if (failed(source))
    return failure();
  if (auto partition = dyn_cast<PartitionOp>(*source))
    return partition;
  return op.emitOpError("names ")
         << name << ", which is a root, where a partition is needed";
}

/// Both partitions have the same grid of colors.
static LogicalResult verifySameColors(PartitionOp op, PartitionOp source) {
  if (op.getColors() == source.getColors())
    return success();
  InFlightDiagnostic error = op.emitOpError("has the colors ")
                             << op.getColors() << ", but '"
                             << source.getSymName() << "' has "
                             << source.getColors();
  error.attachNote(source.getLoc())
      << "'" << source.getSymName() << "' is declared here";
  return error;
}

/// `field` of `root` is an integer, so that it can name colors or elements.
static LogicalResult verifyFieldOf(PartitionOp op, Operation *declaration) {
  auto root = dyn_cast_or_null<RootOp>(declaration);
  if (!root)
    return success(); // An invalid parent is reported at its own location.
  int index = root.getFieldIndex(*op.getField());
  if (index < 0)
    return op.emitOpError("names field ")
           << op.getFieldAttr() << ", which root '" << root.getSymName()
           << "' does not have";
  Type type = cast<TypeAttr>(root.getFieldTypes()[index]).getValue();
  if (!isa<IntegerType>(elementOf(type)))
    return op.emitOpError("uses field ") << op.getFieldAttr() << " of type "
                                         << type << ", expected an integer";
  return success();
}

static LogicalResult verifyRuleSymbols(PartitionOp op, Operation *root,
                                       SymbolTableCollection &tables) {
  using Kind = PartitionKind;
  Kind kind = op.getKind();
  if (kind == Kind::Field)
    return verifyFieldOf(op, root);
  if (!op.getLeftAttr())
    return success();
  FailureOr<PartitionOp> left = lookupPartition(op, op.getLeftAttr(), tables);
  if (failed(left) || failed(verifySameColors(op, *left)))
    return failure();
  Operation *leftRoot = rootOf(*left, tables);
  if (kind == Kind::Image)
    return verifyFieldOf(op, leftRoot);
  if (kind == Kind::Preimage)
    return verifyFieldOf(op, root);
  if (root && leftRoot && root != leftRoot)
    return op.emitOpError("is made from '")
           << left->getSymName() << "', which is a partition of another root";
  if (kind == Kind::Halo) {
    auto array = dyn_cast_or_null<RootOp>(root);
    if (array && op.getWidth()->size() != array.getExtents().size())
      return op.emitOpError("has a halo of ")
             << op.getWidth()->size() << " widths, but root '"
             << array.getSymName() << "' has " << array.getExtents().size()
             << " dimensions";
    return success();
  }
  FailureOr<PartitionOp> right = lookupPartition(op, op.getRightAttr(), tables);
  if (failed(right) || failed(verifySameColors(op, *right)))
    return failure();
  Operation *rightRoot = rootOf(*right, tables);
  if (root && rightRoot && root != rightRoot)
    return op.emitOpError("is made from '")
           << right->getSymName() << "', which is a partition of another root";
  return success();
}

LogicalResult PartitionOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<Operation *> parent = lookupSource(*this, getParentAttr(), tables);
  if (failed(parent) ||
      failed(verifyRegionName(*this, getParentAttr(), getParentColorAttr(),
                              tables)) ||
      failed(verifyExtentSymbols(*this, getColors(), tables)))
    return failure();
  if (isa<PartitionOp>(*parent) && !getParentColorAttr())
    return emitOpError("is made of partition ")
           << getParentAttr() << "; name the color to divide, as in "
           << getParentAttr() << "[0]";
  Operation *root = rootOf(*this, tables);
  if (getKind() == PartitionKind::Blocks)
    if (auto array = dyn_cast_or_null<RootOp>(root);
        array && array.getExtents().size() != getColors().size())
      return emitOpError("has blocks with ")
             << getColors().size() << " dimensions, but root '"
             << array.getSymName() << "' has " << array.getExtents().size();
  return verifyRuleSymbols(*this, root, tables);
}

//===----------------------------------------------------------------------===//
// ConstraintOp
//===----------------------------------------------------------------------===//

LogicalResult ConstraintOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(
          verifyRegionName(*this, getFirstAttr(), getFirstColorAttr(), tables)))
    return failure();
  return verifyRegionName(*this, getSecondAttr(), getSecondColorAttr(), tables);
}

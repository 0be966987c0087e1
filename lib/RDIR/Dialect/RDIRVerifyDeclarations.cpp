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

static bool isSetRule(PartitionKind kind) {
  return kind == PartitionKind::Union || kind == PartitionKind::Intersection ||
         kind == PartitionKind::Difference;
}

/// The dimensions in which halos are periodic are those of the widths.
static LogicalResult verifyPeriodic(PartitionOp op) {
  ArrayRef<int64_t> dimensions = *op.getPeriodic();
  for (auto [i, dimension] : llvm::enumerate(dimensions)) {
    if (dimension < 0 || dimension >= int64_t(op.getWidth()->size()))
      return op.emitOpError("is periodic in dimension ")
             << dimension << ", but has " << op.getWidth()->size() << " widths";
    if (llvm::is_contained(dimensions.take_front(i), dimension))
      return op.emitOpError("is periodic in dimension ")
             << dimension << " twice";
  }
  return success();
}

/// Computed coordinates. Sums of products of larger numbers might not fit where
/// they are computed.
static LogicalResult verifyCoordinates(PartitionOp op) {
  constexpr int64_t limit = int64_t(1) << 60;
  if (size_t size = op.getMapAttr().size(); size == 0 || size > 3)
    return op.emitOpError("computes ")
           << size << " coordinates, expected 1 to 3";
  auto sums = readElementSums(op.getMapAttr());
  if (!sums)
    return op.emitOpError(
        "computes a coordinate that is no sum with divisor and modulus");
  for (const ElementSum &sum : *sums) {
    SmallVector<int64_t> numbers = {sum.sum.constant};
    for (const Sum::Term &term : sum.sum.terms)
      numbers.push_back(term.factor);
    for (Attribute part : {sum.divisor, sum.modulus})
      if (auto number = dyn_cast_or_null<IntegerAttr>(part))
        numbers.push_back(number.getInt());
    for (int64_t number : numbers)
      if (number <= -limit || number >= limit)
        return op.emitOpError("computes coordinates with the number ")
               << number << ", but they must be between -2^60 and 2^60";
  }
  return success();
}

/// Verifies the parts of a partition's rule.
static LogicalResult verifyRuleParts(PartitionOp op) {
  using Kind = PartitionKind;
  const Kind kind = op.getKind();
  const bool isSet = isSetRule(kind), isHalo = kind == Kind::Halo;
  const bool isImage = kind == Kind::Image || kind == Kind::Preimage;
  const bool isCross = kind == Kind::Cross;
  const bool isMapped =
      kind == Kind::Color || (isImage && !op.getFieldAttr() && op.getMapAttr());
  struct {
    bool isNeeded, has;
    const char *name;
  } const parts[] = {
      {isSet || isImage || isHalo || isCross || kind == Kind::Each,
       bool(op.getLeftAttr()), "left"},
      {isSet || isCross, bool(op.getRightAttr()), "right"},
      {(isImage && !isMapped) || kind == Kind::Field, bool(op.getFieldAttr()),
       "field"},
      {isMapped, bool(op.getMapAttr()), "map"},
      {kind == Kind::Coloring, bool(op.getFunctionAttr()), "function"},
      {isHalo, bool(op.getWidthAttr()), "width"}};
  for (const auto &part : parts)
    if (part.isNeeded != part.has)
      return op.emitOpError("'by ") << stringifyPartitionKind(kind) << "' "
                                    << (part.isNeeded ? "needs" : "cannot have")
                                    << " the attribute '" << part.name << "'";
  if (op.getAxesOnly() && !isHalo)
    return op.emitOpError("only 'by halo' can have 'axes'");
  if (op.getPeriodicAttr() && !isHalo)
    return op.emitOpError("only 'by halo' can have 'periodic'");
  if (isHalo && llvm::any_of(*op.getWidth(), [](int64_t w) { return w < 0; }))
    return op.emitOpError("has a halo of negative width");
  if ((op.getRightColorAttr() || op.getRightWhole()) && !isSet)
    return op.emitOpError(
        "only unions, intersections and differences can have one right side "
        "for all colors");
  if (op.getRightColorAttr() && op.getRightWhole())
    return op.emitOpError("has one color as right side, and 'whole'");
  if ((op.getLastAttr() || op.getToNext()) && (!isImage || isMapped))
    return op.emitOpError("only images and preimages by fields can have 'to'");
  if (op.getLastAttr() && op.getToNext())
    return op.emitOpError("has two ends of its ranges");
  if (isMapped && failed(verifyCoordinates(op)))
    return failure();
  return op.getPeriodicAttr() ? verifyPeriodic(op) : success();
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

/// `field` of `root` is an integer, so that it can name colors or elements; one
/// in each element, where it is an end of a range.
static LogicalResult verifyFieldOf(PartitionOp op, Operation *declaration,
                                   StringRef field, bool isRange) {
  auto root = dyn_cast_or_null<RootOp>(declaration);
  if (!root)
    return success(); // An invalid parent is reported at its own location.
  int index = root.getFieldIndex(field);
  if (index < 0)
    return op.emitOpError("names field \"")
           << field << "\", which root '" << root.getSymName()
           << "' does not have";
  Type type = cast<TypeAttr>(root.getFieldTypes()[index]).getValue();
  if (!isa<IntegerType>(isRange ? type : elementOf(type)))
    return op.emitOpError("uses field \"")
           << field << "\" of type " << type << ", expected an integer";
  return success();
}

static LogicalResult verifyFieldsOf(PartitionOp op, Operation *root) {
  const bool isRange = op.getLastAttr() || op.getToNext();
  if (failed(verifyFieldOf(op, root, *op.getField(), isRange)))
    return failure();
  return op.getLastAttr() ? verifyFieldOf(op, root, *op.getLast(), isRange)
                          : success();
}

/// The number of dimensions of a root; 0 for what is none.
static size_t rankOf(Operation *root) {
  auto array = dyn_cast_or_null<RootOp>(root);
  return array ? array.getExtents().size() : 0;
}

/// `count`: of the coordinates to compute; `source`: of the elements from whose
/// coordinates they follow.
static LogicalResult verifyMap(PartitionOp op, size_t count, StringRef what,
                               size_t source, SymbolTableCollection &tables) {
  SmallVector<ElementSum, 3> map = *readElementSums(op.getMapAttr());
  if (count == 0 || source == 0)
    return success(); // An invalid root is reported at its own location.
  if (map.size() != count)
    return op.emitOpError("computes ")
           << map.size() << (map.size() == 1 ? " coordinate" : " coordinates")
           << ", but " << what << ' ' << count;
  for (const ElementSum &entry : map) {
    for (const Sum::Term &term : entry.sum.terms)
      if (auto coordinate = dyn_cast<IntegerAttr>(term.name);
          coordinate && size_t(coordinate.getInt()) >= source)
        return op.emitOpError("names the coordinate '")
               << "ijk"[coordinate.getInt()] << "' of elements that have only "
               << source;
    if (failed(verifySumNames(op, entry.sum, source, tables)))
      return failure();
    for (Attribute part : {entry.divisor, entry.modulus})
      if (auto name = dyn_cast_or_null<FlatSymbolRefAttr>(part);
          name && failed(verifyParameterName(op, name, tables)))
        return failure();
  }
  return success();
}

/// The colors of both, one after the other.
static LogicalResult verifyJoinedColors(PartitionOp op, ArrayAttr first,
                                        ArrayAttr second) {
  SmallVector<Attribute> joined(first.begin(), first.end());
  joined.append(second.begin(), second.end());
  if (op.getColors() == ArrayAttr::get(op.getContext(), joined))
    return success();
  return op.emitOpError("has the colors ")
         << op.getColors() << ", but those of its parts are " << first
         << " and " << second << "; name these one after the other";
}

/// The colors of the left side, and then the blocks of each.
static LogicalResult verifyBlocksOfEach(PartitionOp op, PartitionOp left,
                                        size_t rank) {
  ArrayAttr outer = left.getColors(), all = op.getColors();
  const size_t numOuter = outer.size();
  if (all.size() <= numOuter ||
      all.getValue().take_front(numOuter) != outer.getValue())
    return op.emitOpError("has the colors ")
           << all << ", expected those of '" << left.getSymName() << "', "
           << outer << ", and then the numbers of blocks of each";
  if (rank && all.size() - numOuter > rank)
    return op.emitOpError("has blocks with ")
           << all.size() - numOuter << " dimensions, but its root has " << rank;
  return success();
}

static LogicalResult verifySameRoot(PartitionOp op, PartitionOp source,
                                    Operation *root,
                                    SymbolTableCollection &tables) {
  Operation *other = rootOf(source, tables);
  if (root && other && root != other)
    return op.emitOpError("is made from '")
           << source.getSymName() << "', which is a partition of another root";
  return success();
}

/// Images and preimages.
static LogicalResult verifyImage(PartitionOp op, PartitionOp left,
                                 Operation *root,
                                 SymbolTableCollection &tables) {
  const bool isImage = op.getKind() == PartitionKind::Image;
  Operation *leftRoot = rootOf(left, tables);
  Operation *names = isImage ? leftRoot : root;
  Operation *named = isImage ? root : leftRoot;
  if (op.getFieldAttr())
    return verifyFieldsOf(op, names);
  return verifyMap(op, rankOf(named), "the elements that they name have",
                   rankOf(names), tables);
}

static LogicalResult verifyRuleSymbols(PartitionOp op, Operation *root,
                                       SymbolTableCollection &tables) {
  using Kind = PartitionKind;
  Kind kind = op.getKind();
  if (kind == Kind::Field)
    return verifyFieldsOf(op, root);
  if (kind == Kind::Color)
    return verifyMap(op, op.getColors().size(), "the colors have", rankOf(root),
                     tables);
  if (!op.getLeftAttr())
    return success();
  FailureOr<PartitionOp> left = lookupPartition(op, op.getLeftAttr(), tables);
  if (failed(left))
    return failure();
  const bool joinsColors = kind == Kind::Cross || kind == Kind::Each;
  if (!joinsColors && failed(verifySameColors(op, *left)))
    return failure();
  if (kind == Kind::Image || kind == Kind::Preimage)
    return verifyImage(op, *left, root, tables);
  if (failed(verifySameRoot(op, *left, root, tables)))
    return failure();
  if (kind == Kind::Each)
    return verifyBlocksOfEach(op, *left, rankOf(root));
  if (kind == Kind::Halo) {
    if (size_t rank = rankOf(root); rank && op.getWidth()->size() != rank)
      return op.emitOpError("has a halo of ")
             << op.getWidth()->size() << " widths, but root '"
             << cast<RootOp>(root).getSymName() << "' has " << rank
             << " dimensions";
    return success();
  }
  FailureOr<PartitionOp> right = lookupPartition(op, op.getRightAttr(), tables);
  if (failed(right) || failed(verifySameRoot(op, *right, root, tables)))
    return failure();
  if (kind == Kind::Cross)
    return verifyJoinedColors(op, left->getColors(), right->getColors());
  if (op.getRightWhole())
    return success();
  if (op.getRightColorAttr())
    return verifyRegionName(op, op.getRightAttr(), op.getRightColorAttr(),
                            tables);
  return verifySameColors(op, *right);
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

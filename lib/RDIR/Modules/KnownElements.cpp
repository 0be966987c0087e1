//===- KnownElements.cpp - Elements known from declarations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If all extents are constants, the elements of each color are known, and it is
// certain whether two regions are disjoint. The checks use this before they
// fall back to the general meaning of declarations.
//
//===----------------------------------------------------------------------===//

#include "KnownElements.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace mlir;
using namespace sluice::rdir;

using Coordinates = llvm::SmallVector<int64_t, 3>;

static Coordinates coordinatesOf(int64_t position, ArrayRef<int64_t> shape) {
  Coordinates at(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= shape[d])
    at[d] = position % shape[d];
  return at;
}

static int64_t positionOf(ArrayRef<int64_t> at, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [index, extent] : llvm::zip(at, shape))
    position = position * extent + index;
  return position;
}

/// The extents, if all are known and the number of elements is small enough.
static std::optional<llvm::SmallVector<int64_t, 3>>
constantExtents(ArrayAttr extents) {
  llvm::SmallVector<int64_t, 3> result;
  int64_t count = 1;
  for (Attribute extent : extents) {
    result.push_back(constantExtent(extent));
    if (result.back() == 0 ||
        __builtin_mul_overflow(count, result.back(), &count) || count > 65536)
      return std::nullopt;
  }
  return result;
}

std::optional<KnownElements::Extents>
KnownElements::extentsOf(Operation *root) const {
  if (auto array = dyn_cast_or_null<RootOp>(root))
    return constantExtents(array.getExtents());
  return std::nullopt;
}

bool KnownElements::mayVisit(uint64_t numElements) {
  if (numElements > budget) {
    budget = 0;
    return false;
  }
  budget -= numElements;
  return true;
}

namespace {
/// Coordinates lower <= c < upper of a root.
struct KnownBox {
  Coordinates lower, upper;

  uint64_t count() const {
    uint64_t product = 1;
    for (auto [low, high] : llvm::zip(lower, upper))
      product *= std::max<int64_t>(high - low, 0);
    return product;
  }
};
} // namespace

/// The smallest box around elements.
static KnownBox boundsOf(const Elements &elements, ArrayRef<int64_t> shape) {
  KnownBox box = {Coordinates(shape), Coordinates(shape.size(), 0)};
  for (int64_t element : elements)
    for (auto [d, index] : llvm::enumerate(coordinatesOf(element, shape))) {
      box.lower[d] = std::min(box.lower[d], index);
      box.upper[d] = std::max(box.upper[d], index + 1);
    }
  return box;
}

static uint64_t totalSize(const std::vector<Elements> &colors) {
  uint64_t total = colors.size();
  for (const Elements &color : colors)
    total += color.size();
  return total;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Color c has the elements from c*n/colors to (c+1)*n/colors in each dimension
/// of the parent's box.
KnownElements::Colors KnownElements::blocks(PartitionOp partition,
                                            const Extents &shape,
                                            const Extents &colors) {
  const Elements *parent = elementsOf(
      lookupDeclaration(partition, partition.getParentAttr(), tables),
      partition.getParentColorAttr());
  int64_t numColors = 1;
  for (int64_t extent : colors)
    numColors *= extent;
  if (!parent || shape.size() != colors.size() ||
      !mayVisit(numColors + parent->size()))
    return std::nullopt;
  std::vector<Elements> result(numColors);
  const KnownBox box = boundsOf(*parent, shape);
  for (int64_t element : *parent) {
    int64_t color = 0;
    for (auto [d, index] : llvm::enumerate(coordinatesOf(element, shape))) {
      const int64_t length = box.upper[d] - box.lower[d];
      // The last color that begins at or before the element.
      const int64_t own = ((index - box.lower[d] + 1) * colors[d] - 1) / length;
      color = color * colors[d] + own;
    }
    result[color].push_back(element);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Halos
//===----------------------------------------------------------------------===//

namespace {
/// A set of elements, as one flag for each element of a box.
class Flags {
public:
  Flags(KnownBox box, ArrayRef<int64_t> shape)
      : box(std::move(box)), shape(shape) {
    for (auto [low, high] : llvm::zip(this->box.lower, this->box.upper))
      extents.push_back(high - low);
    isSet.resize(this->box.count());
  }

  void set(int64_t element) {
    Coordinates at = coordinatesOf(element, shape);
    for (auto [index, low] : llvm::zip(at, box.lower))
      index -= low;
    isSet[positionOf(at, extents)] = 1;
  }
  void unite(const Flags &other) {
    for (auto [flag, more] : llvm::zip(isSet, other.isSet))
      flag |= more;
  }
  /// Adds the elements at a distance of at most `width` along a dimension.
  void widen(size_t dimension, int64_t width);
  Elements elements() const;

private:
  KnownBox box;
  ArrayRef<int64_t> shape;
  Coordinates extents;
  std::vector<char> isSet;
};
} // namespace

void Flags::widen(size_t dimension, int64_t width) {
  int64_t stride = 1;
  for (size_t d = dimension + 1; d < extents.size(); ++d)
    stride *= extents[d];
  const int64_t extent = extents[dimension], size = isSet.size();
  const std::vector<char> before = isSet;
  auto sweep = [&](int64_t first, int64_t step) {
    int64_t left = 0; // The number of following elements that are near the last
                      // one set.
    for (int64_t i = 0; i < extent; ++i, first += step) {
      left = before[first] ? width + 1 : left;
      isSet[first] |= left > 0;
      left -= left > 0;
    }
  };
  for (int64_t line = 0; line < size; line += stride * extent)
    for (int64_t first = line; first < line + stride; ++first) {
      sweep(first, stride);
      sweep(first + (extent - 1) * stride, -stride);
    }
}

Elements Flags::elements() const {
  Elements result;
  for (size_t i = 0; i < isSet.size(); ++i) {
    if (!isSet[i])
      continue;
    Coordinates at = coordinatesOf(i, extents);
    for (auto [index, low] : llvm::zip(at, box.lower))
      index += low;
    result.push_back(positionOf(at, shape));
  }
  return result;
}

KnownElements::Colors KnownElements::halos(PartitionOp partition,
                                           const Extents &shape) {
  const std::vector<Elements> *inner = colorsOf(cast<PartitionOp>(
      lookupDeclaration(partition, partition.getLeftAttr(), tables)));
  if (!inner || !mayVisit(totalSize(*inner)))
    return std::nullopt;
  Coordinates width;
  for (auto [d, given] : llvm::enumerate(*partition.getWidth()))
    width.push_back(std::min(given, shape[d]));
  std::vector<KnownBox> boxes;
  for (const Elements &color : *inner) {
    KnownBox &box = boxes.emplace_back(boundsOf(color, shape));
    for (size_t d = 0; d < shape.size() && !color.empty(); ++d) {
      box.lower[d] = std::max<int64_t>(0, box.lower[d] - width[d]);
      box.upper[d] = std::min(shape[d], box.upper[d] + width[d]);
    }
    if (!mayVisit(color.empty() ? 0 : box.count()))
      return std::nullopt;
  }
  std::vector<Elements> result;
  for (auto [color, box] : llvm::zip(*inner, boxes)) {
    if (color.empty()) {
      result.emplace_back();
      continue;
    }
    Flags flags(std::move(box), shape);
    for (int64_t element : color)
      flags.set(element);
    const Flags before = flags;
    for (size_t d = 0; d < shape.size(); ++d) {
      Flags wide = partition.getAxesOnly() ? before : flags;
      wide.widen(d, width[d]);
      flags.unite(wide);
    }
    result.push_back(flags.elements());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// All partitions
//===----------------------------------------------------------------------===//

KnownElements::Colors KnownElements::combine(PartitionOp partition) {
  using Kind = PartitionKind;
  auto operand = [&](FlatSymbolRefAttr name) {
    return colorsOf(
        cast<PartitionOp>(lookupDeclaration(partition, name, tables)));
  };
  const std::vector<Elements> *left = operand(partition.getLeftAttr());
  const std::vector<Elements> *right = operand(partition.getRightAttr());
  if (!left || !right || right->size() != left->size() ||
      !mayVisit(totalSize(*left) + totalSize(*right)))
    return std::nullopt;
  std::vector<Elements> result;
  const Kind kind = partition.getKind();
  for (auto [a, b] : llvm::zip(*left, *right)) {
    auto end = std::back_inserter(result.emplace_back());
    if (kind == Kind::Union)
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), end);
    else if (kind == Kind::Intersection)
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), end);
    else
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), end);
  }
  return result;
}

KnownElements::Colors KnownElements::compute(PartitionOp partition) {
  std::optional<Extents> shape = extentsOf(rootOf(partition, tables));
  std::optional<Extents> colors = constantExtents(partition.getColors());
  if (!shape || !colors)
    return std::nullopt;
  switch (partition.getKind()) {
  case PartitionKind::Blocks:
    return blocks(partition, *shape, *colors);
  case PartitionKind::Halo:
    return halos(partition, *shape);
  case PartitionKind::Union:
  case PartitionKind::Intersection:
  case PartitionKind::Difference:
    return combine(partition);
  default:
    return std::nullopt;
  }
}

const std::vector<Elements> *KnownElements::colorsOf(PartitionOp partition) {
  auto found = known.find(partition);
  if (found == known.end()) {
    llvm::SaveAndRestore deeper(depth, depth + 1);
    Colors colors = depth < maxDepth ? compute(partition) : std::nullopt;
    found = known.emplace(partition, std::move(colors)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<Elements> KnownElements::listWhole(Operation *declaration) {
  Elements result;
  auto partition = dyn_cast_or_null<PartitionOp>(declaration);
  if (!partition) {
    std::optional<Extents> shape = extentsOf(declaration);
    if (!shape)
      return std::nullopt;
    int64_t count = 1;
    for (int64_t extent : *shape)
      count *= extent;
    if (!mayVisit(count))
      return std::nullopt;
    for (int64_t i = 0; i < count; ++i)
      result.push_back(i);
    return result;
  }
  const std::vector<Elements> *colors = colorsOf(partition);
  if (!colors || !mayVisit(totalSize(*colors)))
    return std::nullopt;
  for (const Elements &one : *colors)
    result.insert(result.end(), one.begin(), one.end());
  llvm::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

const Elements *KnownElements::elementsOf(Operation *declaration,
                                          DenseI64ArrayAttr color) {
  if (color) {
    auto partition = cast<PartitionOp>(declaration);
    const std::vector<Elements> *colors = colorsOf(partition);
    return colors ? &(*colors)[*linearColor(partition.getColors(),
                                            color.asArrayRef())]
                  : nullptr;
  }
  auto found = wholes.find(declaration);
  if (found == wholes.end())
    found = wholes.emplace(declaration, listWhole(declaration)).first;
  return found->second ? &*found->second : nullptr;
}

std::string KnownElements::elementText(Operation *declaration,
                                       int64_t position) {
  return pointText(extentsOf(rootOf(declaration, tables)), position);
}

std::string KnownElements::colorText(PartitionOp partition, int64_t linear) {
  return pointText(constantExtents(partition.getColors()), linear);
}

std::string KnownElements::pointText(const std::optional<Extents> &shape,
                                     int64_t position) {
  if (!shape || shape->size() == 1)
    return std::to_string(position);
  std::string text;
  for (int64_t index : coordinatesOf(position, *shape))
    text += (text.empty() ? "(" : ", ") + std::to_string(index);
  return text + ")";
}

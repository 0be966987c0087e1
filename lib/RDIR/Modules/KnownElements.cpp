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
#include "sluice/RDIR/Sums.h"
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
  if (partition.getPeriodicAttr() &&
      !wrapHalos(partition, shape, *inner, result))
    return std::nullopt;
  return result;
}

/// Like sets of sorted elements.
static void addSorted(Elements &to, Elements more) {
  to.insert(to.end(), more.begin(), more.end());
  llvm::sort(to);
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

/// Element by element: only small halos are followed.
bool KnownElements::wrapHalos(PartitionOp partition, const Extents &shape,
                              const std::vector<Elements> &inner,
                              std::vector<Elements> &result) {
  ArrayRef<int64_t> periodic = *partition.getPeriodic();
  auto widenAlong = [&](Elements &set, const Elements &from, size_t d) {
    const int64_t width = std::min((*partition.getWidth())[d], shape[d]);
    const bool wraps = llvm::is_contained(periodic, int64_t(d));
    if (!mayVisit(from.size() * (2 * width + 1)))
      return false;
    Elements more;
    for (int64_t element : from) {
      Coordinates at = coordinatesOf(element, shape);
      const int64_t own = at[d];
      for (int64_t i = own - width; i <= own + width; ++i) {
        at[d] = wraps ? ((i % shape[d]) + shape[d]) % shape[d] : i;
        if (at[d] >= 0 && at[d] < shape[d])
          more.push_back(positionOf(at, shape));
      }
    }
    addSorted(set, std::move(more));
    return true;
  };
  for (auto [color, set] : llvm::zip(inner, result)) {
    set = color;
    for (size_t d = 0; d != shape.size(); ++d) {
      const Elements before = partition.getAxesOnly() ? color : set;
      if (!widenAlong(set, before, d))
        return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// A coordinate with all numbers known.
struct KnownSum {
  __int128 factors[3] = {0, 0, 0};
  __int128 constant = 0, divisor = 1, modulus = 0;

  __int128 at(ArrayRef<int64_t> coordinates) const {
    __int128 sum = constant;
    for (auto [d, index] : llvm::enumerate(coordinates))
      sum += factors[d] * index;
    sum = floorOf(sum);
    if (modulus == 0)
      return sum;
    sum %= modulus;
    return sum < 0 ? sum + modulus : sum;
  }

private:
  __int128 floorOf(__int128 sum) const {
    return sum / divisor - (sum % divisor < 0);
  }
};
} // namespace

/// Nothing if a parameter decides.
static std::optional<llvm::SmallVector<KnownSum, 3>> knownSums(ArrayAttr map) {
  llvm::SmallVector<KnownSum, 3> result;
  const SmallVector<ElementSum, 3> sums = *readElementSums(map);
  for (const ElementSum &entry : sums) {
    KnownSum &sum = result.emplace_back();
    sum.constant = entry.sum.constant;
    for (const Sum::Term &term : entry.sum.terms) {
      auto coordinate = dyn_cast<IntegerAttr>(term.name);
      if (!coordinate)
        return std::nullopt;
      sum.factors[coordinate.getInt()] = term.factor;
    }
    for (auto [to, part] : {std::pair(&sum.divisor, entry.divisor),
                            std::pair(&sum.modulus, entry.modulus)}) {
      auto number = dyn_cast_or_null<IntegerAttr>(part);
      if (part && !number)
        return std::nullopt;
      if (number)
        *to = number.getInt();
    }
  }
  return result;
}

/// The position with the computed coordinates, or -1.
static int64_t mappedPosition(ArrayRef<KnownSum> map, ArrayRef<int64_t> at,
                              ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [sum, extent] : llvm::zip(map, shape)) {
    const __int128 index = sum.at(at);
    if (index < 0 || index >= extent)
      return -1;
    position = position * extent + int64_t(index);
  }
  return position;
}

static int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

KnownElements::Colors KnownElements::byMap(PartitionOp partition,
                                           const Extents &shape,
                                           const Extents &colors) {
  auto map = knownSums(partition.getMapAttr());
  if (!map)
    return std::nullopt;
  std::vector<Elements> result(countOf(colors));
  if (partition.getKind() == PartitionKind::Color) {
    if (!mayVisit(countOf(shape) + result.size()))
      return std::nullopt;
    for (int64_t i = 0, count = countOf(shape); i != count; ++i)
      if (int64_t color = mappedPosition(*map, coordinatesOf(i, shape), colors);
          color >= 0)
        result[color].push_back(i);
    return result;
  }
  auto left = cast<PartitionOp>(
      lookupDeclaration(partition, partition.getLeftAttr(), tables));
  const std::vector<Elements> *sets = colorsOf(left);
  std::optional<Extents> other = extentsOf(rootOf(left, tables));
  if (!sets || !other || !mayVisit(totalSize(*sets)))
    return std::nullopt;
  if (partition.getKind() == PartitionKind::Image) {
    for (auto [from, to] : llvm::zip(*sets, result)) {
      Elements named;
      for (int64_t element : from)
        if (int64_t name =
                mappedPosition(*map, coordinatesOf(element, *other), shape);
            name >= 0)
          named.push_back(name);
      addSorted(to, std::move(named));
    }
    return result;
  }
  if (!mayVisit(countOf(shape)))
    return std::nullopt;
  std::map<int64_t, Elements> naming;
  for (int64_t i = 0, count = countOf(shape); i != count; ++i)
    if (int64_t name = mappedPosition(*map, coordinatesOf(i, shape), *other);
        name >= 0)
      naming[name].push_back(i);
  for (auto [target, to] : llvm::zip(*sets, result)) {
    for (int64_t element : target)
      if (auto found = naming.find(element); found != naming.end()) {
        if (!mayVisit(found->second.size()))
          return std::nullopt;
        to.insert(to.end(), found->second.begin(), found->second.end());
      }
    llvm::sort(to);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// All partitions
//===----------------------------------------------------------------------===//

KnownElements::Colors KnownElements::combine(PartitionOp partition) {
  using Kind = PartitionKind;
  auto operand = [&](FlatSymbolRefAttr name) {
    return lookupDeclaration(partition, name, tables);
  };
  const std::vector<Elements> *left =
      colorsOf(cast<PartitionOp>(operand(partition.getLeftAttr())));
  Operation *other = operand(partition.getRightAttr());
  const bool isOne = partition.getRightColorAttr() || partition.getRightWhole();
  const std::vector<Elements> *right =
      isOne ? nullptr : colorsOf(cast<PartitionOp>(other));
  const Elements *one =
      isOne ? elementsOf(other, partition.getRightColorAttr()) : nullptr;
  if (!left || (isOne ? !one : !right || right->size() != left->size()) ||
      !mayVisit(totalSize(*left) +
                (isOne ? one->size() * left->size() : totalSize(*right))))
    return std::nullopt;
  std::vector<Elements> result;
  const Kind kind = partition.getKind();
  for (auto [i, a] : llvm::enumerate(*left)) {
    const Elements &b = isOne ? *one : (*right)[i];
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

KnownElements::Colors KnownElements::cross(PartitionOp partition) {
  auto operand = [&](FlatSymbolRefAttr name) {
    return colorsOf(
        cast<PartitionOp>(lookupDeclaration(partition, name, tables)));
  };
  const std::vector<Elements> *left = operand(partition.getLeftAttr());
  const std::vector<Elements> *right = operand(partition.getRightAttr());
  if (!left || !right ||
      !mayVisit(totalSize(*left) * right->size() +
                totalSize(*right) * left->size()))
    return std::nullopt;
  std::vector<Elements> result;
  for (const Elements &a : *left)
    for (const Elements &b : *right)
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                            std::back_inserter(result.emplace_back()));
  return result;
}

KnownElements::Colors KnownElements::blocksOfEach(PartitionOp partition,
                                                  const Extents &shape,
                                                  const Extents &colors) {
  auto left = cast<PartitionOp>(
      lookupDeclaration(partition, partition.getLeftAttr(), tables));
  const std::vector<Elements> *outer = colorsOf(left);
  const auto blocks = ArrayRef(colors).drop_front(left.getColors().size());
  const int64_t numColors = countOf(colors), numBlocks = countOf(blocks);
  if (!outer || !mayVisit(numColors + totalSize(*outer)))
    return std::nullopt;
  std::vector<Elements> result(numColors);
  for (auto [i, set] : llvm::enumerate(*outer)) {
    const KnownBox box = boundsOf(set, shape);
    for (int64_t element : set) {
      const Coordinates at = coordinatesOf(element, shape);
      int64_t block = 0;
      for (auto [d, number] : llvm::enumerate(blocks)) {
        const int64_t length = box.upper[d] - box.lower[d];
        // The last block that begins at or before the element.
        block =
            block * number + ((at[d] - box.lower[d] + 1) * number - 1) / length;
      }
      result[i * numBlocks + block].push_back(element);
    }
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
  case PartitionKind::Cross:
    return cross(partition);
  case PartitionKind::Each:
    return blocksOfEach(partition, *shape, *colors);
  case PartitionKind::Color:
    return byMap(partition, *shape, *colors);
  case PartitionKind::Image:
  case PartitionKind::Preimage:
    return partition.getMapAttr() ? byMap(partition, *shape, *colors)
                                  : std::nullopt;
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

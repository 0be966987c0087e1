//===- KnownElements.cpp - Elements that declarations tell ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where all extents are constants, the elements of each color are known, and
// two regions are disjoint or not for certain. The checks use it before they
// fall back to what declarations say in general.
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

/// Extents that are all known, and not too many elements.
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

/// Color c has the elements c*n/colors .. (c+1)*n/colors of each dimension of
/// the parent's box.
std::vector<Elements> KnownElements::blocks(const Elements &parent,
                                            const Extents &shape,
                                            const Extents &colors) const {
  int64_t numColors = 1;
  for (int64_t extent : colors)
    numColors *= extent;
  std::vector<Elements> result(numColors);
  Coordinates low(shape.size(), INT64_MAX), high(shape.size(), 0);
  for (int64_t element : parent)
    for (auto [d, index] : llvm::enumerate(coordinatesOf(element, shape))) {
      low[d] = std::min(low[d], index);
      high[d] = std::max(high[d], index + 1);
    }
  for (int64_t element : parent) {
    int64_t color = 0;
    for (auto [d, index] : llvm::enumerate(coordinatesOf(element, shape))) {
      int64_t n = high[d] - low[d], c = 0;
      while (index - low[d] >= (c + 1) * n / colors[d])
        ++c;
      color = color * colors[d] + c;
    }
    result[color].insert(element);
  }
  return result;
}

Elements KnownElements::widen(const Elements &inner, const Extents &shape,
                              PartitionOp halo) const {
  Elements result = inner;
  ArrayRef<int64_t> width = *halo.getWidth();
  for (int64_t element : inner) {
    Coordinates at = coordinatesOf(element, shape);
    auto clamp = [&](size_t d, int64_t index) {
      return std::clamp<int64_t>(index, 0, shape[d] - 1);
    };
    if (halo.getAxesOnly()) {
      for (size_t d = 0; d < shape.size(); ++d)
        for (int64_t i = clamp(d, at[d] - width[d]),
                     e = clamp(d, at[d] + width[d]);
             i <= e; ++i) {
          Coordinates near = at;
          near[d] = i;
          result.insert(positionOf(near, shape));
        }
      continue;
    }
    Coordinates low, high;
    for (size_t d = 0; d < shape.size(); ++d) {
      low.push_back(clamp(d, at[d] - width[d]));
      high.push_back(clamp(d, at[d] + width[d]));
    }
    Coordinates near = low;
    for (size_t d = 0; d < shape.size();) {
      result.insert(positionOf(near, shape));
      for (d = 0; d < shape.size() && ++near[d] > high[d]; ++d)
        near[d] = low[d];
    }
  }
  return result;
}

std::optional<std::vector<Elements>>
KnownElements::compute(PartitionOp partition) {
  using Kind = PartitionKind;
  std::optional<Extents> shape = extentsOf(rootOf(partition, tables));
  std::optional<Extents> colors = constantExtents(partition.getColors());
  if (!shape || !colors)
    return std::nullopt;
  auto operand = [&](FlatSymbolRefAttr name) {
    return colorsOf(
        cast<PartitionOp>(lookupDeclaration(partition, name, tables)));
  };
  Kind kind = partition.getKind();
  if (kind == Kind::Blocks) {
    std::optional<Elements> parent = elementsOf(
        lookupDeclaration(partition, partition.getParentAttr(), tables),
        partition.getParentColorAttr());
    if (!parent || shape->size() != colors->size())
      return std::nullopt;
    return blocks(*parent, *shape, *colors);
  }
  bool isHalo = kind == Kind::Halo;
  if (!isHalo && kind != Kind::Union && kind != Kind::Intersection &&
      kind != Kind::Difference)
    return std::nullopt;
  const std::vector<Elements> *left = operand(partition.getLeftAttr());
  if (!left)
    return std::nullopt;
  std::vector<Elements> first = *left, result;
  if (isHalo) {
    int64_t reach = 1;
    const ArrayRef<int64_t> widths = *partition.getWidth();
    for (int64_t width : widths)
      if (__builtin_mul_overflow(reach, 2 * std::min<int64_t>(width, 65536) + 1,
                                 &reach) ||
          reach > 4096)
        return std::nullopt;
    for (const Elements &color : first)
      result.push_back(widen(color, *shape, partition));
    return result;
  }
  const std::vector<Elements> *right = operand(partition.getRightAttr());
  if (!right || right->size() != first.size())
    return std::nullopt;
  for (auto [a, b] : llvm::zip(first, *right)) {
    Elements &color = result.emplace_back();
    auto end = std::inserter(color, color.end());
    if (kind == Kind::Union)
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), end);
    else if (kind == Kind::Intersection)
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), end);
    else
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), end);
  }
  return result;
}

const std::vector<Elements> *KnownElements::colorsOf(PartitionOp partition) {
  auto found = known.find(partition);
  if (found == known.end()) {
    std::optional<std::vector<Elements>> colors;
    llvm::SaveAndRestore deeper(depth, depth + 1);
    if (budget > 0 && depth < maxDepth)
      colors = compute(partition);
    if (colors)
      for (const Elements &color : *colors)
        budget -= color.size() + 1;
    found = known.insert({partition, std::move(colors)}).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<Elements> KnownElements::elementsOf(Operation *declaration,
                                                  DenseI64ArrayAttr color) {
  Elements result;
  auto partition = dyn_cast_or_null<PartitionOp>(declaration);
  if (!partition) {
    std::optional<Extents> shape = extentsOf(declaration);
    if (!shape || budget <= 0)
      return std::nullopt;
    int64_t count = 1;
    for (int64_t extent : *shape)
      count *= extent;
    budget -= count;
    for (int64_t i = 0; i < count; ++i)
      result.insert(result.end(), i);
    return result;
  }
  const std::vector<Elements> *colors = colorsOf(partition);
  if (!colors)
    return std::nullopt;
  if (color) {
    int64_t linear = 0;
    for (auto [index, extent] :
         llvm::zip(color.asArrayRef(), partition.getColors()))
      linear = linear * constantExtent(extent) + index;
    return (*colors)[linear];
  }
  for (const Elements &one : *colors)
    result.insert(one.begin(), one.end());
  return result;
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

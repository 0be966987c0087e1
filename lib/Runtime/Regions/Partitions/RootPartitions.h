//===- RootPartitions.h - Partitions and the elements of their colors -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways to make partitions. All of them compute the exact elements of every
// color, which are used to find dependences and to check promises.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTPARTITIONS_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTPARTITIONS_H

#include "ColorSets.h"
#include "ElementMaps.h"
#include "Roots.h"

#include <memory>
#include <span>

namespace sluice::regions {

class ColorIndex;

struct RootPartition {
  RootPartition();
  ~RootPartition();
  std::string name;
  const Root *root = nullptr;
  /// The color space; 1 in unused dimensions.
  Shape colors;
  /// The elements of each linear color.
  ColorSets sets;
  /// The same for task functions, for stored sets.
  std::vector<SluiceDomain> domains;
  /// The elements that it divides.
  ElementSet parent;
  /// No element has two colors.
  bool isDisjoint = false;
  /// It is known that each element of the parent has a color.
  bool isComplete = false;
  /// Calls a function for at least all colors with elements in a box; null:
  /// their locations are unknown.
  std::function<void(const Box &box,
                     const std::function<void(uint32_t color)> &visit)>
      visitNear;

  uint32_t numColors() const { return static_cast<uint32_t>(sets.size()); }
  const SluiceDomain &domain(uint32_t color) const {
    SetsOnDemand *demanded = sets.demanded();
    return demanded ? demanded->get(color).domain : domains[color];
  }
  /// The index of its colors, made on first use; only one thread may call this.
  const ColorIndex &index() const;
  /// The first color with the same elements, which stands for all of them in
  /// Overlaps and AccessHistory; only one thread may call this.
  uint32_t firstAlike(uint32_t color) const;
  /// "'blocks' of root 'grid'"
  std::string text() const;

private:
  mutable std::unique_ptr<const ColorIndex> theIndex;
  mutable std::vector<uint32_t> alike;
};

using PartitionPointer = std::unique_ptr<RootPartition>;

/// Completes a partition with known sets: domains and disjointness.
void finishPartition(RootPartition &partition);

/// One color with all elements of `set`.
PartitionPointer makeWhole(const Root &root, std::string name, ElementSet set);

/// `count` colors with equal numbers of elements, in the order of positions.
PartitionPointer makePieces(const Root &root, std::string name,
                            const ElementSet &set, int64_t count);

/// A partition that has no elements yet; checks the color space. `onDemand`: do
/// not store a list of its sets.
Result<PartitionPointer> beginPartition(const char *name, const Root &root,
                                        ElementSet parent, int32_t rank,
                                        const int64_t *colors,
                                        bool onDemand = false);

/// These functions fill in the sets; see include/sluice-c/Regions.h.
/// `onDemand`: blocks of a parent that is a box, and their halos, are computed
/// on request; then the source must outlive them.
Status fillBlocks(RootPartition &partition, bool onDemand = false);
/// Bit d of `periodic`: dimension d has no ends.
Status fillHalos(RootPartition &partition, const RootPartition &source,
                 const int64_t *width, bool corners, uint32_t periodic);
Status fillBlocksOfEach(RootPartition &partition, const RootPartition &source);
Status fillCross(RootPartition &partition, const RootPartition &left,
                 const RootPartition &right);
Status fillByMap(RootPartition &partition, ElementMap map);
Status fillMappedImage(RootPartition &partition, const RootPartition &source,
                       ElementMap map);
Status fillMappedPreimage(RootPartition &partition, ElementMap map,
                          const RootPartition &target);
Status fillColoring(RootPartition &partition,
                    void (*coloring)(const int64_t *color,
                                     SluiceColoring *elements));
Status fillByField(RootPartition &partition, uint32_t field);
Status fillImage(RootPartition &partition, const RootPartition &source,
                 uint32_t field);
Status fillPreimage(RootPartition &partition, uint32_t field,
                    const RootPartition &target);
/// `last`: a field, or SLUICE_NEXT_ELEMENT.
Status fillImageOfRanges(RootPartition &partition, const RootPartition &source,
                         uint32_t first, uint32_t last);
Status fillPreimageOfRanges(RootPartition &partition, uint32_t first,
                            uint32_t last, const RootPartition &target);
Status fillCombined(RootPartition &partition, SluiceSetOperation operation,
                    const RootPartition &left, const RootPartition &right);

/// Each color of `left` and the same set.
Status fillCombinedWith(RootPartition &partition, SluiceSetOperation operation,
                        const RootPartition &left, const ElementSet &right);

/// Reports a violated promise with two colors and an element.
Status checkPromise(const RootPartition &partition, bool isDisjoint,
                    bool isComplete);

/// "3", or "(1, 2)".
inline std::string colorText(const RootPartition &partition,
                             int64_t linearColor) {
  return partition.colors.elementText(linearColor);
}

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_ROOTPARTITIONS_H

//===- Declarations.h - Regions of a system as rdir text --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The printed forest is made for readers: one partition per range.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_REGIONS_DECLARATIONS_H
#define SLUICE_LIB_ANALYSIS_REGIONS_DECLARATIONS_H

#include "Forest.h"

#include <map>
#include <set>

namespace sluice::regions {

/// "@fill", with quotes if the name needs them.
std::string symbol(const std::string &name);

/// Regions, and the text that declares them.
class Declarations {
public:
  Declarations(const TaskSystem &system, const RegionCheck &check);

  rdir::RegionForest &regions() { return forest; }
  const std::string &text() const { return declared; }
  rdir::RegionIndex partition(uint32_t range) const {
    return partitions[range];
  }
  /// One of two instances that pointwise edges distinguish.
  rdir::RegionIndex point(uint32_t range, int point);
  /// Other memory that is printed as if it were `region`.
  rdir::RegionIndex addTwin(rdir::RegionIndex region);
  /// "@data", "@fill.data.written" or "@fill.data.written[0]".
  std::string name(rdir::RegionIndex region) const;
  /// "[4, @fill.y]".
  const std::string &extents(uint32_t graph, uint32_t task) const {
    return domains[graph][task];
  }

private:
  void addRoots();
  void addDomains();
  void addPartitions(const RegionCheck &check);
  void addConstraint(const std::string &first, const std::string &second);
  bool areOtherObjects(const Use &a, const Use &b) const;
  void addOwnConstraints(const RegionCheck &check);
  void addProofs(const RegionCheck &check);
  void addApart();
  void separate(uint32_t first, uint32_t second);
  std::string pointColor(uint32_t range, int point) const;
  const Task *taskOf(uint32_t range) const { return owners[range]; }

  const TaskSystem &system;
  rdir::RegionForest forest;
  std::string declared;
  std::vector<rdir::RegionIndex> roots, partitions;
  /// By range.
  std::vector<const Task *> owners;
  std::vector<std::string> colors;
  std::vector<std::vector<std::string>> domains;
  std::map<rdir::RegionIndex, std::string> names;
  std::set<std::pair<uint32_t, uint32_t>> separated;
};

} // namespace sluice::regions

#endif // SLUICE_LIB_ANALYSIS_REGIONS_DECLARATIONS_H

//===- ProgramFields.h - Fields not distinguished ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Privileges are per field, but most programs access the same sets of fields
// repeatedly. So versions are tracked for each class of fields that no argument
// distinguishes, instead of for each field.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_PROGRAMS_PROGRAMFIELDS_H
#define SLUICE_LIB_RDIR_PROGRAMS_PROGRAMFIELDS_H

#include "sluice/RDIR/SequentialProgram.h"

namespace sluice::rdir {

/// The classes of each root's fields.
class RootFieldClasses {
public:
  explicit RootFieldClasses(const SequentialProgram &program);

  /// Disjoint masks; each argument's fields are a union of some of them.
  std::span<const FieldMask> classesOf(RegionIndex root) const;
  /// Equal for roots whose versions are tracked together. If there are
  /// constraints, these are all roots, since constraints may join them.
  /// Otherwise, each root is tracked alone.
  RegionIndex groupOf(RegionIndex root) const { return isJoined ? 0 : root; }

private:
  bool isJoined;
  std::unordered_map<RegionIndex, std::vector<FieldMask>> classes;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_PROGRAMS_PROGRAMFIELDS_H

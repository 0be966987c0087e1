//===- Subject.h - A type with its expected results -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result is only worth measuring if it is correct, so each type has its
// expected results.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_SUBJECT_H
#define DDTPLAYER_SUBJECT_H

#include "Measure.h"
#include "PlayerOptions.h"
#include "TypeBuffers.h"
#include "sluice/Pack/Datatype.h"

#include <string>
#include <vector>

namespace sluice::player {

/// A type, and the expected results of packing and unpacking it, computed by
/// copying its elements one after another.
class Subject {
public:
  explicit Subject(std::unique_ptr<farc::Datatype> type);

  const farc::Datatype &type() const { return *tree; }
  /// The whole text of the type, and its first `width` characters at most.
  const std::string &text() const { return description; }
  std::string shortText(size_t width) const;
  TypeShape shape() const;

  struct Answers {
    std::string packed;
    std::string unpacked;
    /// Instances or elements share bytes, so MPI does not define the contents
    /// of these bytes after unpacking.
    bool overlaps = false;
  };
  Result<Answers> answers(int64_t count) const;

private:
  std::unique_ptr<farc::Datatype> tree;
  std::string description;
};

/// The types of all sources, in order. The error message points at the mistake.
Result<std::vector<Subject>>
readSubjects(const std::vector<InputSource> &sources);

} // namespace sluice::player

#endif // DDTPLAYER_SUBJECT_H

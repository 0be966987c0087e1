//===- Subject.h - One type that is played --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result is only worth measuring if it is right, so each type comes with the
// answers that packing must give.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_SUBJECT_H
#define DDTPLAYER_SUBJECT_H

#include "Measure.h"
#include "Memory.h"
#include "Options.h"
#include "sluice/Pack/Datatype.h"

#include <string>
#include <vector>

namespace sluice::player {

/// A type, and what it must pack and unpack: the answers that come from copying
/// its elements one after the other.
class Subject {
public:
  explicit Subject(std::unique_ptr<farc::Datatype> type);

  const farc::Datatype &type() const { return *tree; }
  /// All of the type, and at most `width` characters of it.
  const std::string &text() const { return description; }
  std::string shortText(size_t width) const;
  Shape shape() const;

  struct Answers {
    std::string packed;
    std::string unpacked;
    /// Instances or elements share bytes, so that what an unpack leaves there
    /// is not defined by MPI.
    bool overlaps = false;
  };
  Result<Answers> answers(int64_t count) const;

private:
  std::unique_ptr<farc::Datatype> tree;
  std::string description;
};

/// The types of all sources, in order. The message of an error points at the
/// mistake.
Result<std::vector<Subject>> readSubjects(const std::vector<Source> &sources);

} // namespace sluice::player

#endif // DDTPLAYER_SUBJECT_H

//===- FormSequence.cpp - Chaining forms ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs and indexed types with blocks of different lengths become sequences
// of parts. Most can be simplified: small parts are runs of bytes, equal ones a
// list of offsets.
//
//===----------------------------------------------------------------------===//

#include "FormBuilding.h"

#include <array>
#include <map>
#include <unordered_map>

using namespace sluice::pack;

namespace {

/// A sequence during construction and simplification:
/// 1. Parts of few runs, and lists of runs, become one list as long as nothing
///    else is between them.
/// 2. Forms get numbers; equal forms get the same number.
/// 3. A pattern that repeats over the whole sequence becomes a loop.
/// 4. Consecutive equal parts at equal distances become loops; loops that
///    continue each other become one loop.
class SequenceBuilder {
public:
  void append(const FormRef &form, int64_t offset);
  PlacedForm finish();

private:
  void closeRuns();
  void number();
  bool areEqual() const;
  size_t findPeriod() const;
  void joinEqualParts();
  void joinLoops();

  std::vector<ByteRun> runs;
  /// Entries of `runs` that come from parts of other kinds.
  int64_t expanded = 0;
  std::vector<PlacedForm> parts;
  std::vector<size_t> numbers;
};

} // namespace

/// Parts with at most this many runs are expanded in long sequences, too.
static constexpr int64_t fewRuns = 16;

void SequenceBuilder::closeRuns() {
  if (runs.empty())
    return;
  parts.push_back(simplifyRuns(std::move(runs)));
  runs.clear();
}

void SequenceBuilder::append(const FormRef &form, int64_t offset) {
  if (form->kind == FormKind::Empty)
    return;
  if (form->kind == FormKind::Sequence) {
    for (size_t i = 0; i != form->children.size(); ++i)
      append(form->children[i], checkedAdd(offset, form->offsets[i]));
    return;
  }
  if (!isListOfRuns(*form)) {
    bool isTakenApart = form->runs <= fewRuns && !form->hasCustom &&
                        expanded + form->runs <= flatteningLimit;
    if (!isTakenApart) {
      closeRuns();
      return parts.push_back({offset, form});
    }
    expanded += form->runs;
  }
  appendRuns(runs, *form, offset);
}

/// Most sequences consist of few different forms, and most of these are shared
/// objects. If there are many, some equal ones may not be recognised.
void SequenceBuilder::number() {
  constexpr size_t maxCompared = 16;
  std::unordered_map<const Form *, size_t> known;
  std::vector<const Form *> different;
  numbers.clear();
  for (const PlacedForm &part : parts) {
    const Form *form = part.form.get();
    auto [entry, isNew] = known.try_emplace(form, different.size());
    if (isNew) {
      for (size_t i = 0; i != std::min(different.size(), maxCompared); ++i)
        if (*different[i] == *form) {
          entry->second = i;
          break;
        }
      if (entry->second == different.size())
        different.push_back(form);
    }
    numbers.push_back(entry->second);
  }
}

bool SequenceBuilder::areEqual() const {
  for (size_t number : numbers)
    if (number != numbers.front())
      return false;
  return true;
}

static int64_t distance(const PlacedForm &from, const PlacedForm &to) {
  return wrappedDistance(from.offset, to.offset);
}

size_t SequenceBuilder::findPeriod() const {
  return periodOf(parts.size(), [&](size_t i, size_t j) {
    return numbers[i] == numbers[j] && numbers[i - 1] == numbers[j - 1] &&
           distance(parts[i - 1], parts[i]) == distance(parts[j - 1], parts[j]);
  });
}

/// Consecutive equal forms at equal distances become a loop. Equal loops are
/// one object, so that later steps see few objects.
void SequenceBuilder::joinEqualParts() {
  std::map<std::array<int64_t, 3>, PlacedForm> loops;
  std::vector<PlacedForm> joined;
  for (size_t i = 0; i != parts.size();) {
    size_t end = i + 1;
    while (end != parts.size() && numbers[end] == numbers[i] &&
           distance(parts[end - 1], parts[end]) ==
               distance(parts[i], parts[i + 1]))
      ++end;
    if (end - i == 1) {
      joined.push_back(parts[i]);
    } else {
      int64_t count = int64_t(end - i);
      int64_t stride = checkedSubtract(parts[i + 1].offset, parts[i].offset);
      auto [loop, isNew] =
          loops.try_emplace({int64_t(numbers[i]), count, stride});
      if (isNew)
        loop->second = repeat({0, parts[i].form}, count, stride);
      joined.push_back({checkedAdd(parts[i].offset, loop->second.offset),
                        loop->second.form});
    }
    i = end;
  }
  parts = std::move(joined);
}

/// Whether `next` consists of further iterations of the single loop `loop`.
static bool continues(const PlacedForm &loop, const PlacedForm &next) {
  const Form &first = *loop.form, &second = *next.form;
  if (first.kind != FormKind::Strided || second.kind != FormKind::Strided ||
      first.dimensions.size() != 1 || second.dimensions.size() != 1)
    return false;
  auto [count, stride] = first.dimensions.front();
  int64_t span;
  return second.dimensions.front().stride == stride &&
         !__builtin_mul_overflow(count, stride, &span) &&
         distance(loop, next) == span &&
         *first.children.front() == *second.children.front();
}

void SequenceBuilder::joinLoops() {
  std::vector<PlacedForm> joined;
  for (PlacedForm &part : parts) {
    if (joined.empty() || !continues(joined.back(), part)) {
      joined.push_back(std::move(part));
      continue;
    }
    FormRef &loop = joined.back().form;
    auto [count, stride] = loop->dimensions.front();
    loop = makeStrided(
        {{checkedAdd(count, part.form->dimensions.front().count), stride}},
        loop->children.front());
  }
  parts = std::move(joined);
}

PlacedForm SequenceBuilder::finish() {
  closeRuns();
  if (parts.empty())
    return {0, emptyForm()};
  number();
  if (areEqual()) {
    std::vector<int64_t> offsets;
    for (const PlacedForm &part : parts)
      offsets.push_back(part.offset);
    return placeAt({0, parts.front().form}, offsets);
  }
  size_t count = parts.size(), period = findPeriod();
  if (period != count) {
    int64_t stride = checkedSubtract(parts[period].offset, parts[0].offset);
    parts.resize(period);
    return repeat(finish(), int64_t(count / period), stride);
  }
  joinEqualParts();
  joinLoops();
  if (parts.size() == 1)
    return parts.front();
  std::vector<int64_t> offsets;
  std::vector<FormRef> children;
  int64_t first = parts.front().offset;
  for (PlacedForm &part : parts) {
    offsets.push_back(checkedSubtract(part.offset, first));
    children.push_back(std::move(part.form));
  }
  return {first, makeSequence(std::move(offsets), std::move(children))};
}

/// Whether there are several parts, all of them the same object.
static bool areSame(std::span<const PlacedForm> parts) {
  for (const PlacedForm &part : parts)
    if (part.form != parts.front().form)
      return false;
  return parts.size() > 1;
}

PlacedForm sluice::pack::sequence(std::span<const PlacedForm> parts) {
  // Lists of lists are then not expanded without limit.
  if (areSame(parts)) {
    std::vector<int64_t> offsets;
    offsets.reserve(parts.size());
    for (const PlacedForm &part : parts)
      offsets.push_back(part.offset);
    return placeAt({0, parts.front().form}, offsets);
  }
  int64_t runCount = 0, partCount = 0;
  bool canExpand = true;
  for (const PlacedForm &part : parts) {
    runCount = saturatingAdd(runCount, part.form->runs);
    partCount += part.form->parts;
    checkParts(partCount);
    canExpand &= !part.form->hasCustom;
  }
  if (canExpand && runCount <= expansionLimit) {
    std::vector<ByteRun> runs;
    runs.reserve(size_t(runCount));
    for (const PlacedForm &part : parts)
      appendRuns(runs, *part.form, part.offset);
    return simplifyRuns(std::move(runs));
  }
  SequenceBuilder builder;
  for (const PlacedForm &part : parts)
    builder.append(part.form, part.offset);
  return builder.finish();
}

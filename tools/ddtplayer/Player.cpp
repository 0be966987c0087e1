//===- Player.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays each type on each library: builds it, compares the result with a plain
// copy, and measures. If a library fails, excludes it from the rounds of that
// type.
//
//===----------------------------------------------------------------------===//

#include "Player.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

using namespace sluice;
using namespace sluice::player;

std::optional<double> sluice::player::ratio(const TypeResult &result,
                                            size_t library, Quantity quantity) {
  std::optional<double> ours = result.libraries[0][quantity];
  std::optional<double> other = result.libraries[library][quantity];
  if (library == 0 || !ours || !other)
    return std::nullopt;
  return *other / *ours;
}

Player::Player(const PlayerOptions &options,
               std::vector<std::unique_ptr<Library>> others, Watcher watcher)
    : options(options), ours(options.kernel), others(std::move(others)),
      watch(std::move(watcher)) {
  libraries.push_back(&ours);
  for (const auto &other : this->others)
    libraries.push_back(other.get());
}

std::vector<std::string> Player::libraryNames() const {
  std::vector<std::string> names;
  for (const Library *library : libraries)
    names.push_back(library->name());
  return names;
}

/// Excludes the library, which failed, from the rounds of this type.
void Player::drop(size_t index, const std::string &problem,
                  TypeResult &result) {
  LibraryResult &library = result.libraries[index];
  library.problem = problem;
  result.failures.push_back(concat(library.name, ": ", problem));
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static std::string toText(const TypeShape &shape) {
  return concat(shape.size, " bytes, extent ", shape.extent, " from ",
                shape.lowerBound, ", true extent ", shape.trueExtent, " from ",
                shape.trueLowerBound);
}

/// True if the true extent has no meaning: no byte is touched.
static bool agrees(TypeShape ours, TypeShape other) {
  if (ours.size == 0 && other.size == 0) {
    ours.trueLowerBound = other.trueLowerBound = 0;
    ours.trueExtent = other.trueExtent = 0;
  }
  return ours == other;
}

/// The bytes are the same, but the MPI pads the end differently.
static bool differsInBoundsOnly(TypeShape ours, TypeShape other) {
  other.extent = ours.extent;
  other.lowerBound = ours.lowerBound;
  return agrees(ours, other);
}

static std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GiB", bytes / (1 << 30));
  return text;
}

/// Whether this machine has enough memory: every library has a buffer of each
/// kind, and comparing needs a few more.
static Status checkMemory(const TypeShape &shape, int64_t count,
                          size_t numLibraries) {
  double copies = double(numLibraries) + 4;
  double reach = double(shape.trueExtent) +
                 double(count - 1) * std::abs(double(shape.extent));
  double needed = copies * (reach + double(shape.size) * double(count));
  double there =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (needed <= there)
    return Status();
  return Status::error(StatusCode::Exhausted,
                       concat("its buffers need ", gibibytes(needed),
                              " of memory, but this machine has ",
                              gibibytes(there)));
}

bool Player::prepare(const Subject &subject, TypeResult &result) {
  if (Status status =
          checkMemory(result.shape, options.count, libraries.size());
      !status.ok()) {
    drop(0, status.message(), result);
    return false;
  }
  for (size_t i = 0; i < libraries.size(); ++i) {
    watch(concat(libraries[i]->name(), ": building"));
    LibraryResult &library = result.libraries[i];
    Result<TypeShape> shape =
        libraries[i]->prepare(subject.text(), options.count);
    if (!shape.ok()) {
      if (i == 0 || libraries[i]->isGone()) {
        drop(i, shape.status().message(), result);
        continue;
      }
      library.problem = shape.status().message();
      result.notes.push_back(concat(library.name, ": ", library.problem));
      continue;
    }
    if (!agrees(result.shape, *shape) &&
        differsInBoundsOnly(result.shape, *shape)) {
      result.notes.push_back(concat(library.name, ": the type has extent ",
                                    shape->extent, " from ", shape->lowerBound,
                                    "; it is resized to ours"));
      shape = libraries[i]->prepare(concat("resized(", result.shape.lowerBound,
                                           ' ', result.shape.extent, ")[",
                                           subject.text(), "]"),
                                    options.count);
      if (!shape.ok()) {
        drop(i, shape.status().message(), result);
        continue;
      }
    }
    if (!agrees(result.shape, *shape))
      drop(i,
           concat("the type has ", toText(*shape), ", expected ",
                  toText(result.shape)),
           result);
  }
  return isPlaying(0, result);
}

static std::string hexadecimal(char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", unsigned(uint8_t(byte)));
  return text;
}

/// The position and kind of the first difference of two buffers; empty if they
/// are equal. `origin` is the offset of the first byte.
static std::string difference(std::string_view found, std::string_view expected,
                              int64_t origin) {
  if (found.size() != expected.size())
    return concat(found.size(), " bytes, expected ", expected.size());
  auto [at, other] =
      std::mismatch(found.begin(), found.end(), expected.begin());
  if (at == found.end())
    return "";
  size_t differing = 0;
  for (size_t i = 0; i < found.size(); ++i)
    differing += found[i] != expected[i];
  return concat("byte ", int64_t(at - found.begin()) + origin, " is ",
                hexadecimal(*at), ", expected ", hexadecimal(*other), " (",
                countOf(differing, "byte differs", "bytes differ"), ")");
}

void Player::compareLibrary(size_t index, const Subject::Answers &answers,
                            const ByteSpan &span, TypeResult &result) {
  Library &library = *libraries[index];
  Result<std::string> packed = library.packed();
  if (!packed.ok())
    return drop(index, packed.status().message(), result);
  if (std::string place = difference(*packed, answers.packed, 0);
      !place.empty())
    return drop(index, concat("packs a different buffer: ", place), result);
  Result<std::string> unpacked = library.unpacked();
  if (!unpacked.ok())
    return drop(index, unpacked.status().message(), result);
  if (answers.overlaps)
    return;
  if (std::string place = difference(*unpacked, answers.unpacked, span.low);
      !place.empty())
    drop(index, concat("unpacks a different buffer: ", place), result);
}

void Player::compare(const Subject &subject, TypeResult &result) {
  watch("comparing");
  Result<Subject::Answers> answers = subject.answers(options.count);
  if (!answers.ok())
    return drop(0, answers.status().message(), result);
  if (answers->overlaps)
    result.notes.push_back("its elements overlap, so what is unpacked is not "
                           "compared");
  ByteSpan span = spanOf(result.shape, options.count);
  for (size_t i = 0; i < libraries.size(); ++i)
    if (isPlaying(i, result))
      compareLibrary(i, *answers, span, result);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

void Player::measure(Quantity quantity, TypeResult &result) {
  watch(quantityNames[size_t(quantity)]);
  std::vector<std::vector<double>> times(libraries.size());
  for (int round = 0; round < options.rounds; ++round)
    for (size_t i = 0; i < libraries.size(); ++i) {
      if (!isPlaying(i, result))
        continue;
      Result<double> time =
          libraries[i]->measure(quantity, options.minimumTime);
      if (time.ok())
        times[i].push_back(*time);
      else
        drop(i, time.status().message(), result);
    }
  for (size_t i = 0; i < libraries.size(); ++i)
    if (isPlaying(i, result) && !times[i].empty())
      result.libraries[i].seconds[size_t(quantity)] = median(times[i]);
}

void Player::compile(TypeResult &result) {
  watch("compiling");
  Result<double> time = ours.measure(Quantity::Compile, options.minimumTime);
  if (time.ok())
    result.libraries[0].seconds[size_t(Quantity::Compile)] = *time;
  else
    drop(0, time.status().message(), result);
}

void Player::commit(TypeResult &result) {
  for (size_t i = 0; i < libraries.size(); ++i)
    if (isPlaying(i, result))
      if (Status status = libraries[i]->commit(); !status.ok())
        drop(i, status.message(), result);
  if (isPlaying(0, result))
    result.kernel = ours.kernelName();
}

TypeResult Player::play(const Subject &subject) {
  TypeResult result;
  result.text = subject.text();
  result.shape = subject.shape();
  for (const Library *library : libraries)
    result.libraries.push_back({library->name(), {}, ""});
  if (prepare(subject, result)) {
    measure(Quantity::Commit, result);
    if (options.kernel == KernelChoice::Compiled && isPlaying(0, result))
      compile(result);
    commit(result);
    if (isPlaying(0, result))
      compare(subject, result);
  }
  for (Quantity quantity : {Quantity::PackHot, Quantity::UnpackHot,
                            Quantity::PackCold, Quantity::UnpackCold})
    if (isPlaying(0, result) && options.plays(isPack(quantity)))
      measure(quantity, result);
  for (Library *library : libraries)
    if (!library->isGone())
      if (Status status = library->release(); !status.ok())
        result.failures.push_back(
            concat(library->name(), ": ", status.message()));
  return result;
}

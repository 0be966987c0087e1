//===- Player.h - Playing types on all libraries --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each type:
//   1. every library builds it; all must agree on size and bounds,
//   2. commits are timed, while no other copy of the type is committed,
//   3. every library packs and unpacks the same pattern; all buffers must equal
//      the result of copying element by element,
//   4. packing and unpacking are timed in rounds. Every library has its turn in
//      each round, so that disturbances of the machine affect all of them; the
//      results are medians over the rounds.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_PLAYER_H
#define DDTPLAYER_PLAYER_H

#include "Library.h"
#include "PlayerOptions.h"
#include "SluiceLibrary.h"
#include "Subject.h"

#include <functional>

namespace sluice::player {

/// The result of one library for one type.
struct LibraryResult {
  std::string name;
  std::array<std::optional<double>, quantityCount> seconds;
  /// The reason why there are no results; empty otherwise.
  std::string problem;
  std::optional<double> operator[](Quantity quantity) const {
    return seconds[size_t(quantity)];
  }
};

struct TypeResult {
  std::string text;
  TypeShape shape;
  std::string kernel;
  /// Ours comes first.
  std::vector<LibraryResult> libraries;
  /// Complete messages.
  std::vector<std::string> failures;
  /// For readers; no failures.
  std::vector<std::string> notes;
};

/// MPI's time divided by Sluice's, if both are known.
std::optional<double> ratio(const TypeResult &result, size_t library,
                            Quantity quantity);

class Player {
public:
  /// Called with a description of the next step.
  using Watcher = std::function<void(const std::string &)>;

  /// `options.kernel` must be an available kernel.
  Player(const PlayerOptions &options,
         std::vector<std::unique_ptr<Library>> others, Watcher watcher);

  std::vector<std::string> libraryNames() const;
  TypeResult play(const Subject &subject);

private:
  bool prepare(const Subject &subject, TypeResult &result);
  void compare(const Subject &subject, TypeResult &result);
  void compareLibrary(size_t index, const Subject::Answers &answers,
                      const ByteSpan &span, TypeResult &result);
  void measure(Quantity quantity, TypeResult &result);
  void compile(TypeResult &result);
  void commit(TypeResult &result);
  bool isPlaying(size_t index, const TypeResult &result) const {
    return result.libraries[index].problem.empty();
  }
  void drop(size_t index, const std::string &problem, TypeResult &result);

  const PlayerOptions &options;
  SluiceLibrary ours;
  std::vector<std::unique_ptr<Library>> others;
  std::vector<Library *> libraries;
  Watcher watch;
};

} // namespace sluice::player

#endif // DDTPLAYER_PLAYER_H

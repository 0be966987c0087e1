//===- Library.h - The player's interface to a library --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sluice's library runs in the player's process, each MPI in a separate
// process; both have the same interface.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_LIBRARY_H
#define DDTPLAYER_LIBRARY_H

#include "Measure.h"
#include "sluice/Base/Status.h"

#include <memory>
#include <string>

namespace sluice::player {

/// An error of any call except the first means that the library failed.
class Library {
public:
  virtual ~Library() = default;

  /// Name and version, for tables.
  virtual std::string name() const = 0;
  /// Builds the type and its buffers. The error tells why the library cannot do
  /// this.
  virtual Result<TypeShape> prepare(const std::string &text, int64_t count) = 0;
  virtual Status commit() = 0;
  virtual Result<double> measure(Quantity quantity, double seconds) = 0;
  /// The bytes of the packed pattern, and of the region after unpacking.
  virtual Result<std::string> packed() = 0;
  virtual Result<std::string> unpacked() = 0;
  virtual Status release() = 0;
  /// True when no more calls are possible.
  virtual bool isGone() const { return false; }
};

/// Starts the helper program at `path`, which is linked with the MPI `name`.
Result<std::unique_ptr<Library>> startHelper(const std::string &path,
                                             const std::string &name);

} // namespace sluice::player

#endif // DDTPLAYER_LIBRARY_H

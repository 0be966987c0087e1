//===- Engine.h - What a library can do with one type ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sluice and each MPI are driven through this interface by the same workbench,
// so that their times differ by what they do and by nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_ENGINE_H
#define DDTPLAYER_ENGINE_H

#include "Measure.h"
#include "sluice/Base/Status.h"

#include <string>

namespace sluice::player {

/// One library, working on one type at a time.
class Engine {
public:
  virtual ~Engine() = default;

  /// The library's name and version.
  virtual std::string name() const = 0;
  /// Builds the type that `text` describes, without committing it.
  virtual Status build(const std::string &text) = 0;
  /// What the library says of the type that was built.
  virtual Result<Shape> shape() = 0;
  /// Seconds that committing a fresh copy takes; the copy is freed.
  virtual Result<double> timeCommit() = 0;
  /// Seconds that compiling takes.
  virtual Result<double> timeCompile();
  /// Commits the type; the calls below need it.
  virtual Status commit() = 0;
  /// From `in`, the address of `count` instances, to `out`.
  virtual Status pack(const void *in, int64_t count, void *out,
                      int64_t packedBytes) = 0;
  virtual Status unpack(const void *in, int64_t packedBytes, void *out,
                        int64_t count) = 0;
  /// Forgets the type.
  virtual void release() = 0;
};

} // namespace sluice::player

#endif // DDTPLAYER_ENGINE_H

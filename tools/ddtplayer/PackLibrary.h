//===- PackLibrary.h - Operations of a library on one type ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same workbench drives Sluice and each MPI through this interface, so that
// their times differ only because of the libraries themselves.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_PACKLIBRARY_H
#define DDTPLAYER_PACKLIBRARY_H

#include "Measure.h"
#include "sluice/Base/Status.h"

#include <string>

namespace sluice::player {

/// One library, working on one type at a time.
class PackLibrary {
public:
  virtual ~PackLibrary() = default;

  /// The library's name and version.
  virtual std::string name() const = 0;
  /// Builds the type that `text` describes, without committing it.
  virtual Status build(const std::string &text) = 0;
  /// The library's description of the type that was built.
  virtual Result<TypeShape> shape() = 0;
  /// The seconds for committing a fresh copy, which is freed afterwards.
  virtual Result<double> timeCommit() = 0;
  /// Seconds that compiling takes.
  virtual Result<double> timeCompile();
  /// Commits the type; required by the functions below.
  virtual Status commit() = 0;
  /// Packs from `in`, the address of `count` instances, to `out`.
  virtual Status pack(const void *in, int64_t count, void *out,
                      int64_t packedBytes) = 0;
  virtual Status unpack(const void *in, int64_t packedBytes, void *out,
                        int64_t count) = 0;
  /// Forgets the type.
  virtual void release() = 0;
};

} // namespace sluice::player

#endif // DDTPLAYER_PACKLIBRARY_H

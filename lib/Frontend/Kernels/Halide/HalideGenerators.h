//===- HalideGenerators.h - Generators of this process --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs generators for all tasks, those with the same parameters once, several
// at a time, and only those that the cache does not know.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEGENERATORS_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEGENERATORS_H

#include "HalideCode.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace sluice::driver {

/// A call whose checks are to be made, and their result.
struct HalideCall {
  halide::KnownCall known;
  std::optional<halide::Violation> violation;
};

/// One code with the calls that tasks make.
struct HalideWork {
  HalideCode code;
  std::vector<HalideCall> calls;
  /// What went wrong; `problem.text` or `problem.parameter` is set then.
  halide::Problem problem;
  bool hasFailed = false;
};

/// libSluiceHalide, opened at the first use; null, and why in `problem`.
halide::Backend *openBackend(std::string &problem);

/// Brings work to its end, from the cache where it can, several generators at
/// a time.
class HalideCompiler {
public:
  explicit HalideCompiler(HalideCache &cache);
  ~HalideCompiler();

  /// Describes codes and checks their calls; may be called again for others.
  /// False, and why, if there is no
  /// Halide; what is wrong with one code is in its problem.
  bool describe(llvm::ArrayRef<HalideWork *> works, std::string &problem);
  /// Compiles those that have not failed, and Halide's runtime, whose object is
  /// returned; empty, and why, if that failed.
  std::string compile(llvm::ArrayRef<HalideWork *> works,
                      llvm::StringRef target, std::string &problem);

private:
  struct Running;
  std::unique_ptr<Running> lookUp(HalideWork &work);
  void start(halide::Backend &backend, Running &running);
  void takeDescription(Running &running);
  void compileJobs(llvm::ArrayRef<HalideWork *> works);
  HalideCache &cache;
  std::vector<std::unique_ptr<Running>> jobs;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEGENERATORS_H

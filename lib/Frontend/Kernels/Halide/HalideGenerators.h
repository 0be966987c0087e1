//===- HalideGenerators.h - Generators of this process --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs generators for all tasks: once for equal parameters, several at a time,
// and only if the result is not cached.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEGENERATORS_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEGENERATORS_H

#include "HalideCode.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace sluice::driver {

/// A call to be checked, and the result of the check.
struct HalideCall {
  halide::KnownCall known;
  std::optional<halide::Violation> violation;
};

/// One code with the calls that tasks make.
struct HalideWork {
  HalideCode code;
  std::vector<HalideCall> calls;
  /// The error; `problem.text` or `problem.parameter` is set if there is one.
  halide::RequestError problem;
  bool hasFailed = false;
};

/// libSluiceHalide, opened at the first use; null, with the reason in
/// `problem`.
halide::Backend *openBackend(std::string &problem);

/// Completes work, from the cache if possible, running several generators at a
/// time.
class HalideCompiler {
public:
  explicit HalideCompiler(HalideCache &cache);
  ~HalideCompiler();

  /// Describes codes and checks their calls; may be called again for others.
  /// Returns false, with the reason, if Halide is missing. Errors of a code are
  /// in its `problem`.
  bool describe(llvm::ArrayRef<HalideWork *> works, std::string &problem);
  /// Compiles the codes that have not failed, and Halide's runtime. Returns the
  /// runtime's object; empty, with the reason, if that failed.
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

//===- HalideVariants.h - Sets of parameters of Halide tasks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's parameters are those of its kernel. A file of tuned parameters
// changes them: the sections of the task, or else of its generator, are then
// its variants. While all variants are kept, SLUICE_TUNE_CANDIDATES gives
// candidate values: "p1=1,2,4 p2=1,8", or "*" for all tunable parameters.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEVARIANTS_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEVARIANTS_H

#include "HalideArguments.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"

namespace sluice::driver {

/// One list per task of the graph, empty for tasks of other kinds, with the
/// variant in use first. The whole result is empty after errors.
std::vector<std::vector<halide::Parameters>>
variantsOfTasks(Resolution &resolution);

/// Candidate values by parameter name.
using Candidates = std::map<std::string, std::vector<std::string>>;

/// Parses "p1=1,2,4 p2=1,8". Returns none, with the reason in `problem`, if the
/// text is invalid.
std::optional<Candidates> parseCandidates(llvm::StringRef text,
                                          std::string &problem);

/// The parameters for which the environment gives candidate values.
std::vector<std::string> candidateNames();

/// The candidates for a generator, among those that the environment names;
/// false after an error at the module.
bool candidatesFor(const HalideCode &code, mlir::ModuleOp module,
                   Candidates &candidates);

/// All combinations of candidates applied to `base`, which comes first, each
/// once. Combinations beyond `limit` are left out and counted in `numLeftOut`.
std::vector<halide::Parameters> combine(const halide::Parameters &base,
                                        const Candidates &candidates,
                                        size_t limit, size_t &numLeftOut);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEVARIANTS_H

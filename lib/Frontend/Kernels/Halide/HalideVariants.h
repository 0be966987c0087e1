//===- HalideVariants.h - Sets of parameters of Halide tasks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's parameters are those of its kernel. A file of tuned ones changes
// them: sections of the task, or else of its generator, are its variants then.
// While all variants are kept, SLUICE_TUNE_CANDIDATES gives values to be tried:
// "p1=1,2,4 p2=1,8", or "*" for all tunable parameters.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEVARIANTS_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEVARIANTS_H

#include "HalideArguments.h"
#include "sluice/Frontend/Kernels/Kernels.h"

namespace sluice::driver {

/// One list per task of the graph, empty for tasks of other kinds, with the
/// variant in use first. Empty as a whole after errors.
std::vector<std::vector<halide::Parameters>>
variantsOfTasks(Resolution &resolution);

/// Values to be tried of each parameter, by its name.
using Candidates = std::map<std::string, std::vector<std::string>>;

/// "p1=1,2,4 p2=1,8"; nothing, and why in `problem`, if the text is not so.
std::optional<Candidates> parseCandidates(llvm::StringRef text,
                                          std::string &problem);

/// The parameters that the environment gives values to be tried.
std::vector<std::string> candidateNames();

/// The candidates for a generator, of those that the environment names; false
/// after an error at the module.
bool candidatesFor(const HalideCode &code, mlir::ModuleOp module,
                   Candidates &candidates);

/// All combinations of candidates over `base`, itself first, each once; those
/// beyond `limit` are left out, and counted in `numLeftOut`.
std::vector<halide::Parameters> combine(const halide::Parameters &base,
                                        const Candidates &candidates,
                                        size_t limit, size_t &numLeftOut);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEVARIANTS_H

//===- GeneratorInputs.h - Inputs of generators besides parameters --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generator is a program: it may read files and the environment. It runs in a
// separate process, where calls that do so are recorded. Its cache entries are
// valid only while all of these inputs are unchanged.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_HALIDE_GENERATORINPUTS_H
#define SLUICE_LIB_HALIDE_GENERATORINPUTS_H

#include <string>
#include <vector>

namespace sluice::halide {

/// From now on, records the files that this process opens for reading or looks
/// for, and the environment variables that it reads. Redirects calls of these
/// functions in all libraries, so it is only for processes that end soon.
void noteInputs();

/// The recorded inputs so far, each once: absolute paths, and "env:NAME".
std::vector<std::string> notedInputs();

} // namespace sluice::halide

#endif // SLUICE_LIB_HALIDE_GENERATORINPUTS_H

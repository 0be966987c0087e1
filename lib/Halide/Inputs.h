//===- Inputs.h - What a generator reads beside its parameters --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generator is a program: it may read files and the environment. In the
// process that it has for itself, calls that do so are noted: its entries in
// the cache hold only while all of that is what it was.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_HALIDE_INPUTS_H
#define SLUICE_LIB_HALIDE_INPUTS_H

#include <string>
#include <vector>

namespace sluice::halide {

/// From now on, notes the files that this process opens for reading or asks
/// for, and the variables of the environment that it asks for. Changes where
/// calls of these functions lead, in all libraries, so it is for processes
/// that end soon.
void noteInputs();

/// What was noted so far, each once: absolute paths, and "env:NAME".
std::vector<std::string> notedInputs();

} // namespace sluice::halide

#endif // SLUICE_LIB_HALIDE_INPUTS_H

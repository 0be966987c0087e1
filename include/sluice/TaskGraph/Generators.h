//===- Generators.h - Halide generators as functions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks over regions call generators with parts of any size, so the generators
// are compiled apart from their calls.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_GENERATORS_H
#define SLUICE_TASKGRAPH_GENERATORS_H

#include "sluice/TaskGraph/Export.h"

#include <map>
#include <string>
#include <vector>

namespace sluice {

/// An argument of a compiled generator.
struct GeneratorArgument {
  std::string name;      ///< as in the generator
  bool isBuffer = false; ///< otherwise it is a number
  bool isOutput = false; ///< of buffers: the function writes it
  /// "i", "u", "f", or "" for other types.
  std::string kind;
  unsigned bits = 0;       ///< of an element
  unsigned dimensions = 0; ///< of a buffer
};

/// A function in an object. Objects are kept while this process runs.
struct CompiledGenerator {
  std::string problem; ///< Empty: there is none.
  std::string symbol;  ///< name of the function
  std::string object;  ///< path of its object
  std::string runtime; ///< path of the object of Halide's runtime
  std::vector<GeneratorArgument> arguments; ///< in order
};

/// Compiles a generator of this process for this machine.
SLUICE_API CompiledGenerator
compileGenerator(const std::string &name,
                 const std::map<std::string, std::string> &parameters);

} // namespace sluice

#endif // SLUICE_TASKGRAPH_GENERATORS_H

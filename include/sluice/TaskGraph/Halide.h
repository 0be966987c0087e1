//===- Halide.h - Parameters of Halide generators ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the sources of generators. A tunable parameter changes how fast a
// generated function is and not what it computes, so `sluice tune` may choose
// it; an input parameter is a property of the data and stays as it is given.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_HALIDE_H
#define SLUICE_TASKGRAPH_HALIDE_H

#include <Halide.h>

#include <limits>
#include <string>

namespace sluice {

/// `TunableGeneratorParam tile{"tile", 32, 1, 1024};`
class TunableGeneratorParam : public Halide::GeneratorParam<int> {
public:
  /// With its usual value, and the least and the largest.
  TunableGeneratorParam(const std::string &name, const int &value,
                        const int &min = std::numeric_limits<int>::lowest(),
                        const int &max = std::numeric_limits<int>::max())
      : Halide::GeneratorParam<int>(name, value, min, max) {}
};

/// `InputGeneratorParam width{"width", 1024};`
class InputGeneratorParam : public Halide::GeneratorParam<int> {
public:
  /// With its usual value, and the least and the largest.
  InputGeneratorParam(const std::string &name, const int &value,
                      const int &min = std::numeric_limits<int>::lowest(),
                      const int &max = std::numeric_limits<int>::max())
      : Halide::GeneratorParam<int>(name, value, min, max) {}
};

} // namespace sluice

namespace cac = sluice;

#endif // SLUICE_TASKGRAPH_HALIDE_H

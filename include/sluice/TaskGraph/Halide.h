//===- Halide.h - Parameters of Halide generators ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the sources of generators. A tunable parameter changes only the speed of
// a generated function and not its results, so `sluice tune` may choose its
// value. An input parameter is a property of the data and keeps its given
// value.
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
  /// With its default, minimum and maximum.
  TunableGeneratorParam(const std::string &name, const int &value,
                        const int &min = std::numeric_limits<int>::lowest(),
                        const int &max = std::numeric_limits<int>::max())
      : Halide::GeneratorParam<int>(name, value, min, max) {}
};

/// `InputGeneratorParam width{"width", 1024};`
class InputGeneratorParam : public Halide::GeneratorParam<int> {
public:
  /// With its default, minimum and maximum.
  InputGeneratorParam(const std::string &name, const int &value,
                      const int &min = std::numeric_limits<int>::lowest(),
                      const int &max = std::numeric_limits<int>::max())
      : Halide::GeneratorParam<int>(name, value, min, max) {}
};

} // namespace sluice

namespace cac = sluice;

#endif // SLUICE_TASKGRAPH_HALIDE_H

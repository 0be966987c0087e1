//===- GeneratorFunctions.cpp - Halide generators as functions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libSluiceTaskGraph.so shows of compiled generators.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Kernels/GeneratorCode.h"
#include "sluice/TaskGraph/Generators.h"

using namespace sluice;

static GeneratorArgument generatorArgument(const halide::ArgumentInfo &info) {
  using Info = halide::ArgumentInfo;
  GeneratorArgument argument;
  argument.name = info.name;
  argument.isBuffer = info.kind != Info::Kind::Scalar;
  argument.isOutput = info.kind == Info::Kind::OutputBuffer;
  argument.kind = info.code == Info::Code::Int     ? "i"
                  : info.code == Info::Code::UInt  ? "u"
                  : info.code == Info::Code::Float ? "f"
                                                   : "";
  argument.bits = info.bits;
  argument.dimensions = info.dimensions;
  return argument;
}

CompiledGenerator
sluice::compileGenerator(const std::string &name,
                         const std::map<std::string, std::string> &parameters) {
  driver::GeneratorCode code = driver::compileApart(name, parameters);
  CompiledGenerator compiled = {
      code.problem, code.symbol, code.object, code.runtime, {}};
  for (const halide::ArgumentInfo &info : code.arguments)
    compiled.arguments.push_back(generatorArgument(info));
  return compiled;
}

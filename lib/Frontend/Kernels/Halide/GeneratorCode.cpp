//===- GeneratorCode.cpp - Generators without their calls -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are not known, so buffers may be large and no call is checked.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Kernels/GeneratorCode.h"
#include "HalideGenerators.h"
#include "HalideTarget.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static std::string problemText(const halide::RequestError &problem,
                               const HalideCode &code) {
  std::string text = "generator '" + code.generator + "'";
  if (problem.parameter.empty())
    return text + ": " + problem.text;
  if (problem.text.empty())
    return text + " has no parameter '" + problem.parameter + "'";
  return text + ": parameter '" + problem.parameter + "' cannot be '" +
         code.parameters.at(problem.parameter) + "': " + problem.text;
}

GeneratorCode
driver::compileApart(const std::string &name,
                     const std::map<std::string, std::string> &parameters) {
  GeneratorCode compiled;
  std::string &problem = compiled.problem;
  Expected<std::string> machine = halideTarget("native");
  if (!machine) {
    problem = toString(machine.takeError());
    return compiled;
  }
  if (loadedHalide().empty()) {
    problem = "there is no generator '" + name +
              "': this program is not linked with Halide";
    return compiled;
  }
  HalideWork work;
  HalideCode &code = work.code;
  code.generator = name;
  code.parameters.insert(parameters.begin(), parameters.end());
  code.target = *machine + "-large_buffers-strict_float";
  code.symbol = halideSymbol(code);
  HalideCache cache;
  HalideCompiler compiler(cache);
  if (!cache.open(problem) || !compiler.describe({&work}, problem))
    return compiled;
  if (!work.hasFailed)
    compiled.runtime = compiler.compile({&work}, *machine, problem);
  if (!compiled.runtime.empty())
    problem.clear(); // of looking for it in the cache
  if (work.hasFailed)
    problem = problemText(work.problem, code);
  compiled.symbol = code.symbol;
  compiled.object = code.object;
  compiled.arguments = code.arguments;
  return compiled;
}

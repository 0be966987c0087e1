//===- HalideVariants.cpp - Sets of parameters of Halide tasks ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generator can be compiled with several sets of parameters; the runtime
// picks the fastest one. The sets come from the task, from a file that `sluice
// tune` wrote, or from a list of candidates.
//
//===----------------------------------------------------------------------===//

#include "HalideVariants.h"
#include "TunedParameters.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using halide::Parameters;

static std::vector<Parameters> writtenVariants(dfg::TaskOp task) {
  std::vector<Parameters> variants;
  if (std::optional<mlir::ArrayAttr> list = task.getVariants())
    for (mlir::Attribute entry : *list) {
      Parameters &parameters = variants.emplace_back();
      for (mlir::NamedAttribute parameter : cast<mlir::DictionaryAttr>(entry))
        if (auto value = dyn_cast<mlir::StringAttr>(parameter.getValue()))
          parameters[parameter.getName().str()] = value.str();
    }
  if (variants.empty())
    variants.emplace_back();
  return variants;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::optional<std::vector<TunedSection>>
readTuned(Resolution &resolution) {
  const std::string &path = resolution.options.tunedParameters;
  std::vector<TunedSection> sections;
  if (path.empty())
    return sections;
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    resolution.module.emitError("cannot read the parameters '")
        << path << "': " << buffer.getError().message();
    return std::nullopt;
  }
  resolution.dependencies.push_back(path);
  std::vector<std::string> names;
  for (auto [index, op] : enumerate(resolution.order.tasks)) {
    dfg::TaskOp task = op;
    if (task.getKind() != dfg::TaskKind::Halide)
      continue;
    names.push_back(resolution.order.names[index]);
    names.push_back(task.getCallee().str());
  }
  std::vector<TunedProblem> problems;
  sections = parseTunedParameters((*buffer)->getBuffer(), names, problems);
  for (const TunedProblem &problem : problems)
    mlir::emitError(mlir::FileLineColLoc::get(resolution.module.getContext(),
                                              path, problem.line, 1))
        << problem.text;
  if (!problems.empty())
    return std::nullopt;
  return sections;
}

/// `base`, changed by the sections for `name`; empty if there are none.
static std::vector<Parameters> tunedVariants(const Parameters &base,
                                             ArrayRef<TunedSection> sections,
                                             StringRef name) {
  std::vector<Parameters> variants;
  for (const TunedSection &section : sections) {
    if (section.name != name)
      continue;
    Parameters &parameters = variants.emplace_back(base);
    for (const auto &[parameter, value] : section.parameters)
      parameters[parameter] = value;
  }
  return variants;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

std::optional<Candidates> driver::parseCandidates(StringRef text,
                                                  std::string &problem) {
  Candidates candidates;
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    auto [name, list] = word.split('=');
    SmallVector<StringRef> values;
    list.split(values, ',', -1, /*KeepEmpty=*/false);
    if (name.empty() || values.empty()) {
      problem =
          ("expected 'parameter=value,value', but got '" + word + "'").str();
      return std::nullopt;
    }
    for (StringRef value : values)
      candidates[name.str()].push_back(value.str());
  }
  return candidates;
}

/// Tiles and vectors usually have sizes that are powers of two.
static std::vector<std::string> usualValues(const std::string &initial) {
  std::vector<std::string> values{initial};
  for (int value = 1; value <= 32; value *= 2)
    if (std::to_string(value) != initial)
      values.push_back(std::to_string(value));
  return values;
}

std::vector<std::string> driver::candidateNames() {
  const char *text = getenv("SLUICE_TUNE_CANDIDATES");
  std::string problem;
  std::vector<std::string> names;
  if (!text || StringRef(text) == "*")
    return names;
  // candidatesFor reports errors in the text.
  for (auto &[name, values] :
       parseCandidates(text, problem).value_or(Candidates()))
    names.push_back(name);
  return names;
}

bool driver::candidatesFor(const HalideCode &code, mlir::ModuleOp module,
                           Candidates &candidates) {
  const char *text = getenv("SLUICE_TUNE_CANDIDATES");
  if (!text || !*text)
    return true;
  bool isAll = StringRef(text) == "*";
  std::string problem;
  std::optional<Candidates> given =
      isAll ? Candidates() : parseCandidates(text, problem);
  if (!given) {
    module.emitError("SLUICE_TUNE_CANDIDATES: ") << problem;
    return false;
  }
  for (const halide::ParameterInfo &info : code.declared) {
    auto values = given->find(info.name);
    if (values != given->end())
      candidates[info.name] = values->second;
    else if (isAll && info.isTunable)
      candidates[info.name] = usualValues(info.value);
  }
  return true;
}

std::vector<Parameters> driver::combine(const Parameters &base,
                                        const Candidates &candidates,
                                        size_t limit, size_t &numLeftOut) {
  std::vector<Parameters> all{base}, open{base};
  numLeftOut = 0;
  for (const auto &[name, values] : candidates) {
    std::vector<Parameters> next;
    for (const Parameters &parameters : open)
      for (const std::string &value : values) {
        next.push_back(parameters);
        next.back()[name] = value;
      }
    open = std::move(next);
    if (open.size() > 1000000)
      break;
  }
  for (Parameters &parameters : open) {
    if (is_contained(all, parameters))
      continue;
    if (all.size() < limit)
      all.push_back(std::move(parameters));
    else
      ++numLeftOut;
  }
  return all;
}

std::vector<std::vector<Parameters>>
driver::variantsOfTasks(Resolution &resolution) {
  std::optional<std::vector<TunedSection>> sections = readTuned(resolution);
  if (!sections)
    return {};
  std::vector<std::vector<Parameters>> result(resolution.order.tasks.size());
  for (auto [index, op] : enumerate(resolution.order.tasks)) {
    dfg::TaskOp task = op;
    if (task.getKind() != dfg::TaskKind::Halide)
      continue;
    std::vector<Parameters> written = writtenVariants(task);
    std::vector<Parameters> variants = tunedVariants(
        written.front(), *sections, resolution.order.names[index]);
    if (variants.empty())
      variants = tunedVariants(written.front(), *sections, task.getCallee());
    if (variants.empty())
      variants = std::move(written);
    if (!resolution.options.keepsVariants)
      variants.resize(1);
    result[index] = std::move(variants);
  }
  return result;
}

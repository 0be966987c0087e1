//===- HalideKernels.cpp - Halide generators of tasks ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   1. find the parameters of each task, with its variants
//   2. run the generators whose results are not cached
//   3. check every task against its generator
//   4. compile, unless there are errors
// A dumped module contains the results of steps 2 and 4.
//
//===----------------------------------------------------------------------===//

#include "HalideGenerators.h"
#include "HalideModule.h"
#include "HalideTarget.h"
#include "HalideVariants.h"
#include "TunedParameters.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using halide::Parameters;

namespace {

/// One variant of a task, and its code.
struct KernelUse {
  unsigned task = 0;
  /// 0 is the variant in use.
  unsigned variant = 0;
  HalideWork *work = nullptr;
  /// The index of this task's call among the calls of the work.
  size_t call = 0;
};

class HalideResolver {
public:
  explicit HalideResolver(Resolution &resolution) : resolution(resolution) {}
  bool run();

private:
  bool collect();
  bool collectVariant(unsigned index, unsigned variant, Parameters parameters);
  bool addCandidates(HalideCompiler &compiler, std::string &problem);
  bool checkCandidates(HalideCompiler &compiler, std::string &problem);
  bool compileGenerators();
  bool takeDumped();
  bool check();
  bool checkUse(const KernelUse &use);
  bool reportProblem(const KernelUse &use);
  bool reportViolation(const KernelUse &use);
  void warnOfAliases(HalideTask &task, const HalideCode &code);
  void finish();

  /// Features of all targets. Without strict_float, LLVM contracts and reorders
  /// Halide's code differently for each CPU.
  std::string targetSuffix() const {
    std::string suffix = isLarge ? "-large_buffers" : "";
    return resolution.options.isFastFloat ? suffix : suffix + "-strict_float";
  }
  HalideTask taskOf(const KernelUse &use) {
    return {resolution.order.tasks[use.task], resolution.order.names[use.task]};
  }
  std::vector<HalideWork *> works() {
    std::vector<HalideWork *> result;
    for (auto &[key, work] : byKey)
      result.push_back(work.get());
    return result;
  }

  Resolution &resolution;
  std::string target;
  /// Some dataset has more elements than 32 bits can count.
  bool isLarge = false;
  std::map<std::string, std::unique_ptr<HalideWork>> byKey;
  std::vector<KernelUse> uses;
  std::string runtime;
  /// Generators of other graphs, which may have the candidate parameters.
  std::vector<std::unique_ptr<HalideWork>> others;
};

} // namespace

//===----------------------------------------------------------------------===//
// 1. Parameters
//===----------------------------------------------------------------------===//

bool HalideResolver::collect() {
  auto variants = variantsOfTasks(resolution);
  if (variants.empty())
    return false;
  Expected<std::string> base = halideTarget(resolution.options.cpu);
  if (!base) {
    resolution.module.emitError(toString(base.takeError()));
    return false;
  }
  target = *base;
  for (auto [index, op] : enumerate(resolution.order.tasks)) {
    dfg::TaskOp task = op;
    HalideTask halide{task, resolution.order.names[index]};
    if (task.getKind() == dfg::TaskKind::Halide &&
        needsLargeBuffers(knownCall(halide)))
      isLarge = true;
  }
  bool isGood = true;
  for (auto [index, list] : enumerate(variants))
    for (auto [variant, parameters] : enumerate(list))
      isGood &= collectVariant(index, variant, parameters);
  return isGood;
}

bool HalideResolver::collectVariant(unsigned index, unsigned variant,
                                    Parameters parameters) {
  KernelUse use{index, variant};
  HalideTask task = taskOf(use);
  HalideCode code;
  code.generator = task.op.getCallee().str();
  code.parameters = std::move(parameters);
  code.target = target;
  if (auto wanted = code.parameters.find("target");
      wanted != code.parameters.end()) {
    Expected<std::string> own = requestedTarget(wanted->second);
    if (!own) {
      // Published files list machines; machines other than this one are
      // skipped.
      std::string text = toString(own.takeError());
      (variant ? task.warning() : task.error())
          << text << (variant ? "; this variant is left out" : "");
      return variant != 0;
    }
    code.target = *own;
  }
  code.target += targetSuffix();
  code.symbol = halideSymbol(code);
  std::unique_ptr<HalideWork> &work = byKey[code.symbol];
  if (!work) {
    work = std::make_unique<HalideWork>();
    work->code = std::move(code);
  }
  use.work = work.get();
  use.call = work->calls.size();
  work->calls.push_back({knownCall(task), std::nullopt});
  uses.push_back(use);
  return true;
}

//===----------------------------------------------------------------------===//
// 3. Checks
//===----------------------------------------------------------------------===//

/// Reports the error of a generator, once for all tasks with the same code.
bool HalideResolver::reportProblem(const KernelUse &use) {
  HalideTask task = taskOf(use);
  const HalideCode &code = use.work->code;
  const halide::RequestError &problem = use.work->problem;
  // A wrong name is a mistake; a value may be out of range.
  bool isUnknown = !problem.parameter.empty() && problem.text.empty();
  bool isError = use.variant == 0 || isUnknown;
  mlir::InFlightDiagnostic diagnostic = isError ? task.error() : task.warning();
  std::string settings = code.parameters.empty() ? "" : " with " + code.text();
  if (problem.parameter.empty()) {
    diagnostic << "generator '" << code.generator << "'" << settings << ": "
               << problem.text;
    if (!isError)
      diagnostic << "; this variant is left out";
    return !isError;
  }
  if (!problem.text.empty()) {
    diagnostic << "parameter '" << problem.parameter << "' of generator '"
               << code.generator << "' cannot be '"
               << code.parameters.at(problem.parameter)
               << "': " << problem.text;
    if (!isError)
      diagnostic << "; this variant is left out";
    return !isError;
  }
  std::vector<std::string> names;
  for (const halide::ParameterInfo &info : code.declared)
    names.push_back(info.name);
  diagnostic << "generator '" << code.generator << "' has no parameter '"
             << problem.parameter << "'";
  std::string near = didYouMean(problem.parameter, names);
  if (!near.empty())
    diagnostic << near;
  else if (names.empty())
    diagnostic << ", it has none";
  else
    diagnostic << ", but " << listed(names);
  return false;
}

bool HalideResolver::reportViolation(const KernelUse &use) {
  const auto &violation = use.work->calls[use.call].violation;
  if (!violation || violation->error.empty())
    return true;
  HalideTask task = taskOf(use);
  mlir::InFlightDiagnostic diagnostic =
      use.variant ? task.warning() : task.error();
  explainViolation(diagnostic, task, use.work->code, *violation);
  if (use.variant)
    diagnostic << "; the variant " << use.work->code.text() << " is left out";
  return false;
}

/// Halide may write an output before it has read all of an input.
void HalideResolver::warnOfAliases(HalideTask &task, const HalideCode &code) {
  auto arguments = to_vector(task.op.getTaskArgs());
  for (size_t i = 0; i != arguments.size(); ++i)
    for (size_t j = i + 1; j != arguments.size(); ++j) {
      auto dataset = dyn_cast<dfg::DatasetOp>(task.op.resolve(arguments[i]));
      bool isWritten =
          code.arguments[i].kind == halide::ArgumentInfo::Kind::OutputBuffer ||
          code.arguments[j].kind == halide::ArgumentInfo::Kind::OutputBuffer;
      if (dataset && isWritten &&
          arguments[i].getData() == arguments[j].getData() &&
          sharesElements(arguments[i], arguments[j], dataset.getShape()))
        task.warning() << "arguments " << i + 1 << " and " << j + 1
                       << " share elements of '" << dataset.getSymName()
                       << "', and generator '" << code.generator
                       << "' may write one before it has read the other";
    }
}

bool HalideResolver::checkUse(const KernelUse &use) {
  HalideTask task = taskOf(use);
  const HalideCode &code = use.work->code;
  if (!checkArguments(task, code, use.work->calls[use.call].known))
    return false;
  if (use.variant == 0)
    warnOfAliases(task, code);
  return reportViolation(use);
}

bool HalideResolver::check() {
  bool isGood = true;
  std::vector<KernelUse> kept;
  std::map<HalideWork *, bool> failures;
  for (const KernelUse &use : uses) {
    bool isRight;
    if (use.work->hasFailed) {
      auto [failure, isFirst] = failures.try_emplace(use.work, false);
      isRight = false;
      if (isFirst || use.variant == 0)
        failure->second |= !reportProblem(use);
      isGood &= !failure->second;
    } else {
      isRight = checkUse(use);
      isGood &= isRight || use.variant != 0;
    }
    if (isRight)
      kept.push_back(use);
  }
  uses = std::move(kept);
  return isGood;
}

//===----------------------------------------------------------------------===//
// 2 and 4. Generators of this process
//===----------------------------------------------------------------------===//

/// Rejects values for a parameter that no generator of the program has.
/// Generators of other graphs are asked only if none of this graph has it.
bool HalideResolver::checkCandidates(HalideCompiler &compiler,
                                     std::string &problem) {
  std::vector<std::string> given = candidateNames(), known;
  auto note = [&](const HalideCode &code) {
    for (const halide::ParameterInfo &info : code.declared)
      if (!is_contained(known, info.name))
        known.push_back(info.name);
    llvm::erase_if(given, [&](const std::string &name) {
      return is_contained(known, name);
    });
  };
  for (HalideWork *work : works())
    note(work->code);
  if (given.empty())
    return true;
  halide::Backend *backend = openBackend(problem);
  if (!backend)
    return false;
  std::vector<HalideWork *> asked;
  for (const std::string &name : backend->generators()) {
    HalideWork &work = *others.emplace_back(std::make_unique<HalideWork>());
    work.code.generator = name;
    work.code.target = target + targetSuffix();
    work.code.symbol = halideSymbol(work.code);
    asked.push_back(&work);
  }
  if (!compiler.describe(asked, problem))
    return false;
  for (HalideWork *work : asked)
    note(work->code);
  if (given.empty())
    return true;
  problem = "no generator of this program has a parameter '" + given.front() +
            "'" + didYouMean(given.front(), known);
  if (!StringRef(problem).contains('?'))
    problem += known.empty() ? ", they have none" : ", but " + listed(known);
  return false;
}

/// Adds combinations of candidate values as further variants of every task
/// whose generator has these parameters.
bool HalideResolver::addCandidates(HalideCompiler &compiler,
                                   std::string &problem) {
  const size_t limit = 64;
  if (!checkCandidates(compiler, problem))
    return false;
  std::vector<KernelUse> known = uses;
  std::vector<HalideWork *> before = works();
  for (const KernelUse &use : known) {
    if (use.variant != 0 || use.work->hasFailed)
      continue;
    Candidates candidates;
    if (!candidatesFor(use.work->code, resolution.module, candidates))
      return false;
    size_t numLeftOut = 0;
    std::vector<Parameters> all =
        combine(use.work->code.parameters, candidates, limit, numLeftOut);
    if (numLeftOut)
      taskOf(use).warning() << "of the combinations of parameters " << limit
                            << " are tried, and " << numLeftOut << " are not";
    for (size_t i = 1; i < all.size(); ++i)
      if (none_of(known, [&](const KernelUse &other) {
            return other.task == use.task &&
                   other.work->code.parameters == all[i];
          }))
        collectVariant(use.task, 1, all[i]);
  }
  std::vector<HalideWork *> added = works();
  llvm::erase_if(added,
                 [&](HalideWork *work) { return is_contained(before, work); });
  return compiler.describe(added, problem);
}

bool HalideResolver::compileGenerators() {
  HalideCache cache;
  HalideCompiler compiler(cache);
  std::string problem;
  auto complain = [&] {
    if (!problem.empty())
      taskOf(uses.front()).error() << problem;
    return false;
  };
  if (loadedHalide().empty()) {
    problem = "there is no generator '" + uses.front().work->code.generator +
              "': this program is not linked with Halide";
    return complain();
  }
  if (!cache.open(problem) || !compiler.describe(works(), problem) ||
      (resolution.options.keepsVariants && !addCandidates(compiler, problem)))
    return complain();
  if (!check())
    return false;
  runtime = compiler.compile(works(), target, problem);
  // Generated code that Halide cannot compile.
  bool isGood = true;
  llvm::erase_if(uses, [&](const KernelUse &use) {
    if (use.work->hasFailed)
      isGood &= reportProblem(use);
    return use.work->hasFailed;
  });
  if (!isGood)
    return false;
  if (runtime.empty())
    return complain();
  append_range(resolution.dependencies, generatorFiles());
  for (HalideWork *work : works())
    append_range(resolution.dependencies, work->code.inputs);
  return true;
}

//===----------------------------------------------------------------------===//
// A module that was dumped
//===----------------------------------------------------------------------===//

bool HalideResolver::takeDumped() {
  bool isGood = true;
  const std::string &folder = resolution.options.folder;
  for (const KernelUse &use : uses) {
    HalideCode &code = use.work->code;
    if (code.isDescribed)
      continue;
    auto kernel =
        findHalideKernel(resolution.module, code.generator, code.parameters);
    if (!kernel) {
      mlir::InFlightDiagnostic diagnostic = taskOf(use).error();
      diagnostic << "the module has no compiled generator '" << code.generator
                 << "'"
                 << (code.parameters.empty() ? "" : " with " + code.text())
                 << "; generators live in the meta-program, which writes them "
                 << "with -o NAME.mlir" << (use.variant ? " --variants" : "");
      isGood = false;
      continue;
    }
    HalideCode dumped;
    isGood &= readHalideKernel(kernel, folder, dumped);
    dumped.isDescribed = true;
    code = std::move(dumped);
  }
  if (!isGood || !check())
    return false;
  HalideCode code;
  auto kernel = findHalideRuntime(resolution.module);
  if (!kernel) {
    taskOf(uses.front()).error()
        << "the module does not name the object of Halide's runtime";
    return false;
  }
  if (!readHalideKernel(kernel, folder, code))
    return false;
  runtime = code.object;
  return true;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

void HalideResolver::finish() {
  std::vector<HalideWork *> linked;
  for (const KernelUse &use : uses) {
    const HalideCode &code = use.work->code;
    resolution.resolved[use.task].variants.push_back(functionOf(code));
    if (is_contained(resolution.linkInputs, code.object))
      continue;
    linked.push_back(use.work);
    resolution.linkInputs.push_back(code.object);
  }
  resolution.linkInputs.push_back(runtime);
  if (findHalideRuntime(resolution.module)) {
    append_range(resolution.dependencies, resolution.linkInputs);
    return;
  }
  for (HalideWork *work : linked)
    addHalideKernel(resolution.module, work->code);
  addHalideRuntime(resolution.module, runtime);
}

bool HalideResolver::run() {
  if (none_of(resolution.order.tasks, [](dfg::TaskOp task) {
        return task.getKind() == dfg::TaskKind::Halide;
      }))
    return true;
  if (!collect() || uses.empty())
    return false;
  if (!(resolution.options.hasGenerators ? compileGenerators() : takeDumped()))
    return false;
  finish();
  return true;
}

bool driver::resolveHalideKernels(Resolution &resolution) {
  return HalideResolver(resolution).run();
}

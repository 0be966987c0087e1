//===- HalideGenerators.cpp - Generators of this process ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs generators for all tasks: once for equal parameters, several at a time,
// and only if the result is not cached.
//
//===----------------------------------------------------------------------===//

#include "HalideGenerators.h"
#include "TunedParameters.h"
#include "sluice/Toolchain/FileHash.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"

#include <dlfcn.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

halide::Backend *driver::openBackend(std::string &problem) {
  static halide::Backend *backend = nullptr;
  if (backend)
    return backend;
  std::string path = ownLibrary("SluiceHalide");
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = sys::fs::exists(path)
                  ? std::string(dlerror())
                  : "Sluice was built without Halide; it needs the package "
                    "libhalide14-0-dev";
    return nullptr;
  }
  auto *entry = reinterpret_cast<halide::Backend *(*)()>(
      dlsym(library, "sluiceHalideBackend"));
  if (!entry) {
    problem = "'" + path + "' is not of this version";
    return nullptr;
  }
  backend = entry();
  return backend;
}

/// A running generator, for the calls that are not in the cache.
struct HalideCompiler::Running {
  HalideWork *work;
  std::vector<HalideCall *> calls;
  std::unique_ptr<halide::Job> job;
};

HalideCompiler::HalideCompiler(HalideCache &cache) : cache(cache) {}
HalideCompiler::~HalideCompiler() = default;

static halide::Request requestFor(const HalideWork &work,
                                  const HalideCache &cache) {
  halide::Request request;
  request.generator = work.code.generator;
  request.parameters = work.code.parameters;
  request.symbol = work.code.symbol;
  request.target = work.code.target + "-no_runtime";
  request.objects = cache.getObjects();
  request.version = cache.getVersion();
  return request;
}

static size_t numAtOnce() {
  return std::max(2u, hardware_concurrency().compute_thread_count());
}

/// The parts of a code and its calls that are not cached; null if everything
/// is.
std::unique_ptr<HalideCompiler::Running>
HalideCompiler::lookUp(HalideWork &work) {
  cache.read(work.code);
  auto running = std::make_unique<Running>();
  running->work = &work;
  for (HalideCall &call : work.calls) {
    if (work.code.isDescribed)
      call.violation = cache.readCall(work.code, call.known);
    if (!call.violation)
      running->calls.push_back(&call);
  }
  bool isKnown = !work.code.object.empty() && running->calls.empty();
  return isKnown ? nullptr : std::move(running);
}

void HalideCompiler::start(halide::Backend &backend, Running &running) {
  halide::Request request = requestFor(*running.work, cache);
  for (HalideCall *call : running.calls) {
    halide::KnownCall &known = request.calls.emplace_back(call->known);
    // Such a part is packed if required, and then has other strides.
    for (halide::KnownArgument &argument : known)
      if (!argument.strides.empty() && argument.strides[0] != 1)
        argument.strides.assign(argument.strides.size(), -1);
  }
  running.job = backend.start(request);
}

void HalideCompiler::takeDescription(Running &running) {
  HalideWork &work = *running.work;
  halide::Description description;
  work.hasFailed = !running.job->describe(description, work.problem);
  work.code.declared = std::move(description.parameters);
  if (work.hasFailed)
    return;
  work.code.arguments = std::move(description.arguments);
  work.code.inputs = std::move(description.inputs);
  work.code.isDescribed = true;
  for (auto [call, violation] : zip(running.calls, description.violations)) {
    call->violation = violation;
    cache.writeCall(work.code, call->known, violation);
  }
  cache.write(work.code);
}

bool HalideCompiler::describe(ArrayRef<HalideWork *> works,
                              std::string &problem) {
  std::vector<std::unique_ptr<Running>> fresh;
  for (HalideWork *work : works)
    if (std::unique_ptr<Running> running = lookUp(*work))
      fresh.push_back(std::move(running));
  if (fresh.empty())
    return true;
  halide::Backend *backend = openBackend(problem);
  if (!backend)
    return false;
  std::vector<std::string> names = backend->generators();
  llvm::erase_if(fresh, [&](std::unique_ptr<Running> &running) {
    HalideWork &work = *running->work;
    if (is_contained(names, work.code.generator))
      return false;
    work.hasFailed = true;
    work.problem.text = "there is no generator '" + work.code.generator +
                        "' in this program" +
                        didYouMean(work.code.generator, names);
    return true;
  });
  for (size_t i = 0; i != fresh.size() + numAtOnce(); ++i) {
    if (i < fresh.size())
      start(*backend, *fresh[i]);
    if (i >= numAtOnce())
      takeDescription(*fresh[i - numAtOnce()]);
  }
  std::move(fresh.begin(), fresh.end(), std::back_inserter(jobs));
  return true;
}

/// Protects the object from removal while this process runs.
static bool pin(const Store &objects, const std::string &name,
                std::string &path, std::string &problem) {
  Result<std::string> pinned = objects.pin(name);
  (pinned.ok() ? path : problem) =
      pinned.ok() ? *pinned : pinned.status().message();
  return pinned.ok();
}

void HalideCompiler::compileJobs(ArrayRef<HalideWork *> works) {
  std::vector<Running *> open;
  for (std::unique_ptr<Running> &running : jobs)
    if (!running->work->hasFailed && running->work->code.object.empty() &&
        is_contained(works, running->work))
      open.push_back(running.get());
  for (size_t i = 0; i != std::min(numAtOnce(), open.size()); ++i)
    open[i]->job->compile();
  for (size_t i = 0; i != open.size(); ++i) {
    HalideWork &work = *open[i]->work;
    std::string name;
    work.hasFailed =
        !open[i]->job->finish(name, work.problem) ||
        !pin(cache.getObjects(), name, work.code.object, work.problem.text);
    open[i]->job.reset();
    if (i + numAtOnce() < open.size())
      open[i + numAtOnce()]->job->compile();
    if (work.hasFailed)
      continue;
    work.code.objectHash = fileDigest(work.code.object);
    cache.write(work.code);
  }
  jobs.clear();
}

std::string HalideCompiler::compile(ArrayRef<HalideWork *> works,
                                    StringRef target, std::string &problem) {
  const Store &objects = cache.getObjects();
  std::string name = cache.runtimeName(target), path;
  std::unique_ptr<halide::Job> job;
  if (!pin(objects, name, path, problem) || !objects.contains(name)) {
    halide::Backend *backend = openBackend(problem);
    if (!backend)
      return "";
    job = backend->startRuntime(target.str(), objects, name);
  }
  compileJobs(works);
  if (!job)
    return path;
  halide::RequestError failure;
  if (!job->finish(name, failure)) {
    problem = "Halide's runtime: " + failure.text;
    return "";
  }
  return pin(objects, name, path, problem) ? path : "";
}

//===- VariantCompiler.cpp - Compiling variants in a helper process -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One detached thread starts helpers and waits for them. It shares its state
// with the compiler object, so the runtime can end while a helper is still
// working; the thread then only waits for the helper's end.
//
//===----------------------------------------------------------------------===//

#include "VariantCompiler.h"

#include "../Scheduling/HostThreads.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Shared objects
//===----------------------------------------------------------------------===//

SharedKernel::SharedKernel(SharedKernel &&other) noexcept
    : library(std::exchange(other.library, nullptr)),
      kernel(std::exchange(other.kernel, nullptr)), numAtOnce(other.numAtOnce) {
}

SharedKernel &SharedKernel::operator=(SharedKernel &&other) noexcept {
  std::swap(library, other.library);
  std::swap(kernel, other.kernel);
  std::swap(numAtOnce, other.numAtOnce);
  return *this;
}

SharedKernel::~SharedKernel() {
  if (library)
    ::dlclose(library);
}

SharedKernel SharedKernel::open(const Store &store, const std::string &name) {
  SharedKernel result;
  // The loader does not check the content of a file.
  if (!store.contains(name))
    return result;
  result.library = ::dlopen(store.pathOf(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!result.library)
    return result;
  result.kernel =
      reinterpret_cast<SluiceKernel>(::dlsym(result.library, "sluice_variant"));
  if (const void *number = ::dlsym(result.library, "sluice_variant_units"))
    result.numAtOnce = std::max(*static_cast<const uint32_t *>(number), 1u);
  return result;
}

/// The program that compiles; null if there is none.
static const char *helperFor(const SluicePlanSpecializer &specializer,
                             const std::string &helper) {
  return helper.empty() ? specializer.helper : helper.c_str();
}

//===----------------------------------------------------------------------===//
// The thread that waits for helpers
//===----------------------------------------------------------------------===//

/// A helper may outlive the program, to serve its next run, but with limits.
static constexpr uint64_t mostBytes = uint64_t(8) << 30;
static constexpr double mostSeconds = 120;

class VariantCompiler::Service {
public:
  Service(const Store &store, std::string helper)
      : store(store), helper(std::move(helper)) {}

  static void add(const std::shared_ptr<Service> &service, Job job) {
    std::lock_guard lock(service->mutex);
    service->jobs.push_back(std::move(job));
    service->changed.notify_one();
    if (service->hasThread)
      return;
    try {
      std::thread thread([service] { service->run(); });
      nameRuntimeThread(thread, "variants");
      thread.detach();
      service->hasThread = true;
    } catch (const std::system_error &) {
      // The generic kernels stay in use.
      service->jobs.clear();
    }
  }

  /// No `done` is called after this.
  void stop() {
    std::scoped_lock lock(doneMutex, mutex);
    stopping = true;
    jobs.clear();
    changed.notify_one();
  }

private:
  void run();
  std::optional<Process> startHelper(const Job &job) const;

  const Store store;
  const std::string helper;
  /// Held while plans are accessed and while `done` runs, which may take other
  /// locks.
  std::mutex doneMutex;
  /// Protects the following members; no other lock is taken while it is held.
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool hasThread = false;
  bool stopping = false;
};

void VariantCompiler::Service::run() {
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return stopping || !jobs.empty(); });
      if (stopping)
        return;
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    std::optional<Process> process;
    {
      // The job's data may be destroyed after `stop`.
      std::lock_guard lock(doneMutex);
      if (stopping)
        return;
      process = startHelper(job);
    }
    SharedKernel kernel;
    if (process && process->wait().succeeded()) {
      // Independent of the umask: only this user may write a file that is
      // loaded.
      ::chmod(store.pathOf(job.file).c_str(), 0700);
      if (store.seal(job.file, /*isProgram=*/true).ok())
        kernel = SharedKernel::open(store, job.file);
    }
    std::lock_guard lock(doneMutex);
    if (!stopping)
      job.done(std::move(kernel));
  }
}

std::optional<Process>
VariantCompiler::Service::startHelper(const Job &job) const {
  const SluicePlanSpecializer &specializer = *job.request.specializer;
  const char *program = helperFor(specializer, helper);
  if (!program || ::access(program, X_OK) != 0)
    return std::nullopt;
  std::string_view code(static_cast<const char *>(specializer.code),
                        specializer.codeSize);
  if (!store.contains(job.codeFile) && !store.write(job.codeFile, code).ok())
    return std::nullopt;
  const VariantRequest &request = job.request;
  const char *options = specializer.options ? specializer.options : "";
  // In its own process group, without terminal and output, so that neither an
  // interrupt nor a closed pipe reaches it.
  Result<Process> process = Process::start(
      {.program = program,
       .arguments = {"--specialize", store.pathOf(job.codeFile), "--node",
                     request.node, "--extents", request.extents, "--shape",
                     request.shape, "--options", options, "-o",
                     store.pathOf(job.file)},
       .input = Redirect::nowhere(),
       .output = Redirect::nowhere(),
       .errors = Redirect::nowhere(),
       .hasOwnGroup = true,
       .bytesAtMost = mostBytes,
       .secondsAtMost = mostSeconds});
  if (!process.ok())
    return std::nullopt;
  return std::move(*process);
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

/// A set-user-ID program must not load files that its user made.
static bool runsWithMoreRights() { return ::getauxval(AT_SECURE) != 0; }

VariantCompiler::VariantCompiler(const VariantOptions &options)
    : store(StoreKind::Variants, options.cacheDirectory),
      helper(options.helper),
      enabled(options.specializeAfter != 0 && options.maxVariants != 0 &&
              !options.cacheDirectory.empty() && !runsWithMoreRights()),
      service(std::make_shared<Service>(store, options.helper)) {}

VariantCompiler::~VariantCompiler() { service->stop(); }

const std::string &
VariantCompiler::hashOf(const SluicePlanSpecializer &specializer) {
  std::lock_guard lock(hashMutex);
  std::string &hash = hashes[specializer.code];
  if (hash.empty())
    hash =
        ContentHash()
            .add(std::string_view(static_cast<const char *>(specializer.code),
                                  specializer.codeSize))
            .text();
  return hash;
}

std::string VariantCompiler::nameOf(const VariantRequest &request) {
  const char *options = request.specializer->options;
  // Another version of the helper generates other code.
  const char *program = helperFor(*request.specializer, helper);
  struct stat version = {};
  if (program)
    ::stat(program, &version);
  ContentHash hash;
  hash.add(uint64_t(SLUICE_TABLE_VERSION))
      .add(uint64_t(version.st_size))
      .add(uint64_t(version.st_mtim.tv_sec))
      .add(uint64_t(version.st_mtim.tv_nsec))
      .add(hashOf(*request.specializer))
      .add(request.node)
      .add(request.extents)
      .add(request.shape)
      .add(options ? options : "");
  return hash.text() + ".so";
}

SharedKernel VariantCompiler::find(const VariantRequest &request) {
  return SharedKernel::open(store, nameOf(request));
}

void VariantCompiler::compile(VariantRequest request, Done done) {
  if (!store.prepare().ok())
    return;
  Job job;
  job.codeFile = hashOf(*request.specializer) + ".bc";
  job.file = nameOf(request);
  job.request = std::move(request);
  job.done = std::move(done);
  Service::add(service, std::move(job));
}

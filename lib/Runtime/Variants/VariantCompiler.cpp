//===- VariantCompiler.cpp - Compiling variants in a helper process -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One detached thread starts helpers and waits for them. It shares its state
// with the compiler object, so the runtime can end while a helper is still
// working; the thread then only waits for its end.
//
//===----------------------------------------------------------------------===//

#include "VariantCompiler.h"

#include "../Scheduling/HostThreads.h"

#include "sluice/Base/Files.h"
#include "sluice/Base/Seal.h"
#include "sluice/Base/Text.h"

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Shared objects
//===----------------------------------------------------------------------===//

SharedKernel::SharedKernel(SharedKernel &&other) noexcept
    : library(std::exchange(other.library, nullptr)),
      kernel(std::exchange(other.kernel, nullptr)) {}

SharedKernel &SharedKernel::operator=(SharedKernel &&other) noexcept {
  std::swap(library, other.library);
  std::swap(kernel, other.kernel);
  return *this;
}

SharedKernel::~SharedKernel() {
  if (library)
    ::dlclose(library);
}

SharedKernel SharedKernel::open(const std::string &path) {
  SharedKernel result;
  // The loader does not check the content of a file.
  if (!isSealed(path))
    return result;
  result.library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (result.library)
    result.kernel = reinterpret_cast<SluiceKernel>(
        ::dlsym(result.library, "sluice_variant"));
  return result;
}

//===----------------------------------------------------------------------===//
// The thread that waits for helpers
//===----------------------------------------------------------------------===//

class VariantCompiler::Service {
public:
  explicit Service(std::string helper) : helper(std::move(helper)) {}

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

  /// No `done` is called any more after this.
  void stop() {
    std::scoped_lock lock(doneMutex, mutex);
    stopping = true;
    jobs.clear();
    changed.notify_one();
  }

private:
  void run();
  /// The process, or 0.
  pid_t startHelper(const Job &job) const;

  const std::string helper;
  /// Held while plans are looked at and while `done` runs, which may take
  /// other locks.
  std::mutex doneMutex;
  /// Protects the following members; no other lock is taken under it.
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool hasThread = false;
  bool stopping = false;
};

/// Waits for a process to end.
static bool succeeds(pid_t process) {
  int status;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

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
    pid_t process = 0;
    {
      // Data that the job points to may be destroyed after `stop`.
      std::lock_guard lock(doneMutex);
      if (stopping)
        return;
      process = startHelper(job);
    }
    SharedKernel kernel;
    if (process && succeeds(process)) {
      // Independent of the umask: only this user may write a file that is
      // loaded.
      ::chmod(job.file.c_str(), 0700);
      if (ensureSealed(job.file, /*isProgram=*/true).ok())
        kernel = SharedKernel::open(job.file);
    }
    std::lock_guard lock(doneMutex);
    if (!stopping)
      job.done(std::move(kernel));
  }
}

/// Starts a process in a process group of its own, without terminal and output,
/// so that neither an interrupt nor a closed pipe affects it.
static bool spawnQuietly(const char *const *arguments, pid_t &process) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  int error = ::posix_spawn(&process, arguments[0], &files, &attributes,
                            const_cast<char *const *>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

pid_t VariantCompiler::Service::startHelper(const Job &job) const {
  const SluicePlanSpecializer &specializer = *job.request.specializer;
  const char *program = helper.empty() ? specializer.helper : helper.c_str();
  if (!program || ::access(program, X_OK) != 0)
    return 0;
  std::string_view code(static_cast<const char *>(specializer.code),
                        specializer.codeSize);
  if (!isSealed(job.codeFile) && !writeSealed(job.codeFile, code).ok())
    return 0;
  const char *options = specializer.options ? specializer.options : "";
  const char *arguments[] = {program,
                             "--specialize",
                             job.codeFile.c_str(),
                             "--node",
                             job.request.node.c_str(),
                             "--extents",
                             job.request.extents.c_str(),
                             "--shape",
                             job.request.shape.c_str(),
                             "--options",
                             options,
                             "-o",
                             job.file.c_str(),
                             nullptr};
  pid_t process;
  return spawnQuietly(arguments, process) ? process : 0;
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

/// A set-user-ID program must not load files that its user made.
static bool runsWithMoreRights() { return ::getauxval(AT_SECURE) != 0; }

VariantCompiler::VariantCompiler(const VariantOptions &options)
    : directory(options.cacheDirectory), helper(options.helper),
      enabled(options.specializeAfter != 0 && options.maxVariants != 0 &&
              !options.cacheDirectory.empty() && !runsWithMoreRights()),
      service(std::make_shared<Service>(options.helper)) {}

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

std::string VariantCompiler::pathOf(const VariantRequest &request) {
  const char *options = request.specializer->options;
  ContentHash hash;
  hash.add(uint64_t(SLUICE_TABLE_VERSION))
      .add(hashOf(*request.specializer))
      .add(request.node)
      .add(request.extents)
      .add(request.shape)
      .add(options ? options : "");
  return concat(directory, "/", hash.text(), ".so");
}

SharedKernel VariantCompiler::find(const VariantRequest &request) {
  std::string path = pathOf(request);
  if (::access(path.c_str(), R_OK) != 0 ||
      !preparePrivateDirectory(directory).ok())
    return {};
  return SharedKernel::open(path);
}

void VariantCompiler::compile(VariantRequest request, Done done) {
  if (!preparePrivateDirectory(directory).ok())
    return;
  Job job;
  job.codeFile = concat(directory, "/", hashOf(*request.specializer), ".bc");
  job.file = pathOf(request);
  job.request = std::move(request);
  job.done = std::move(done);
  Service::add(service, std::move(job));
}

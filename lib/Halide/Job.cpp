//===- Job.cpp - A generator in a separate process ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "Generator.h"
#include "GeneratorInputs.h"
#include "JobWire.h"
#include "sluice/Base/Hash.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"

#include <csignal>
#include <functional>
#include <iostream>
#include <sys/socket.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::halide;

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

namespace {
/// The other process, and this process's end of the connection to it.
class GeneratorProcess {
public:
  explicit GeneratorProcess(const std::function<void(int file)> &work);
  ~GeneratorProcess() {
    if (process)
      process->kill();
    stop();
  }
  /// Ends the process. Describes how it ended, in the words of a shell.
  std::string stop();
  int getFile() const { return file; }
  bool hasStarted() const { return process.has_value(); }

private:
  std::optional<Process> process;
  std::string problem;
  int file = -1;
};
} // namespace

/// The work of the new process.
static void serveParent(const std::function<void(int file)> &work, int file) {
  std::set_terminate([] { abort(); });
  work(file);
  std::cout.flush();
  fflush(nullptr);
}

GeneratorProcess::GeneratorProcess(const std::function<void(int file)> &work) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    problem = "cannot start a process: " + systemErrorText(errno);
    return;
  }
  // Buffered output would be printed twice.
  std::cout.flush();
  fflush(nullptr);
  Result<Process> forked = Process::fork([&] {
    close(ends[0]);
    serveParent(work, ends[1]);
  });
  close(ends[1]);
  file = ends[0];
  if (forked.ok())
    process = std::move(*forked);
  else
    problem = forked.status().message();
}

std::string GeneratorProcess::stop() {
  if (file >= 0) {
    // Jobs started later hold copies of this end.
    shutdown(file, SHUT_RDWR);
    close(file);
  }
  file = -1;
  if (!process)
    return problem;
  ProcessEnd end = process->wait();
  process.reset();
  return end.signal ? "it crashed: " + signalText(end.signal)
                    : "it ended the process with status " +
                          std::to_string(end.exitStatus);
}

//===----------------------------------------------------------------------===//
// The job's side
//===----------------------------------------------------------------------===//

/// Runs the generator up to a module, and fills in known facts on the way.
static Halide::Module lower(const Request &request, Description &description) {
  noteInputs();
  description.parameters = parametersOf(request);
  auto generator = createGenerator(request);
  setParameters(*generator, request.parameters);
  Halide::Module module =
      generator->build_module(request.symbol, Halide::LinkageType::External);
  description.arguments = argumentsOf(module, request.symbol);
  const auto function = module.get_function_by_name(request.symbol);
  for (const KnownCall &call : request.calls)
    description.violations.push_back(checkCall(function, call));
  description.inputs = notedInputs();
  return module;
}

static std::string temporaryObject() {
  Result<std::string> path = workPath(".o");
  if (!path.ok())
    throw std::runtime_error(path.status().message());
  return *path;
}

/// Makes the object an entry of the cache.
static void keepObject(const std::string &temporary, const Store &objects,
                       const std::string &name) {
  Status status = objects.adopt(temporary, name, /*isProgram=*/false);
  unlink(temporary.c_str());
  if (!status.ok())
    throw std::runtime_error(status.message());
}

/// Returns the object under the hash of the module; compiles it if it is
/// missing.
static std::string compileModule(const Request &request,
                                 const Halide::Module &module) {
  std::string name =
      ContentHash().add(request.version).add(hashCode(module)).text() + ".o";
  if (request.objects.contains(name))
    return name;
  std::string temporary = temporaryObject();
  module.compile({{Halide::OutputFileType::object, temporary}});
  keepObject(temporary, request.objects, name);
  return name;
}

/// Calls `work`; an exception becomes the problem.
static bool guarded(RequestError &problem, const std::function<void()> &work) {
  try {
    work();
    return true;
  } catch (const ParameterError &error) {
    problem = {error.name, error.what()};
  } catch (const std::exception &error) {
    problem = {"", plainText(error.what())};
  } catch (...) {
    problem = {"", "it threw something that is no std::exception"};
  }
  return false;
}

static void serveRuntime(const std::string &target, const Store &objects,
                         const std::string &name, int file) {
  RequestError problem;
  bool isFine = guarded(problem, [&] {
    std::string temporary = temporaryObject();
    Halide::compile_standalone_runtime(temporary, Halide::Target(target));
    keepObject(temporary, objects, name);
  });
  removeWorkFolder();
  sendRecord(file, {isFine ? "1" : "0", isFine ? name : problem.text});
}

static void serve(const Request &request, int file) {
  Description description;
  RequestError problem;
  std::optional<Halide::Module> module;
  bool isFine = guarded(problem, [&] { module = lower(request, description); });
  Record order;
  if (!sendRecord(file, encode(description, problem, isFine)) || !isFine ||
      !receiveRecord(file, order))
    return;
  std::string name;
  isFine = guarded(problem, [&] { name = compileModule(request, *module); });
  removeWorkFolder();
  sendRecord(file, {isFine ? "1" : "0", isFine ? name : problem.text});
}

//===----------------------------------------------------------------------===//
// This process's side
//===----------------------------------------------------------------------===//

namespace {
class ForkedJob : public Job {
public:
  explicit ForkedJob(const std::function<void(int file)> &work)
      : process(work) {}

  bool describe(Description &description, RequestError &problem) override {
    Record record;
    bool isFine = false;
    if (process.hasStarted() && receiveRecord(process.getFile(), record) &&
        decode(record, description, problem, isFine))
      return isFine;
    problem = {"", process.stop()};
    return false;
  }

  void compile() override { sendRecord(process.getFile(), {"compile"}); }

  bool finish(std::string &objectName, RequestError &problem) override {
    Record record;
    if (!process.hasStarted() || !receiveRecord(process.getFile(), record) ||
        record.size() != 2) {
      problem = {"", process.stop()};
      return false;
    }
    bool isFine = record[0] == "1";
    (isFine ? objectName : problem.text) = record[1];
    return isFine;
  }

private:
  GeneratorProcess process;
};
} // namespace

std::unique_ptr<Job> halide::startJob(const Request &request) {
  return std::make_unique<ForkedJob>([&](int file) { serve(request, file); });
}

std::unique_ptr<Job> halide::startRuntimeJob(const std::string &target,
                                             const Store &objects,
                                             const std::string &name) {
  return std::make_unique<ForkedJob>(
      [&](int file) { serveRuntime(target, objects, name, file); });
}

//===- MetaProgram.cpp - Compiling and running graphs of meta-programs ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of TaskGraph that need the compiler. Each checks the graph, turns
// it into a module, and passes it to the phases of Driver/TaskGraphs.h. Their
// messages become the text of an exception.
//
//===----------------------------------------------------------------------===//

#include "CollectProblems.h"
#include "LoadedProgram.h"
#include "sluice/Base/Text.h"
#include "sluice/Driver/Flags.h"
#include "sluice/Driver/Picture.h"
#include "sluice/Driver/TaskGraphs.h"
#include "sluice/TaskGraph/Import.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

using namespace sluice;
using namespace sluice::driver;
using llvm::SmallString;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool hasKind(const TaskGraphModel &model,
                    std::initializer_list<TaskImpl::Kind> kinds) {
  return llvm::any_of(model.tasks, [&](const std::unique_ptr<TaskImpl> &task) {
    return llvm::is_contained(kinds, task->kind);
  });
}

static std::string absolute(StringRef path) {
  SmallString<128> result(path);
  if (llvm::sys::fs::make_absolute(result))
    return path.str();
  llvm::sys::path::remove_dots(result, /*remove_dot_dot=*/false);
  return result.str().str();
}

/// The folders of modules: the given ones, and the folder of the meta-program.
static std::string pythonPath(const TaskGraphModel &model,
                              const Options &options) {
  if (!hasKind(model, {TaskImpl::Kind::Python, TaskImpl::Kind::Fem}))
    return "";
  std::vector<std::string> folders;
  llvm::SmallVector<StringRef> given;
  StringRef(options.pythonPath).split(given, ':', -1, /*KeepEmpty=*/false);
  for (StringRef folder : given)
    folders.push_back(absolute(folder));
  folders.push_back(absolute(llvm::sys::path::parent_path(model.place.file)));
  std::string path;
  for (const std::string &folder : folders)
    path += concat(path.empty() ? "" : ":", folder);
  return path;
}

static Stage stageOf(const std::string &name) {
  if (name == "graph")
    return Stage::Tasks;
  if (name == "dfg")
    return Stage::Graph;
  if (name == "plan")
    return Stage::Plan;
  if (name == "llvm")
    return Stage::Optimized;
  return name == "asm" ? Stage::Assembly : Stage::None;
}

static TaskBuildOptions buildOptions(const TaskGraphModel &model,
                                     const Options &options, bool isRun) {
  TaskBuildOptions result;
  result.build.program.cpu = isRun                 ? "native"
                             : options.cpu.empty() ? "x86-64-v2"
                                                   : options.cpu;
  result.build.program.compilerFlags = options.kernelFlags;
  takeKernelFlags(options.kernelFlags, result.build.program);
  result.build.program.linkerFlags = options.linkFlags;
  result.build.program.isChecked = options.checked;
  result.build.print = stageOf(options.print);
  result.build.isStatic = !isRun;
  for (const std::string &path : options.kernelSources)
    result.kernelSources.push_back(absolute(path));
  result.folder = absolute(".");
  result.pythonPath = pythonPath(model, options);
  if (!options.tunedParamsFile.empty())
    result.tunedParameters = absolute(options.tunedParamsFile);
  result.dependencyFile = options.dependencyFile;
  result.keepsVariants = options.variants;
  result.isSerial = options.serial;
  result.isFastFloat = options.fastFloat;
  result.hasRemarks = options.remarks;
  result.hasGenerators = hasKind(model, {TaskImpl::Kind::Halide});
  return result;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

namespace {

/// The purpose of a compilation. Only written output needs the values of
/// datasets, which may be large.
enum class Purpose { Look, Run, Write };

/// The compilation of a graph to one of its outputs.
class Compilation {
public:
  Compilation(const TaskGraphModel &model, const Options &options,
              Purpose purpose);

  /// Throws CompileError if a phase failed; otherwise prints its warnings.
  void expect(bool isGood);

  TaskBuildOptions options;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  std::function<void(const std::string &)> tell;
  ProblemCollector problems;
};

} // namespace

Compilation::Compilation(const TaskGraphModel &model, const Options &given,
                         Purpose purpose)
    : options(buildOptions(model, given, purpose == Purpose::Run)),
      context(createGraphContext()), tell(given.tell), problems(*context) {
  context->printOpOnDiagnostic(false);
  for (Diagnostic &problem : checkModel(model))
    problems.add(std::move(problem));
  if (problems.hasErrors())
    throw CompileError(problems.errors());
  TaskImportOptions importing;
  importing.keepsValues = purpose == Purpose::Write;
  importing.givesScalars = purpose == Purpose::Run && mayGiveScalars(model);
  importing.isSerial = given.serial;
  importing.pythonPath = options.pythonPath;
  module = importTaskGraph(model, importing, *context);
}

void Compilation::expect(bool isGood) {
  if (isGood && !problems.hasErrors()) {
    std::string said = problems.warnings();
    if (!tell)
      std::fputs(said.c_str(), stderr);
    else if (!said.empty())
      tell(said);
    return;
  }
  std::string text = problems.errors();
  throw CompileError(text.empty() ? "error: the graph could not be compiled\n"
                                  : text);
}

/// The file that `sluice tune` requests for this graph; empty otherwise. Graphs
/// after the first put their name before the file's extension.
static std::string tunedFile(const std::string &graph) {
  const char *path = std::getenv("SLUICE_TUNE");
  if (!path || !*path)
    return "";
  static const std::string first = graph;
  if (graph == first)
    return path;
  SmallString<128> result(path);
  std::string ending = llvm::sys::path::extension(path).str();
  llvm::sys::path::replace_extension(result, graph + ending);
  return result.str().str();
}

/// Compiles and opens a graph. Another thread or process that compiled it as
/// well may remove the program, even right after it was made, and may have made
/// it again before this one looks; then it is asked for again.
static std::unique_ptr<LoadedProgram> load(const TaskGraphModel &model,
                                           const Options &options) {
  constexpr int maxTries = 20;
  for (int tries = 1;; ++tries) {
    Compilation compilation(model, options, Purpose::Run);
    CachedFile file = cachedTaskGraph(*compilation.module, compilation.options,
                                      /*isShared=*/true);
    compilation.expect(!file.path.empty());
    try {
      return std::make_unique<LoadedProgram>(file, model, options);
    } catch (const RunError &error) {
      const bool isGone =
          !llvm::sys::fs::exists(file.path) ||
          StringRef(error.what()).contains(systemErrorText(ENOENT));
      if (tries == maxTries || !isGone)
        throw;
    }
  }
}

/// The program of the graph in its current state. The graph keeps it.
static LoadedProgram &programFor(TaskGraphModel &model, Options options) {
  const char *check = std::getenv("SLUICE_CHECK");
  options.checked |= check && StringRef(check) == "1";
  auto *program = static_cast<LoadedProgram *>(model.state.get());
  if (!program || !program->isFor(model, options)) {
    std::unique_ptr<LoadedProgram> loaded = load(model, options);
    program = loaded.get();
    model.state = std::move(loaded);
  }
  return *program;
}

void TaskGraph::run(const Options &options) {
  std::string tuned = tunedFile(getName());
  if (!tuned.empty())
    return tune(tuned, options);
  programFor(*model, options).execute(*model);
}

void TaskGraph::tune(const std::string &file, const Options &given) {
  Options options = given;
  options.variants = true;
  programFor(*model, options).tune(*model, file);
}

/// Prevents overwriting the program that describes the graph.
static void checkOutput(const std::string &output) {
  bool isSame = false;
  if (!llvm::sys::fs::equivalent("/proc/self/exe", output, isSame) && isSame)
    throw CompileError(concat("error: the output ", quoted(output),
                              " would replace this program; name another "
                              "one with -o\n"));
}

/// Reports output that could not be written.
static void finishPrinting() {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  if (!out.has_error())
    return;
  std::string reason = out.error().message();
  out.clear_error();
  throw CompileError(
      concat("error: cannot write to standard output: ", reason, '\n'));
}

/// Functions of this process are not available in another process.
static void refuseFunctions(const TaskGraphModel &model) {
  for (const std::unique_ptr<TaskImpl> &task : model.tasks)
    if (task->function)
      throw CompileError(concat(
          sluice::textOf(task->place), ": error: the Python function ",
          quoted(task->callee),
          " exists in this process only, so the graph runs here and becomes no "
          "program; PyKernel(module, function) names one of a file\n"));
}

void TaskGraph::compile(const std::string &output, const Options &options) {
  if (!tunedFile(getName()).empty())
    return run(options);
  StringRef ending = llvm::sys::path::extension(output);
  if (options.print.empty() && !isPictureFile(output) && ending != ".mlir")
    refuseFunctions(*model);
  checkOutput(output);
  if (ending == ".mlir" && options.print.empty())
    return dump(output, options);
  const Purpose purpose =
      isPictureFile(output) ? Purpose::Look : Purpose::Write;
  Compilation compilation(*model, options, purpose);
  compilation.expect(
      isTaskForm(output) && options.print.empty()
          ? writeTaskGraph(*compilation.module, compilation.options, output)
          : buildTaskGraph(*compilation.module, compilation.options, output));
  finishPrinting();
}

void TaskGraph::dump(const std::string &path, const Options &options) {
  Compilation compilation(*model, options, Purpose::Write);
  compilation.expect(
      dumpTaskGraph(*compilation.module, compilation.options, path));
}

void TaskGraph::check(const Options &options) {
  Compilation compilation(*model, options, Purpose::Look);
  compilation.expect(checkTaskGraph(*compilation.module, compilation.options));
}

/// One -o is for one graph: a second graph would overwrite the output of the
/// first.
static void claimOutput(const std::string &output, const std::string &graph) {
  static std::mutex mutex;
  static std::map<std::string, std::string> graphs;
  std::lock_guard<std::mutex> lock(mutex);
  const std::string &first = graphs.try_emplace(output, graph).first->second;
  if (first != graph)
    throw CompileError(concat("error: the output ", quoted(output),
                              " is graph ", quoted(first), ", so graph ",
                              quoted(graph),
                              " needs another one; without -o, each graph "
                              "gets its name\n"));
}

void sluice::compile(TaskGraph &tg, const Options &opts) {
  if (opts.checksOnly)
    return tg.check(opts);
  if (opts.runs && opts.print.empty())
    return tg.run(opts);
  if (!opts.output.empty() && opts.print.empty())
    claimOutput(opts.output, tg.getName());
  tg.compile(opts.output.empty() ? tg.getName() : opts.output, opts);
}

int sluice::tryCompile(TaskGraph &tg, const Options &opts) {
  try {
    compile(tg, opts);
    return 0;
  } catch (const CompileError &problem) {
    std::fputs(problem.what(), stderr);
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "error: %s\n", problem.what());
  }
  return 1;
}

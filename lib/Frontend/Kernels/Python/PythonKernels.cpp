//===- PythonKernels.cpp - Python functions of tasks ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules are parsed, not run; only generators of forms run, in a separate
// process. The program gets the folders in which its modules were found.
//
//===----------------------------------------------------------------------===//

#include "PythonForms.h"
#include "PythonModules.h"
#include "sluice-c/TaskProgram.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Adds what is not there yet.
static void addOnce(std::vector<std::string> &list, std::string text) {
  if (!is_contained(list, text))
    list.push_back(std::move(text));
}

namespace {
class PythonResolver {
public:
  explicit PythonResolver(Resolution &resolution) : resolution(resolution) {}
  bool run();

private:
  bool isAvailable();
  void addFolders(StringRef path);
  void find(dfg::TaskOp task);
  void checkCall(dfg::TaskOp task, const PythonModule &module);
  void checkArguments(dfg::TaskOp task, const PythonFunction &function);
  void checkFem(dfg::TaskOp task, const PythonModule &module);
  void checkPath();
  void compileForms();
  void report(dfg::TaskOp task, FormProblems &problems);
  bool hasGenerator(StringRef module) const;
  mlir::InFlightDiagnostic fail(dfg::TaskOp task) {
    isGood = false;
    return task.emitError();
  }

  Resolution &resolution;
  bool isGood = true;
  std::vector<dfg::TaskOp> tasks;
  PythonModules modules;
  /// The folders in which all modules are searched, and those of the program's
  /// path.
  std::vector<std::string> namedFolders, usedFolders;
  /// Files of modules, by the names that tasks use.
  std::map<std::string, std::string> files;
  /// Generators of modules.
  StringMap<StringRef> generators;
};
} // namespace

static bool isFem(dfg::TaskOp task) {
  return task.getKind() == dfg::TaskKind::Fem;
}

static StringRef generatorOf(dfg::TaskOp task) {
  return task.getGenerator().value_or("generate");
}

//===----------------------------------------------------------------------===//
// Finding modules
//===----------------------------------------------------------------------===//

bool PythonResolver::isAvailable() {
  std::string problem = whyNoPython();
  if (problem.empty())
    return true;
  for (dfg::TaskOp task : tasks)
    fail(task) << problem;
  return false;
}

static std::string absolute(StringRef path, StringRef folder) {
  SmallString<128> result(path);
  if (sys::path::is_relative(result) && !folder.empty()) {
    result = folder;
    sys::path::append(result, path);
  }
  (void)sys::fs::make_absolute(result);
  sys::path::remove_dots(result, /*remove_dot_dot=*/true);
  return result.str().str();
}

void PythonResolver::addFolders(StringRef path) {
  SmallVector<StringRef> folders;
  path.split(folders, ':', -1, /*KeepEmpty=*/false);
  for (StringRef folder : folders) {
    std::string first = absolute(folder, resolution.options.folder);
    addOnce(namedFolders,
            sys::fs::is_directory(first) ? first : absolute(folder, ""));
  }
}

/// The folder of the line that created the task; empty if unknown.
static std::string folderOf(dfg::TaskOp task, StringRef folder) {
  auto line = task.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  if (!line)
    return "";
  StringRef file = line.getFilename().getValue();
  std::string path = absolute(sys::path::parent_path(file), "");
  if (!sys::fs::is_directory(path) || !sys::fs::exists(absolute(file, "")))
    path = absolute(sys::path::parent_path(file), folder);
  return path;
}

/// All folders for a task, the most explicit first.
static std::vector<std::string>
foldersFor(dfg::TaskOp task, ArrayRef<std::string> named, StringRef folder) {
  std::vector<std::string> folders(named);
  if (std::string own = folderOf(task, folder); !own.empty())
    addOnce(folders, own);
  addOnce(folders, absolute(".", ""));
  addOnce(folders, absolute(".", folder));
  const char *extra = getenv("EXTRA_PYTHONPATH");
  SmallVector<StringRef> more;
  StringRef(extra ? extra : "").split(more, ':', -1, /*KeepEmpty=*/false);
  for (StringRef entry : more)
    addOnce(folders, absolute(entry, ""));
  return folders;
}

/// The entry with the name most similar to `name`, as a hint.
static std::string didYouMean(StringRef name,
                              const StringMap<PythonFunction> &functions) {
  StringRef best;
  unsigned bound = 1 + name.size() / 3;
  for (const auto &function : functions) {
    unsigned distance = name.edit_distance(function.getKey(), true, bound);
    if (distance > bound || (distance == bound && !best.empty()))
      continue;
    best = function.getKey();
    bound = distance;
  }
  return best.empty() ? "" : ("; did you mean '" + best + "'?").str();
}

void PythonResolver::find(dfg::TaskOp task) {
  std::string name = task.getOf().value_or("").str(), found;
  std::vector<std::string> folders =
      foldersFor(task, namedFolders, resolution.options.folder);
  std::string path =
      findPythonModule(name, folders, &found, &resolution.dependencies);
  if (path.empty()) {
    fail(task) << "there is no Python module '" << name << "' in "
               << join(folders, ", ")
               << "; --python-path=FOLDER names another folder";
    return;
  }
  auto [known, isNew] = files.insert({name, path});
  if (!isNew && known->second != path) {
    fail(task) << "module '" << name << "' is '" << path
               << "' for this task, and '" << known->second
               << "' for another; rename one, or say --python-path=FOLDER";
    return;
  }
  addOnce(usedFolders, found);
  resolution.dependencies.push_back(path);
  Expected<const PythonModule *> module = modules.inspect(path);
  if (!module) {
    std::string text = toString(module.takeError());
    if (isNew)
      fail(task) << "module '" << name << "': " << text;
    isGood = false;
    return;
  }
  isFem(task) ? checkFem(task, **module) : checkCall(task, **module);
}

//===----------------------------------------------------------------------===//
// Checking functions
//===----------------------------------------------------------------------===//

bool PythonResolver::hasGenerator(StringRef module) const {
  return any_of(tasks, [&](dfg::TaskOp task) {
    return isFem(task) && task.getOf() == module;
  });
}

void PythonResolver::checkCall(dfg::TaskOp task, const PythonModule &module) {
  StringRef name = task.getCallee();
  auto function = module.functions.find(name);
  if (function != module.functions.end()) {
    checkArguments(task, function->second);
    return;
  }
  if (module.isOpen || module.names.contains(name))
    return; // Only known when it is called.
  fail(task) << "module '" << *task.getOf() << "' (" << module.path
             << ") has no function '" << name << "'"
             << didYouMean(name, module.functions);
}

void PythonResolver::checkArguments(dfg::TaskOp task,
                                    const PythonFunction &function) {
  const int64_t count = task.getArgs().size();
  std::string problem = problemOfCall(function, count);
  // The result of the module's generator may come first.
  if (problem.empty() || (hasGenerator(*task.getOf()) &&
                          problemOfCall(function, count + 1).empty()))
    return;
  fail(task) << "'" << task.getCallee() << "' (" << files[task.getOf()->str()]
             << ":" << function.line << ") " << problem;
}

void PythonResolver::checkFem(dfg::TaskOp task, const PythonModule &module) {
  auto arguments = task.getTaskArgs();
  if (task.getArgs().size() != 1 ||
      !isa_and_nonnull<dfg::ObjectOp>(task.resolve(*arguments.begin()))) {
    fail(task) << "a finite-element task takes one PyObj, into which it puts "
                  "what it assembles";
    return;
  }
  if ((*arguments.begin()).getAccess() == dfg::Access::In) {
    fail(task) << "a finite-element task puts what it assembles into its "
                  "PyObj, so it does not only read it";
    return;
  }
  StringRef generator = generatorOf(task);
  StringRef first = generators.insert({*task.getOf(), generator}).first->second;
  if (first != generator) {
    fail(task) << "the forms of module '" << *task.getOf()
               << "' are generated by '" << generator
               << "' for this task, and by '" << first << "' for another";
    return;
  }
  if (module.isOpen || module.names.contains(generator))
    return;
  fail(task) << "module '" << *task.getOf() << "' (" << module.path
             << ") has no function '" << generator
             << "', which generates its forms"
             << didYouMean(generator, module.functions);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Checks that the program's path leads to the same file for every module.
void PythonResolver::checkPath() {
  std::vector<std::string> path = namedFolders;
  for (const std::string &folder : usedFolders)
    addOnce(path, folder);
  for (const std::string &folder : path)
    if (StringRef(folder).contains(':'))
      fail(tasks.front()) << "the folder '" << folder
                          << "' of Python modules has a colon in its name";
  for (dfg::TaskOp task : tasks) {
    auto file = files.find(task.getOf().value_or("").str());
    if (file == files.end())
      continue;
    std::string first = findPythonModule(file->first, path);
    if (first == file->second)
      continue;
    fail(task) << "module '" << file->first << "' is '" << file->second
               << "', but the program would find '" << first
               << "' first; name the folders' order by --python-path";
    return;
  }
  auto graph = tasks.front()->getParentOfType<dfg::TaskGraphOp>();
  graph.setPythonPath(join(path, ":"));
}

void PythonResolver::report(dfg::TaskOp task, FormProblems &problems) {
  auto problem = problems.find(task.getCallee().str());
  if (problem == problems.end())
    return;
  fail(task) << problem->second;
  problems.erase(problem);
}

void PythonResolver::compileForms() {
  auto graph = tasks.front()->getParentOfType<dfg::TaskGraphOp>();
  std::string path = graph.getPythonPath().value_or("").str();
  SmallVector<StringRef> split;
  StringRef(path).split(split, ':', -1, /*KeepEmpty=*/false);
  std::vector<std::string> folders(split.begin(), split.end());
  MapVector<std::pair<StringRef, StringRef>, std::vector<dfg::TaskOp>> groups;
  for (dfg::TaskOp task : tasks)
    if (isFem(task))
      groups[{*task.getOf(), generatorOf(task)}].push_back(task);
  for (auto &[key, group] : groups) {
    FormRequest request{key.first.str(), key.second.str(), path, {}, {}};
    for (dfg::TaskOp task : group)
      request.kernels.push_back(task.getCallee().str());
    llvm::sort(request.kernels);
    request.kernels.erase(llvm::unique(request.kernels), request.kernels.end());
    request.sources = modules.closure(files[request.module], folders);
    Expected<FormProblems> problems =
        driver::compileForms(request, resolution.dependencies);
    if (!problems) {
      fail(group.front()) << toString(problems.takeError());
      continue;
    }
    for (dfg::TaskOp task : group)
      report(task, *problems);
    for (const auto &[kernel, problem] : *problems)
      fail(group.front()) << problem;
  }
}

bool PythonResolver::run() {
  for (dfg::TaskOp task : resolution.order.tasks)
    if (task.getKind() == dfg::TaskKind::Python || isFem(task))
      tasks.push_back(task);
  if (tasks.empty())
    return true;
  if (!isAvailable())
    return false;
  auto graph = tasks.front()->getParentOfType<dfg::TaskGraphOp>();
  addFolders(resolution.options.pythonPath);
  addFolders(graph.getPythonPath().value_or(""));
  for (dfg::TaskOp task : tasks)
    if (isFem(task) || task.getOf() != SLUICE_PYTHON_HERE)
      find(task);
  if (isGood)
    checkPath();
  if (isGood)
    compileForms();
  return isGood;
}

bool driver::resolvePythonKernels(Resolution &resolution) {
  return PythonResolver(resolution).run();
}

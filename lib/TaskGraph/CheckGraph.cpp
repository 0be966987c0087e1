//===- CheckGraph.cpp - Checks of a whole graph ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that need the complete graph; each call makes all other checks
// itself.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Text.h"
#include "sluice/TaskGraph/Model.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <unordered_set>

using namespace sluice;
using namespace llvm;

std::optional<std::string> sluice::findFile(const std::string &path,
                                            const MetaPlace &place) {
  SmallString<128> found(path);
  if (!sys::fs::exists(found) && sys::path::is_relative(path)) {
    found = sys::path::parent_path(place.file);
    sys::path::append(found, path);
  }
  if (!sys::fs::exists(found) || sys::fs::make_absolute(found))
    return std::nullopt;
  sys::path::remove_dots(found, /*remove_dot_dot=*/false);
  return found.str().str();
}

/// Warns about datasets and parts that no task uses, directly or through a
/// part.
static void findUnused(const TaskGraphModel &model,
                       std::vector<Diagnostic> &problems) {
  std::unordered_set<const ValueImpl *> used;
  for (const std::unique_ptr<TaskImpl> &task : model.tasks)
    for (const TaskArgument &argument : task->arguments) {
      used.insert(&argument.value->owner());
      for (const ValueImpl *value = argument.value; value; value = value->whole)
        used.insert(value);
    }
  for (const std::unique_ptr<ValueImpl> &value : model.values) {
    static constexpr const char *kinds[] = {"dataset", "part", "scalar",
                                            "pointer", "dictionary"};
    if (!value->isBad && !used.count(value.get()))
      problems.push_back(
          {.severity = Severity::Warning,
           .message = concat("no task uses this ",
                             kinds[static_cast<int>(value->kind)]),
           .place = value->place});
  }
}

std::vector<Diagnostic> sluice::checkModel(const TaskGraphModel &model) {
  std::vector<Diagnostic> problems = model.problems;
  // If tasks were refused, datasets may look unused.
  if (!problems.empty())
    return problems;
  if (model.tasks.empty())
    problems.push_back(
        {.message = concat("graph ", quoted(model.name), " has no tasks"),
         .place = model.place});
  findUnused(model, problems);
  return problems;
}

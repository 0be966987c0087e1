//===- TaskAccesses.cpp - Data that tasks use -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists what each task of a task graph reads and writes: parts of datasets,
// files and state. All checks of a task graph start from this list.
//
//===----------------------------------------------------------------------===//

#include "TaskAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace sluice;
using namespace sluice::dfg;

unsigned TaskAccesses::numberOf(TaskOp task, TaskArgAttr argument) {
  auto [it, isNew] = symbols.try_emplace(argument.getData(), data.size());
  if (!isNew)
    return it->second;
  TaskData added;
  added.name = argument.getData().getValue();
  added.op = task.resolve(argument);
  if (auto dataset = mlir::dyn_cast<DatasetOp>(added.op))
    llvm::append_range(added.shape, dataset.getShape());
  data.push_back(std::move(added));
  numbers.emplace_back();
  return it->second;
}

std::string sluice::spellData(TaskData::Kind kind, llvm::StringRef name) {
  using Kind = TaskData::Kind;
  if (kind == Kind::State)
    return name.str();
  return (kind == Kind::File ? "the file '" : "'") + name.str() + "'";
}

unsigned TaskAccesses::numberOf(TaskData::Kind kind, llvm::StringRef name) {
  auto [it, isNew] = named[kind].try_emplace(name, data.size());
  if (isNew) {
    TaskData &added = data.emplace_back();
    added.kind = kind;
    added.name = name.str();
    numbers.emplace_back();
  }
  return it->second;
}

unsigned TaskAccesses::numberOf(unsigned index, const Part &part) {
  std::vector<Part> &parts = data[index].parts;
  auto [it, isNew] = numbers[index].try_emplace(part, parts.size());
  if (isNew)
    parts.push_back(part);
  return it->second;
}

/// "a.bmp" and "./a.bmp" are the same file. Reading and writing a file is one
/// access.
void TaskAccesses::addFiles(TaskOp task, std::vector<TaskAccess> &accesses) {
  size_t begin = accesses.size();
  auto add = [&](std::optional<mlir::ArrayAttr> names, Access mode) {
    if (!names)
      return;
    for (auto name : names->getAsRange<mlir::StringAttr>()) {
      llvm::SmallString<128> path(name.getValue());
      llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
      unsigned file = numberOf(TaskData::Kind::File, path);
      TaskAccess *known = std::find_if(
          accesses.data() + begin, accesses.data() + accesses.size(),
          [&](const TaskAccess &access) { return access.data == file; });
      if (known != accesses.data() + accesses.size())
        known->mode = Access(int(known->mode) | int(mode));
      else
        accesses.push_back({file, numberOf(file, Part()), mode, {}});
    }
  };
  add(task.getReadFiles(), Access::In);
  add(task.getWrittenFiles(), Access::Out);
}

TaskAccesses::TaskAccesses(llvm::ArrayRef<TaskOp> tasks,
                           const TaskStates &states) {
  for (auto [index, known] : llvm::enumerate(tasks)) {
    TaskOp task = known;
    std::vector<TaskAccess> &accesses = byTask.emplace_back();
    for (TaskArgAttr argument : task.getTaskArgs()) {
      unsigned number = numberOf(task, argument);
      Part part = partOf(argument, data[number].shape);
      accesses.push_back(
          {number, numberOf(number, part), argument.getAccess(), argument});
    }
    addFiles(task, accesses);
    for (const TaskState &state : states[index]) {
      unsigned number = numberOf(TaskData::Kind::State, state.name);
      accesses.push_back({number, numberOf(number, Part()), state.access, {}});
    }
  }
}

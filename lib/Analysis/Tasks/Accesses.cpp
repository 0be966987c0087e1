//===- Accesses.cpp - What tasks use --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists what each task of a task graph reads and writes: parts of datasets and
// files. All checks of a task graph start from this list.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

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

/// "a.bmp" and "./a.bmp" are one file.
unsigned TaskAccesses::numberOf(llvm::StringRef file) {
  llvm::SmallString<128> path(file);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  auto [it, isNew] = files.try_emplace(path, data.size());
  if (isNew) {
    data.emplace_back().name = path.str();
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

/// A file that is read and written is one access.
void TaskAccesses::addFiles(TaskOp task, std::vector<TaskAccess> &accesses) {
  size_t begin = accesses.size();
  auto add = [&](std::optional<mlir::ArrayAttr> names, Access mode) {
    if (!names)
      return;
    for (auto name : names->getAsRange<mlir::StringAttr>()) {
      unsigned file = numberOf(name.getValue());
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

TaskAccesses::TaskAccesses(llvm::ArrayRef<TaskOp> tasks) {
  for (TaskOp task : tasks) {
    std::vector<TaskAccess> &accesses = byTask.emplace_back();
    for (TaskArgAttr argument : task.getTaskArgs()) {
      unsigned index = numberOf(task, argument);
      Part part = partOf(argument, data[index].shape);
      accesses.push_back(
          {index, numberOf(index, part), argument.getAccess(), argument});
    }
    addFiles(task, accesses);
  }
}

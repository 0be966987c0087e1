//===- RegionRun.cpp - A run of a program over regions in a process -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks everything before the first task runs, so that wrong arguments leave
// the caller's memory unchanged.
//
//===----------------------------------------------------------------------===//

#include "RegionRun.h"

#include "../Regions/Files/SharedFiles.h"
#include "../Regions/TableProgram.h"
#include "../Tasks/Datasets.h"

#include "sluice/Base/Text.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

namespace {
/// Sets parameters for the duration of a run.
class GivenParameters {
public:
  explicit GivenParameters(const SluiceRegionProgram &table) : table(table) {
    for (uint32_t i = 0; i < table.numParameters; ++i)
      std::memcpy(&before.emplace_back(), table.parameters[i].variable,
                  sizeAt(i));
  }
  ~GivenParameters() {
    for (uint32_t i = 0; i < table.numParameters; ++i)
      std::memcpy(table.parameters[i].variable, &before[i], sizeAt(i));
  }
  GivenParameters(const GivenParameters &) = delete;

  Status set(const void *const *values) {
    for (uint32_t i = 0; values && i < table.numParameters; ++i)
      if (values[i])
        if (Status status = set(i, values[i]); !status.ok())
          return status;
    return {};
  }

private:
  size_t sizeAt(uint32_t index) const {
    return sizeOf(SluiceElementType(table.parameters[index].type));
  }
  Status set(uint32_t index, const void *value) {
    const SluiceRegionParameter &parameter = table.parameters[index];
    const auto type = SluiceElementType(parameter.type);
    if (isInteger(type))
      if (int64_t number = readInteger(value, type, 0); number < parameter.min)
        return Status::invalidArgument(
            concat("parameter ", quoted(parameter.name), " is ", number,
                   ", but must be at least ", parameter.min));
    std::memcpy(parameter.variable, value, sizeAt(index));
    return {};
  }

  const SluiceRegionProgram &table;
  std::vector<uint64_t> before;
};
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The first statement that writes the field, or null.
static const SluiceRegionStatement *
findWriter(const SluiceRegionStatement *statements, uint32_t count,
           const SluiceRegionMemory &memory) {
  for (uint32_t i = 0; i < count; ++i) {
    const SluiceRegionStatement &statement = statements[i];
    if (isLoop(statement)) {
      if (const SluiceRegionStatement *inner =
              findWriter(statement.statements, statement.numStatements, memory))
        return inner;
      continue;
    }
    for (uint32_t a = 0; a < statement.numArguments; ++a) {
      const SluiceArgument &argument = statement.arguments[a];
      // The position of an argument of a copy or fill determines its use.
      const bool writes = statement.kind == SLUICE_STATEMENT_COPY ? a == 1
                          : statement.kind == SLUICE_STATEMENT_FILL
                              ? true
                              : argument.privilege != SLUICE_PRIVILEGE_READ;
      if (writes && argument.root == memory.root &&
          (argument.fields >> memory.field & 1))
        return &statement;
    }
  }
  return nullptr;
}

static const SluiceRegionStatement *
findWriter(const SluiceRegionProgram &table, const SluiceRegionMemory &memory) {
  for (uint32_t i = 0; i < table.numGraphs; ++i)
    if (const SluiceRegionStatement *writer = findWriter(
            table.graphs[i].statements, table.graphs[i].numStatements, memory))
      return writer;
  return nullptr;
}

static std::string fieldText(const SluiceRegionProgram &table,
                             const SluiceRegionMemory &memory) {
  const SluiceRegionRoot &root = table.roots[memory.root];
  return concat("field ", quoted(root.fields[memory.field].name), " of root ",
                quoted(root.name));
}

static bool areApart(const SluiceRegionMemory &a, const SluiceRegionMemory &b) {
  const auto first = reinterpret_cast<uintptr_t>(a.memory);
  const auto second = reinterpret_cast<uintptr_t>(b.memory);
  return first + a.bytes <= second || second + b.bytes <= first;
}

static Status checkMemory(const SluiceRegionProgram &table,
                          std::span<const SluiceRegionMemory> all) {
  std::vector<const SluiceRegionStatement *> writers;
  for (const SluiceRegionMemory &memory : all) {
    if (memory.root >= table.numRoots ||
        memory.field >= table.roots[memory.root].numFields)
      return Status::invalidArgument(
          concat("memory for field ", memory.field, " of root ", memory.root,
                 ", which program ", quoted(table.name), " does not have"));
    writers.push_back(findWriter(table, memory));
    if (memory.isReadOnly && writers.back())
      return Status::invalidArgument(concat(
          fieldText(table, memory), " is written by ",
          quoted(writers.back()->name), ", but its memory is read-only"));
  }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const bool isSame =
          all[i].root == all[j].root && all[i].field == all[j].field;
      if (isSame)
        return Status::invalidArgument(
            concat(fieldText(table, all[i]), " is given two memories"));
      if ((writers[i] || writers[j]) && !areApart(all[i], all[j]))
        return Status::invalidArgument(
            concat(fieldText(table, all[j]), " and ", fieldText(table, all[i]),
                   " share memory, and ",
                   quoted((writers[i] ? writers[i] : writers[j])->name),
                   " writes it"));
    }
  return {};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Adds roots that use the caller's memory where it is given. The table
/// contains the initial value of a variable unless the caller provides it.
static Status addRoots(TableProgram &reader, RegionProgram &program,
                       std::span<const SluiceRegionMemory> all) {
  if (Status status = reader.addRoots(); !status.ok())
    return status;
  for (const SluiceRegionMemory &memory : all)
    if (Status status = program.useMemory(memory.root, memory.field,
                                          memory.memory, memory.bytes);
        !status.ok())
      return status;
  return {};
}

static Status runProgram(const SluiceRegionProgram &table,
                         const SluiceRegionRun &run, Runtime &runtime) {
  GivenParameters parameters(table);
  if (Status status = parameters.set(run.parameters); !status.ok())
    return status;
  const std::span all(run.memory, run.numMemory);
  if (Status status = checkMemory(table, all); !status.ok())
    return status;
  SharedFiles files(nullptr);
  sayWhatIsNotDone(table);
  RegionProgram program(table.name, &runtime, wantsCheck(&table),
                        /*cluster=*/nullptr, checksElements(&table));
  program.useFiles(&files);
  TableProgram reader(table, program);
  Status status = addRoots(reader, program, all);
  if (status.ok())
    status = reader.runAll();
  return status;
}

namespace {
/// While it lives, tasks may run Python, even if this is Python's thread.
class WithoutPython {
public:
  WithoutPython() : hooks(tasks::pythonHooks()) {
    if (hooks)
      state = hooks->begin(nullptr);
  }
  ~WithoutPython() {
    if (hooks)
      hooks->end(nullptr, state);
  }
  WithoutPython(const WithoutPython &) = delete;
  WithoutPython &operator=(const WithoutPython &) = delete;

private:
  const SluicePythonHooks *const hooks;
  void *state = nullptr;
};
} // namespace

Status sluice::regions::executeRegions(const SluiceRegionProgram &table,
                                       const SluiceRegionRun &run,
                                       Runtime &runtime) {
  auto failed = [&](std::string_view what) {
    return Status::error(StatusCode::NodeFailed,
                         concat("program ", quoted(table.name), ": ", what));
  };
  const WithoutPython released;
  try {
    Status status = runProgram(table, run, runtime);
    return status.ok() ? Status() : failed(status.message());
  } catch (const std::bad_alloc &) {
    return failed("no memory");
  } catch (const std::exception &exception) {
    return failed(concat("an exception left it: ", exception.what()));
  }
}

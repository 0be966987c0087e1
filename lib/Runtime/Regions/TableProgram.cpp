//===- TableProgram.cpp - Programs over regions from constant tables ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of the table.
//
//===----------------------------------------------------------------------===//

#include "TableProgram.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

int64_t TableProgram::valueOf(uint32_t index) const {
  if (parameters)
    return (*parameters)[index];
  const SluiceRegionParameter &parameter = table.parameters[index];
  return readInteger(parameter.variable, SluiceElementType(parameter.type), 0);
}

/// Numbers that do not fit become the nearest that does; none is valid.
int64_t TableProgram::numberOf(const SluiceExtent &extent) const {
  if (extent.numTerms == 0)
    return extent.parameter == SLUICE_NO_PARAMETER ? extent.constant
                                                   : valueOf(extent.parameter);
  __int128 sum = extent.constant;
  for (uint32_t i = 0; i < extent.numTerms; ++i) {
    const int64_t *term = extent.terms + 3 * size_t(i);
    sum += static_cast<__int128>(term[0]) *
           (term[1] < 0 ? iterations[term[2]] : valueOf(term[1]));
  }
  return static_cast<int64_t>(std::clamp<__int128>(sum, INT64_MIN, INT64_MAX));
}

std::vector<int64_t> TableProgram::numbersOf(const SluiceExtent *extents,
                                             uint32_t count) const {
  std::vector<int64_t> numbers;
  for (uint32_t i = 0; i < count; ++i)
    numbers.push_back(numberOf(extents[i]));
  return numbers;
}

//===----------------------------------------------------------------------===//
// Roots and partitions
//===----------------------------------------------------------------------===//

Status TableProgram::addRoots() {
  for (uint32_t i = 0; i < table.numRoots; ++i) {
    const SluiceRegionRoot &root = table.roots[i];
    std::vector<int64_t> extents = numbersOf(root.extents, root.rank);
    Result<uint32_t> added =
        program.addRoot(root.name, static_cast<int32_t>(root.rank),
                        extents.data(), root.numFields, root.fields);
    if (!added.ok())
      return added.takeStatus();
    if (!root.initial)
      continue;
    const SluiceField &field = root.fields[0];
    std::memcpy(*program.rootField(*added, 0), root.initial,
                sizeOf(field.type) * field.count);
  }
  return {};
}

Result<uint32_t>
TableProgram::addPartition(const SluiceRegionPartition &partition) {
  const char *name = partition.name;
  const auto rank = static_cast<int32_t>(partition.rank);
  std::vector<int64_t> colors;
  if (partition.colors)
    colors = numbersOf(partition.colors, partition.rank);
  const bool hasCode = partition.kind == SLUICE_PARTITION_COLORING ||
                       partition.kind == SLUICE_PARTITION_BY_FIELD ||
                       partition.kind == SLUICE_PARTITION_IMAGE ||
                       partition.kind == SLUICE_PARTITION_PREIMAGE;
  if (parameters && hasCode) // its elements are not known
    return program.addColoring(name, partition.root, SLUICE_NO_PARTITION, 0,
                               rank, colors.data(),
                               [](const int64_t *, SluiceColoring *) {});
  switch (partition.kind) {
  case SLUICE_PARTITION_BLOCKS:
    return program.addBlocks(name, partition.root, partition.parent,
                             partition.parentColor, rank, colors.data());
  case SLUICE_PARTITION_HALOS:
    return program.addHalos(name, partition.first, partition.width,
                            partition.hasCorners != 0);
  case SLUICE_PARTITION_COLORING:
    return program.addColoring(name, partition.root, partition.parent,
                               partition.parentColor, rank, colors.data(),
                               partition.coloring);
  case SLUICE_PARTITION_BY_FIELD:
    return program.addByField(name, partition.root, partition.field, rank,
                              colors.data());
  case SLUICE_PARTITION_IMAGE:
    return program.addImage(name, partition.root, partition.first,
                            partition.field);
  case SLUICE_PARTITION_PREIMAGE:
    return program.addPreimage(name, partition.root, partition.field,
                               partition.first);
  case SLUICE_PARTITION_UNION:
    return program.addCombined(name, SLUICE_UNION, partition.first,
                               partition.second);
  case SLUICE_PARTITION_INTERSECTION:
    return program.addCombined(name, SLUICE_INTERSECTION, partition.first,
                               partition.second);
  case SLUICE_PARTITION_DIFFERENCE:
    return program.addCombined(name, SLUICE_DIFFERENCE, partition.first,
                               partition.second);
  }
  return Status::invalidArgument(concat("partition ", quoted(name),
                                        " is of kind ", partition.kind,
                                        ", which does not exist"));
}

Status TableProgram::makePartition(const SluiceRegionPartition &partition) {
  Result<uint32_t> made = addPartition(partition);
  if (!made.ok())
    return made.takeStatus();
  if ((!partition.checkApart && !partition.checkCovers) || parameters)
    return {};
  return program.promise(*made, partition.checkApart != 0,
                         partition.checkCovers != 0);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The arguments, with matrices for the current iteration.
Result<TableProgram::Shifted>
TableProgram::shift(const SluiceRegionStatement &statement) const {
  Shifted shifted;
  shifted.arguments.assign(statement.arguments,
                           statement.arguments + statement.numArguments);
  const SluiceExtent *shift = statement.shifts;
  for (uint32_t i = 0; i < statement.numShifted; ++i) {
    SluiceArgument &argument = shifted.arguments[statement.shifted[i]];
    Result<const RegionPartition *> partition =
        program.findPartition(argument.partition, statement.name);
    if (!partition.ok())
      return partition.takeStatus();
    const auto rows = static_cast<size_t>((*partition)->colors.rank);
    const size_t columns = statement.rank + 1;
    std::vector<int64_t> &numbers = shifted.numbers.emplace_back(
        argument.matrix, argument.matrix + rows * columns);
    std::vector<int64_t> moduli;
    for (size_t row = 0; row < rows; ++row) {
      int64_t &offset = numbers[row * columns + columns - 1];
      if (__builtin_add_overflow(offset, numberOf(*shift++), &offset))
        return Status::invalidArgument(concat("a projection of ",
                                              quoted(statement.name),
                                              " has a number beyond 2^63"));
      moduli.push_back(numberOf(*shift++));
      if (moduli.back() < 0)
        return Status::invalidArgument(concat("a projection of ",
                                              quoted(statement.name),
                                              " divides by ", moduli.back()));
    }
    numbers.insert(numbers.end(), moduli.begin(), moduli.end());
    argument.matrix = numbers.data();
    argument.moduli = numbers.data() + rows * columns;
  }
  return shifted;
}

Status TableProgram::addTask(const SluiceRegionStatement &statement,
                             const Shifted &shifted) {
  SluiceStatement task = {};
  task.name = statement.name;
  task.body = statement.body;
  task.closure =
      iterations.empty() ? statement.closure : keptIterations.back().data();
  task.rank = static_cast<int32_t>(statement.rank);
  task.isHost = statement.kind == SLUICE_STATEMENT_HOST;
  for (uint32_t d = 0; d < statement.rank; ++d)
    task.extents[d] = numberOf(statement.extents[d]);
  task.numArguments = statement.numArguments;
  task.arguments = shifted.arguments.data();
  return program.addStatement(task);
}

/// A loop on whose iteration its statements depend.
Status TableProgram::addIterations(const SluiceRegionStatement &statement) {
  const int64_t count = numberOf(statement.count);
  if (count < 0)
    return Status::invalidArgument(
        concat("a loop has ", count, " iterations, expected at least 0"));
  iterations.push_back(0);
  Status status;
  for (int64_t i = 0; i < count && status.ok(); ++i) {
    iterations.back() = i;
    keptIterations.push_back(iterations);
    status = addStatements(statement.statements, statement.numStatements);
    if (!status.ok())
      status = Status::error(status.code(),
                             concat(status.message(), ", in iteration ", i));
  }
  iterations.pop_back();
  // What follows in the loop around this one has fewer iterations.
  if (!iterations.empty())
    keptIterations.push_back(iterations);
  return status;
}

Status TableProgram::addLoop(const SluiceRegionStatement &statement) {
  if (statement.iteration)
    return addIterations(statement);
  Status status =
      program.beginLoop(numberOf(statement.count), statement.whileRoot);
  if (status.ok())
    status = addStatements(statement.statements, statement.numStatements);
  if (status.ok())
    status = program.endLoop();
  return status;
}

Status TableProgram::add(const SluiceRegionStatement &statement) {
  const auto rank = static_cast<int32_t>(statement.rank);
  std::vector<int64_t> extents = numbersOf(statement.extents, statement.rank);
  Result<Shifted> shifted = shift(statement);
  if (!shifted.ok())
    return shifted.takeStatus();
  const std::vector<SluiceArgument> &arguments = shifted->arguments;
  switch (statement.kind) {
  case SLUICE_STATEMENT_TASK:
  case SLUICE_STATEMENT_HOST:
    return addTask(statement, *shifted);
  case SLUICE_STATEMENT_COPY:
    return program.addCopy(arguments[0], arguments[1], rank, extents.data(),
                           statement.name);
  case SLUICE_STATEMENT_FILL:
    return program.addFill(arguments[0], statement.value, rank, extents.data(),
                           statement.name);
  case SLUICE_STATEMENT_LOOP:
    return addLoop(statement);
  }
  return Status::invalidArgument(concat("statement ", quoted(statement.name),
                                        " is of kind ", statement.kind,
                                        ", which does not exist"));
}

Status TableProgram::addStatements(const SluiceRegionStatement *statements,
                                   uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (Status status = add(statements[i]); !status.ok())
      return status;
  return {};
}

Status TableProgram::beginGraph(uint32_t graph) {
  const SluiceRegionGraph &wanted = table.graphs[graph];
  if (Status status = program.beginGraph(wanted.name); !status.ok())
    return status;
  return addStatements(wanted.statements, wanted.numStatements);
}

bool TableProgram::holds(const SluiceOrderCondition &condition) const {
  const int64_t value = valueOf(condition.parameter);
  switch (condition.kind) {
  case SLUICE_ORDERS_EQUAL:
    return value == condition.value;
  case SLUICE_ORDERS_AT_LEAST:
    return value >= condition.value;
  case SLUICE_ORDERS_COUNT:
    return std::clamp<int64_t>(value, 0, 2) ==
           std::clamp<int64_t>(condition.value, 0, 2);
  }
  return false;
}

const SluiceRegionOrders *
TableProgram::ordersOf(const SluiceRegionGraph &graph) const {
  if (!graph.orders)
    return nullptr;
  for (uint32_t i = 0; i < graph.orders->numConditions; ++i)
    if (!holds(graph.orders->conditions[i]))
      return nullptr;
  return graph.orders;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Status TableProgram::run(const SluiceRegionStep &step) {
  switch (step.kind) {
  case SLUICE_STEP_PARTITION:
    return makePartition(table.partitions[step.index]);
  case SLUICE_STEP_CONSTRAINT: {
    const SluiceRegionConstraint &constraint = table.constraints[step.index];
    return program.constrain(constraint.isDisjoint != 0, constraint.first,
                             constraint.second);
  }
  case SLUICE_STEP_GRAPH: {
    Status status = beginGraph(step.index);
    if (status.ok())
      status = program.endGraph(ordersOf(table.graphs[step.index]));
    return status;
  }
  }
  return Status::invalidArgument(concat("a step of program ",
                                        quoted(table.name), " is of kind ",
                                        step.kind, ", which does not exist"));
}

//===- TableProgram.cpp - Programs over regions from constant tables ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of the table.
//
//===----------------------------------------------------------------------===//

#include "TableProgram.h"

#include "sluice/Base/Text.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>

using namespace sluice;
using namespace sluice::regions;

bool sluice::regions::wantsCheck(const SluiceRegionProgram *table) {
  const char *text = std::getenv("SLUICE_CHECK");
  const std::string_view check = text ? text : "";
  return check == "1" || (check != "0" && table && table->isChecked);
}

bool sluice::regions::checksElements(const SluiceRegionProgram *table) {
  return wantsCheck(table) && table && table->isChecked;
}

void sluice::regions::sayWhatIsNotDone(const SluiceRegionProgram &table) {
  static std::atomic<bool> isSaid{false};
  const bool isUnseen = wantsCheck(&table) && !table.isChecked;
  const char *record = std::getenv("SLUICE_RECORD");
  const bool isUnrecorded = record && *record && checksElements(&table);
  if ((!isUnseen && !isUnrecorded) || isSaid.exchange(true))
    return;
  if (isUnseen)
    std::fprintf(stderr,
                 "sluice: note: SLUICE_CHECK=1 does not see what tasks access "
                 "here, since the program was built without it; 'sluice run' "
                 "and 'sluice build --check' make programs that tell it\n");
  else
    std::fprintf(stderr,
                 "sluice: warning: there will be no record: the program was "
                 "built with --check, and a program is either checked or "
                 "recorded; SLUICE_CHECK=0 switches the checks off\n");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

int64_t TableProgram::valueOf(uint32_t index) const {
  if (parameters)
    return (*parameters)[index];
  const SluiceRegionParameter &parameter = table.parameters[index];
  return readInteger(parameter.variable, SluiceElementType(parameter.type), 0);
}

/// The value of the name in a term.
int64_t TableProgram::valueIn(const int64_t *term) const {
  return term[1] < 0 ? iterations[term[2]]
                     : valueOf(static_cast<uint32_t>(term[1]));
}

std::optional<int64_t> TableProgram::numberOf(const SluiceExtent &extent,
                                              int64_t offset) const {
  __int128 sum = offset;
  sum += extent.parameter == SLUICE_NO_PARAMETER ? extent.constant
                                                 : valueOf(extent.parameter);
  for (uint32_t i = 0; i < extent.numTerms; ++i) {
    const int64_t *term = extent.terms + 3 * size_t(i);
    // A product fits, but not the sum of any number of them.
    if (__builtin_add_overflow(
            sum, static_cast<__int128>(term[0]) * valueIn(term), &sum))
      return std::nullopt;
  }
  if (sum < INT64_MIN || sum > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(sum);
}

/// The same, modulo a positive number, for sums of any size.
int64_t TableProgram::remainderOf(const SluiceExtent &extent, int64_t offset,
                                  int64_t modulus) const {
  __int128 sum = offset;
  sum += extent.parameter == SLUICE_NO_PARAMETER ? extent.constant
                                                 : valueOf(extent.parameter);
  for (uint32_t i = 0; i < extent.numTerms; ++i) {
    const int64_t *term = extent.terms + 3 * size_t(i);
    sum = sum % modulus +
          static_cast<__int128>(term[0]) * valueIn(term) % modulus;
  }
  sum %= modulus;
  return static_cast<int64_t>(sum < 0 ? sum + modulus : sum);
}

Result<std::vector<int64_t>>
TableProgram::numbersOf(const char *name, const SluiceExtent *extents,
                        uint32_t count) const {
  std::vector<int64_t> numbers;
  for (uint32_t i = 0; i < count; ++i) {
    std::optional<int64_t> number = numberOf(extents[i]);
    if (!number)
      return Status::invalidArgument(
          concat(quoted(name), " has an extent that does not fit 64 bits"));
    numbers.push_back(*number);
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Roots and partitions
//===----------------------------------------------------------------------===//

Status TableProgram::addRoots() {
  for (uint32_t i = 0; i < table.numRoots; ++i) {
    const SluiceRegionRoot &root = table.roots[i];
    Result<std::vector<int64_t>> extents =
        numbersOf(root.name, root.extents, root.rank);
    if (!extents.ok())
      return extents.takeStatus();
    Result<uint32_t> added =
        program.addRoot(root.name, static_cast<int32_t>(root.rank),
                        extents->data(), root.numFields, root.fields);
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

Result<uint32_t> TableProgram::addMapped(const SluiceRegionPartition &partition,
                                         const std::vector<int64_t> &colors) {
  Result<std::vector<int64_t>> numbers =
      numbersOf(partition.name, partition.map,
                SLUICE_NUMBERS_OF_COORDINATE * partition.numMap);
  if (!numbers.ok())
    return numbers.takeStatus();
  std::vector<SluiceElementCoordinate> map(partition.numMap);
  const SluiceExtent *extent = partition.map;
  const int64_t *number = numbers->data();
  for (SluiceElementCoordinate &coordinate : map) {
    std::copy_n(number, SLUICE_MAX_RANK, coordinate.factors);
    number += SLUICE_MAX_RANK;
    coordinate.offset = number[0];
    coordinate.divisor = number[1];
    coordinate.modulus = number[2];
    // 0 stands for no modulus, unless it comes from a parameter.
    if (extent[SLUICE_MAX_RANK + 2].parameter != SLUICE_NO_PARAMETER &&
        number[2] < 1)
      coordinate.modulus = std::min<int64_t>(number[2], -1);
    number += 3;
    extent += SLUICE_NUMBERS_OF_COORDINATE;
  }
  const char *name = partition.name;
  if (partition.kind == SLUICE_PARTITION_BY_MAP)
    return program.addByMap(name, partition.root, map.data(),
                            static_cast<int32_t>(partition.rank),
                            colors.data());
  if (partition.kind == SLUICE_PARTITION_MAPPED_IMAGE)
    return program.addMappedImage(name, partition.root, partition.first,
                                  map.data());
  return program.addMappedPreimage(name, partition.root, map.data(),
                                   partition.first);
}

Result<uint32_t> TableProgram::addSets(const SluiceRegionPartition &partition,
                                       SluiceSetOperation operation) {
  if (partition.rightSide == SLUICE_RIGHT_BY_COLOR)
    return program.addCombined(partition.name, operation, partition.first,
                               partition.second);
  return program.addCombinedWith(
      partition.name, operation, partition.first,
      {partition.root, partition.second,
       partition.rightSide == SLUICE_RIGHT_WHOLE ? -1 : partition.secondColor});
}

Result<uint32_t>
TableProgram::addPartition(const SluiceRegionPartition &partition) {
  const char *name = partition.name;
  const auto rank = static_cast<int32_t>(partition.rank);
  std::vector<int64_t> colors;
  if (partition.colors) {
    Result<std::vector<int64_t>> numbers =
        numbersOf(name, partition.colors, partition.rank);
    if (!numbers.ok())
      return numbers.takeStatus();
    colors = std::move(*numbers);
  }
  const bool hasCode = partition.kind == SLUICE_PARTITION_COLORING ||
                       partition.kind == SLUICE_PARTITION_BY_FIELD ||
                       partition.kind == SLUICE_PARTITION_IMAGE ||
                       partition.kind == SLUICE_PARTITION_PREIMAGE ||
                       partition.kind == SLUICE_PARTITION_IMAGE_OF_RANGES ||
                       partition.kind == SLUICE_PARTITION_PREIMAGE_OF_RANGES;
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
                            partition.hasCorners != 0, partition.periodic);
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
    return addSets(partition, SLUICE_UNION);
  case SLUICE_PARTITION_INTERSECTION:
    return addSets(partition, SLUICE_INTERSECTION);
  case SLUICE_PARTITION_DIFFERENCE:
    return addSets(partition, SLUICE_DIFFERENCE);
  case SLUICE_PARTITION_BLOCKS_OF_EACH:
    return program.addBlocksOfEach(name, partition.first, rank, colors.data());
  case SLUICE_PARTITION_CROSS:
    return program.addCross(name, partition.first, partition.second);
  case SLUICE_PARTITION_BY_MAP:
  case SLUICE_PARTITION_MAPPED_IMAGE:
  case SLUICE_PARTITION_MAPPED_PREIMAGE:
    return addMapped(partition, colors);
  case SLUICE_PARTITION_IMAGE_OF_RANGES:
    return program.addImageOfRanges(name, partition.root, partition.first,
                                    partition.field, partition.last);
  case SLUICE_PARTITION_PREIMAGE_OF_RANGES:
    return program.addPreimageOfRanges(name, partition.root, partition.field,
                                       partition.last, partition.first);
  }
  return Status::invalidArgument(concat("partition ", quoted(name),
                                        " is of kind ", partition.kind,
                                        ", which does not exist"));
}

/// The numbers of colors, or those of what a partition follows.
std::string
TableProgram::colorsText(const SluiceRegionPartition &partition) const {
  if (partition.colors)
    if (auto colors =
            numbersOf(partition.name, partition.colors, partition.rank);
        colors.ok()) {
      std::string text;
      for (int64_t extent : *colors)
        text += concat(text.empty() ? "" : " x ", extent);
      return concat(text, " colors");
    }
  Result<const RootPartition *> source =
      program.findPartition(partition.first, partition.name);
  return source.ok() ? concat((*source)->numColors(), " colors")
                     : std::string("its colors");
}

Status TableProgram::makePartition(uint32_t index) {
  // There may be a number too many of colors, or of elements that have no box.
  try {
    return tryToMake(index);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
  }
  const SluiceRegionPartition &partition = table.partitions[index];
  return Status::error(StatusCode::Exhausted,
                       concat("no memory for partition ",
                              quoted(partition.name), " with ",
                              colorsText(partition)));
}

Status TableProgram::tryToMake(uint32_t index) {
  const SluiceRegionPartition &partition = table.partitions[index];
  if (index < program.numPartitions())
    program.beginRemake(index);
  Result<uint32_t> made = addPartition(partition);
  program.endRemake();
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

/// Adds the shift of a row to its constant. Returns the modulus, or 0.
Result<int64_t> TableProgram::shiftRow(const SluiceRegionStatement &statement,
                                       const SluiceExtent &shift,
                                       const SluiceExtent &modulus,
                                       int64_t &offset) const {
  auto error = [&](const auto &...text) {
    return Status::invalidArgument(
        concat("a projection of ", quoted(statement.name), text...));
  };
  // Zero from a parameter is a modulus, too, though a wrong one.
  const bool hasModulus = modulus.parameter != SLUICE_NO_PARAMETER ||
                          modulus.numTerms != 0 || modulus.constant != 0;
  std::optional<int64_t> divisor = numberOf(modulus);
  if (hasModulus && divisor && *divisor < 1)
    return error(" divides by ", *divisor);
  if (hasModulus && divisor) {
    offset = remainderOf(shift, offset, *divisor);
    return *divisor;
  }
  std::optional<int64_t> sum = numberOf(shift, offset);
  if (!sum || !divisor)
    return error(" has a number that does not fit 64 bits");
  offset = *sum;
  return 0;
}

/// The arguments, with matrices for the current iteration; for a launch without
/// points, whose projections nobody uses, as they are.
Result<TableProgram::Shifted>
TableProgram::shift(const SluiceRegionStatement &statement,
                    bool hasPoints) const {
  Shifted shifted;
  shifted.arguments.assign(statement.arguments,
                           statement.arguments + statement.numArguments);
  if (!hasPoints)
    return shifted;
  const SluiceExtent *shift = statement.shifts;
  for (uint32_t i = 0; i < statement.numShifted; ++i) {
    SluiceArgument &argument = shifted.arguments[statement.shifted[i]];
    Result<const RootPartition *> partition =
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
      Result<int64_t> modulus = shiftRow(statement, shift[0], shift[1], offset);
      if (!modulus.ok())
        return modulus.takeStatus();
      moduli.push_back(*modulus);
      shift += 2;
    }
    numbers.insert(numbers.end(), moduli.begin(), moduli.end());
    argument.matrix = numbers.data();
    argument.moduli = numbers.data() + rows * columns;
  }
  return shifted;
}

Status TableProgram::addTask(const SluiceRegionStatement &statement,
                             const std::vector<int64_t> &extents,
                             const Shifted &shifted) {
  SluiceStatement task = {};
  task.name = statement.name;
  task.body = statement.body;
  task.closure =
      iterations.empty() ? statement.closure : keptIterations.back().data();
  task.rank = static_cast<int32_t>(statement.rank);
  task.isHost = statement.kind == SLUICE_STATEMENT_HOST;
  std::copy(extents.begin(), extents.end(), task.extents);
  task.numArguments = statement.numArguments;
  task.arguments = shifted.arguments.data();
  return program.addStatement(task);
}

/// "the loop around 'f'": loops have no names, but what they run first has.
static std::string loopText(const SluiceRegionStatement &loop) {
  const SluiceRegionStatement *first = &loop;
  while (first->numStatements != 0)
    first = first->statements;
  return first == &loop ? "a loop"
                        : concat("the loop around ", quoted(first->name));
}

/// A loop on whose iteration its statements depend.
Status TableProgram::addIterations(const SluiceRegionStatement &statement,
                                   int64_t count) {
  if (count < 0)
    return Status::invalidArgument(concat(loopText(statement), " has ", count,
                                          " iterations, expected at least 0"));
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
  std::optional<int64_t> count = numberOf(statement.count);
  if (!count)
    return Status::invalidArgument(
        concat(loopText(statement),
               " has a number of iterations that does not fit 64 bits"));
  if (statement.iteration)
    return addIterations(statement, *count);
  Status status = statement.kind == SLUICE_STATEMENT_UNLESS
                      ? program.beginUnless(statement.whileRoot)
                      : program.beginLoop(*count, statement.whileRoot);
  if (status.ok())
    status = addStatements(statement.statements, statement.numStatements);
  if (status.ok())
    status = program.endLoop();
  return status;
}

Status TableProgram::add(const SluiceRegionStatement &statement) {
  const auto rank = static_cast<int32_t>(statement.rank);
  Result<std::vector<int64_t>> extents =
      numbersOf(statement.name, statement.extents, statement.rank);
  if (!extents.ok())
    return extents.takeStatus();
  const bool hasPoints =
      std::find(extents->begin(), extents->end(), 0) == extents->end();
  Result<Shifted> shifted = shift(statement, hasPoints);
  if (!shifted.ok())
    return shifted.takeStatus();
  const std::vector<SluiceArgument> &arguments = shifted->arguments;
  switch (statement.kind) {
  case SLUICE_STATEMENT_TASK:
  case SLUICE_STATEMENT_HOST:
    return addTask(statement, *extents, *shifted);
  case SLUICE_STATEMENT_COPY:
    return program.addCopy(arguments[0], arguments[1], rank, extents->data(),
                           statement.name);
  case SLUICE_STATEMENT_FILL:
    return program.addFill(arguments[0], statement.value, rank, extents->data(),
                           statement.name);
  case SLUICE_STATEMENT_LOOP:
  case SLUICE_STATEMENT_UNLESS:
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
    return makePartition(step.index);
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

/// Runs the steps from `begin` to `end`, of which the last one is the graph.
Status TableProgram::repeat(uint32_t begin, uint32_t end) {
  const SluiceRegionGraph &graph = table.graphs[table.steps[end - 1].index];
  std::optional<int64_t> count = numberOf(graph.repeats);
  if (!count || *count < 0)
    return Status::invalidArgument(concat("graph ", quoted(graph.name),
                                          " is repeated ", count ? *count : 0,
                                          " times, expected at least 0"));
  for (int64_t i = 0; i < *count; ++i) {
    if (graph.whileRoot != SLUICE_NO_PARTITION && !program.isWaiting()) {
      Result<int64_t> isGoing = program.readScalar(graph.whileRoot);
      if (!isGoing.ok())
        return isGoing.takeStatus();
      if (*isGoing == 0)
        break;
    }
    // The steps before have made the partitions of the first run.
    for (uint32_t step = i == 0 ? end - 1 : begin; step < end; ++step)
      if (Status status = run(table.steps[step]); !status.ok())
        return status;
  }
  return {};
}

Status TableProgram::runAll() {
  for (uint32_t i = 0; i < table.numSteps; ++i) {
    const SluiceRegionStep &step = table.steps[i];
    if (step.kind != SLUICE_STEP_REPEAT) {
      if (Status status = run(step); !status.ok())
        return status;
      continue;
    }
    uint32_t end = i + 1;
    while (end < table.numSteps &&
           (table.steps[end].kind != SLUICE_STEP_GRAPH ||
            table.steps[end].index != step.index))
      ++end;
    if (end == table.numSteps)
      return Status::invalidArgument(concat("a repetition of program ",
                                            quoted(table.name), " has no end"));
    if (Status status = repeat(i + 1, end + 1); !status.ok())
      return status;
    i = end;
  }
  return {};
}

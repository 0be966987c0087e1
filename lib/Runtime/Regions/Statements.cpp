//===- Statements.cpp - Adding statements to a graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks launches and their arguments.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "ProgramOverRegions.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::string argumentText(const Statement &statement) {
  return concat("argument ", statement.arguments.size(), " of ",
                quoted(statement.name));
}

Status RegionProgram::checkReduction(const Statement &statement,
                                     const StatementArgument &argument) {
  const SluiceReduction &reduction = argument.reduction;
  if (reduction.kind > SLUICE_REDUCE_CUSTOM)
    return Status::invalidArgument(
        concat(argumentText(statement), " reduces with operator ",
               static_cast<int>(reduction.kind), ", which does not exist"));
  if (reduction.kind == SLUICE_REDUCE_CUSTOM) {
    if (reduction.identity && reduction.fold)
      return {};
    return Status::invalidArgument(
        concat(argumentText(statement), " reduces with an operator of its own "
                                        "that has no identity or no fold"));
  }
  if (reduction.kind < SLUICE_REDUCE_AND)
    return {};
  for (uint32_t field : argument.fields)
    if (!isInteger(argument.root->fields[field].type))
      return Status::invalidArgument(
          concat(argumentText(statement), " reduces field ",
                 quoted(argument.root->fields[field].name), " of root ",
                 quoted(argument.root->name), " of type ",
                 typeName(argument.root->fields[field].type),
                 " with an operator on bits"));
  return {};
}

Status RegionProgram::addArgument(Statement &statement,
                                  const SluiceArgument &given) {
  Result<const Root *> root = findRoot(given.root, statement.name);
  if (!root.ok())
    return root.takeStatus();
  StatementArgument &argument = statement.arguments.emplace_back();
  argument.root = *root;
  argument.privilege = given.privilege;
  argument.reduction = given.reduction;
  const size_t numFields = (*root)->fields.size();
  if (given.fields == 0 || (numFields < 64 && given.fields >> numFields))
    return Status::invalidArgument(
        concat(argumentText(statement), " names the fields ", given.fields,
               " (one bit each) of root ", quoted((*root)->name),
               ", which has ", countOf(numFields, "field", "fields")));
  for (uint32_t field = 0; field < numFields; ++field)
    if (given.fields >> field & 1)
      argument.fields.push_back(field);
  if (argument.isReduction())
    if (Status status = checkReduction(statement, argument); !status.ok())
      return status;
  argument.partition = &wholeOf(**root);
  argument.colors = {0};
  if (given.partition == SLUICE_NO_PARTITION)
    return {};
  Result<const RootPartition *> partition =
      findPartition(given.partition, statement.name);
  if (!partition.ok())
    return partition.takeStatus();
  if ((*partition)->root != *root)
    return Status::invalidArgument(
        concat(argumentText(statement), " names root ", quoted((*root)->name),
               " and partition ", (*partition)->text()));
  argument.partition =
      given.wholePartition ? &unionOf(**partition) : *partition;
  return given.wholePartition ? Status()
                              : chooseColors(statement, given, argument);
}

Status
RegionProgram::addArguments(Statement &statement, const char *name,
                            std::span<const SluiceArgument *const> arguments) {
  if (Status status = checkApart(statement, name, arguments); !status.ok())
    return status;
  for (const SluiceArgument *argument : arguments)
    if (Status status = addArgument(statement, *argument); !status.ok())
      return status;
  return {};
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Result<Statement> RegionProgram::makeStatement(const char *name, int32_t rank,
                                               const int64_t *extents) const {
  Statement statement = {};
  statement.name = name;
  statement.rank = rank;
  if (rank < 0 || rank > SLUICE_MAX_RANK)
    return Status::invalidArgument(concat("the launch of ", quoted(name),
                                          " has rank ", rank,
                                          ", expected 0 to ", SLUICE_MAX_RANK));
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) {
    statement.extent[d] = extents[d];
    if (extents[d] < 0 || __builtin_mul_overflow(count, extents[d], &count) ||
        count > INT32_MAX)
      return Status::invalidArgument(
          concat("the launch of ", quoted(name), " has extent ", extents[d],
                 " in dimension ", d,
                 ", expected at least 0, and fewer than 2^31 points"));
  }
  return statement;
}

void RegionProgram::append(Statement statement) {
  if (statement.numPoints() == 0)
    return;
  openSequence().push_back(
      {std::make_unique<Statement>(std::move(statement)), nullptr});
}

Status RegionProgram::addStatement(const SluiceStatement &given) {
  if (Status status = checkOpen("sluiceAddStatement", true); !status.ok())
    return status;
  if (!given.name || !given.body)
    return Status::invalidArgument(concat("a statement of graph ",
                                          quoted(graph->name), " has no ",
                                          given.name ? "body" : "name"));
  Result<Statement> statement =
      makeStatement(given.name, given.rank, given.extents);
  if (!statement.ok())
    return statement.takeStatus();
  statement->body = given.body;
  statement->closure = given.closure;
  statement->isHost = given.isHost;
  std::vector<const SluiceArgument *> arguments;
  for (uint32_t i = 0; i < given.numArguments; ++i)
    arguments.push_back(&given.arguments[i]);
  if (Status status = addArguments(*statement, given.name, arguments);
      !status.ok())
    return status;
  if (elements)
    elements->watch(*statement);
  append(std::move(*statement));
  return {};
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

const RootPartition &RegionProgram::piecesOf(const RootPartition &partition,
                                             uint32_t color) {
  constexpr int64_t pieceSize = 32768, maxPieces = 256;
  PartitionPointer &split = pieces[{&partition, color}];
  if (split)
    return *split;
  const ElementSet &set = partition.sets[color];
  int64_t count = std::clamp<int64_t>(set.size() / pieceSize, 1, maxPieces);
  split = makePieces(*partition.root, partition.name, set, count);
  return *split;
}

/// A single statement over many elements becomes a launch.
void RegionProgram::splitIntoPieces(Statement &statement) {
  if (statement.rank != 0)
    return;
  const StatementArgument &last = statement.arguments.back();
  if (distribution) {
    statement.isDivisible = last.root->shape.count() > 1;
    return;
  }
  const RootPartition &split = piecesOf(*last.partition, last.colors[0]);
  if (split.numColors() == 1)
    return;
  statement.rank = 1;
  statement.extent[0] = split.numColors();
  for (StatementArgument &argument : statement.arguments) {
    argument.partition = &piecesOf(*argument.partition, argument.colors[0]);
    argument.colors.resize(split.numColors());
    for (uint32_t color = 0; color < split.numColors(); ++color)
      argument.colors[color] = color;
  }
}

static bool haveSameElements(const StatementArgument &a,
                             const StatementArgument &b, uint32_t point) {
  const ElementSet &left = a.partition->sets[a.colorOf(point)];
  const ElementSet &right = b.partition->sets[b.colorOf(point)];
  auto sameRun = [](const SluiceRun &x, const SluiceRun &y) {
    return x.begin == y.begin && x.end == y.end;
  };
  const Runs &x = left.storedRuns(), &y = right.storedRuns();
  return left.bounds() == right.bounds() && left.size() == right.size() &&
         std::equal(x.begin(), x.end(), y.begin(), y.end(), sameRun);
}

static Status checkCopy(const Statement &statement) {
  const StatementArgument &from = statement.arguments[0],
                          &to = statement.arguments[1];
  auto both = [&] {
    return concat("copy from root ", quoted(from.root->name), " to root ",
                  quoted(to.root->name), ": ");
  };
  if (from.fields.size() != to.fields.size())
    return Status::invalidArgument(
        concat(both(), countOf(from.fields.size(), "field", "fields"), " to ",
               countOf(to.fields.size(), "field", "fields")));
  for (size_t i = 0; i < from.fields.size(); ++i) {
    const Field &source = from.root->fields[from.fields[i]];
    const Field &target = to.root->fields[to.fields[i]];
    if (source.type != target.type || source.count != target.count)
      return Status::invalidArgument(concat(
          both(), "field ", quoted(source.name), " has ", source.count, " ",
          typeName(source.type), ", but field ", quoted(target.name), " has ",
          target.count, " ", typeName(target.type)));
  }
  if (!(from.root->shape == to.root->shape))
    return Status::invalidArgument(concat(both(), "their extents are ",
                                          from.root->shape.text(), " and ",
                                          to.root->shape.text()));
  for (uint32_t point = 0; point < statement.numPoints(); ++point)
    if (!haveSameElements(from, to, point))
      return Status::invalidArgument(
          concat(both(), statement.pointText(point),
                 " does not have the same elements on both sides"));
  return {};
}

Status RegionProgram::addCopy(const SluiceArgument &from,
                              const SluiceArgument &to, int32_t rank,
                              const int64_t *extents, const char *name) {
  if (Status status = checkOpen("sluiceAddCopy", true); !status.ok())
    return status;
  Result<Statement> statement = makeStatement("copy", rank, extents);
  if (!statement.ok())
    return statement.takeStatus();
  const SluiceArgument *const arguments[] = {&from, &to};
  if (Status status = addArguments(*statement, name, arguments); !status.ok())
    return status;
  statement->arguments[0].privilege = SLUICE_PRIVILEGE_READ;
  statement->arguments[1].privilege = SLUICE_PRIVILEGE_WRITE_DISCARD;
  if (Status status = checkCopy(*statement); !status.ok())
    return status;
  makeCopy(*statement);
  splitIntoPieces(*statement);
  append(std::move(*statement));
  return {};
}

Status RegionProgram::addFill(const SluiceArgument &to, const void *value,
                              int32_t rank, const int64_t *extents,
                              const char *name) {
  if (Status status = checkOpen("sluiceAddFill", true); !status.ok())
    return status;
  Result<Statement> statement = makeStatement("fill", rank, extents);
  if (!statement.ok())
    return statement.takeStatus();
  const SluiceArgument *const arguments[] = {&to};
  if (Status status = addArguments(*statement, name, arguments); !status.ok())
    return status;
  StatementArgument &argument = statement->arguments[0];
  if (argument.fields.size() != 1)
    return Status::invalidArgument(
        concat("fill of root ", quoted(argument.root->name), " names ",
               argument.fields.size(), " fields, expected 1"));
  argument.privilege = SLUICE_PRIVILEGE_WRITE_DISCARD;
  makeFill(*statement, value);
  splitIntoPieces(*statement);
  append(std::move(*statement));
  return {};
}

//===- LoopTrace.cpp - Dependences of a loop body, for static traces ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A statement's list of dependences leaves out those that others imply. Legion
// orders the mapping of operations by region dependences only, not by futures.
// So a dependence that was left out because of a scalar must be added again:
//   1. the transitive closure of the lists tells which statements are ordered;
//   2. for each statement, from the nearest earlier one backwards: if both
//      access a common region, are ordered, and no chain of region dependences
//      joins them yet, a dependence is added.
//
//===----------------------------------------------------------------------===//

#include "LoopTrace.h"
#include "../Regions/Source.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

static bool isReduction(const RegionArgument &argument) {
  return argument.privilege == RegionPrivilege::Reduce;
}

static bool isReading(const RegionArgument &argument) {
  return argument.privilege == RegionPrivilege::Read;
}

static std::vector<unsigned> sharedFields(const Requirement &a,
                                          const Requirement &b) {
  std::vector<unsigned> fields;
  if (a.argument->root == b.argument->root)
    std::set_intersection(a.fields.begin(), a.fields.end(), b.fields.begin(),
                          b.fields.end(), std::back_inserter(fields));
  return fields;
}

/// True if the order of the two does not matter.
static bool commute(const RegionArgument &a, const RegionArgument &b) {
  if (isReading(a) && isReading(b))
    return true;
  return isReduction(a) && isReduction(b) && a.reduction == b.reduction;
}

/// A separate task folds a scalar that is reduced to.
static bool hasFold(const RegionStatement &statement) {
  return any_of(statement.arguments, isFolded);
}

/// Operations of one statement, each with its requirements.
static std::vector<std::vector<Requirement>>
operationsOf(const RegionModel &program, const RegionStatement &statement) {
  std::vector<std::vector<Requirement>> operations;
  if (statement.kind == RegionStatement::Task)
    operations.push_back(requirementsOf(program, statement));
  if (hasFold(statement))
    operations.emplace_back();
  if (statement.kind == RegionStatement::Task)
    return operations;
  const RegionArgument &first = statement.arguments[0];
  if (first.kind == RegionArgument::Scalar)
    return operations;
  if (statement.kind == RegionStatement::Fill) {
    for (const Requirement &fill : fillsOf(program, first))
      operations.push_back({fill});
    return operations;
  }
  const RegionArgument &second = statement.arguments[1];
  operations.push_back({{&first, first.fields}, {&second, second.fields}});
  return operations;
}

namespace {
class Tracer {
public:
  Tracer(const RegionModel &program, ArrayRef<RegionStatement> body)
      : program(program), body(body) {}

  LoopTrace run();

private:
  void findOrder();
  bool join(unsigned before, unsigned after);
  void addPairs(unsigned before, unsigned after);

  const RegionModel &program;
  ArrayRef<RegionStatement> body;
  std::vector<std::vector<std::vector<Requirement>>> operations;
  /// Number of each statement's first operation.
  std::vector<unsigned> firstOperation;
  /// isOrdered[b][a]: a must end before b. isJoined: ordered by region
  /// dependences.
  std::vector<BitVector> isOrdered, isJoined;
  LoopTrace trace;
};
} // namespace

void Tracer::findOrder() {
  for (unsigned i = 0; i != body.size(); ++i) {
    isOrdered.emplace_back(body.size());
    for (unsigned before : body[i].dependences) {
      isOrdered[i].set(before);
      isOrdered[i] |= isOrdered[before];
    }
  }
}

/// Adds dependences for all pairs of requirements of two operations that access
/// a common region.
static bool addOperationPairs(ArrayRef<Requirement> before,
                              ArrayRef<Requirement> after, unsigned offset,
                              TracedOperation *into) {
  bool isFound = false;
  for (auto [i, previous] : enumerate(before))
    for (auto [j, current] : enumerate(after)) {
      std::vector<unsigned> fields = sharedFields(previous, current);
      if (fields.empty() || commute(*previous.argument, *current.argument))
        continue;
      isFound = true;
      if (into)
        into->dependences.push_back({offset, unsigned(i), unsigned(j),
                                     isReading(*previous.argument),
                                     current.argument->root, fields});
    }
  return isFound;
}

/// True if two statements access a common region.
bool Tracer::join(unsigned before, unsigned after) {
  for (const std::vector<Requirement> &previous : operations[before])
    for (const std::vector<Requirement> &current : operations[after])
      if (addOperationPairs(previous, current, 0, nullptr))
        return true;
  return false;
}

void Tracer::addPairs(unsigned before, unsigned after) {
  for (auto [i, current] : enumerate(operations[after]))
    for (auto [j, previous] : enumerate(operations[before]))
      addOperationPairs(previous, current,
                        firstOperation[after] + i - firstOperation[before] - j,
                        &trace.operations[after][i]);
}

LoopTrace Tracer::run() {
  unsigned numOperations = 0;
  for (const RegionStatement &statement : body) {
    operations.push_back(operationsOf(program, statement));
    firstOperation.push_back(numOperations);
    numOperations += operations.back().size();
    trace.operations.emplace_back(operations.back().size());
  }
  findOrder();
  for (unsigned after = 0; after != body.size(); ++after) {
    isJoined.emplace_back(body.size());
    for (unsigned before = after; before-- != 0;) {
      if (!isOrdered[after][before] || isJoined[after][before] ||
          !join(before, after))
        continue;
      addPairs(before, after);
      isJoined[after].set(before);
      // Operations of one fill are not ordered with each other.
      if (body[before].kind != RegionStatement::Fill)
        isJoined[after] |= isJoined[before];
    }
  }
  return std::move(trace);
}

std::optional<LoopTrace> legion::traceOf(const RegionModel &program,
                                         ArrayRef<RegionStatement> body) {
  auto isTraced = [](const RegionStatement &statement) {
    return statement.kind == RegionStatement::Task ||
           statement.kind == RegionStatement::Copy ||
           statement.kind == RegionStatement::Fill;
  };
  if (!all_of(body, isTraced))
    return std::nullopt;
  return Tracer(program, body).run();
}

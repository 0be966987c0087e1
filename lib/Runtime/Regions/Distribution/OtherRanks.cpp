//===- OtherRanks.cpp - Decisions for ranks of other runtimes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generated program may run on several ranks with another runtime. The ranks
// of colors and the order in which points reduce are the same as in this
// runtime, so that results are the same.
//
//===----------------------------------------------------------------------===//

#include "../ProgramOverRegions.h"
#include "../ReductionCopies.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

Status RegionProgram::dealColors(uint32_t partition, uint32_t numRanks,
                                 uint32_t *ranks) {
  Result<const RootPartition *> found =
      findPartition(partition, "sluiceDealColors");
  if (!found.ok())
    return found.takeStatus();
  if (numRanks == 0)
    return Status::invalidArgument("sluiceDealColors: there are no ranks");
  const Homes &homes = otherRanks.try_emplace(numRanks, numRanks).first->second;
  for (uint32_t color = 0; color < (*found)->numColors(); ++color)
    ranks[color] = homes.rankOfColor(**found, color);
  return {};
}

Result<StatementArgument>
RegionProgram::makeReducer(const Root &root, uint32_t field,
                           const SluiceReduction &reduction, int64_t numPoints,
                           const SluiceReducer &reducer) {
  StatementArgument argument = {};
  argument.root = &root;
  argument.privilege = SLUICE_PRIVILEGE_REDUCE;
  argument.reduction = reduction;
  argument.fields = {field};
  argument.partition = &wholeOf(root);
  argument.colors = {0};
  if (reducer.partition == SLUICE_NO_PARTITION)
    return argument;
  Result<const RootPartition *> partition =
      findPartition(reducer.partition, "sluicePlanReduction");
  if (!partition.ok())
    return partition.takeStatus();
  if ((*partition)->root != &root)
    return Status::invalidArgument(
        concat("sluicePlanReduction: partition ", (*partition)->text(),
               " is not of root ", sluice::quoted(root.name)));
  argument.partition = reducer.colors ? *partition : &unionOf(**partition);
  if (!reducer.colors)
    return argument;
  argument.colors.clear();
  for (int64_t point = 0; point < numPoints; ++point) {
    const int64_t color = reducer.colors[point];
    if (color < 0 || color >= (*partition)->numColors())
      return Status::invalidArgument(concat("sluicePlanReduction: partition ",
                                            (*partition)->text(),
                                            " has no color ", color));
    argument.colors.push_back(static_cast<uint32_t>(color));
  }
  return argument;
}

Result<int64_t> RegionProgram::planReduction(
    uint32_t root, uint32_t field, const SluiceReduction &reduction,
    int64_t numPoints, std::span<const SluiceReducer> reducers,
    uint8_t *isShared, int32_t *isTiny) {
  Result<const Root *> found = findRoot(root, "sluicePlanReduction");
  if (!found.ok())
    return found.takeStatus();
  if (Status status = checkField(**found, field, "sluicePlanReduction");
      !status.ok())
    return status;
  Result<Statement> statement = makeStatement("reduction", 1, &numPoints);
  if (!statement.ok())
    return statement.takeStatus();
  *isTiny = 0;
  std::fill_n(isShared, reducers.size() * numPoints, 0);
  if (numPoints == 0 || reducers.empty())
    return 0;
  std::vector<size_t> arguments;
  for (const SluiceReducer &reducer : reducers) {
    Result<StatementArgument> argument =
        makeReducer(**found, field, reduction, numPoints, reducer);
    if (!argument.ok())
      return argument.takeStatus();
    arguments.push_back(statement->arguments.size());
    statement->arguments.push_back(std::move(*argument));
  }
  const ReductionPlan plan(*statement, field, arguments, overlaps);
  *isTiny = plan.isTiny;
  if (!plan.isInPlace())
    for (size_t r = 0; r < reducers.size(); ++r)
      for (int64_t point = 0; point < numPoints; ++point)
        isShared[r * numPoints + point] =
            !plan.isInPlace(r, static_cast<uint32_t>(point));
  return plan.numGroups;
}

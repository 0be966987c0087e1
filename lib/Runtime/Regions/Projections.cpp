//===- Projections.cpp - The colors that points of a launch use -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch selects its colors by a function or a matrix. Properties that the
// proof of a program could not determine at compile time are checked here.
//
//===----------------------------------------------------------------------===//

#include "ProgramOverRegions.h"

#include "../Execution/KernelCall.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Colors of points
//===----------------------------------------------------------------------===//

static Result<int64_t> mappedColor(const Statement &statement,
                                   const SluiceArgument &given,
                                   const RootPartition &partition,
                                   uint32_t point) {
  const int64_t *matrix = given.matrix;
  SluiceTask task = statement.task(point);
  int64_t linear = 0;
  for (int row = 0; row < partition.colors.rank; ++row) {
    // Points have 31 bits, so these sums fit.
    __int128 sum = 0;
    for (int d = 0; d < statement.rank; ++d)
      sum += static_cast<__int128>(*matrix++) * task.point[d];
    sum += *matrix++;
    const int64_t modulus = given.moduli ? given.moduli[row] : 0;
    if (modulus < 0)
      return Status::invalidArgument(concat(
          "a projection of ", quoted(statement.name), " divides by ", modulus));
    if (modulus)
      sum = (sum % modulus + modulus) % modulus;
    int64_t extent = partition.colors.extent[row];
    const auto index =
        static_cast<int64_t>(std::clamp<__int128>(sum, INT64_MIN, INT64_MAX));
    if (index < 0 || index >= extent) {
      std::string at;
      for (int d = 0; d < statement.rank; ++d)
        at += concat(d ? ", " : "", task.point[d]);
      return Status::invalidArgument(
          concat("at point (", at, ") of task ", quoted(statement.name),
                 ", a projection gives index ", index, " of partition ",
                 quoted(partition.name), ", which has 0 to ", extent - 1));
    }
    linear = linear * extent + index;
  }
  return linear;
}

/// The linear color that a point uses; for a function, it may not exist.
static Result<int64_t> colorAt(const Statement &statement,
                               const SluiceArgument &given,
                               const RootPartition &partition, uint32_t point) {
  if (given.projection) {
    SluiceTask task = statement.task(point);
    int64_t color = 0;
    const Status status =
        callUserCode({"the projection to a partition of task", statement.name,
                      "point", task.rank, task.point},
                     [&] { color = given.projection(&task); });
    if (!status.ok())
      return Status::error(
          status.code(),
          concat("partition ", quoted(partition.name), ": ", status.message()));
    return color;
  }
  if (given.matrix)
    return mappedColor(statement, given, partition, point);
  return statement.rank && !given.isFixed ? int64_t(point) : given.color;
}

static std::string argumentText(const Statement &statement) {
  return concat("argument ", statement.arguments.size(), " of ",
                quoted(statement.name));
}

static Status badColor(const Statement &statement,
                       const StatementArgument &argument, uint32_t point,
                       int64_t color) {
  return Status::invalidArgument(
      concat(argumentText(statement), ": ",
             statement.rank ? concat(statement.pointText(point), " uses ") : "",
             "color ", color, " of partition ", argument.partition->text(),
             ", which has colors ", argument.partition->colors.text()));
}

/// Without a projection, points and colors have the same coordinates.
static Status checkExtents(const Statement &statement,
                           const RootPartition &partition) {
  const int64_t *colors = partition.colors.extent;
  if (partition.colors.rank == statement.rank &&
      std::equal(colors, colors + SLUICE_MAX_RANK, statement.extent))
    return {};
  Shape launch;
  launch.rank = statement.rank;
  std::copy_n(statement.extent, SLUICE_MAX_RANK, launch.extent);
  return Status::invalidArgument(
      concat(argumentText(statement), ": the launch has extents ",
             launch.text(), ", but partition ", partition.text(),
             " has colors ", partition.colors.text(), "; give a projection"));
}

/// Whether each point uses the color with its own number, which exists then.
static bool usesOwnColors(const Statement &statement,
                          const SluiceArgument &given,
                          const RootPartition &partition) {
  return statement.numPoints() > 1 && !given.projection && !given.matrix &&
         !given.isFixed && statement.numPoints() == partition.numColors();
}

Status sluice::regions::chooseColors(const Statement &statement,
                                     const SluiceArgument &given,
                                     StatementArgument &argument) {
  const RootPartition &partition = *argument.partition;
  if (statement.rank && !given.projection && !given.matrix && !given.isFixed)
    if (Status status = checkExtents(statement, partition); !status.ok())
      return status;
  if (usesOwnColors(statement, given, partition)) {
    argument.colors.clear();
    return {};
  }
  argument.colors.resize(statement.numPoints());
  for (uint32_t point = 0; point < statement.numPoints(); ++point) {
    Result<int64_t> color = colorAt(statement, given, partition, point);
    if (!color.ok())
      return color.takeStatus();
    if (*color < 0 || *color >= partition.numColors())
      return badColor(statement, argument, point, *color);
    argument.colors[point] = *color;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Points that must be disjoint
//===----------------------------------------------------------------------===//

static bool isRead(const SluiceArgument &argument) {
  return argument.privilege == SLUICE_PRIVILEGE_READ;
}
static bool isReduction(const SluiceArgument &argument) {
  return argument.privilege == SLUICE_PRIVILEGE_REDUCE;
}

/// True if two uses of a color may coexist: both read, or both reduce with the
/// same operator.
static bool mayMeet(const SluiceArgument &a, const SluiceArgument &b) {
  if (isRead(a) || isRead(b))
    return isRead(a) && isRead(b);
  return isReduction(a) && isReduction(b) &&
         a.reduction.kind == b.reduction.kind &&
         a.reduction.fold == b.reduction.fold;
}

using Uses = std::vector<const SluiceArgument *>;

/// For each field to check, the arguments that use it through the same
/// partition with one color per point.
static std::vector<Uses>
usesToCheck(std::span<const SluiceArgument *const> arguments) {
  std::vector<Uses> groups;
  for (const SluiceArgument *checked : arguments)
    for (uint64_t left = checked->mustBeApart ? checked->fields : 0; left;
         left &= left - 1) {
      const uint64_t field = left & -left;
      Uses uses;
      for (const SluiceArgument *argument : arguments)
        if (argument->partition == checked->partition && !argument->isFixed &&
            !argument->wholePartition && (argument->fields & field))
          uses.push_back(argument);
      if (std::find(groups.begin(), groups.end(), uses) == groups.end())
        groups.push_back(std::move(uses));
    }
  return groups;
}

namespace {
/// The last user of a color, and the kind of use.
struct LastUse {
  int64_t point = -1;
  const SluiceArgument *argument = nullptr;
};
} // namespace

static Status meetingError(const Statement &statement, const char *name,
                           const LastUse &before, uint32_t point,
                           const SluiceArgument &use, int64_t color,
                           const RootPartition &partition) {
  // The one of the two that changes the color.
  const SluiceArgument &changing = isRead(use) ? *before.argument : use;
  const char *how = isReduction(changing) ? "reduces into" : "writes";
  if (before.point == int64_t(point))
    return Status::invalidArgument(
        concat("point ", point, " of task ", quoted(name), " has color ", color,
               " of partition ", quoted(partition.name),
               " as two arguments, and ", how, " one of them"));
  return Status::invalidArgument(concat(
      "points ", before.point, " and ", point, " of task ", quoted(name),
      " use color ", color, " of partition ", quoted(partition.name),
      ", which point ", isRead(use) ? before.point : int64_t(point), " ", how));
}

static Status checkUses(const Statement &statement, const char *name,
                        const Uses &uses, const RootPartition &partition) {
  // If all of them use their own color, one point represents all.
  const bool areOwn =
      std::all_of(uses.begin(), uses.end(), [&](const SluiceArgument *use) {
        return usesOwnColors(statement, *use, partition);
      });
  const uint32_t numPoints = areOwn ? 1 : statement.numPoints();
  std::vector<LastUse> users(areOwn ? 1 : partition.numColors());
  for (uint32_t point = 0; point < numPoints; ++point)
    for (const SluiceArgument *use : uses) {
      Result<int64_t> color = colorAt(statement, *use, partition, point);
      if (!color.ok())
        return color.takeStatus();
      if (*color < 0 || *color >= partition.numColors())
        return Status::invalidArgument(concat(
            "point ", point, " of task ", quoted(name), " asks for color ",
            *color, " of partition ", quoted(partition.name), ", which has ",
            partition.numColors()));
      LastUse &last = users[*color];
      if (last.argument && !mayMeet(*use, *last.argument))
        return meetingError(statement, name, last, point, *use, *color,
                            partition);
      last = {point, use};
    }
  return {};
}

Status RegionProgram::checkApart(
    const Statement &statement, const char *name,
    std::span<const SluiceArgument *const> arguments) const {
  for (const Uses &uses : usesToCheck(arguments)) {
    Result<const RootPartition *> partition =
        findPartition(uses.front()->partition, name);
    if (!partition.ok())
      return partition.takeStatus();
    if (Status status = checkUses(statement, name, uses, **partition);
        !status.ok())
      return status;
  }
  return {};
}

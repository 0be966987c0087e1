//===- plan.cpp - What one of very many ranks plans -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs as the runtime sees them, from their roots to their messages, on a
// rank near the middle of others that are not there. A rank has 4 x 4 blocks of
// a grid, however many ranks there are. Row `plan` is that of halo.mlir; row
// `plan-sums` conjugate gradients on the grid, with sums that all points read.
// Parameters: how many ranks there are along each side, and `all` for a plan
// from the points of all ranks.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/Regions/Distribution/LocalTable.h"
#include "../../lib/Runtime/Regions/RegionProgram.h"
#include "../common/harness.h"

#include "sluice/Base/Table.h"

#include <memory>

using namespace sluice;
using namespace sluice::regions;

namespace {
constexpr int64_t blocksPerRank = 4, cellsPerBlock = 16;

int64_t side;
bool plansAllPoints;
size_t numMessages;

/// Channels lead nowhere.
SluiceCluster rankNearTheMiddle() {
  static char anything;
  SluiceCluster cluster = {};
  cluster.head = tableHead<SluiceCluster>;
  cluster.name = "nobody";
  cluster.rank = static_cast<uint32_t>(side * (side / 2) + side / 2 + 1);
  cluster.numRanks = static_cast<uint32_t>(side * side);
  cluster.numRanksHere = 1;
  cluster.maxTag = 1 << 20;
  cluster.openSend = [](void *, uint32_t, uint32_t, const void *, uint64_t) {
    return reinterpret_cast<SluiceChannel *>(&anything);
  };
  cluster.openReceive = [](void *, uint32_t, uint32_t, void *, uint64_t) {
    return reinterpret_cast<SluiceChannel *>(&anything);
  };
  cluster.close = [](void *, SluiceChannel *) {};
  return cluster;
}

void require(const Status &status) {
  if (status.ok())
    return;
  fprintf(stderr, "plan: error: %s\n", status.message().c_str());
  exit(1);
}

template <typename Value> Value require(Result<Value> result) {
  require(result.status());
  return std::move(*result);
}

SluiceArgument argument(uint32_t root, uint32_t partition,
                        SluicePrivilege privilege, uint64_t fields) {
  SluiceArgument argument = {};
  argument.root = root;
  argument.partition = partition;
  argument.privilege = privilege;
  argument.fields = fields;
  argument.reduction.kind = SLUICE_REDUCE_MAX;
  return argument;
}

void add(Program &program, const char *name, const int64_t *extents, int rank,
         std::initializer_list<SluiceArgument> arguments, bool isHost = false) {
  SluiceStatement statement = {};
  statement.name = name;
  statement.body = [](const SluiceTask *, const SluiceView *, const void *) {};
  statement.rank = rank;
  statement.isHost = isHost;
  std::copy_n(extents, rank, statement.extents);
  statement.numArguments = static_cast<uint32_t>(arguments.size());
  statement.arguments = arguments.begin();
  require(program.addStatement(statement));
}

void planOpenGraph(Program &program) {
  LocalGraph graph = require(program.planLocal());
  numMessages = 0;
  for (const TableTask &task : graph.local->table.tasks)
    numMessages += task.isOutside;
  program.forgetGraph(*graph.all);
}

void planHalo() {
  const SluiceCluster cluster = rankNearTheMiddle();
  Program program("halo", nullptr, false, &cluster);
  if (plansAllPoints)
    program.choosePlan(PlanFrom::AllPoints);
  const int64_t colors[] = {side * blocksPerRank, side * blocksPerRank};
  const int64_t extents[] = {colors[0] * cellsPerBlock,
                             colors[1] * cellsPerBlock};
  const int64_t one = 1, width[] = {1, 1};
  const SluiceField fields[] = {{"now", SLUICE_F64, 1},
                                {"next", SLUICE_F64, 1}};
  const SluiceField change = {"change", SLUICE_F64, 1};
  const auto plate = require(program.addRoot("plate", 2, extents, 2, fields));
  const auto scalar = require(program.addRoot("change", 1, &one, 1, &change));
  const auto blocks = require(
      program.addBlocks("blocks", plate, SLUICE_NO_PARTITION, 0, 2, colors));
  const auto halos = require(program.addHalos("halos", blocks, width, false));
  require(program.beginGraph("main"));
  add(program, "start", colors, 2,
      {argument(plate, blocks, SLUICE_PRIVILEGE_WRITE_DISCARD, 3)});
  require(program.beginLoop(10, SLUICE_NO_PARTITION));
  require(program.beginLoop(10, SLUICE_NO_PARTITION));
  for (unsigned from : {0, 1})
    add(program, "sweep", colors, 2,
        {argument(plate, halos, SLUICE_PRIVILEGE_READ, 1 << from),
         argument(plate, blocks, SLUICE_PRIVILEGE_READ_WRITE, 2 >> from)});
  require(program.endLoop());
  const double zero = 0;
  require(program.addFill(
      argument(scalar, SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_READ, 1), &zero, 0,
      nullptr));
  add(program, "change", colors, 2,
      {argument(plate, blocks, SLUICE_PRIVILEGE_READ, 3),
       argument(scalar, SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_REDUCE, 1)});
  require(program.endLoop());
  add(program, "check", nullptr, 0,
      {argument(plate, SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_READ, 3),
       argument(scalar, SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_READ, 1)},
      true);
  planOpenGraph(program);
}

void planSums() {
  const SluiceCluster cluster = rankNearTheMiddle();
  Program program("cg", nullptr, false, &cluster);
  if (plansAllPoints)
    program.choosePlan(PlanFrom::AllPoints);
  const int64_t colors[] = {side * blocksPerRank, side * blocksPerRank};
  const int64_t extents[] = {colors[0] * cellsPerBlock,
                             colors[1] * cellsPerBlock};
  const int64_t one = 1, width[] = {1, 1};
  const SluiceField vectors[] = {{"x", SLUICE_F64, 1},
                                 {"r", SLUICE_F64, 1},
                                 {"p", SLUICE_F64, 1},
                                 {"q", SLUICE_F64, 1}};
  enum : uint64_t { x = 1, r = 2, p = 4, q = 8 };
  const SluiceField number = {"sum", SLUICE_F64, 1};
  const SluiceField flag = {"going", SLUICE_I32, 1};
  const auto grid = require(program.addRoot("grid", 2, extents, 4, vectors));
  const auto old = require(program.addRoot("old", 1, &one, 1, &number));
  const auto now = require(program.addRoot("new", 1, &one, 1, &number));
  const auto pq = require(program.addRoot("pq", 1, &one, 1, &number));
  const auto going = require(program.addRoot("going", 1, &one, 1, &flag));
  const auto blocks = require(
      program.addBlocks("blocks", grid, SLUICE_NO_PARTITION, 0, 2, colors));
  const auto halos = require(program.addHalos("halos", blocks, width, false));
  auto scalar = [](uint32_t root, SluicePrivilege privilege) {
    SluiceArgument made = argument(root, SLUICE_NO_PARTITION, privilege, 1);
    made.reduction.kind = SLUICE_REDUCE_SUM;
    return made;
  };
  auto block = [&](SluicePrivilege privilege, uint64_t fields) {
    return argument(grid, blocks, privilege, fields);
  };
  auto makeZero = [&](uint32_t root) {
    const double zero = 0;
    require(program.addFill(scalar(root, SLUICE_PRIVILEGE_READ), &zero, 0,
                            nullptr));
  };
  require(program.beginGraph("main"));
  add(program, "start", colors, 2,
      {block(SLUICE_PRIVILEGE_WRITE_DISCARD, x | r | p)});
  add(program, "square", colors, 2,
      {block(SLUICE_PRIVILEGE_READ, r), scalar(old, SLUICE_PRIVILEGE_REDUCE)});
  require(program.beginLoop(1000, going));
  makeZero(pq);
  add(program, "multiply", colors, 2,
      {argument(grid, halos, SLUICE_PRIVILEGE_READ, p),
       block(SLUICE_PRIVILEGE_WRITE_DISCARD, q),
       scalar(pq, SLUICE_PRIVILEGE_REDUCE)});
  makeZero(now);
  add(program, "improve", colors, 2,
      {block(SLUICE_PRIVILEGE_READ, p | q),
       block(SLUICE_PRIVILEGE_READ_WRITE, x | r),
       scalar(old, SLUICE_PRIVILEGE_READ), scalar(pq, SLUICE_PRIVILEGE_READ),
       scalar(now, SLUICE_PRIVILEGE_REDUCE)});
  add(program, "direct", colors, 2,
      {block(SLUICE_PRIVILEGE_READ, r), block(SLUICE_PRIVILEGE_READ_WRITE, p),
       scalar(old, SLUICE_PRIVILEGE_READ), scalar(now, SLUICE_PRIVILEGE_READ)});
  add(program, "keep", nullptr, 0,
      {scalar(now, SLUICE_PRIVILEGE_READ),
       scalar(old, SLUICE_PRIVILEGE_WRITE_DISCARD)});
  add(program, "isLarge", nullptr, 0,
      {scalar(now, SLUICE_PRIVILEGE_READ),
       scalar(going, SLUICE_PRIVILEGE_WRITE_DISCARD)});
  require(program.endLoop());
  add(program, "check", nullptr, 0,
      {argument(grid, SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_READ, x)}, true);
  planOpenGraph(program);
}

void allocate() {
  char way[8] = "";
  long ranks = 0;
  if (sscanf(benchParameters, "%ld,%7s", &ranks, way) < 1 || ranks < 4) {
    fprintf(stderr, "plan: error: expected 'SIDE' or 'SIDE,all'\n");
    exit(1);
  }
  side = ranks;
  plansAllPoints = strcmp(way, "all") == 0;
}

const char *verifyAtLeast(size_t least) {
  return numMessages >= least
             ? nullptr
             : benchWrong("messages", 0, static_cast<double>(least),
                          static_cast<double>(numMessages));
}
/// Four neighbours, to and from each of which a message goes before each of two
/// sweeps; besides, the blocks go to rank 0, and the change along its tree.
const char *verifyHalo() { return verifyAtLeast(2 * 8 + 1); }
/// Before the product; and sums go up and down their trees.
const char *verifySums() { return verifyAtLeast(8 + 2 * 2); }

void nothing() {}

const BenchRow rows[] = {{"plan", 1, 5, allocate, nothing, planHalo, verifyHalo,
                          nothing, 0, nullptr},
                         {"plan-sums", 1, 5, allocate, nothing, planSums,
                          verifySums, nothing, 0, nullptr}};
} // namespace

int main() { return benchServe(rows, 2); }

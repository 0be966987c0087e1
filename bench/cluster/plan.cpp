//===- plan.cpp - What one of very many ranks plans -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs as the runtime sees them, from their roots to their messages, on a
// rank near the middle of others that are not there. A rank has 4 x 4 blocks of
// a grid, however many ranks there are. Row `plan` is that of halo.mlir; row
// `plan-sums` conjugate gradients on the grid, with sums that all points read.
// The others are in plan_data.cpp.
// Parameters: how many ranks there are along each side, and `all` for a plan
// from the points of all ranks.
//
//===----------------------------------------------------------------------===//

#include "plan.h"

#include "../common/harness.h"

#include "sluice/Base/TableHead.h"

using namespace plans;

int64_t plans::side;
bool plans::plansAllPoints;
size_t plans::numMessages;

SluiceCluster plans::rankNearTheMiddle() {
  static char anything;
  SluiceCluster cluster = {};
  cluster.head = tableHead<SluiceCluster>;
  cluster.name = "nobody";
  cluster.rank = static_cast<uint32_t>(side * (side / 2) + side / 2 + 1);
  cluster.numRanks = static_cast<uint32_t>(side * side);
  cluster.numProcessors = 1;
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

void plans::require(const Status &status) {
  if (status.ok())
    return;
  fprintf(stderr, "plan: error: %s\n", status.message().c_str());
  exit(1);
}

SluiceArgument plans::argument(uint32_t root, uint32_t partition,
                               SluicePrivilege privilege, uint64_t fields,
                               SluiceReductionKind kind) {
  SluiceArgument argument = {};
  argument.root = root;
  argument.partition = partition;
  argument.privilege = privilege;
  argument.fields = fields;
  argument.reduction.kind = kind;
  return argument;
}

void plans::add(RegionProgram &program, const char *name,
                const int64_t *extents, int rank,
                std::initializer_list<SluiceArgument> arguments, bool isHost) {
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

void plans::planOpenGraph(RegionProgram &program, bool staysOpen) {
  LocalGraph graph = require(program.planLocal());
  numMessages = 0;
  for (const TableTask &task : graph.local->table.tasks)
    numMessages += task.isOutside;
  if (staysOpen)
    program.forgetPlan(*graph.all);
  else
    program.forgetGraph(*graph.all);
}

namespace {
constexpr int64_t blocksPerRank = 4, cellsPerBlock = 16;

void planHalo() {
  const SluiceCluster cluster = rankNearTheMiddle();
  RegionProgram program("halo", nullptr, false, &cluster);
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
  RegionProgram program("cg", nullptr, false, &cluster);
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

void readParameters() {
  char way[8] = "";
  long ranks = 0;
  if (sscanf(benchParameters, "%ld,%7s", &ranks, way) < 1 || ranks < 4) {
    fprintf(stderr, "plan: error: expected 'SIDE' or 'SIDE,all'\n");
    exit(1);
  }
  side = ranks;
  plansAllPoints = strcmp(way, "all") == 0;
}
template <void (*make)()> void readAndMake() {
  readParameters();
  make();
}

template <size_t least> const char *verifyAtLeast() {
  return numMessages >= least
             ? nullptr
             : benchWrong("messages", 0, static_cast<double>(least),
                          static_cast<double>(numMessages));
}
/// Four neighbours, to and from each of which a message goes before each of two
/// sweeps; besides, the blocks go to rank 0, and the change along its tree.
constexpr size_t fewestHalo = 2 * 8 + 1;
/// Before the product; and sums go up and down their trees.
constexpr size_t fewestSums = 8 + 2 * 2;

void nothing() {}

constexpr BenchRow rowOf(const char *name, int repetitions, void (*allocate)(),
                         void (*run)(), const char *(*verify)(),
                         void (*release)()) {
  return {name, 1,      repetitions, allocate, nothing,
          run,  verify, release,     0,        nullptr};
}

const BenchRow rows[] = {rowOf("plan", 5, readParameters, planHalo,
                               verifyAtLeast<fewestHalo>, nothing),
                         rowOf("plan-sums", 5, readParameters, planSums,
                               verifyAtLeast<fewestSums>, nothing),
                         // Voltages and charges of shared nodes go to and fro.
                         rowOf("plan-circuit", 5, readAndMake<makeCircuit>,
                               planMade, verifyAtLeast<8>, forgetMade),
                         // Rows before and behind, and the trees of two sums.
                         rowOf("plan-cg", 5, readAndMake<makeSolver>, planMade,
                               verifyAtLeast<8>, forgetMade),
                         // Forces, places and speeds of shared points.
                         rowOf("plan-hydro", 5, readAndMake<makeGas>, planMade,
                               verifyAtLeast<8>, forgetMade)};
} // namespace

int main() { return benchServe(rows, 5); }

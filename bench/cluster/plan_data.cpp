//===- plan_data.cpp - Plans of graphs whose partitions stand in data -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of circuit.mlir, cg.mlir and hydro.mlir, four pieces for each rank.
// Meshes and matrices get longer with the ranks, not wider: sixteen pieces lie
// beside each other, so that a piece has as many neighbours however many there
// are. Wires of the circuit end anywhere. A first graph writes the data, by
// which its partitions are made; they are listed, and an index of them is made
// by the first plan: both take time with all pieces, once, and are not timed.
//
//===----------------------------------------------------------------------===//

#include "plan.h"

#include <memory>

using namespace plans;

namespace {
constexpr int64_t piecesPerRank = 4, piecesPerRow = 16;
constexpr auto whole = SLUICE_NO_PARTITION;
constexpr auto reads = SLUICE_PRIVILEGE_READ;
constexpr auto changes = SLUICE_PRIVILEGE_READ_WRITE;
constexpr auto discards = SLUICE_PRIVILEGE_WRITE_DISCARD;
constexpr auto reduces = SLUICE_PRIVILEGE_REDUCE;

/// Its program stays as long as the row.
struct Made {
  SluiceCluster cluster = rankNearTheMiddle();
  RegionProgram program{"plan", nullptr, false, &cluster};
  int64_t pieces = side * side * piecesPerRank;
  Made() {
    if (plansAllPoints)
      program.choosePlan(PlanFrom::AllPoints);
  }

  template <size_t numFields>
  uint32_t addRoot(const char *name, int64_t count,
                   const SluiceField (&fields)[numFields]) {
    return require(program.addRoot(name, 1, &count, numFields, fields));
  }
  uint32_t addScalar(const char *name, SluiceElementType type = SLUICE_F64) {
    return addRoot(name, 1, {{"value", type, 1}});
  }
  uint32_t addBlocks(uint32_t root) {
    return require(program.addBlocks("blocks", root, whole, 0, 1, &pieces));
  }
  int64_t *integers(uint32_t root, uint32_t field) {
    return static_cast<int64_t *>(require(program.rootField(root, field)));
  }
  /// One task writes everything.
  void addStart(std::initializer_list<SluiceArgument> arguments) {
    require(program.beginGraph("start"));
    add(program, "start", nullptr, 0, arguments);
    planOpenGraph(program);
  }
  void launch(const char *name,
              std::initializer_list<SluiceArgument> arguments) {
    add(program, name, &pieces, 1, arguments);
  }
  void makeZero(uint32_t scalar) {
    const double zero = 0;
    require(
        program.addFill(argument(scalar, whole, reads, 1), &zero, 0, nullptr));
  }
  /// The graph that is timed ends here.
  void finish() {
    require(program.endLoop());
    planOpenGraph(program, true);
  }
};
std::unique_ptr<Made> made;

SluiceArgument sumTo(uint32_t root, uint32_t partition, uint64_t fields) {
  return argument(root, partition, reduces, fields, SLUICE_REDUCE_SUM);
}
} // namespace

void plans::planMade() { planOpenGraph(made->program, true); }
void plans::forgetMade() { made.reset(); }

//===----------------------------------------------------------------------===//
// Circuit
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t nodesPerPiece = 16, wiresPerPiece = 16;
/// For each node, whether wires of other pieces end there. For each piece, the
/// nodes of other pieces in which its wires end.
std::vector<bool> isShared;
std::vector<std::vector<int64_t>> ghosts;

/// One wire of each piece leaves it.
void chooseWires(int64_t numPieces, int64_t *in, int64_t *out) {
  uint64_t state = 2026;
  auto pick = [&](int64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(limit));
  };
  isShared.assign(static_cast<size_t>(numPieces * nodesPerPiece), false);
  ghosts.assign(static_cast<size_t>(numPieces), {});
  for (int64_t piece = 0; piece < numPieces; ++piece)
    for (int64_t i = 0; i < wiresPerPiece; ++i) {
      const int64_t wire = piece * wiresPerPiece + i;
      const int64_t other = i == 0 ? pick(numPieces) : piece;
      in[wire] = piece * nodesPerPiece + pick(nodesPerPiece);
      out[wire] = other * nodesPerPiece + pick(nodesPerPiece);
      if (other != piece) {
        isShared[static_cast<size_t>(out[wire])] = true;
        ghosts[static_cast<size_t>(piece)].push_back(out[wire]);
      }
    }
}

template <bool shared>
void addNodes(const int64_t *color, SluiceColoring *elements) {
  for (int64_t i = 0; i < nodesPerPiece; ++i)
    if (const int64_t node = color[0] * nodesPerPiece + i;
        isShared[static_cast<size_t>(node)] == shared)
      elements->add(elements, node, node + 1);
}
void addBorder(const int64_t *color, SluiceColoring *elements) {
  addNodes<true>(color, elements);
  for (int64_t node : ghosts[static_cast<size_t>(color[0])])
    elements->add(elements, node, node + 1);
}
} // namespace

void plans::makeCircuit() {
  made = std::make_unique<Made>();
  Made &m = *made;
  enum : uint64_t { voltage = 1, charge = 2, constant = 4 };
  enum : uint64_t { ends = 3, current = 4 };
  const uint32_t nodes = m.addRoot("nodes", m.pieces * nodesPerPiece,
                                   {{"voltage", SLUICE_F64, 1},
                                    {"charge", SLUICE_F64, 1},
                                    {"capacitance", SLUICE_F64, 1}});
  const uint32_t wires = m.addRoot("wires", m.pieces * wiresPerPiece,
                                   {{"in", SLUICE_I64, 1},
                                    {"out", SLUICE_I64, 1},
                                    {"current", SLUICE_F64, 4}});
  chooseWires(m.pieces, m.integers(wires, 0), m.integers(wires, 1));
  m.addStart({argument(nodes, whole, discards, voltage | charge | constant),
              argument(wires, whole, discards, ends | current)});
  auto color = [&](const char *name, auto *coloring) {
    return require(
        m.program.addColoring(name, nodes, whole, 0, 1, &m.pieces, coloring));
  };
  const uint32_t owned = m.addBlocks(nodes);
  const uint32_t piece =
      require(m.program.addPreimage("piece", wires, 0, owned));
  const uint32_t inner = color("private", addNodes<false>);
  const uint32_t shared = color("shared", addNodes<true>);
  const uint32_t border = color("border", addBorder);
  require(m.program.promise(inner, true, false));
  require(m.program.promise(shared, true, false));
  require(m.program.beginGraph("simulate"));
  require(m.program.beginLoop(50, whole));
  m.launch("calc_new_currents", {argument(wires, piece, reads, ends),
                                 argument(wires, piece, changes, current),
                                 argument(nodes, inner, reads, voltage),
                                 argument(nodes, border, reads, voltage)});
  m.launch("distribute_charge",
           {argument(wires, piece, reads, ends | current),
            sumTo(nodes, inner, charge), sumTo(nodes, border, charge)});
  for (uint32_t part : {inner, shared})
    m.launch("update_voltages",
             {argument(nodes, part, changes, voltage | charge),
              argument(nodes, part, reads, constant)});
  m.finish();
}

//===----------------------------------------------------------------------===//
// Conjugate gradients
//===----------------------------------------------------------------------===//

void plans::makeSolver() {
  constexpr int64_t rowsPerPiece = 16, entriesPerRow = 5;
  made = std::make_unique<Made>();
  Made &m = *made;
  enum : uint64_t { first = 1, b = 2, x = 4, r = 8, p = 16, q = 32 };
  enum : uint64_t { row = 1, column = 2, value = 4 };
  const int64_t numRows = m.pieces * rowsPerPiece;
  const int64_t width = piecesPerRow * rowsPerPiece;
  const uint32_t matrix = m.addRoot("matrix", numRows * entriesPerRow,
                                    {{"row", SLUICE_I64, 1},
                                     {"column", SLUICE_I64, 1},
                                     {"value", SLUICE_F64, 1}});
  const uint32_t vectors = m.addRoot("vectors", numRows,
                                     {{"first", SLUICE_I64, 1},
                                      {"b", SLUICE_F64, 1},
                                      {"x", SLUICE_F64, 1},
                                      {"r", SLUICE_F64, 1},
                                      {"p", SLUICE_F64, 1},
                                      {"q", SLUICE_F64, 1}});
  const uint32_t old = m.addScalar("old"), now = m.addScalar("new"),
                 pq = m.addScalar("pq"),
                 going = m.addScalar("going", SLUICE_I32);
  int64_t *rows = m.integers(matrix, 0), *columns = m.integers(matrix, 1);
  for (int64_t i = 0; i < numRows; ++i) {
    const int64_t near[] = {i - width, i - 1, i, i + 1, i + width};
    for (int64_t k = 0; k < entriesPerRow; ++k) {
      const bool isInside = near[k] >= 0 && near[k] < numRows;
      rows[i * entriesPerRow + k] = i;
      columns[i * entriesPerRow + k] = isInside ? near[k] : i;
    }
  }
  m.addStart({argument(matrix, whole, discards, row | column | value),
              argument(vectors, whole, discards, first | b)});
  const uint32_t blocks = m.addBlocks(vectors);
  const uint32_t lines =
      require(m.program.addPreimage("lines", matrix, 0, blocks));
  const uint32_t needed =
      require(m.program.addImage("needed", vectors, lines, 1));
  auto block = [&](SluicePrivilege privilege, uint64_t fields) {
    return argument(vectors, blocks, privilege, fields);
  };
  auto scalar = [&](uint32_t root) { return argument(root, whole, reads, 1); };
  require(m.program.beginGraph("solve"));
  m.launch("begin", {block(reads, b), block(discards, x | r | p)});
  m.launch("square", {block(reads, r), sumTo(old, whole, 1)});
  require(m.program.beginLoop(1000, going));
  m.makeZero(pq);
  m.launch("multiply",
           {argument(matrix, lines, reads, column | value), block(reads, first),
            argument(vectors, needed, reads, p), block(discards, q),
            sumTo(pq, whole, 1)});
  m.makeZero(now);
  m.launch("improve", {block(changes, x | r), block(reads, p | q), scalar(old),
                       scalar(pq), sumTo(now, whole, 1)});
  m.launch("direct",
           {block(changes, p), block(reads, r), scalar(old), scalar(now)});
  add(m.program, "keep", nullptr, 0,
      {scalar(now), argument(old, whole, discards, 1)});
  add(m.program, "isLarge", nullptr, 0,
      {scalar(now), argument(going, whole, discards, 1)});
  m.finish();
}

//===----------------------------------------------------------------------===//
// A gas on a mesh
//===----------------------------------------------------------------------===//

void plans::makeGas() {
  constexpr int64_t zonesPerPiece = 16;
  made = std::make_unique<Made>();
  Made &m = *made;
  enum : uint64_t { mass = 1, gas = 2, pressure = 4 };
  enum : uint64_t { place = 1, speed = 2, force = 4, mean = 8, wall = 16 };
  enum : uint64_t { zone = 1, ends = 6, corner = 8 };
  const int64_t width = piecesPerRow * zonesPerPiece;
  const int64_t height = m.pieces / piecesPerRow;
  const uint32_t zones = m.addRoot("zones", width * height,
                                   {{"mass", SLUICE_F64, 1},
                                    {"gas", SLUICE_F64, 3},
                                    {"pressure", SLUICE_F64, 1}});
  const uint32_t points = m.addRoot("points", (width + 1) * (height + 1),
                                    {{"place", SLUICE_F64, 2},
                                     {"speed", SLUICE_F64, 2},
                                     {"force", SLUICE_F64, 2},
                                     {"mean", SLUICE_F64, 2},
                                     {"wall", SLUICE_I8, 1}});
  const uint32_t sides = m.addRoot("sides", 4 * width * height,
                                   {{"zone", SLUICE_I64, 1},
                                    {"p1", SLUICE_I64, 1},
                                    {"p2", SLUICE_I64, 1},
                                    {"corner", SLUICE_F64, 2}});
  const uint32_t step = m.addScalar("step");
  int64_t *zoneOf = m.integers(sides, 0), *pointOf = m.integers(sides, 1);
  for (int64_t z = 0; z < width * height; ++z) {
    const int64_t first = z / width * (width + 1) + z % width;
    const int64_t around[] = {first, first + 1, first + width + 2,
                              first + width + 1};
    for (int64_t k = 0; k < 4; ++k) {
      zoneOf[4 * z + k] = z;
      pointOf[4 * z + k] = around[k];
    }
  }
  m.addStart({argument(zones, whole, discards, 7),
              argument(points, whole, discards, 31),
              argument(sides, whole, discards, 15)});
  const uint32_t zonePieces = m.addBlocks(zones);
  const uint32_t pointPieces = m.addBlocks(points);
  const uint32_t sidePieces =
      require(m.program.addPreimage("sidePieces", sides, 0, zonePieces));
  const uint32_t corners =
      require(m.program.addImage("corners", points, sidePieces, 1));
  auto ofZones = [&](SluicePrivilege privilege, uint64_t fields) {
    return argument(zones, zonePieces, privilege, fields);
  };
  auto ofPoints = [&](SluicePrivilege privilege, uint64_t fields) {
    return argument(points, pointPieces, privilege, fields);
  };
  auto ofCorners = [&](uint64_t fields) {
    return argument(points, corners, reads, fields);
  };
  auto ofSides = [&](SluicePrivilege privilege, uint64_t fields) {
    return argument(sides, sidePieces, privilege, fields);
  };
  const SluiceArgument readsStep = argument(step, whole, reads, 1);
  require(m.program.beginGraph("main"));
  require(m.program.beginLoop(100, whole));
  m.launch("press", {ofZones(reads, mass | gas), ofZones(discards, pressure)});
  m.launch("zero", {ofPoints(discards, force)});
  m.launch("push", {ofSides(reads, zone | ends), ofZones(reads, pressure),
                    ofCorners(place), ofSides(discards, corner),
                    sumTo(points, corners, force)});
  m.launch("move",
           {ofPoints(reads, force | wall), readsStep,
            ofPoints(changes, place | speed), ofPoints(discards, mean)});
  m.launch("work",
           {ofSides(reads, zone | ends | corner), ofCorners(mean | place),
            ofZones(reads, mass), readsStep, ofZones(changes, gas)});
  m.makeZero(step);
  m.launch("limit", {ofZones(reads, mass | gas),
                     argument(step, whole, reduces, 1, SLUICE_REDUCE_MIN)});
  m.finish();
}

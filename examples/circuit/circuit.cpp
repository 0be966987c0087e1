//===- circuit.cpp - The tasks of the circuit simulation ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The circuit is made by a generator that always gives the same one. After the
// last step the result is compared with that of a serial program.
//
//===----------------------------------------------------------------------===//

#include "circuit.rdir.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

//===----------------------------------------------------------------------===//
// One wire, one node
//===----------------------------------------------------------------------===//

/// A step of the circuit in seconds, and the parts it is computed in.
static constexpr double stepTime = 1.0e-6;
static constexpr int numParts = 16;

/// The currents of a wire's segments and the voltages between them, after a
/// step in which the voltages at the ends stay as they are.
static void flow(double resistance, double inductance, double capacitance,
                 double in, double out, double (&current)[4],
                 double (&inner)[3]) {
  const double push = stepTime / numParts / inductance;
  const double fill = stepTime / numParts / capacitance;
  for (int part = 0; part != numParts; ++part) {
    const double before[5] = {in, inner[0], inner[1], inner[2], out};
    for (int i = 0; i != 4; ++i)
      current[i] +=
          push * (before[i] - before[i + 1] - resistance * current[i]);
    for (int i = 0; i != 3; ++i)
      inner[i] += fill * (current[i] - current[i + 1]);
  }
}

static void settle(double &voltage, double &charge, double capacitance,
                   double leakage) {
  voltage = (voltage + charge / capacitance) * (1.0 - leakage);
  charge = 0.0;
}

//===----------------------------------------------------------------------===//
// The circuit
//===----------------------------------------------------------------------===//

namespace {
/// Which argument of a task has a node.
enum Place : int32_t { Private, Border };

struct Wire {
  int64_t in, out;
  Place inPlace, outPlace;
  double resistance, inductance, capacitance;
};

struct Node {
  double voltage, capacitance, leakage;
  bool isShared;
};

/// Nodes and wires are numbered by piece.
struct Circuit {
  Circuit();

  std::vector<Node> nodes;
  std::vector<Wire> wires;
  /// Nodes that a piece's wires touch and other pieces have or touch.
  std::vector<std::vector<int64_t>> borders;

private:
  /// A number from 0 up to 1.
  double random() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 11) * 0x1p-53;
  }
  void addNode();
  void addWire(int64_t piece);
  void findShared();
  uint64_t state = 2026;
};
} // namespace

/// The first node of a piece, as partitions by blocks have it.
static int64_t firstNode(int64_t piece) {
  return piece * parameter_num_nodes / parameter_pieces;
}

static int64_t pieceOf(int64_t node) {
  int64_t piece = node * parameter_pieces / parameter_num_nodes;
  while (node >= firstNode(piece + 1))
    ++piece;
  return piece;
}

void Circuit::addNode() {
  const double voltage = 2.0 * random() - 1.0;
  nodes.push_back(
      {voltage, 1.0e-3 + 1.0e-3 * random(), 0.01 * random(), false});
}

/// One wire in 16 leaves its piece.
void Circuit::addWire(int64_t piece) {
  auto nodeOf = [&](int64_t owner) {
    const int64_t first = firstNode(owner);
    return first + int64_t(random() * double(firstNode(owner + 1) - first));
  };
  Wire wire = {};
  wire.in = nodeOf(piece);
  const bool leaves = random() < 1.0 / 16;
  wire.out =
      nodeOf(leaves ? int64_t(random() * double(parameter_pieces)) : piece);
  wire.resistance = 1.0 + 10.0 * random();
  wire.inductance = 1.0e-6 + 1.0e-6 * random();
  wire.capacitance = 1.0e-7 + 1.0e-7 * random();
  wires.push_back(wire);
}

void Circuit::findShared() {
  for (const Wire &wire : wires)
    if (pieceOf(wire.in) != pieceOf(wire.out))
      nodes[wire.out].isShared = true;
  borders.resize(parameter_pieces);
  for (int64_t node = 0; node != parameter_num_nodes; ++node)
    if (nodes[node].isShared)
      borders[pieceOf(node)].push_back(node);
  for (Wire &wire : wires) {
    wire.inPlace = nodes[wire.in].isShared ? Border : Private;
    wire.outPlace = nodes[wire.out].isShared ? Border : Private;
    if (pieceOf(wire.in) != pieceOf(wire.out))
      borders[pieceOf(wire.in)].push_back(wire.out);
  }
}

Circuit::Circuit() {
  if (parameter_num_nodes < parameter_pieces) {
    std::fprintf(stderr, "circuit: %lld nodes are too few for %lld pieces\n",
                 (long long)parameter_num_nodes, (long long)parameter_pieces);
    std::exit(1);
  }
  for (int64_t node = 0; node != parameter_num_nodes; ++node)
    addNode();
  for (int64_t wire = 0; wire != parameter_num_wires; ++wire)
    addWire(wire * parameter_pieces / parameter_num_wires);
  findShared();
}

static const Circuit &circuit() {
  static const Circuit theCircuit;
  return theCircuit;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

static void addNodes(int64_t begin, int64_t end, bool isShared,
                     SluiceColoring *elements) {
  for (int64_t node = begin; node != end; ++node)
    if (circuit().nodes[node].isShared == isShared)
      elements->add(elements, node, node + 1);
}

void sharing_nodes(const int64_t *color, SluiceColoring *elements) {
  addNodes(0, parameter_num_nodes, color[0] == 1, elements);
}

void private_nodes(const int64_t *color, SluiceColoring *elements) {
  addNodes(firstNode(color[0]), firstNode(color[0] + 1), false, elements);
}

void shared_nodes(const int64_t *color, SluiceColoring *elements) {
  addNodes(firstNode(color[0]), firstNode(color[0] + 1), true, elements);
}

void border_nodes(const int64_t *color, SluiceColoring *elements) {
  for (int64_t node : circuit().borders[color[0]])
    elements->add(elements, node, node + 1);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// Calls `visit` for every element of a domain of rank 1.
template <typename Visitor>
static void forEach(const SluiceDomain *domain, Visitor visit) {
  if (!domain->runs) {
    for (int64_t i = domain->lower[0]; i < domain->upper[0]; ++i)
      visit(i);
    return;
  }
  for (int64_t run = 0; run != domain->numRuns; ++run)
    for (int64_t i = domain->runs[run].begin; i != domain->runs[run].end; ++i)
      visit(i);
}

void build_nodes(const SluiceTask *, double *voltage, double *charge,
                 double *capacitance, double *leakage,
                 const SluiceDomain *nodes) {
  forEach(nodes, [&](int64_t i) {
    const Node &node = circuit().nodes[i];
    voltage[i] = node.voltage;
    charge[i] = 0.0;
    capacitance[i] = node.capacitance;
    leakage[i] = node.leakage;
  });
}

void build_wires(const SluiceTask *, int64_t *in, int64_t *out,
                 int32_t *in_place, int32_t *out_place, double *resistance,
                 double *inductance, double *capacitance, double (*current)[4],
                 double (*inner)[3], const SluiceDomain *wires) {
  forEach(wires, [&](int64_t i) {
    const Wire &wire = circuit().wires[i];
    in[i] = wire.in;
    out[i] = wire.out;
    in_place[i] = wire.inPlace;
    out_place[i] = wire.outPlace;
    resistance[i] = wire.resistance;
    inductance[i] = wire.inductance;
    capacitance[i] = wire.capacitance;
    std::memset(current[i], 0, sizeof(current[i]));
    std::memset(inner[i], 0, sizeof(inner[i]));
  });
}

void calc_new_currents(const SluiceTask *, const int64_t *in,
                       const int64_t *out, const int32_t *in_place,
                       const int32_t *out_place, const SluiceDomain *wires,
                       const double *resistance, const double *inductance,
                       const double *capacitance, const SluiceDomain *,
                       double (*current)[4], double (*inner)[3],
                       const SluiceDomain *, const double *private_voltage,
                       const SluiceDomain *, const double *border_voltage,
                       const SluiceDomain *) {
  const double *voltage[] = {private_voltage, border_voltage};
  forEach(wires, [&](int64_t i) {
    flow(resistance[i], inductance[i], capacitance[i],
         voltage[in_place[i]][in[i]], voltage[out_place[i]][out[i]], current[i],
         inner[i]);
  });
}

void distribute_charge(const SluiceTask *, const int64_t *in,
                       const int64_t *out, const int32_t *in_place,
                       const int32_t *out_place, const SluiceDomain *wires,
                       const double (*current)[4], const double (*)[3],
                       const SluiceDomain *, double *private_charge,
                       const SluiceDomain *, double *border_charge,
                       const SluiceDomain *) {
  double *charge[] = {private_charge, border_charge};
  forEach(wires, [&](int64_t i) {
    charge[in_place[i]][in[i]] -= stepTime * current[i][0];
    charge[out_place[i]][out[i]] += stepTime * current[i][3];
  });
}

void update_voltages(const SluiceTask *, double *voltage,
                     const SluiceDomain *nodes, double *charge,
                     const SluiceDomain *, const double *capacitance,
                     const double *leakage, const SluiceDomain *) {
  forEach(nodes, [&](int64_t i) {
    settle(voltage[i], charge[i], capacitance[i], leakage[i]);
  });
}

//===----------------------------------------------------------------------===//
// The same, serially
//===----------------------------------------------------------------------===//

namespace {
struct Result {
  std::vector<double> voltages;
  std::vector<double> currents; ///< 4 for each wire
};
} // namespace

static Result simulateSerially() {
  struct Flow {
    double current[4] = {}, inner[3] = {};
  };
  const Circuit &c = circuit();
  std::vector<Flow> flows(c.wires.size());
  std::vector<double> charges(c.nodes.size());
  Result result;
  for (const Node &node : c.nodes)
    result.voltages.push_back(node.voltage);
  for (int64_t step = 0; step != parameter_steps; ++step) {
    for (size_t i = 0; i != flows.size(); ++i) {
      const Wire &w = c.wires[i];
      flow(w.resistance, w.inductance, w.capacitance, result.voltages[w.in],
           result.voltages[w.out], flows[i].current, flows[i].inner);
    }
    for (size_t i = 0; i != flows.size(); ++i) {
      charges[c.wires[i].in] -= stepTime * flows[i].current[0];
      charges[c.wires[i].out] += stepTime * flows[i].current[3];
    }
    for (size_t i = 0; i != charges.size(); ++i)
      settle(result.voltages[i], charges[i], c.nodes[i].capacitance,
             c.nodes[i].leakage);
  }
  for (const Flow &flow : flows)
    result.currents.insert(result.currents.end(), flow.current,
                           flow.current + 4);
  return result;
}

/// The largest difference, in parts of the largest value.
static double difference(const double *found,
                         const std::vector<double> &expected) {
  double worst = 0.0, largest = 1.0e-300;
  for (size_t i = 0; i != expected.size(); ++i) {
    worst = std::max(worst, std::fabs(found[i] - expected[i]));
    largest = std::max(largest, std::fabs(expected[i]));
    if (std::isnan(found[i]))
      return found[i];
  }
  return worst / largest;
}

void compare(const SluiceTask *, const double *voltage, const SluiceDomain *,
             const double (*current)[4], const double (*)[3],
             const SluiceDomain *) {
  const Result expected = simulateSerially();
  int64_t numShared = 0;
  for (const Node &node : circuit().nodes)
    numShared += node.isShared;
  std::printf("%lld nodes (%lld shared), %lld wires, %lld pieces, %lld steps\n",
              (long long)parameter_num_nodes, (long long)numShared,
              (long long)parameter_num_wires, (long long)parameter_pieces,
              (long long)parameter_steps);
  const double worst = std::max(difference(voltage, expected.voltages),
                                difference(&current[0][0], expected.currents));
  // Charge that comes from several pieces is summed in another order.
  if (!(worst <= 1.0e-9)) {
    std::printf("circuit: differs by %g from the serial program\n", worst);
    std::exit(1);
  }
  std::printf("circuit: ok\n");
}

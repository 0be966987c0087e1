//===- circuit.cpp - The circuit on two ranks by hand ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank has the wires and the nodes of its pieces. What its leaving wires need
// of other ranks' nodes comes in one message a step, and the sums of what they
// give to them go in one; wires that stay are computed meanwhile.
//
//===----------------------------------------------------------------------===//

#include "../../rdir/circuit.h"
#include "ranks.h"

#include <array>
#include <cstdio>
#include <map>

using namespace bench;

namespace {
Circuit circuit;
int64_t steps, firstNode, endNode;
std::vector<int64_t> staying, leaving; ///< own wires
std::vector<double> voltage, charge;
std::vector<std::array<double, 4>> current;
std::vector<std::array<double, 3>> inner;

/// What goes to one rank and comes from it: values of nodes.
struct Side {
  std::vector<int64_t> theirs; ///< that own wires end in
  std::vector<int64_t> ours;   ///< that their wires end in
  std::vector<double> sent, received, given, taken;
};
std::map<int, Side> sides;
std::vector<MPI_Request> voltages, charges;

int rankOfPiece(int64_t piece) {
  int rank = 0;
  while (piece >= firstOf(circuit.numPieces, rank + 1))
    ++rank;
  return rank;
}
int rankOfNode(int64_t node) { return rankOfPiece(circuit.pieceOfNode(node)); }

void sortOut(std::vector<int64_t> &nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void addRequests(std::vector<MPI_Request> &requests, int peer, int tag,
                 std::vector<double> &sent, std::vector<double> &received) {
  MPI_Request request;
  MPI_Recv_init(received.data(), static_cast<int>(received.size()), MPI_DOUBLE,
                peer, tag, MPI_COMM_WORLD, &request);
  requests.push_back(request);
  MPI_Send_init(sent.data(), static_cast<int>(sent.size()), MPI_DOUBLE, peer,
                tag, MPI_COMM_WORLD, &request);
  requests.push_back(request);
}

void allocate() {
  long long nodes = 0, wires = 0, pieces = 0, count = 0;
  std::sscanf(benchParameters, "%lld:%lld:%lld:%lld", &nodes, &wires, &pieces,
              &count);
  circuit = Circuit(nodes, wires, pieces);
  steps = count;
  firstNode = circuit.firstNode(firstOf(pieces, ownRank));
  endNode = circuit.firstNode(firstOf(pieces, ownRank + 1));
  voltage.resize(nodes);
  charge.resize(nodes);
  current.resize(wires);
  inner.resize(wires);
  for (int64_t w = 0; w < wires; ++w) {
    const int from = rankOfPiece(circuit.pieceOfWire(w));
    const int to = rankOfNode(circuit.out[w]);
    if (from == ownRank)
      (to == from ? staying : leaving).push_back(w);
    if (from == to)
      continue;
    if (from == ownRank)
      sides[to].theirs.push_back(circuit.out[w]);
    else if (to == ownRank)
      sides[from].ours.push_back(circuit.out[w]);
  }
  for (auto &[peer, side] : sides) {
    sortOut(side.theirs);
    sortOut(side.ours);
    side.sent.resize(side.ours.size());
    side.received.resize(side.theirs.size());
    side.given.resize(side.theirs.size());
    side.taken.resize(side.ours.size());
    addRequests(voltages, peer, 0, side.sent, side.received);
    addRequests(charges, peer, 1, side.given, side.taken);
  }
}

void reset() {
  voltage = circuit.start;
  std::fill(charge.begin(), charge.end(), 0.0);
  std::fill(current.begin(), current.end(), std::array<double, 4>{});
  std::fill(inner.begin(), inner.end(), std::array<double, 3>{});
}

void flowsOf(const std::vector<int64_t> &wires) {
  for (int64_t w : wires)
    flow(circuit.resistance[w], circuit.inductance[w], circuit.capacitance[w],
         voltage[circuit.in[w]], voltage[circuit.out[w]],
         reinterpret_cast<double(&)[4]>(*current[w].data()),
         reinterpret_cast<double(&)[3]>(*inner[w].data()));
}

void chargesOf(const std::vector<int64_t> &wires) {
  for (int64_t w : wires) {
    charge[circuit.in[w]] -= stepTime * current[w][0];
    charge[circuit.out[w]] += stepTime * current[w][3];
  }
}

template <typename Move>
void exchange(std::vector<MPI_Request> &requests, Move pack, auto meanwhile,
              Move unpack) {
  const int count = static_cast<int>(requests.size());
  for (auto &[peer, side] : sides)
    pack(side);
  MPI_Startall(count, requests.data());
  meanwhile();
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  for (auto &[peer, side] : sides)
    unpack(side);
}

using Move = void (*)(Side &side);

void step() {
  exchange<Move>(
      voltages,
      [](Side &side) {
        for (size_t i = 0; i < side.ours.size(); ++i)
          side.sent[i] = voltage[side.ours[i]];
      },
      [] { flowsOf(staying); },
      [](Side &side) {
        for (size_t i = 0; i < side.theirs.size(); ++i)
          voltage[side.theirs[i]] = side.received[i];
      });
  flowsOf(leaving);
  chargesOf(leaving);
  exchange<Move>(
      charges,
      [](Side &side) {
        for (size_t i = 0; i < side.theirs.size(); ++i)
          side.given[i] = std::exchange(charge[side.theirs[i]], 0.0);
      },
      [] { chargesOf(staying); },
      [](Side &side) {
        for (size_t i = 0; i < side.ours.size(); ++i)
          charge[side.ours[i]] += side.taken[i];
      });
  for (int64_t n = firstNode; n < endNode; ++n) {
    voltage[n] = settle(voltage[n], charge[n], circuit.nodeCapacitance[n],
                        circuit.leakage[n]);
    charge[n] = 0;
  }
}

void run() {
  for (int64_t i = 0; i < steps; ++i)
    step();
  MPI_Barrier(MPI_COMM_WORLD);
}

const char *check() {
  std::vector<int> counts, places;
  for (int rank = 0; rank < numRanks; ++rank) {
    auto first = [&](int r) {
      return static_cast<int>(circuit.firstNode(firstOf(circuit.numPieces, r)));
    };
    places.push_back(first(rank));
    counts.push_back(first(rank + 1) - first(rank));
  }
  std::vector<double> all(circuit.numNodes);
  MPI_Gatherv(&voltage[firstNode], counts[ownRank], MPI_DOUBLE, all.data(),
              counts.data(), places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return ownRank == 0 ? verify(circuit, all.data(), steps) : nullptr;
}

void release() {
  for (auto *requests : {&voltages, &charges}) {
    for (MPI_Request &request : *requests)
      MPI_Request_free(&request);
    requests->clear();
  }
  sides.clear();
  staying.clear();
  leaving.clear();
  circuit = Circuit();
}
} // namespace

int main(int argc, char **argv) {
  return RankServer({"circuit", allocate, reset, run, check, release})
      .serve(argc, argv);
}

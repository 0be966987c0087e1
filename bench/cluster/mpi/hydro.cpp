//===- hydro.cpp - The gas on two ranks by hand ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank has a block of zones with their sides, and a block of points. What its
// sides push at points of others goes to their owners, and the places and mean
// speeds of those points come back, in one message each way: packed, with
// persistent requests. Zones that touch no such points are computed meanwhile.
//
//===----------------------------------------------------------------------===//

#include "../hydro.h"
#include "ranks.h"

#include <cstdio>
#include <map>
#include <set>
#include <utility>

using namespace bench;

namespace {
Gas gas;
int64_t cycles, firstZone, endZone, firstPoint, endPoint;
/// Zones between these touch points of this rank only.
int64_t insideBegin, insideEnd;
/// Points between these are of no zone of another rank.
int64_t ownBegin, ownEnd;

/// What goes to one rank and comes from it.
struct Side {
  std::vector<int64_t> theirs; ///< points that own zones touch
  std::vector<int64_t> ours;   ///< points that their zones touch
  std::vector<double> given, taken, sent, received;
};
std::map<int, Side> sides;
std::vector<MPI_Request> forces, places;

int ownerOf(int64_t count, int64_t index) {
  int rank = 0;
  while (index >= firstOf(count, rank + 1))
    ++rank;
  return rank;
}

void addRequests(std::vector<MPI_Request> &requests, int peer, int tag,
                 std::vector<double> &sent, std::vector<double> &received) {
  MPI_Request request;
  if (!received.empty()) {
    MPI_Recv_init(received.data(), static_cast<int>(received.size()),
                  MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, &request);
    requests.push_back(request);
  }
  if (!sent.empty()) {
    MPI_Send_init(sent.data(), static_cast<int>(sent.size()), MPI_DOUBLE, peer,
                  tag, MPI_COMM_WORLD, &request);
    requests.push_back(request);
  }
}

void findSides() {
  const Mesh &mesh = gas.mesh;
  std::map<int, std::set<int64_t>> theirs, ours;
  insideBegin = firstZone;
  insideEnd = endZone;
  const int64_t middle = (firstZone + endZone) / 2;
  for (int64_t z = 0; z < mesh.numZones(); ++z)
    for (int k = 0; k < 4; ++k) {
      const int64_t point = mesh.corner(z, k);
      const int zoneOwner = ownerOf(mesh.numZones(), z);
      const int pointOwner = ownerOf(mesh.numPoints(), point);
      if (zoneOwner == pointOwner)
        continue;
      if (pointOwner == ownRank)
        ours[zoneOwner].insert(point);
      if (zoneOwner != ownRank)
        continue;
      theirs[pointOwner].insert(point);
      if (z < middle)
        insideBegin = z + 1;
      else
        insideEnd = std::min(insideEnd, z);
    }
  ownBegin = firstPoint;
  ownEnd = endPoint;
  for (int peer = 0; peer < numRanks; ++peer) {
    if (theirs[peer].empty() && ours[peer].empty())
      continue;
    Side &side = sides[peer];
    side.theirs.assign(theirs[peer].begin(), theirs[peer].end());
    side.ours.assign(ours[peer].begin(), ours[peer].end());
    for (int64_t point : side.ours)
      if (point < (firstPoint + endPoint) / 2)
        ownBegin = std::max(ownBegin, point + 1);
      else
        ownEnd = std::min(ownEnd, point);
    side.given.resize(2 * side.theirs.size());
    side.taken.resize(2 * side.ours.size());
    side.sent.resize(4 * side.ours.size());
    side.received.resize(4 * side.theirs.size());
    addRequests(forces, peer, 0, side.given, side.taken);
    addRequests(places, peer, 1, side.sent, side.received);
  }
}

void allocate() {
  long long width = 0, count = 0;
  std::sscanf(benchParameters, "%lld:%*d:%*d:%*d:%*d:%lld", &width, &count);
  cycles = count;
  gas = Gas(width);
  firstZone = firstOf(gas.mesh.numZones(), ownRank);
  endZone = firstOf(gas.mesh.numZones(), ownRank + 1);
  firstPoint = firstOf(gas.mesh.numPoints(), ownRank);
  endPoint = firstOf(gas.mesh.numPoints(), ownRank + 1);
  findSides();
}

void reset() { gas.reset(); }

void startForces() {
  for (auto &[peer, side] : sides)
    for (size_t i = 0; i < side.theirs.size(); ++i) {
      side.given[2 * i] = std::exchange(gas.fx[side.theirs[i]], 0.0);
      side.given[2 * i + 1] = std::exchange(gas.fy[side.theirs[i]], 0.0);
    }
  MPI_Startall(static_cast<int>(forces.size()), forces.data());
}

void endForces() {
  MPI_Waitall(static_cast<int>(forces.size()), forces.data(),
              MPI_STATUSES_IGNORE);
  for (auto &[peer, side] : sides)
    for (size_t i = 0; i < side.ours.size(); ++i) {
      gas.fx[side.ours[i]] += side.taken[2 * i];
      gas.fy[side.ours[i]] += side.taken[2 * i + 1];
    }
}

void startPlaces() {
  for (auto &[peer, side] : sides)
    for (size_t i = 0; i < side.ours.size(); ++i) {
      const int64_t p = side.ours[i];
      const double values[] = {gas.x[p], gas.y[p], gas.mu[p], gas.mv[p]};
      std::copy_n(values, 4, &side.sent[4 * i]);
    }
  MPI_Startall(static_cast<int>(places.size()), places.data());
}

void endPlaces() {
  MPI_Waitall(static_cast<int>(places.size()), places.data(),
              MPI_STATUSES_IGNORE);
  for (auto &[peer, side] : sides)
    for (size_t i = 0; i < side.theirs.size(); ++i) {
      const int64_t p = side.theirs[i];
      const double *values = &side.received[4 * i];
      gas.x[p] = values[0];
      gas.y[p] = values[1];
      gas.mu[p] = values[2];
      gas.mv[p] = values[3];
    }
}

void cycle() {
  gas.press(firstZone, endZone);
  std::fill(gas.fx.begin() + firstPoint, gas.fx.begin() + endPoint, 0.0);
  std::fill(gas.fy.begin() + firstPoint, gas.fy.begin() + endPoint, 0.0);
  gas.push(firstZone, insideBegin);
  gas.push(insideEnd, endZone);
  startForces();
  gas.push(insideBegin, insideEnd);
  endForces();
  gas.move(firstPoint, ownBegin);
  gas.move(ownEnd, endPoint);
  startPlaces();
  gas.move(ownBegin, ownEnd);
  gas.work(insideBegin, insideEnd);
  endPlaces();
  gas.work(firstZone, insideBegin);
  gas.work(insideEnd, endZone);
  double step = gas.limit(firstZone, endZone);
  MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  gas.step = step;
}

void run() {
  for (int64_t i = 0; i < cycles; ++i)
    cycle();
}

const char *check() {
  const int64_t numZones = gas.mesh.numZones();
  std::vector<int> counts, starts;
  for (int rank = 0; rank < numRanks; ++rank) {
    starts.push_back(static_cast<int>(firstOf(numZones, rank)));
    counts.push_back(static_cast<int>(firstOf(numZones, rank + 1)) -
                     starts.back());
  }
  std::vector<double> all(numZones);
  MPI_Gatherv(&gas.energy[firstZone], counts[ownRank], MPI_DOUBLE, all.data(),
              counts.data(), starts.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (ownRank != 0)
    return nullptr;
  const std::vector<double> expected = energiesAfter(gas.mesh.width, cycles);
  for (int64_t z = 0; z < numZones; ++z)
    if (!(std::fabs(all[z] - expected[z]) <= allowedError))
      return benchWrong("energy", z, expected[z], all[z]);
  return nullptr;
}

void release() {
  for (auto *requests : {&forces, &places}) {
    for (MPI_Request &request : *requests)
      MPI_Request_free(&request);
    requests->clear();
  }
  sides.clear();
  gas = Gas();
}
} // namespace

int main(int argc, char **argv) {
  return RankServer({"hydro", allocate, reset, run, check, release})
      .serve(argc, argv);
}

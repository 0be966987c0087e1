//===- RandomBodies.cpp - Random launches, loops and epochs ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body grows along a serial order. For each root it keeps the latest
// versions: either one version of the whole root, or all parts of one
// partition. Opens and closes lead from one form to the other. The edges of a
// loop follow from the accesses of its body. Old versions, random colors, and
// final changes make modules wrong.
//
//===----------------------------------------------------------------------===//

#include "OracleBodies.h"
#include "RandomGraphs.h"

#include <algorithm>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {

/// Fields of a root that share their versions, and their latest versions.
struct Track {
  std::string root;
  unsigned fields;
  /// Node numbers: the whole root, or its parts with the version that they were
  /// opened from.
  std::vector<int> latest, old;
  int base = -1;
  /// The accesses of a body: read, written, reduced.
  bool isRead = false, isWritten = false;
  int reduction = -1;
};

class BodyGrowth {
public:
  BodyGrowth(Random &random, const SmallForest &forest, const SmallKinds &kinds,
             unsigned depth)
      : random(random), forest(forest), kinds(kinds), depth(depth) {}

  void start(std::vector<Track> named);
  void grow(unsigned numTasks);
  void spoil();
  SmallBody body;
  std::vector<Track> tracks;

private:
  int addData(int region, unsigned fields);
  void startTrack(Track &track);
  void move(Track &track);
  void open(Track &track, std::vector<std::string> parts, bool hasBase);
  void addTask();
  void addNested();
  SmallMap anyMap(const SmallNode &task, int region);
  void addArgument(SmallNode &task, Track &track,
                   std::vector<std::pair<Track *, int>> &made);
  void addOwner(SmallNode &node, Track &track, const Track &inner);
  void replace(Track &track, int from, int to);

  Random &random;
  const SmallForest &forest;
  const SmallKinds &kinds;
  unsigned depth;
};

} // namespace

int BodyGrowth::addData(int region, unsigned fields) {
  SmallNode node;
  node.region = region;
  node.fields = fields;
  body.nodes.push_back(node);
  return body.nodes.size() - 1;
}

void BodyGrowth::startTrack(Track &track) {
  track.latest.clear();
  track.old.clear();
  track.base = -1;
  track.isRead = track.isWritten = false;
  track.reduction = -1;
  std::vector<std::string> starts = {"@" + track.root};
  if (track.root == "a") {
    unsigned what = random.pick(4);
    starts = what == 0 ? std::vector<std::string>{"@a"}
             : what == 1
                 ? std::vector<std::string>{"@p[0]", "@p[1]", "@p[2]", "@p[3]"}
             : what == 2 ? std::vector<std::string>{"@h"}
                         : std::vector<std::string>{"@p"};
  } else if (track.root == "b" && random.chance(60)) {
    starts = {"@s"};
  }
  for (const std::string &text : starts)
    track.latest.push_back(addData(forest.find(text), track.fields));
}

void BodyGrowth::start(std::vector<Track> named) {
  tracks = std::move(named);
  for (Track &track : tracks)
    startTrack(track);
}

void BodyGrowth::open(Track &track, std::vector<std::string> parts,
                      bool hasBase) {
  SmallNode node;
  node.kind = NodeKind::Open;
  int from = track.latest[0];
  node.edges.push_back({EdgeKind::Read, from});
  track.old.push_back(from);
  track.latest.clear();
  for (const std::string &part : parts) {
    int made = addData(forest.find(part), track.fields);
    node.edges.push_back({EdgeKind::Write, made});
    track.latest.push_back(made);
  }
  track.base = hasBase ? from : -1;
  body.nodes.push_back(node);
}

/// Moves from the whole to parts, or back.
void BodyGrowth::move(Track &track) {
  if (track.root == "v")
    return;
  const std::string &text =
      forest.regions[body.nodes[track.latest[0]].region].text;
  if (track.latest.size() == 1 && text == "@" + track.root) {
    if (track.root == "b")
      return open(track, {"@s"}, false);
    switch (random.pick(5)) {
    case 0:
      return open(track, {"@i"}, true);
    case 1:
      return open(track, {"@h"}, false);
    case 2:
      return open(track, {"@p[0]", "@p[1]", "@p[2]", "@p[3]"}, false);
    case 3:
      return open(track, {"@p[3]", "@g"}, true);
    default:
      return open(track, {"@p"}, false);
    }
  }
  SmallNode node;
  node.kind = NodeKind::Close;
  for (int part : track.latest)
    node.edges.push_back({EdgeKind::Read, part});
  if (track.base >= 0)
    node.edges.push_back({EdgeKind::Read, track.base});
  track.old.insert(track.old.end(), track.latest.begin(), track.latest.end());
  int made = addData(forest.find("@" + track.root), track.fields);
  node.edges.push_back({EdgeKind::Write, made});
  body.nodes.push_back(node);
  track.latest = {made};
  track.base = -1;
}

void BodyGrowth::replace(Track &track, int from, int to) {
  track.old.push_back(from);
  std::replace(track.latest.begin(), track.latest.end(), from, to);
}

SmallMap BodyGrowth::anyMap(const SmallNode &task, int region) {
  SmallMap map;
  const SmallRegion &at = forest.regions[region];
  if (task.over.empty() || at.colors.empty())
    return map;
  size_t rank = at.colorExtents.size(), numDims = task.over.size();
  if (random.chance(8)) {
    map.isWhole = true;
    return map;
  }
  bool fits = rank == numDims;
  for (size_t d = 0; fits && d < rank; ++d)
    fits = task.over[d] <= at.colorExtents[d];
  if (fits && random.chance(65))
    return map;
  for (size_t row = 0; row < rank; ++row) {
    auto &factors = map.factors.emplace_back();
    int64_t low = 0, high = 0;
    for (size_t d = 0; d < numDims; ++d) {
      static constexpr int64_t choices[] = {0, 1, 1, 1, -1, 2};
      factors.push_back(choices[random.pick(6)]);
      (factors[d] < 0 ? low : high) += factors[d] * (task.over[d] - 1);
    }
    int64_t room = at.colorExtents[row] - 1 - high + low;
    map.offsets.push_back(-low + (room > 0 ? random.pick(room + 1) : 0));
    if (random.chance(2))
      ++map.offsets.back();
  }
  return map;
}

void BodyGrowth::addArgument(SmallNode &task, Track &track,
                             std::vector<std::pair<Track *, int>> &made) {
  bool isOld = !track.old.empty() && random.chance(10);
  int version = isOld ? random.one(track.old) : random.one(track.latest);
  const SmallNode data = body.nodes[version];
  SmallMap map = anyMap(task, data.region);
  unsigned what = random.pick(100);
  bool isTaken = false;
  for (auto &[other, from] : made)
    isTaken |= other == &track;
  if (what < 35 || isTaken || data.region == forest.find("@h")) {
    task.edges.push_back({EdgeKind::Read, version, map});
    track.isRead = true;
    return;
  }
  int next = addData(data.region, data.fields);
  if (what < 55) {
    ReductionIndex op = random.chance(85) ? 0 : 1;
    task.edges.push_back({EdgeKind::Continues, version, map, op});
    task.edges.push_back({EdgeKind::Reduce, next, map, op});
    track.reduction =
        track.reduction < 0 || track.reduction == int(op) ? int(op) : 2;
  } else {
    bool isDiscard = what < 80;
    if (isDiscard && random.chance(15))
      task.edges.push_back(
          {EdgeKind::Read, version, anyMap(task, data.region)});
    auto change = [&](const SmallMap &at) {
      task.edges.push_back(
          {isDiscard ? EdgeKind::Discard : EdgeKind::Read, version, at});
      task.edges.push_back({EdgeKind::Write, next, at});
    };
    change(map);
    // Other colors of the same version.
    if (!task.over.empty() && random.chance(15))
      change(anyMap(task, data.region));
    track.isWritten = true;
    track.isRead |= !isDiscard;
  }
  made.push_back({&track, version});
  if (!isOld)
    replace(track, version, next);
}

void BodyGrowth::addTask() {
  SmallNode task;
  task.kind = NodeKind::Task;
  if (kinds.launches && random.chance(65)) {
    task.over = {1 + int64_t(random.pick(4))};
    if (random.chance(25))
      task.over = {2, 1 + int64_t(random.pick(2))};
  }
  std::vector<std::pair<Track *, int>> made;
  for (unsigned i = 0, e = 1 + random.pick(3); i < e; ++i)
    addArgument(task, random.one(tracks), made);
  body.nodes.push_back(task);
}

/// Adds the owner's edges, which usually match the accesses of the body.
void BodyGrowth::addOwner(SmallNode &node, Track &track, const Track &inner) {
  // A single version must stand for the whole.
  while (track.latest.size() != 1 || track.base >= 0)
    move(track);
  int version = track.latest[0];
  const SmallNode data = body.nodes[version];
  bool isReduced = inner.reduction >= 0;
  if (!inner.isWritten && !isReduced) {
    if (inner.isRead || random.chance(30))
      node.edges.push_back({EdgeKind::Read, version});
    track.isRead |= inner.isRead;
    return;
  }
  int next = addData(data.region, data.fields);
  if (!inner.isWritten && inner.reduction < 2 && random.chance(70)) {
    auto op = ReductionIndex(inner.reduction);
    if (inner.isRead && random.chance(60))
      node.edges.push_back({EdgeKind::Read, version});
    node.edges.push_back({EdgeKind::Continues, version, {}, op});
    node.edges.push_back({EdgeKind::Reduce, next, {}, op});
    track.reduction =
        track.reduction < 0 || track.reduction == int(op) ? int(op) : 2;
  } else {
    bool isDiscard = random.chance(inner.isRead || isReduced ? 25 : 60);
    node.edges.push_back(
        {isDiscard ? EdgeKind::Discard : EdgeKind::Read, version});
    node.edges.push_back({EdgeKind::Write, next});
    track.isWritten = true;
    track.isRead |= !isDiscard;
  }
  replace(track, version, next);
}

void BodyGrowth::addNested() {
  SmallNode node;
  bool isEpoch = kinds.epochs && (!kinds.loops || random.chance(40));
  node.kind = isEpoch ? NodeKind::MustEpoch : NodeKind::Loop;
  static constexpr int64_t counts[] = {1, 2, 2, -1, -1};
  node.count = random.chance(5) ? 0 : counts[random.pick(5)];
  node.iterations = node.count < 0 ? random.pick(3) : node.count;
  BodyGrowth inner(random, forest, kinds, depth + 1);
  std::vector<Track> named;
  for (const Track &track : tracks)
    if (random.chance(75))
      named.push_back(track);
  if (named.empty())
    named.push_back(tracks[0]);
  inner.start(named);
  inner.grow(1 + random.pick(3));
  for (const Track &done : inner.tracks)
    for (Track &track : tracks)
      if (track.root == done.root && track.fields == done.fields)
        addOwner(node, track, done);
  node.body = std::make_shared<SmallBody>(std::move(inner.body));
  body.nodes.push_back(node);
}

void BodyGrowth::grow(unsigned numTasks) {
  for (unsigned i = 0; i < numTasks; ++i) {
    while (random.chance(30))
      move(random.one(tracks));
    bool nests = (kinds.loops || kinds.epochs) && depth < 2;
    if (nests && random.chance(depth == 0 ? 40 : 20))
      addNested();
    else
      addTask();
  }
}

/// One change that may make the module wrong.
void BodyGrowth::spoil() {
  SmallBody *at = &body;
  for (;;) {
    SmallNode &node = random.one(at->nodes);
    if (node.body && random.chance(60)) {
      at = node.body.get();
      continue;
    }
    if (node.edges.empty()) {
      if (random.chance(10))
        return;
      continue;
    }
    size_t index = random.pick(node.edges.size());
    SmallEdge &edge = node.edges[index];
    switch (random.pick(5)) {
    case 0:
      node.edges.erase(node.edges.begin() + index);
      return;
    case 1:
      if (edge.kind == EdgeKind::Read || edge.kind == EdgeKind::Discard)
        edge.kind =
            edge.kind == EdgeKind::Read ? EdgeKind::Discard : EdgeKind::Read;
      return;
    case 2:
      if (node.kind == NodeKind::Task)
        edge.map = anyMap(node, at->nodes[edge.data].region);
      return;
    case 3:
      if (!node.over.empty())
        node.over[0] = 1 + random.pick(4);
      return;
    default:
      edge.map = {};
      edge.map.isWhole = node.kind == NodeKind::Task && random.chance(30);
      return;
    }
  }
}

static bool isIdentity(const SmallMap &map) {
  for (size_t row = 0; row < map.factors.size(); ++row)
    for (size_t d = 0; d < map.factors[row].size(); ++d)
      if (map.offsets[row] || map.factors[row][d] != (row == d) ||
          map.factors[row].size() != map.factors.size())
        return false;
  return true;
}

/// Removes maps that the text cannot express, and makes equal maps look equal.
static void cleanMaps(const SmallForest &forest, SmallBody &body) {
  for (SmallNode &node : body.nodes) {
    for (SmallEdge &edge : node.edges) {
      const SmallRegion &region = forest.regions[body.nodes[edge.data].region];
      if (node.over.empty() || region.colors.empty())
        edge.map = {};
      else if (isIdentity(edge.map) && !edge.map.isWhole)
        edge.map = {};
      if (!node.over.empty() && !region.colors.empty() &&
          edge.map.factors.empty() &&
          node.over.size() != region.colorExtents.size())
        edge.map.isWhole = true;
    }
    if (node.body)
      cleanMaps(forest, *node.body);
  }
}

SmallBody oracle::randomSmallGraph(Random &random, const SmallForest &forest,
                                   const SmallKinds &kinds) {
  BodyGrowth growth(random, forest, kinds, 0);
  std::vector<Track> tracks;
  if (random.chance(30)) {
    tracks.push_back({"a", 1, {}, {}});
    tracks.push_back({"a", 2, {}, {}});
  } else {
    tracks.push_back({"a", 3, {}, {}});
  }
  if (random.chance(50))
    tracks.push_back({"b", 3, {}, {}});
  if (random.chance(40))
    tracks.push_back({"v", 1, {}, {}});
  growth.start(std::move(tracks));
  growth.grow(1 + random.pick(4));
  if (random.chance(25))
    growth.spoil();
  cleanMaps(forest, growth.body);
  return std::move(growth.body);
}

//===- CheckLaunches.cpp - Rules L1 and L2 --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points of a launch run at the same time, so no two may touch what may
// alias unless both read it, or both reduce with one operator. Within one
// disjoint partition the colors decide, exactly (LaunchPoints.h); what aliases
// otherwise interferes at any two points, unless constraints tell colors apart.
//
//===----------------------------------------------------------------------===//

#include "CheckReport.h"
#include "LaunchPoints.h"

#include <array>
#include <map>
#include <set>

using namespace sluice::rdir;

namespace {
enum class Verdict : uint8_t { Apart, Meet, AtRunTime };

/// Whether two points meet in two arguments, and which.
struct Meeting {
  Verdict verdict = Verdict::Apart;
  std::optional<PointPair> points;
  /// The points exist if extents are large enough that are not known.
  bool dependsOnExtents = false;
};

class LaunchCheckBuilder {
public:
  LaunchCheckBuilder(const Graph &graph, CheckReport *report)
      : graph(graph), forest(graph.regions()), report(report) {}

  void check(NodeIndex task);
  std::vector<LaunchCheck> atRunTime;

private:
  bool interfere(const Edge &a, const Edge &b) const;
  Meeting meet(const Edge &a, const Edge &b);
  Meeting meetInColors(const Edge &a, const Edge &b);
  Meeting meetAnywhere(const Edge &a, const Edge &b) const;
  bool mayPointsAlias(const Edge &a, const Point &i, const Edge &b,
                      const Point &j) const;
  RegionIndex regionAt(const Edge &edge, const Point &point) const;
  const Projection *projection(const Edge &edge) const;
  const LaunchDomain &domain() const {
    return graph.domain(graph.node(task).domain);
  }
  RegionIndex region(const Edge &edge) const {
    return graph.node(version(edge)).region;
  }
  NodeIndex version(const Edge &edge) const {
    return edge.from == task ? edge.to : edge.from;
  }
  bool checkForm(uint32_t index);
  void checkRange(uint32_t index);
  void checkPair(uint32_t first, uint32_t second);
  std::string place(const Edge &edge, const Point &point) const;
  void reportMeeting(const Edge &a, const Edge &b, const Meeting &meeting);
  void remark(const Edge &a, const Edge &b, const Meeting &meeting);

  const Graph &graph;
  const RegionForest &forest;
  CheckReport *report;
  NodeIndex task = noNode;
  /// By domain, projections: launches repeat them.
  std::map<std::array<uint32_t, 3>, Meeting> known;
  /// Regions and projections of the task that were compared: a read and a write
  /// through one argument meet where two writes do.
  std::set<std::array<uint32_t, 4>> compared;
};
} // namespace

const Projection *LaunchCheckBuilder::projection(const Edge &edge) const {
  return edge.projection == UINT32_MAX ? nullptr
                                       : &graph.projection(edge.projection);
}

bool LaunchCheckBuilder::interfere(const Edge &a, const Edge &b) const {
  auto isRead = [](const Edge &edge) { return edge.kind == EdgeKind::Read; };
  if (isRead(a) && isRead(b))
    return false;
  if (a.kind == EdgeKind::Reduce && b.kind == EdgeKind::Reduce &&
      a.reduction == b.reduction)
    return false;
  return graph.mayAlias(version(a), version(b));
}

/// Both arguments are colors of one disjoint partition.
Meeting LaunchCheckBuilder::meetInColors(const Edge &a, const Edge &b) {
  const Projection &first = *projection(a), &second = *projection(b);
  if (first.isOpaque || second.isOpaque)
    return {.verdict = Verdict::AtRunTime, .points = {}};
  auto [it, isNew] =
      known.try_emplace({graph.node(task).domain, a.projection, b.projection});
  if (!isNew)
    return it->second;
  Meeting &meeting = it->second;
  meeting.points = findMeeting(domain(), first, second, /*unknownExtent=*/2);
  if (meeting.points) {
    meeting.verdict = Verdict::Meet;
    for (int64_t extent : domain().extents)
      meeting.dependsOnExtents |= extent == 0;
    return meeting;
  }
  meeting.points = findMeeting(domain(), first, second, /*unknownExtent=*/0);
  if (meeting.points)
    meeting.verdict = Verdict::AtRunTime;
  return meeting;
}

/// The region that a point touches, or its partition if nobody named it.
RegionIndex LaunchCheckBuilder::regionAt(const Edge &edge,
                                         const Point &point) const {
  RegionIndex whole = region(edge);
  const Projection *map = projection(edge);
  if (!map || map->isOpaque)
    return whole;
  std::optional<int64_t> color = linearColor(*map, colorOf(*map, point));
  if (!color)
    return whole;
  RegionIndex found = forest.findSubregion(whole, *color);
  return found == noRegion ? whole : found;
}

bool LaunchCheckBuilder::mayPointsAlias(const Edge &a, const Point &i,
                                        const Edge &b, const Point &j) const {
  const Projection *first = projection(a), *second = projection(b);
  if (first && second && region(a) == region(b) &&
      forest.isDisjoint(region(a)) && !first->isOpaque && !second->isOpaque)
    return colorOf(*first, i) == colorOf(*second, j);
  return forest.mayAlias(regionAt(a, i), regionAt(b, j));
}

/// The arguments alias as wholes; single points may not.
Meeting LaunchCheckBuilder::meetAnywhere(const Edge &a, const Edge &b) const {
  constexpr uint64_t maxPoints = 1024;
  Meeting meeting;
  uint64_t count = countPoints(domain(), maxPoints + 1);
  if (count < 2)
    return meeting;
  for (int64_t extent : domain().extents)
    meeting.dependsOnExtents |= extent == 0;
  meeting.verdict = Verdict::Meet;
  if (count > maxPoints)
    count = 2;
  std::vector<Point> points(1, Point(domain().extents.size()));
  for (Point next = points[0];
       points.size() < count && nextPoint(domain(), next);)
    points.push_back(next);
  for (const Point &i : points)
    for (const Point &j : points)
      if (i != j && mayPointsAlias(a, i, b, j)) {
        meeting.points = {i, j};
        return meeting;
      }
  bool isComplete = !meeting.dependsOnExtents &&
                    countPoints(domain(), maxPoints + 1) == points.size();
  if (isComplete)
    meeting.verdict = Verdict::Apart;
  return meeting;
}

Meeting LaunchCheckBuilder::meet(const Edge &a, const Edge &b) {
  if (countPoints(domain(), 2) < 2)
    return {};
  if (projection(a) && projection(b) && region(a) == region(b) &&
      forest.isDisjoint(region(a)))
    return meetInColors(a, b);
  return meetAnywhere(a, b);
}

/// "blocks[1, 2]", the region that a point touches.
std::string LaunchCheckBuilder::place(const Edge &edge,
                                      const Point &point) const {
  std::string name = forest.name(region(edge));
  const Projection *map = projection(edge);
  if (!map || map->isOpaque)
    return "'" + name + "'";
  std::string color = text(colorOf(*map, point));
  return "'" + name + "[" + color.substr(1, color.size() - 2) + "]'";
}

void LaunchCheckBuilder::reportMeeting(const Edge &a, const Edge &b,
                                       const Meeting &meeting) {
  Problem *problem = report->add(Rule::L1, task);
  if (!problem)
    return;
  auto does = [&](const Edge &edge, const Point *point) {
    return std::string(verb(edge.kind)) + " " +
           (point ? place(edge, *point) : report->region(version(edge)));
  };
  if (meeting.points)
    problem->message = "points " + text(meeting.points->first) + " and " +
                       text(meeting.points->second) + " of " +
                       report->name(task) + " interfere: the one " +
                       does(a, &meeting.points->first) + ", the other " +
                       does(b, &meeting.points->second);
  else
    problem->message = "points of " + report->name(task) + " interfere: one " +
                       does(a, nullptr) + ", another " + does(b, nullptr);
  if (meeting.dependsOnExtents)
    problem->message += ", as soon as the launch has more than one point in "
                        "each dimension";
  problem->message += region(a) == region(b)
                          ? "; give each point a color of its own"
                          : ", which may share elements";
  problem->notes.push_back({version(a), "one version is here"});
  if (version(a) != version(b))
    problem->notes.push_back({version(b), "the other version is here"});
}

void LaunchCheckBuilder::remark(const Edge &a, const Edge &b,
                                const Meeting &meeting) {
  Problem *problem = report->add(Rule::L1, task, Severity::Remark);
  if (!problem)
    return;
  problem->message = "whether points of " + report->name(task) +
                     " meet in colors of " + report->region(version(a)) +
                     " is checked when the program runs: ";
  problem->message += meeting.points
                          ? "points " + text(meeting.points->first) + " and " +
                                text(meeting.points->second) +
                                " do, if the launch is that large"
                          : "a function chooses the colors";
  problem->notes.push_back({version(a), "the version is here"});
  if (version(a) != version(b))
    problem->notes.push_back({version(b), "the other version is here"});
}

void LaunchCheckBuilder::checkPair(uint32_t first, uint32_t second) {
  const Edge &a = graph.edge(first), &b = graph.edge(second);
  if (!interfere(a, b))
    return;
  std::array<uint32_t, 4> pair = {region(a), a.projection, region(b),
                                  b.projection};
  if (pair[0] > pair[2] || (pair[0] == pair[2] && pair[1] > pair[3]))
    pair = {pair[2], pair[3], pair[0], pair[1]};
  if (!compared.insert(pair).second)
    return;
  Meeting meeting = meet(a, b);
  if (meeting.verdict == Verdict::AtRunTime)
    atRunTime.push_back({first, second, /*isRange=*/false});
  if (!report || meeting.verdict == Verdict::Apart)
    return;
  if (meeting.verdict == Verdict::AtRunTime)
    remark(a, b, meeting);
  else
    reportMeeting(a, b, meeting);
}

/// L2 for what no launch can mean.
bool LaunchCheckBuilder::checkForm(uint32_t index) {
  const Edge &edge = graph.edge(index);
  std::string message;
  if (!projection(edge))
    return true;
  if (graph.node(task).domain == UINT32_MAX)
    message = " projects " + report->region(version(edge)) +
              ", but is not launched over points";
  else if (forest.kind(region(edge)) != RegionKind::Partition)
    message = " projects " + report->region(version(edge)) +
              ", which is not a partition";
  else if (!isConsistent(*projection(edge), domain().extents.size()))
    message = " has " + std::to_string(domain().extents.size()) +
              " dimensions, which the projection of " +
              report->region(version(edge)) + " does not take";
  else
    return true;
  if (Problem *problem = report->add(Rule::L2, task)) {
    problem->message = report->name(task) + message;
    problem->notes.push_back({version(edge), "the version is here"});
  }
  return false;
}

void LaunchCheckBuilder::checkRange(uint32_t index) {
  const Edge &edge = graph.edge(index);
  const Projection *map = projection(edge);
  if (!map)
    return;
  ColorRange range;
  range.isOpen = map->isOpaque;
  if (!map->isOpaque)
    range = findOutside(domain(), *map);
  if (range.isOpen)
    atRunTime.push_back({index, index, /*isRange=*/true});
  if (!report || !range.outside)
    return;
  Problem *problem = report->add(Rule::L2, task);
  if (!problem)
    return;
  problem->message = "point " + text(*range.outside) + " of " +
                     report->name(task) + " " + verb(edge.kind) + " " +
                     place(edge, *range.outside) + ", but the colors of " +
                     report->region(version(edge)) + " are below " +
                     text(map->colors) + " and not negative";
  problem->notes.push_back({version(edge), "the version is here"});
}

void LaunchCheckBuilder::check(NodeIndex checked) {
  task = checked;
  compared.clear();
  std::vector<uint32_t> arguments;
  bool isSound = true;
  for (std::span<const uint32_t> list : {graph.in(task), graph.out(task)})
    for (uint32_t index : list) {
      const Edge &edge = graph.edge(index);
      if (edge.kind == EdgeKind::HappensBefore ||
          isCompute(graph.node(version(edge)).kind))
        continue;
      if (report && !checkForm(index))
        isSound = false;
      if (edge.kind == EdgeKind::Read || edge.kind == EdgeKind::Write ||
          edge.kind == EdgeKind::Reduce)
        arguments.push_back(index);
    }
  if (!isSound || graph.node(task).domain == UINT32_MAX)
    return;
  for (size_t i = 0; i < arguments.size(); ++i) {
    checkRange(arguments[i]);
    for (size_t j = 0; j <= i; ++j)
      checkPair(arguments[j], arguments[i]);
  }
}

std::vector<LaunchCheck> sluice::rdir::launchChecks(const Graph &graph,
                                                    NodeIndex task) {
  LaunchCheckBuilder builder(graph, nullptr);
  if (graph.node(task).domain != UINT32_MAX)
    builder.check(task);
  return std::move(builder.atRunTime);
}

void sluice::rdir::checkLaunches(const Graph &graph,
                                 const CheckOptions &options,
                                 CheckResult &result) {
  CheckReport report(graph, options, result);
  LaunchCheckBuilder builder(graph, &report);
  for (NodeIndex node = 0; node < graph.numNodes(); ++node)
    if (isTaskLike(graph.node(node).kind))
      builder.check(node);
}

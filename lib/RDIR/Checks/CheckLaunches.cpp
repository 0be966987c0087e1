//===- CheckLaunches.cpp - Rules L1 and L2 --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points of a launch run at the same time. So no two points may touch data
// that may alias, unless both read it or both reduce with one operator. Neither
// may two arguments of one point, since its function receives them as two
// pointers. Within one disjoint partition the colors decide, exactly
// (LaunchPoints.h). Otherwise, arguments that alias interfere at any two
// points, unless constraints tell colors apart.
//
//===----------------------------------------------------------------------===//

#include "../Graph/LaunchPoints.h"
#include "CheckReport.h"
#include "sluice/RDIR/EdgeWords.h"

#include <array>
#include <map>
#include <set>

using namespace sluice::rdir;

namespace {
enum class Verdict : uint8_t { Apart, Meet, AtRunTime };

/// Where two arguments meet: at two different points, each using one of them,
/// or at one point that uses both.
enum class Meets : uint8_t { TwoPoints, OnePoint };

/// Whether two points meet in two arguments, and which points.
struct LaunchMeeting {
  Verdict verdict = Verdict::Apart;
  std::optional<PointPair> points;
  /// The points exist only if unknown extents are large enough.
  bool dependsOnExtents = false;
  /// The points exist only for some iterations or parameters.
  bool dependsOnShared = false;
};

/// The colors that an argument's points have in a partition that contains it.
struct ColorUse {
  RegionIndex partition;
  /// A color for all points, or the projection of the argument.
  Projection colors;
  /// The argument is exactly these colors, not one color of them or a part of
  /// it.
  bool isExact;
};

class LaunchCheckBuilder {
public:
  LaunchCheckBuilder(const Graph &graph, CheckReport *report)
      : graph(graph), forest(graph.regions()), report(report) {}

  void check(NodeIndex task);
  std::vector<LaunchCheck> atRunTime;

private:
  bool interfere(const Edge &a, const Edge &b) const;
  bool isOneArgument(const Edge &a, const Edge &b) const;
  std::vector<ColorUse> colorUses(const Edge &edge) const;
  std::optional<LaunchMeeting> meetInColors(const Edge &a, const Edge &b,
                                            Meets which);
  LaunchMeeting meetIn(const ColorUse &a, const ColorUse &b, Meets which) const;
  LaunchMeeting meetAnywhere(const Edge &a, const Edge &b, Meets which) const;
  LaunchMeeting meet(const Edge &a, const Edge &b, Meets which);
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
  LaunchMeeting compare(uint32_t first, uint32_t second, Meets which);
  void tell(uint32_t first, uint32_t second, const LaunchMeeting &meeting);
  std::string place(const Edge &edge, const Point &point) const;
  void reportMeeting(const Edge &a, const Edge &b,
                     const LaunchMeeting &meeting);
  std::string describeMeeting(const Edge &a, const Edge &b,
                              const LaunchMeeting &meeting) const;
  void remark(const Edge &a, const Edge &b, const LaunchMeeting &meeting);

  const Graph &graph;
  const RegionForest &forest;
  CheckReport *report;
  NodeIndex task = noNode;
  /// By domain and projections, since launches repeat them.
  std::map<std::array<uint32_t, 4>, LaunchMeeting> known;
  /// Pairs of regions and projections of the task that were compared. A read
  /// and a write through one argument meet exactly where two writes do.
  std::set<std::array<uint32_t, 5>> compared;
  /// What was said about the task: pairs of its arguments often have one cause.
  std::set<std::string> remarks;
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

/// Reading and changing one region is one argument of the function.
bool LaunchCheckBuilder::isOneArgument(const Edge &a, const Edge &b) const {
  auto isSame = [&](const Projection *x, const Projection *y) {
    return x == y || (x && y && !x->isOpaque && !y->isOpaque &&
                      x->matrix == y->matrix && x->offset == y->offset);
  };
  return isSame(projection(a), projection(b)) && region(a) == region(b) &&
         graph.node(version(a)).fields == graph.node(version(b)).fields &&
         (a.kind == EdgeKind::Read) != (b.kind == EdgeKind::Read);
}

/// The colors of all partitions that contain the argument, innermost first.
std::vector<ColorUse> LaunchCheckBuilder::colorUses(const Edge &edge) const {
  std::vector<ColorUse> uses;
  RegionIndex inner = region(edge);
  if (projection(edge))
    uses.push_back({inner, *projection(edge), /*isExact=*/true});
  size_t numDims = domain().extents.size();
  for (; inner != noRegion; inner = forest.parent(inner)) {
    if (forest.kind(inner) != RegionKind::Subregion)
      continue;
    ColorUse use = {forest.parent(inner), {}, /*isExact=*/false};
    use.colors.offset = forest.colorPoint(inner);
    use.colors.numColorDims = use.colors.offset.size();
    use.colors.matrix.assign(use.colors.numColorDims * numDims, 0);
    uses.push_back(std::move(use));
  }
  return uses;
}

/// Both arguments are in colors of one disjoint partition.
LaunchMeeting LaunchCheckBuilder::meetIn(const ColorUse &a, const ColorUse &b,
                                         Meets which) const {
  if (!isAffine(a.colors) || !isAffine(b.colors))
    return {.verdict = Verdict::AtRunTime, .points = {}};
  auto find = [&](int64_t unknownExtent) {
    return which == Meets::OnePoint
               ? findMeetingOfOne(domain(), a.colors, b.colors, unknownExtent)
               : findMeeting(domain(), a.colors, b.colors, unknownExtent);
  };
  LaunchMeeting meeting;
  meeting.points = find(/*unknownExtent=*/2);
  // Iterations and parameters may never have the values of the solution.
  if (meeting.points && dependOnShared(a.colors, b.colors)) {
    meeting.verdict = Verdict::AtRunTime;
    meeting.dependsOnShared = true;
    return meeting;
  }
  if (meeting.points) {
    meeting.verdict = Verdict::Meet;
    for (int64_t extent : domain().extents)
      meeting.dependsOnExtents |= extent == 0;
    return meeting;
  }
  meeting.points = find(/*unknownExtent=*/0);
  if (meeting.points)
    meeting.verdict = Verdict::AtRunTime;
  meeting.dependsOnShared = dependOnShared(a.colors, b.colors);
  return meeting;
}

/// None if no disjoint partition contains both arguments.
std::optional<LaunchMeeting>
LaunchCheckBuilder::meetInColors(const Edge &a, const Edge &b, Meets which) {
  if (a.projection != UINT32_MAX && b.projection != UINT32_MAX) {
    auto found = known.find(
        {graph.node(task).domain, a.projection, b.projection, uint32_t(which)});
    if (found != known.end())
      return found->second;
  }
  std::optional<LaunchMeeting> result;
  std::vector<ColorUse> first = colorUses(a), second = colorUses(b);
  for (const ColorUse &x : first)
    for (const ColorUse &y : second) {
      if (x.partition != y.partition || !forest.isDisjoint(x.partition) ||
          x.colors.numColorDims != y.colors.numColorDims)
        continue;
      LaunchMeeting meeting = meetIn(x, y, which);
      // Generated code compares only the colors of the arguments themselves.
      if (meeting.verdict == Verdict::AtRunTime && !(x.isExact && y.isExact))
        meeting.verdict = Verdict::Meet;
      if (!result || meeting.verdict == Verdict::Apart ||
          (meeting.verdict == Verdict::AtRunTime &&
           result->verdict == Verdict::Meet))
        result = meeting;
    }
  if (result && a.projection != UINT32_MAX && b.projection != UINT32_MAX)
    known[{graph.node(task).domain, a.projection, b.projection,
           uint32_t(which)}] = *result;
  return result;
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
  RegionIndex x = regionAt(a, i), y = regionAt(b, j);
  return forest.mayAlias(x, y);
}

/// The whole arguments alias, but single points may not.
LaunchMeeting LaunchCheckBuilder::meetAnywhere(const Edge &a, const Edge &b,
                                               Meets which) const {
  constexpr uint64_t maxPoints = 1024;
  LaunchMeeting meeting;
  uint64_t count = countPoints(domain(), maxPoints + 1);
  for (int64_t extent : domain().extents)
    meeting.dependsOnExtents |= extent == 0;
  meeting.verdict = Verdict::Meet;
  bool isWhole = !meeting.dependsOnExtents && count <= maxPoints;
  if (count > maxPoints)
    count = 2;
  std::vector<Point> points(1, Point(domain().extents.size()));
  for (Point next = points[0];
       points.size() < count && nextPoint(domain(), next);)
    points.push_back(next);
  for (const Point &i : points)
    for (const Point &j : points)
      if ((i == j) == (which == Meets::OnePoint) &&
          mayPointsAlias(a, i, b, j)) {
        meeting.points = {i, j};
        return meeting;
      }
  if (isWhole)
    meeting.verdict = Verdict::Apart;
  return meeting;
}

LaunchMeeting LaunchCheckBuilder::meet(const Edge &a, const Edge &b,
                                       Meets which) {
  if (which == Meets::TwoPoints && countPoints(domain(), 2) < 2)
    return {};
  std::optional<LaunchMeeting> inColors = meetInColors(a, b, which);
  if (inColors && (inColors->verdict != Verdict::Meet ||
                   !forest.hasConstraints() || region(a) == region(b)))
    return *inColors;
  LaunchMeeting anywhere = meetAnywhere(a, b, which);
  return inColors && anywhere.verdict == Verdict::Meet ? *inColors : anywhere;
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

/// "points (0) and (1) of '%t' interfere: the one reads 'p[0]', the ...".
std::string
LaunchCheckBuilder::describeMeeting(const Edge &a, const Edge &b,
                                    const LaunchMeeting &meeting) const {
  auto does = [&](const Edge &edge, const Point *point) {
    return std::string(wordsOf(edge.kind).verb) + " " +
           (point ? place(edge, *point) : report->region(version(edge)));
  };
  if (!meeting.points)
    return "points of " + report->name(task) + " interfere: one " +
           does(a, nullptr) + ", another " + does(b, nullptr);
  const auto &[i, j] = *meeting.points;
  if (i == j)
    return "point " + text(i) + " of " + report->name(task) + " " +
           does(a, &i) + ", and " + does(b, &i) + " as another argument";
  return "points " + text(i) + " and " + text(j) + " of " + report->name(task) +
         " interfere: the one " + does(a, &i) + ", the other " + does(b, &j);
}

void LaunchCheckBuilder::reportMeeting(const Edge &a, const Edge &b,
                                       const LaunchMeeting &meeting) {
  Problem *problem = report->add(Rule::L1, task);
  if (!problem)
    return;
  problem->message = describeMeeting(a, b, meeting);
  bool isOnePoint =
      meeting.points && meeting.points->first == meeting.points->second;
  if (meeting.dependsOnExtents && !isOnePoint)
    problem->message += ", as soon as the launch has more than one point in "
                        "each dimension";
  const bool isOneRegion = region(a) == region(b);
  if (!isOneRegion)
    problem->message += ", which may share elements";
  if (isOnePoint)
    problem->message += "; let one argument have both, or other elements";
  else if (!isOneRegion)
    problem->message += "; use other fields or two tasks";
  else if (forest.kind(region(a)) != RegionKind::Partition ||
           forest.isDisjoint(region(a)))
    problem->message += "; give each point a color of its own";
  else
    problem->message += "; declare " + report->region(version(a)) +
                        " disjoint if its colors share no elements, or let "
                        "iterations of a loop take the place of points";
  if (!isOneRegion)
    problem->message += disjointHint(forest, region(a), region(b));
  problem->notes.push_back({version(a), "one version is here"});
  if (version(a) != version(b))
    problem->notes.push_back({version(b), "the other version is here"});
}

void LaunchCheckBuilder::remark(const Edge &a, const Edge &b,
                                const LaunchMeeting &meeting) {
  const char *when = meeting.dependsOnShared
                         ? " may do in some iteration"
                         : " do, if the launch is that large";
  const bool isOnePoint =
      meeting.points && meeting.points->first == meeting.points->second;
  std::string message =
      isOnePoint ? "whether arguments of a point of " + report->name(task) +
                       " have one color of " + report->region(version(a))
                 : "whether points of " + report->name(task) +
                       " meet in colors of " + report->region(version(a));
  message += " is checked when the program runs: ";
  if (!meeting.points)
    message += "a function chooses the colors";
  else if (isOnePoint)
    message += "those of point " + text(meeting.points->first) + when;
  else
    message += "points " + text(meeting.points->first) + " and " +
               text(meeting.points->second) + when;
  if (!remarks.insert(message).second)
    return;
  Problem *problem = report->add(Rule::L1, task, ProblemSeverity::Remark);
  if (!problem)
    return;
  problem->message = std::move(message);
  problem->notes.push_back({version(a), "the version is here"});
  if (version(a) != version(b))
    problem->notes.push_back({version(b), "the other version is here"});
}

/// Whether the points meet; Apart for pairs that were already compared.
LaunchMeeting LaunchCheckBuilder::compare(uint32_t first, uint32_t second,
                                          Meets which) {
  const Edge &a = graph.edge(first), &b = graph.edge(second);
  std::array<uint32_t, 5> pair = {region(a), a.projection, region(b),
                                  b.projection, uint32_t(which)};
  if (pair[0] > pair[2] || (pair[0] == pair[2] && pair[1] > pair[3]))
    pair = {pair[2], pair[3], pair[0], pair[1], pair[4]};
  return compared.insert(pair).second ? meet(a, b, which) : LaunchMeeting();
}

void LaunchCheckBuilder::tell(uint32_t first, uint32_t second,
                              const LaunchMeeting &meeting) {
  const Edge &a = graph.edge(first), &b = graph.edge(second);
  if (meeting.verdict == Verdict::AtRunTime)
    atRunTime.push_back({first, second, /*isRange=*/false});
  if (!report || meeting.verdict == Verdict::Apart)
    return;
  if (meeting.verdict == Verdict::AtRunTime)
    remark(a, b, meeting);
  else
    reportMeeting(a, b, meeting);
}

/// L2 for launches that have no possible meaning.
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
                     report->name(task) + " " + wordsOf(edge.kind).verb + " " +
                     place(edge, *range.outside) + ", but the colors of " +
                     report->region(version(edge)) + " are below " +
                     text(map->colors) + " and not negative";
  problem->notes.push_back({version(edge), "the version is here"});
}

void LaunchCheckBuilder::check(NodeIndex checked) {
  task = checked;
  compared.clear();
  remarks.clear();
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
    for (size_t j = 0; j <= i; ++j) {
      const Edge &a = graph.edge(arguments[j]), &b = graph.edge(arguments[i]);
      if (!interfere(a, b))
        continue;
      LaunchMeeting two = compare(arguments[j], arguments[i], Meets::TwoPoints);
      LaunchMeeting one;
      if (i != j && two.verdict != Verdict::Meet && !isOneArgument(a, b))
        one = compare(arguments[j], arguments[i], Meets::OnePoint);
      tell(arguments[j], arguments[i],
           one.verdict == Verdict::Meet || (two.verdict == Verdict::Apart &&
                                            one.verdict == Verdict::AtRunTime)
               ? one
               : two);
    }
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

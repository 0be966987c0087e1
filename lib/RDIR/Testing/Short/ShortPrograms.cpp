//===- ShortPrograms.cpp - Programs that name regions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from the text's meaning, without regard to cost and without the
// checks' code.
//
//===----------------------------------------------------------------------===//

#include "ShortPrograms.h"

#include <algorithm>
#include <array>
#include <set>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

bool ShortSum::isTestedByRuntime() const {
  return modulus || std::any_of(ofIterations.begin(), ofIterations.end(),
                                [](int64_t factor) { return factor != 0; });
}

std::string ShortSum::text() const {
  std::string result = std::to_string(constant);
  auto add = [&](int64_t factor, const std::string &name) {
    if (factor)
      result += (factor < 0 ? " - " : " + ") +
                std::to_string(factor < 0 ? -factor : factor) + " * " + name;
  };
  add(ofPoint, "i");
  for (size_t i = 0; i < ofIterations.size(); ++i)
    add(ofIterations[i], "%k" + std::to_string(i));
  return modulus ? result + " mod " + std::to_string(modulus) : result;
}

int64_t ShortSum::value(int64_t point,
                        const std::vector<int64_t> &iterations) const {
  int64_t result = ofPoint * point + constant;
  for (size_t i = 0; i < ofIterations.size(); ++i)
    result += ofIterations[i] * iterations[i];
  return modulus ? ((result % modulus) + modulus) % modulus : result;
}

ShortSum ShortPrograms::sum(unsigned numIterations, bool hasPoint,
                            int64_t extent) {
  ShortSum result;
  if (hasPoint)
    result.ofPoint = std::array{1, 1, 1, 0, -1, 2}[random.pick(6)];
  for (unsigned i = 0; kind.iterations && i < numIterations; ++i)
    result.ofIterations.push_back(std::array{0, 0, 1, 1, -1}[random.pick(5)]);
  result.constant = random.pick(extent);
  if (random.chance(50))
    result.modulus = extent;
  return result;
}

ShortStatement ShortPrograms::task(unsigned numIterations, bool mayDecide) {
  ShortStatement task;
  task.number = numTasks++;
  task.hasPoints = kind.launches && random.chance(60);
  if (task.hasPoints) {
    task.extent.constant = 1 + random.pick(4);
    if (kind.iterations && numIterations && random.chance(20)) {
      task.extent.constant = 4;
      task.extent.ofIterations.assign(numIterations, 0);
      task.extent.ofIterations[random.pick(numIterations)] = -1;
    }
  }
  const unsigned numArguments = 1 + random.pick(3);
  std::set<std::string> used;
  for (unsigned i = 0; i < numArguments; ++i) {
    ShortArgument argument;
    argument.region = random.pick(forest.regions.size());
    const SmallRegion &region = forest.regions[argument.region];
    argument.fields = region.isScalar ? 3 : 1 + random.pick(3);
    argument.use =
        random.chance(50) ? ShortUse::Read : ShortUse(1 + random.pick(4));
    if (region.isScalar && argument.changes() && (task.hasPoints || !mayDecide))
      argument.use = ShortUse::Read;
    if (!region.colors.empty()) {
      const bool hasSums = task.hasPoints || (kind.iterations && numIterations);
      argument.isWhole = !hasSums || random.chance(20);
      if (!argument.isWhole)
        for (int64_t extent : region.colorExtents)
          argument.color.push_back(sum(numIterations, task.hasPoints, extent));
    }
    // What has one text is one argument.
    ShortArgument allFields = argument;
    allFields.fields = 3;
    if (used.insert(mention(task, allFields)).second)
      task.arguments.push_back(argument);
  }
  return task;
}

ShortBody ShortPrograms::body(unsigned depth, unsigned numIterations,
                              bool mayDecide) {
  ShortBody result;
  const unsigned count = 1 + random.pick(depth ? 3 : 4);
  for (unsigned i = 0; i < count; ++i) {
    if (depth < 2 && random.chance(35) &&
        (kind.iterations || kind.conditions)) {
      ShortStatement &nested = result.emplace_back();
      if (kind.conditions && (!kind.iterations || random.chance(50))) {
        const unsigned way = random.pick(3);
        nested.head = way == 2 ? "unless @go" : "if @go";
        nested.bodies.push_back(body(depth + 1, numIterations, mayDecide));
        if (way == 1)
          nested.bodies.push_back(body(depth + 1, numIterations, mayDecide));
      } else {
        nested.namesIteration = true;
        nested.extent.constant = 1 + random.pick(3);
        nested.bodies.push_back(body(depth + 1, numIterations + 1, mayDecide));
      }
    } else {
      result.push_back(task(numIterations, mayDecide));
    }
  }
  return result;
}

std::string ShortPrograms::mention(const ShortStatement &task,
                                   const ShortArgument &argument) const {
  const SmallRegion &region = forest.regions[argument.region];
  std::string text = region.text;
  if (!argument.color.empty()) {
    text += "[";
    for (size_t d = 0; d < argument.color.size(); ++d)
      text += (d ? ", " : "") + argument.color[d].text();
    text += "]";
  }
  if (argument.fields != 3)
    text += argument.fields == 1 ? " {x}" : " {y}";
  const bool isWhole = argument.isWhole && task.hasPoints;
  return "(" + text + (isWhole ? " whole)" : ")");
}

std::string ShortPrograms::text(const ShortBody &body, unsigned numIterations,
                                unsigned indent) const {
  const std::string space(indent, ' ');
  std::string result;
  for (const ShortStatement &statement : body) {
    if (!statement.bodies.empty()) {
      result += space + "rdir.loop " + statement.head;
      if (statement.namesIteration)
        result += "%k" + std::to_string(numIterations) + " in " +
                  statement.extent.text();
      for (size_t i = 0; i < statement.bodies.size(); ++i)
        result += std::string(i ? space + "} else" : "") + " {\n" +
                  text(statement.bodies[i],
                       numIterations + statement.namesIteration, indent + 2);
      result += space + "}\n";
      continue;
    }
    result += space + "rdir.task @t" + std::to_string(statement.number);
    if (statement.hasPoints)
      result += " over [" + statement.extent.text() + "]";
    for (const ShortArgument &argument : statement.arguments) {
      const std::string what = mention(statement, argument);
      switch (argument.use) {
      case ShortUse::Read:
        result += " reads" + what;
        break;
      case ShortUse::Keep:
        result += " writes" + what;
        break;
      case ShortUse::Change:
        result += " reads" + what + " writes" + what;
        break;
      case ShortUse::Discard:
        result += " discards" + what + " writes" + what;
        break;
      case ShortUse::Reduce:
        result += " reduces<\"+\">" + what;
        break;
      }
    }
    result += "\n";
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Their meaning
//===----------------------------------------------------------------------===//

SmallPlaces ShortPrograms::places(const ShortArgument &argument, int64_t point,
                                  const std::vector<int64_t> &iterations,
                                  bool &exists) const {
  const SmallRegion &region = forest.regions[argument.region];
  if (argument.color.empty())
    return forest.placesOf(argument.region, argument.fields);
  int64_t linear = 0;
  for (size_t d = 0; d < argument.color.size(); ++d) {
    const int64_t at = argument.color[d].value(point, iterations);
    if (at < 0 || at >= region.colorExtents[d]) {
      exists = false;
      return {};
    }
    linear = linear * region.colorExtents[d] + at;
  }
  return forest.placesOf(region.colors[linear], argument.fields);
}

void ShortAccesses::add(const ShortAccesses &other) {
  for (auto [place, use] : other.uses)
    uses[place] |= use;
}

bool ShortAccesses::mustStayOrdered(const ShortAccesses &later) const {
  for (auto [place, use] : uses)
    if (auto found = later.uses.find(place); found != later.uses.end()) {
      const unsigned both = use | found->second;
      if (both != Read && both != Reduced)
        return true;
    }
  return false;
}

ShortVerdict
ShortPrograms::verdict(const ShortStatement &task,
                       const std::vector<int64_t> &iterations) const {
  const int64_t numPoints =
      task.hasPoints ? task.extent.value(0, iterations) : 1;
  // By place: the arguments that access it, and their points.
  std::map<uint32_t, std::vector<std::pair<int64_t, size_t>>> users;
  for (int64_t point = 0; point < numPoints; ++point)
    for (size_t a = 0; a < task.arguments.size(); ++a) {
      bool exists = true;
      for (uint32_t place :
           places(task.arguments[a], point, iterations, exists))
        users[place].push_back({point, a});
      if (!exists)
        return task.extent.isTestedByRuntime() ||
                       std::any_of(task.arguments[a].color.begin(),
                                   task.arguments[a].color.end(),
                                   [](const ShortSum &sum) {
                                     return sum.isTestedByRuntime();
                                   })
                   ? ShortVerdict::Ends
                   : ShortVerdict::Wrong;
    }
  for (const auto &[place, all] : users)
    for (const auto &[p, a] : all)
      for (const auto &[q, b] : all) {
        if (p == q && a == b)
          continue;
        const ShortUse one = task.arguments[a].use,
                       other = task.arguments[b].use;
        if ((one != ShortUse::Read || other != ShortUse::Read) &&
            (one != ShortUse::Reduce || other != ShortUse::Reduce))
          return ShortVerdict::Wrong;
      }
  return ShortVerdict::Right;
}

ShortAccesses ShortPrograms::accesses(const ShortStatement &statement,
                                      std::vector<int64_t> &iterations) const {
  ShortAccesses result;
  if (statement.bodies.empty()) {
    const int64_t numPoints =
        statement.hasPoints ? statement.extent.value(0, iterations) : 1;
    for (int64_t point = 0; point < numPoints; ++point)
      for (const ShortArgument &argument : statement.arguments) {
        bool exists = true;
        for (uint32_t place : places(argument, point, iterations, exists))
          result.uses[place] |= !argument.changes() ? ShortAccesses::Read
                                : argument.use == ShortUse::Reduce
                                    ? ShortAccesses::Reduced
                                    : ShortAccesses::Changed;
      }
    return result;
  }
  const int64_t count =
      statement.namesIteration ? statement.extent.constant : 1;
  for (const ShortBody &body : statement.bodies)
    for (int64_t k = 0; k < count; ++k) {
      if (statement.namesIteration)
        iterations.push_back(k);
      for (const ShortStatement &inner : body)
        result.add(accesses(inner, iterations));
      if (statement.namesIteration)
        iterations.pop_back();
    }
  return result;
}

bool ShortPrograms::mayBreakD1(const ShortBody &body) const {
  auto versionOf = [&](const ShortArgument &argument) {
    const int partition = forest.regions[argument.region].partition;
    return partition < 0 ? argument.region : partition;
  };
  auto mayBreak = [&](const ShortStatement &task) {
    for (const ShortArgument &a : task.arguments)
      for (const ShortArgument &b : task.arguments)
        if (versionOf(a) == versionOf(b) && (a.fields & b.fields) &&
            a.use == ShortUse::Reduce && b.changes() &&
            b.use != ShortUse::Reduce)
          return true;
    return false;
  };
  return std::any_of(body.begin(), body.end(), [&](const auto &statement) {
    return mayBreak(statement) ||
           std::any_of(statement.bodies.begin(), statement.bodies.end(),
                       [&](const auto &inner) { return mayBreakD1(inner); });
  });
}

void ShortPrograms::findVerdicts(
    const ShortBody &body, std::vector<int64_t> &iterations,
    std::map<unsigned, ShortVerdict> &verdicts) const {
  for (const ShortStatement &statement : body) {
    if (statement.bodies.empty()) {
      verdicts[statement.number] =
          std::max(verdicts[statement.number], verdict(statement, iterations));
      continue;
    }
    for (const ShortBody &inner : statement.bodies)
      for (int64_t k = 0;
           k < (statement.namesIteration ? statement.extent.constant : 1);
           ++k) {
        if (statement.namesIteration)
          iterations.push_back(k);
        findVerdicts(inner, iterations, verdicts);
        if (statement.namesIteration)
          iterations.pop_back();
      }
  }
}

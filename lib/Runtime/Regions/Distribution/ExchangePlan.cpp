//===- ExchangePlan.cpp - Planning the exchanges between ranks ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks steps and loops. Ranks that look at the same elements walk in the same
// way.
//
//===----------------------------------------------------------------------===//

#include "ExchangePlan.h"

#include "../Partitions/SegmentIndex.h"
#include "Homes.h"
#include "SharedReductions.h"

#include <set>

using namespace sluice;
using namespace sluice::regions;

ExchangePlan::ExchangePlan(const Expansion &expansion, OverlapTable &overlaps,
                           RankSets &sets, uint32_t rank, ToldApart known,
                           const std::set<uint32_t> *senders)
    : expansion(expansion), table(expansion.table), overlaps(overlaps),
      sets(sets), rank(rank), known(std::move(known)), senders(senders) {
  blocks.resize(table.numBlocks());
}

Status ExchangePlan::make(FieldHolders &holders) {
  for (const StoreInfo &info : expansion.stores) {
    Holders &known = state.emplace_back(info.root->shape.count());
    if (auto before = holders.find({info.root, info.field});
        !info.reset && before != holders.end())
      known = before->second;
  }
  // What was run before only determines the current state.
  isTrial = true;
  walkSteps(0, expansion.firstStep);
  isTrial = false;
  walkSteps(expansion.firstStep, table.steps.size() - 1);
  for (Store store = 0; store < expansion.stores.size(); ++store)
    if (const StoreInfo &info = expansion.stores[store]; !info.reset)
      holders[{info.root, info.field}] = std::move(state[store]);
  return std::move(error);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ExchangePlan::walkSteps(uint32_t begin, uint32_t end) {
  for (uint32_t step = begin; step < end;) {
    if (table.steps[step].kind == TableStep::LoopBegin) {
      step = walkLoop(step);
      continue;
    }
    if (table.steps[step].kind == TableStep::Block)
      walkBlock(table.steps[step].index);
    ++step;
  }
}

void ExchangePlan::walkBlock(uint32_t block) {
  for (const auto &launch : expansion.blocks[block])
    visit(*launch, block);
  if (isTrial)
    return;
  const Receivers receivers = findReceivers(places);
  shareMessages(places, expansion.stores, known);
  for (size_t i = 0; i < places.size(); ++i) {
    findUnsure(places[i], receivers);
    RankExchange &before = blocks[block][i].before;
    before = makeExchange(places[i], before.number);
  }
  places.clear();
}

ExchangePlan::Receivers
ExchangePlan::findReceivers(std::span<const BlockPlace> places) const {
  Receivers receivers;
  if (!senders)
    return receivers;
  for (const BlockPlace &place : places)
    for (const auto &[ranks, parts] : place.before)
      if (ranks.second == rank && !senders->contains(ranks.first))
        for (const auto &[store, runs] : parts)
          if (!isCopy(store) && !isScalar(expansion.stores[store]))
            receivers[{ranks.first, store}];
  for (const BlockPlace &place : places)
    for (const auto &[ranks, parts] : place.before)
      for (const auto &[store, runs] : parts)
        if (auto found = receivers.find({ranks.first, store});
            found != receivers.end()) {
          Runs &all = found->second[ranks.second];
          all = uniteRuns(all, runs);
        }
  return receivers;
}

/// Elements go along a tree if more than a given number of ranks get them and
/// nothing else. This rank knows all receivers of elements that it also has,
/// but not what else they get; except for a scalar, which is the only element
/// of its root.
void ExchangePlan::findUnsure(const BlockPlace &place,
                              const Receivers &receivers) {
  if (receivers.empty())
    return;
  for (const auto &[ranks, parts] : place.before)
    for (const auto &[store, runs] : parts) {
      auto found = receivers.find({ranks.first, store});
      if (ranks.second != rank || found == receivers.end())
        continue;
      uint32_t count = 0;
      for (const auto &[to, all] : found->second)
        if (subtractRuns(runs, all).empty())
          count += known.count({to});
      if (count > treeFanOut)
        unsure.insert(ranks.first);
    }
}

RankExchange ExchangePlan::makeExchange(BlockPlace &place, uint32_t number) {
  return {number, routeTransfers(std::move(place.before), rank,
                                 expansion.stores, known)};
}

void ExchangePlan::planBody(uint32_t begin, uint32_t end, Reliance &reliance) {
  reliance.head = state;
  reliance.written.resize(state.size());
  reliances.push_back(&reliance);
  walkSteps(begin, end);
  reliances.pop_back();
}

/// Advances to the state after all iterations. One iteration suffices, unless
/// an inner loop may not run.
void ExchangePlan::tryIterations(uint32_t begin, uint32_t end) {
  constexpr int maxTries = 32;
  bool isCertain = true;
  for (uint32_t step = begin; step < end; ++step)
    isCertain &= table.steps[step].kind != TableStep::LoopBegin ||
                 table.loops[table.steps[step].index].testTask == UINT32_MAX;
  const bool wasTrial = std::exchange(isTrial, true);
  std::vector<Reliance *> outer;
  std::swap(outer, reliances);
  for (int tries = 0; tries < maxTries; ++tries) {
    State last = state;
    walkSteps(begin, end);
    if (isCertain || state == last)
      break;
  }
  std::swap(outer, reliances);
  isTrial = wasTrial;
}

/// Returns the step after the loop.
uint32_t ExchangePlan::walkLoop(uint32_t begin) {
  const TableStep &loop = table.steps[begin];
  const uint32_t behind = loop.target;
  const bool mayNotRun = table.loops[loop.index].testTask != UINT32_MAX;
  if (loop.count <= 0)
    return behind;
  if (loop.count == 1 && !mayNotRun) {
    walkSteps(begin + 1, behind - 1);
    return behind;
  }
  State before = state;
  tryIterations(begin + 1, behind - 1);
  BlockPlace fetched;
  std::vector<std::vector<Runs>> writtenBefore;
  for (const Reliance *reliance : reliances)
    writtenBefore.push_back(reliance->written);
  Reliance reliance;
  planBody(begin + 1, behind - 1, reliance);
  if (state != reliance.head)
    error = Status::error(
        StatusCode::System,
        "who has what of a loop's elements differs between its iterations");
  // Data on which the first iteration relies is fetched there, from its place
  // before the loop.
  std::swap(state, before);
  std::vector<std::vector<Runs>> writtenAfter;
  for (size_t i = 0; i < reliances.size(); ++i) {
    writtenAfter.push_back(std::move(reliances[i]->written));
    reliances[i]->written = std::move(writtenBefore[i]);
  }
  fetchAll(reliance.on, fetched);
  if (mayNotRun) {
    for (Store store = 0; store < state.size(); ++store) {
      std::vector<Holders::Segment> elsewhere;
      Holders::join(state[store], before[store], sets, elsewhere);
      Wanted wanted;
      for (const Holders::Segment &segment : elsewhere)
        wanted[{store, sets.ownerOf(segment.set)}].push_back(
            {segment.begin, segment.end});
      fetchAll(wanted, fetched);
      state[store] =
          Holders::join(state[store], before[store], sets, elsewhere);
      // Elements that are not written after all stay where the outer loop left
      // them.
      const Runs &written = reliance.written[store];
      if (!reliances.empty() && !written.empty())
        for (uint32_t who : known.ranks)
          rely(store, who, state[store].present(written, who, sets));
    }
  } else {
    for (size_t i = 0; i < reliances.size(); ++i)
      reliances[i]->written = std::move(writtenAfter[i]);
    std::swap(state, before);
  }
  if (!isTrial) {
    findUnsure(fetched, findReceivers({&fetched, 1}));
    beforeLoops[begin] = makeExchange(fetched, numExchanges++);
  }
  return behind;
}

void ExchangePlan::rely(Store store, uint32_t who, const Runs &wanted) {
  for (Reliance *reliance : reliances) {
    Runs entry = reliance->head[store].present(
        subtractRuns(wanted, reliance->written[store]), who, sets);
    if (entry.empty())
      continue;
    Runs &all = reliance->on[{store, who}];
    all = uniteRuns(all, entry);
  }
}

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

void ExchangePlan::addTransfer(Store store, const Holders::Segment &segment,
                               uint32_t to, BlockPlace &place) {
  if (isTrial)
    return;
  Runs &runs = place.before[{sets.ownerOf(segment.set), to}][store];
  Runs one = {{segment.begin, segment.end}};
  if (runs.empty() || runs.back().end < segment.begin)
    runs.push_back(one.front());
  else
    runs = uniteRuns(runs, one);
}

void ExchangePlan::fetchAll(const Wanted &wanted, BlockPlace &place) {
  for (auto at = wanted.begin(); at != wanted.end();) {
    const Store store = at->first.first;
    // Ranks that want the same elements are served together.
    WantedAlike alike;
    for (; at != wanted.end() && at->first.first == store; ++at)
      alike[&at->second].push_back(at->first.second);
    for (auto &[runs, ranks] : alike) {
      if (ranks.back() == everyRank)
        ranks = known.ranks;
      // Copies are the identity everywhere when an iteration begins.
      const bool relies =
          !isCopy(store) &&
          std::any_of(
              reliances.begin(), reliances.end(),
              [&](const Reliance *reliance) {
                return !subtractRuns(*runs, reliance->written[store]).empty();
              });
      for (uint32_t who : ranks) {
        if (relies)
          rely(store, who, *runs);
        if (isCopy(store))
          moveCopy(store, who, *runs, place);
      }
    }
    if (!isCopy(store))
      fetch(store, alike, place);
  }
}

/// Calls `function(runs, ranks)` for elements that the same ranks want, which
/// are contiguous or in one list.
template <typename Wanted, typename Function>
static void forEachGroup(const Shape &shape, const Wanted &wanted,
                         Function &&function) {
  if (wanted.size() == 1)
    return function(*wanted.begin()->first, wanted.begin()->second);
  std::vector<ElementSet> elements;
  std::vector<const std::vector<uint32_t> *> ranksOf;
  for (const auto &[runs, ranks] : wanted) {
    elements.emplace_back(shape, *runs);
    ranksOf.push_back(&ranks);
  }
  const SegmentIndex index(shape, ColorSets(std::move(elements)));
  for (const SegmentIndex::Segment &segment : index.segments()) {
    std::vector<uint32_t> ranks;
    for (uint32_t group : index.colorsOf(segment))
      ranks.insert(ranks.end(), ranksOf[group]->begin(), ranksOf[group]->end());
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    function(Runs{{segment.begin, segment.end}}, ranks);
  }
}

/// Handles all ranks in one pass over the elements.
void ExchangePlan::fetch(Store store, const WantedAlike &wanted,
                         BlockPlace &place) {
  const Shape &shape = expansion.stores[store].root->shape;
  std::vector<Holders::Segment> got;
  std::map<uint32_t, Runs> sent;
  forEachGroup(
      shape, wanted, [&](const Runs &runs, const std::vector<uint32_t> &ranks) {
        state[store].forEachPart(runs, [&](Holders::Segment part) {
          if (part.set == RankSets::everywhere)
            return;
          const std::vector<uint32_t> &have = sets.ranksOf(part.set);
          std::vector<uint32_t> lack;
          std::set_difference(ranks.begin(), ranks.end(), have.begin(),
                              have.end(), std::back_inserter(lack));
          if (lack.empty())
            return;
          for (uint32_t to : lack)
            addTransfer(store, part, to, place);
          sent[sets.ownerOf(part.set)].push_back({part.begin, part.end});
          part.set = ranks.size() == known.ranks.size()
                         ? RankSets::everywhere
                         : sets.with(part.set, lack);
          got.push_back(part);
        });
      });
  for (auto &[from, runs] : sent) {
    normalize(runs);
    rely(store, from, runs);
  }
  state[store].assign(got);
}

/// The contents of a private copy move: the sender's copy is the identity
/// again.
void ExchangePlan::moveCopy(Store store, uint32_t who, const Runs &wanted,
                            BlockPlace &place) {
  std::vector<Holders::Segment> lacks = state[store].missing(wanted, who, sets);
  for (Holders::Segment &segment : lacks) {
    addTransfer(store, segment, who, place);
    const Runs run = {{segment.begin, segment.end}};
    if (!isTrial) {
      Runs &moved = place.moved[store];
      moved = uniteRuns(moved, run);
    }
    segment.set = sets.only(who);
  }
  state[store].assign(lacks);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void ExchangePlan::visit(const RegionLaunch &launch, uint32_t block) {
  auto known = cuts.find(&launch);
  if (known == cuts.end())
    known = cuts.emplace(&launch, cut(launch)).first;
  for (const LaunchPart &part : known->second.parts) {
    BlockPlace place;
    read(launch, part, place);
    write(launch, part, place);
    if (!isTrial) {
      noteGathered(launch, place);
      places.push_back(std::move(place));
      blocks[block].push_back(
          {&launch, part.begin, part.end, {numExchanges + part.number, {}}});
    }
  }
  if (!isTrial)
    numExchanges += known->second.numExchanges;
}

void ExchangePlan::noteGathered(const RegionLaunch &launch,
                                const BlockPlace &place) {
  if (launch.numPoints == 0)
    return;
  const TableTask &task = table.tasks[launch.firstTask];
  if (task.home != TableTask::hostHome)
    return;
  std::set<const Root *> whole;
  for (const LaunchAccess &access : launch.accesses)
    if (const RootPartition &partition = *access.partition;
        partition.sets[access.colorOf(0)].size() ==
        partition.root->shape.count())
      whole.insert(partition.root);
  for (const auto &[ranks, parts] : place.before)
    for (const auto &[store, runs] : parts) {
      const StoreInfo &info = expansion.stores[store];
      if (!whole.contains(info.root))
        continue;
      uint64_t &bytes = gathered[{task.name, info.root}];
      for (const SluiceRun &run : runs)
        bytes += (run.end - run.begin) *
                 info.root->fields[info.field].elementBytes();
    }
}

void ExchangePlan::read(const RegionLaunch &launch, const LaunchPart &part,
                        BlockPlace &place) {
  auto isWritten = [&](Store store) {
    return std::any_of(launch.accesses.begin(), launch.accesses.end(),
                       [&](const LaunchAccess &access) {
                         return access.isWrite && access.store == store;
                       });
  };
  Wanted wanted;
  for (const LaunchAccess &access : launch.accesses) {
    if (access.discards)
      continue;
    uint32_t begin = part.begin, end = part.end;
    if (!access.isWrite && !isWritten(access.store)) {
      if (part.number != 0)
        continue;
      begin = 0;
      end = launch.numPoints;
    }
    const Shape &shape = access.partition->root->shape;
    for (uint32_t point = begin; point < end; ++point) {
      const uint32_t who = access.isForAll ? everyRank : launch.ranks[point];
      access.partition->sets[access.colorOf(point)].forEachRun(
          shape, [&](int64_t from, int64_t to) {
            wanted[{access.storeOf(point), who}].push_back({from, to});
          });
      if (access.isForAll)
        break;
    }
  }
  for (auto &[who, runs] : wanted)
    normalize(runs);
  fetchAll(wanted, place);
}

void ExchangePlan::write(const RegionLaunch &launch, const LaunchPart &part,
                         BlockPlace &place) {
  std::map<Store, std::vector<Holders::Segment>> changes;
  for (const LaunchAccess &access : launch.accesses) {
    if (!access.isWrite)
      continue;
    const Shape &shape = access.partition->root->shape;
    for (uint32_t point = part.begin; point < part.end; ++point) {
      const Store store = access.storeOf(point);
      const uint32_t who = launch.ranks[point];
      // If there is nothing more to fold, the target appears once more.
      const bool isConsumed =
          access.consumes && store != launch.accesses[0].storeOf(point);
      RankSets::Set set = who == everyRank || isConsumed ? RankSets::everywhere
                                                         : sets.only(who);
      access.partition->sets[access.colorOf(point)].forEachRun(
          shape, [&](int64_t from, int64_t to) {
            changes[store].push_back({from, to, set});
          });
    }
  }
  for (auto &[store, segments] : changes) {
    std::sort(segments.begin(), segments.end(),
              [](const auto &a, const auto &b) { return a.begin < b.begin; });
    // Points of one rank may write the same elements.
    Runs runs;
    std::vector<Holders::Segment> apart;
    for (Holders::Segment segment : segments) {
      if (!apart.empty())
        segment.begin = std::max(segment.begin, apart.back().end);
      if (segment.begin >= segment.end)
        continue;
      apart.push_back(segment);
      runs.push_back({segment.begin, segment.end});
    }
    state[store].assign(apart);
    normalize(runs);
    if (!isCopy(store))
      for (Reliance *reliance : reliances)
        reliance->written[store] = uniteRuns(reliance->written[store], runs);
    if (!isTrial)
      place.changed[store] = std::move(runs);
  }
}

ExchangePlan::LaunchParts ExchangePlan::cut(const RegionLaunch &launch) {
  if (launch.subset && launch.subset->reduced)
    return cutSubset(launch);
  // Plans from footprints have no other cuts.
  if (senders)
    return {{{0, launch.numPoints, 0}}, 1};
  LaunchParts made = {{}, 0};
  uint32_t begin = 0;
  for (uint32_t end : findCuts(launch)) {
    made.parts.push_back({begin, end, made.numExchanges++});
    begin = end;
  }
  return made;
}

/// The first part exists even without points.
ExchangePlan::LaunchParts
ExchangePlan::cutSubset(const RegionLaunch &launch) const {
  const ReducedLaunch &reduced = *launch.subset->reduced;
  LaunchParts made = {{{0, 0, 0}}, static_cast<uint32_t>(reduced.ends.size())};
  for (uint32_t point = 0; point < launch.numPoints; ++point) {
    const uint32_t number = reduced.partOf(launch.subset->points[point]);
    if (number != made.parts.back().number)
      made.parts.push_back({point, point, number});
    made.parts.back().end = point + 1;
  }
  return made;
}

namespace {
/// The last point so far, and the last one of another rank than that.
struct LatestPoints {
  uint32_t last = UINT32_MAX, other = UINT32_MAX;

  template <typename Ranks> void add(const Ranks &ranks, uint32_t point) {
    if (last != UINT32_MAX && ranks[last] != ranks[point])
      other = last;
    last = point;
  }
  template <typename Ranks>
  uint32_t ofOtherRank(const Ranks &ranks, uint32_t rank) const {
    return last == UINT32_MAX || ranks[last] != rank ? last : other;
  }
};
} // namespace

/// The places at which the launch is cut, and its end: before a point that
/// conflicts with an earlier point of another rank, at least one of them
/// writing.
std::vector<uint32_t> ExchangePlan::findCuts(const RegionLaunch &launch) {
  // The points that use each store through each color, by access.
  using Users = std::map<std::pair<Store, uint32_t>, std::vector<uint32_t>>;
  std::vector<Users> users(launch.accesses.size());
  for (size_t a = 0; a < launch.accesses.size(); ++a) {
    const LaunchAccess &access = launch.accesses[a];
    for (uint32_t point = 0; point < launch.numPoints; ++point)
      users[a][{access.storeOf(point),
                access.partition->firstAlike(access.colorOf(point))}]
          .push_back(point);
  }
  // For each point, the last earlier point with which it must not be combined.
  std::vector<uint32_t> lastApart(launch.numPoints, UINT32_MAX);
  auto setApart = [&](const std::vector<uint32_t> &ones,
                      const std::vector<uint32_t> &others) {
    LatestPoints latest[2];
    const uint32_t *next[2] = {ones.data(), others.data()};
    const uint32_t *const ends[2] = {next[0] + ones.size(),
                                     next[1] + others.size()};
    while (next[0] != ends[0] || next[1] != ends[1]) {
      const bool side =
          next[0] == ends[0] || (next[1] != ends[1] && *next[1] < *next[0]);
      const uint32_t point = *next[side]++, rank = launch.ranks[point];
      const uint32_t before = latest[!side].ofOtherRank(launch.ranks, rank);
      uint32_t &last = lastApart[point];
      if (before != UINT32_MAX)
        last = last == UINT32_MAX ? before : std::max(last, before);
      latest[side].add(launch.ranks, point);
    }
  };
  for (size_t a = 0; a < launch.accesses.size(); ++a)
    for (size_t b = 0; b < launch.accesses.size(); ++b) {
      const LaunchAccess &one = launch.accesses[a], &other = launch.accesses[b];
      if (!one.isWrite || one.partition->root != other.partition->root)
        continue;
      const Overlaps &meeting = overlaps.get(*one.partition, *other.partition);
      for (const auto &[what, points] : users[a])
        for (const Overlaps::Overlap &overlap : meeting.of(what.second)) {
          auto meets = users[b].find({what.first, overlap.color});
          if (meets == users[b].end())
            continue;
          setApart(points, meets->second);
        }
    }
  std::vector<uint32_t> ends;
  uint32_t begin = 0;
  for (uint32_t point = 0; point < launch.numPoints; ++point)
    if (lastApart[point] != UINT32_MAX && lastApart[point] >= begin &&
        point > begin) {
      ends.push_back(point);
      begin = point;
    }
  ends.push_back(launch.numPoints);
  return ends;
}

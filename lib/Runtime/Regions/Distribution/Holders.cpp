//===- Holders.cpp - The ranks with the latest values ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implemented as merges of sorted lists.
//
//===----------------------------------------------------------------------===//

#include "Holders.h"

using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Sets of ranks
//===----------------------------------------------------------------------===//

RankSets::Set RankSets::intern(Ranks ranks) {
  auto [entry, isNew] = known.try_emplace(ranks, sets.size());
  if (isNew)
    sets.push_back(std::move(ranks));
  return entry->second;
}

RankSets::Set RankSets::with(Set set, uint32_t rank) {
  if (has(set, rank))
    return set;
  Ranks ranks = sets[set];
  ranks.ranks.insert(
      std::lower_bound(ranks.ranks.begin(), ranks.ranks.end(), rank), rank);
  return intern(std::move(ranks));
}

RankSets::Set RankSets::with(Set set, const std::vector<uint32_t> &more) {
  if (set == everywhere)
    return set;
  Ranks ranks = {sets[set].owner, {}};
  std::set_union(sets[set].ranks.begin(), sets[set].ranks.end(), more.begin(),
                 more.end(), std::back_inserter(ranks.ranks));
  return intern(std::move(ranks));
}

bool RankSets::meet(Set first, Set second, Set &both) {
  if (first == second || second == everywhere || first == everywhere) {
    both = second == everywhere ? first : second;
    return true;
  }
  Ranks ranks;
  const std::vector<uint32_t> &a = sets[first].ranks, &b = sets[second].ranks;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(ranks.ranks));
  if (ranks.ranks.empty())
    return false;
  const uint32_t owner = sets[second].owner;
  ranks.owner =
      std::binary_search(ranks.ranks.begin(), ranks.ranks.end(), owner)
          ? owner
          : ranks.ranks.front();
  both = intern(std::move(ranks));
  return true;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void Holders::append(std::vector<Segment> &to, Segment segment) {
  if (segment.begin >= segment.end)
    return;
  if (!to.empty() && to.back().end == segment.begin &&
      to.back().set == segment.set)
    to.back().end = segment.end;
  else
    to.push_back(segment);
}

std::vector<Holders::Segment> Holders::missing(const Runs &wanted,
                                               uint32_t rank,
                                               const RankSets &sets) const {
  std::vector<Segment> out;
  forEachPart(wanted, [&](const Segment &part) {
    if (!sets.has(part.set, rank))
      append(out, part);
  });
  return out;
}

Runs Holders::present(const Runs &wanted, uint32_t rank,
                      const RankSets &sets) const {
  Runs out;
  forEachPart(wanted, [&](const Segment &part) {
    if (!sets.has(part.set, rank))
      return;
    if (!out.empty() && out.back().end == part.begin)
      out.back().end = part.end;
    else
      out.push_back({part.begin, part.end});
  });
  return out;
}

void Holders::assign(const std::vector<Segment> &changes) {
  if (changes.empty())
    return;
  std::vector<Segment> out;
  out.reserve(segments.size() + changes.size());
  auto change = changes.begin();
  for (const Segment &segment : segments) {
    int64_t at = segment.begin;
    while (change != changes.end() && change->begin < segment.end) {
      append(out, {at, change->begin, segment.set});
      append(out, {std::max(at, change->begin),
                   std::min(segment.end, change->end), change->set});
      at = std::max(at, std::min(segment.end, change->end));
      if (change->end > segment.end)
        break;
      ++change;
    }
    append(out, {at, segment.end, segment.set});
  }
  segments = std::move(out);
}

void Holders::add(const std::vector<Segment> &got, uint32_t rank,
                  RankSets &sets) {
  std::vector<Segment> changes;
  for (const Segment &segment : got)
    changes.push_back(
        {segment.begin, segment.end, sets.with(segment.set, rank)});
  assign(changes);
}

Holders Holders::join(const Holders &first, const Holders &second,
                      RankSets &sets, std::vector<Segment> &rest) {
  Holders joined;
  auto a = first.segments.begin(), b = second.segments.begin();
  while (a != first.segments.end() && b != second.segments.end()) {
    int64_t begin = std::max(a->begin, b->begin);
    int64_t end = std::min(a->end, b->end);
    RankSets::Set both = RankSets::everywhere;
    if (!sets.meet(a->set, b->set, both)) {
      both = sets.only(sets.ownerOf(b->set));
      append(rest, {begin, end, b->set});
    }
    append(joined.segments, {begin, end, both});
    bool endsSecond = b->end == end;
    if (a->end == end)
      ++a;
    if (endsSecond)
      ++b;
  }
  return joined;
}

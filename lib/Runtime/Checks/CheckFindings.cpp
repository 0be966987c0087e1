//===- CheckFindings.cpp - The text of the checker's findings -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every finding names the places of all accesses involved, the instances, the
// bytes, and a fix.
//
//===----------------------------------------------------------------------===//

#include "CheckFindings.h"

#include "sluice/Base/Text.h"

using namespace sluice;

void CheckFindings::begin(const SluicePlan &newPlan) {
  plan = &newPlan;
  seen.clear();
  findings.clear();
  numLeftOut = 0;
}

/// The text that identifies a place in the code.
static std::string describe(const SluiceCheckSite *site) {
  return site ? concat(site->location, ' ', site->object, ' ', site->kind)
              : std::string();
}

bool CheckFindings::isNew(Kind kind, const SluiceCheckSite *site,
                          const SluiceCheckSite *other) {
  if (!seen.insert({kind, describe(site), describe(other)}).second)
    return false;
  if (findings.size() < maxFindings)
    return true;
  ++numLeftOut;
  return false;
}

/// "instance 5 of node 'root/blur'".
static std::string instanceOfNode(const CheckOrder &order,
                                  const CheckInstance &instance) {
  return concat(order.instanceText(instance), " of node ",
                quoted(order.execution(instance.execution).leaf->name));
}

/// Whether an access both reads and writes, in one indivisible operation.
static bool isUpdate(const SluiceCheckSite &site) {
  constexpr uint32_t update =
      SLUICE_CHECK_ATOMIC | SLUICE_CHECK_READ | SLUICE_CHECK_WRITE;
  return (site.kind & update) == update;
}

static std::string present(const SluiceCheckSite &site) {
  if (isUpdate(site))
    return "atomically updates";
  return concat(site.kind & SLUICE_CHECK_ATOMIC ? "atomically " : "",
                site.kind & SLUICE_CHECK_WRITE ? "writes" : "reads");
}

static std::string past(const SluiceCheckSite &site) {
  if (isUpdate(site))
    return "atomically updated";
  return concat(site.kind & SLUICE_CHECK_ATOMIC ? "atomically " : "",
                site.kind & SLUICE_CHECK_WRITE ? "wrote" : "read");
}

static std::string bytesText(const CheckFindings::Place &place) {
  if (!place.offsetKnown)
    return countOf(place.size, "byte", "bytes");
  if (place.size == 1)
    return concat("byte ", place.offset);
  return concat("bytes ", place.offset, " to ",
                place.offset + static_cast<int64_t>(place.size) - 1);
}

/// "blur.c:12:3: instance 5 of node 'root/blur' writes".
std::string CheckFindings::subject(const Place &place) const {
  return concat(place.site->location, ": ",
                instanceOfNode(order, place.instance), " ",
                present(*place.site), " ");
}

void CheckFindings::outside(const Place &place, uint64_t extent) {
  if (!isNew(Kind::Outside, place.site, nullptr))
    return;
  std::string bytes = countOf(place.size, "byte", "bytes");
  std::string object =
      concat(place.object, ", which has ", countOf(extent, "byte", "bytes"),
             "; only these were given to the node");
  findings.push_back(place.offset < 0
                         ? concat(subject(place), bytes, " that begin ",
                                  countOf(-place.offset, "byte", "bytes"),
                                  " before the start of ", object)
                         : concat(subject(place), bytes, " at byte ",
                                  place.offset, " of ", object));
}

void CheckFindings::writeToInput(const Place &place, bool ofGraph) {
  if (!isNew(Kind::WriteToInput, place.site, nullptr))
    return;
  std::string owner =
      ofGraph ? concat("graph ", quoted(plan->name)) : std::string("the node");
  findings.push_back(concat(
      subject(place), bytesText(place), " of ", place.object, ", which ", owner,
      " was given as 'in': declare it 'out' as well, or write elsewhere"));
}

void CheckFindings::readOfOutput(const Place &place, bool ofGraph) {
  if (!isNew(Kind::ReadOfOutput, place.site, nullptr))
    return;
  std::string owner =
      ofGraph ? concat("graph ", quoted(plan->name)) : std::string("the node");
  findings.push_back(concat(
      subject(place), bytesText(place), " of ", place.object, ", which ", owner,
      " was given as 'out', before the graph has written them: declare it 'in' "
      "as well, or write it first"));
}

void CheckFindings::readOfTemporary(const Place &place) {
  if (!isNew(Kind::ReadOfOutput, place.site, nullptr))
    return;
  findings.push_back(
      concat(subject(place), bytesText(place), " of ", place.object,
             ", which graph ", quoted(plan->name),
             " says is temporary, before the graph has written "
             "them: write them first, or leave 'sluice_temporary' out"));
}

std::string CheckFindings::advice(const Place &place,
                                  const CheckInstance &other,
                                  CheckOrder::Verdict verdict) const {
  auto [first, second] = order.partingNodes(other, place.instance);
  switch (verdict) {
  case CheckOrder::Verdict::SameGroup:
    return "instances of a node run in any order between barriers: let each "
           "use bytes of its own, put a barrier between the accesses, or make "
           "them atomic";
  case CheckOrder::Verdict::SameLeaf:
    return "instances of a node run in any order: let each use bytes of its "
           "own, or make the accesses atomic";
  case CheckOrder::Verdict::NoEdge:
    return concat("nothing orders ", quoted(first), " and ", quoted(second),
                  ": join them by an edge");
  case CheckOrder::Verdict::OtherIndices:
    return concat("the one-to-one edge from ", quoted(first), " to ",
                  quoted(second),
                  " orders equal indices only: make it all-to-all");
  case CheckOrder::Verdict::Ordered:
    break;
  }
  return "";
}

void CheckFindings::race(const Place &place, const SluiceCheckSite &otherSite,
                         const CheckInstance &other,
                         CheckOrder::Verdict verdict) {
  if (!isNew(Kind::Race, place.site, &otherSite))
    return;
  bool sameLeaf = order.execution(other.execution).leaf ==
                  order.execution(place.instance.execution).leaf;
  findings.push_back(concat(
      subject(place), bytesText(place), " of ", place.object, ", which ",
      sameLeaf ? order.instanceText(other) : instanceOfNode(order, other), " ",
      past(otherSite), " at ", otherSite.location, ": ",
      advice(place, other, verdict)));
}

void CheckFindings::otherValue(const Place &place,
                               const SluiceCheckSite &otherSite,
                               const CheckInstance &other) {
  if (!isNew(Kind::OtherValue, place.site, &otherSite))
    return;
  findings.push_back(concat(
      subject(place), bytesText(place), " of ", place.object,
      " with another value than ", instanceOfNode(order, other), " at ",
      otherSite.location,
      ", though 'sluice_assume_ordered' says that the order does not matter"));
}

void CheckFindings::assumption(const Place &place, const CheckInstance &other) {
  if (!isNew(Kind::Assumption, place.site, nullptr))
    return;
  findings.push_back(concat(
      place.site->location, ": 'sluice_assume_disjoint' is wrong: ",
      instanceOfNode(order, place.instance), " and ", order.instanceText(other),
      " both name ", bytesText(place), " of ", place.object,
      ": give each instance memory of its own, or do not say that it has it"));
}

Status CheckFindings::status() const {
  std::string text;
  for (const std::string &finding : findings)
    text += concat(text.empty() ? "" : "\nsluice: error: ", finding);
  if (numLeftOut)
    text +=
        concat("\nsluice: note: ", countOf(numLeftOut, "finding", "findings"),
               " more in this run of graph ", quoted(plan->name));
  return Status::error(StatusCode::NodeFailed, text);
}

//===- Arguments.cpp - Copying between argument structures and frames -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies field by field with memcpy: structures may be packed, so a field may
// not have the alignment of its type.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "sluice/Base/TableHead.h"
#include "sluice/Base/Text.h"

#include <cstring>

using namespace sluice;

static inline bool belongsTo(const SluicePlanArgument &argument,
                             ArgumentSet set) {
  bool streams = argument.flags & SLUICE_PORT_STREAM;
  return set == ArgumentSet::All || streams == (set == ArgumentSet::Streaming);
}

Status sluice::checkStructure(const PlanInfo &info, const void *structure,
                              const SluiceLayout *layout, ArgumentSet set) {
  if (structure && !layout)
    return {};
  const SluicePlan &plan = info.plan;
  uint32_t numResults = plan.isStreaming ? 0 : plan.numResults;
  uint32_t numArguments = 0;
  for (uint32_t i = 0; i < plan.numArguments; ++i)
    numArguments += belongsTo(plan.arguments[i], set);
  if (!structure && (numArguments || numResults))
    return Status::invalidArgument(
        concat("the argument structure of graph ", quoted(plan.name),
               " is null, but the graph has ",
               countOf(numArguments, "argument", "arguments"), " and ",
               countOf(numResults, "result", "results")));
  if (!layout)
    return {};
  if (Status status = checkTable(*layout); !status.ok())
    return status;
  auto check = [&](const char *name, uint64_t offset, uint64_t size) {
    if (offset <= layout->size && size <= layout->size - offset)
      return Status();
    return Status::invalidArgument(
        concat("field ", quoted(name), " of graph ", quoted(plan.name), " has ",
               countOf(size, "byte", "bytes"), " at offset ", offset,
               ", but the argument structure has ", layout->size));
  };
  for (uint32_t i = 0; i < plan.numArguments; ++i)
    if (Status status =
            check(plan.arguments[i].name, layout->argumentOffsets[i],
                  plan.arguments[i].size);
        !status.ok())
      return status;
  for (uint32_t i = 0; i < numResults; ++i)
    if (Status status = check(plan.results[i].name, layout->resultOffsets[i],
                              plan.results[i].size);
        !status.ok())
      return status;
  return {};
}

void sluice::readArguments(const PlanInfo &info, const void *structure,
                           const SluiceLayout *layout, ArgumentSet set,
                           unsigned char *frame) {
  if (!layout && set == ArgumentSet::All)
    return readPackedArguments(info, structure, frame);
  const uint64_t *offsets =
      layout ? layout->argumentOffsets : info.packedArguments.data();
  auto *bytes = static_cast<const unsigned char *>(structure);
  const SluicePlanArgument *arguments = info.plan.arguments;
  const uint32_t numArguments = info.plan.numArguments;
  for (uint32_t i = 0; i < numArguments; ++i)
    if (set == ArgumentSet::All || belongsTo(arguments[i], set))
      copyField(frame + arguments[i].frameOffset, bytes + offsets[i],
                arguments[i].size);
}

void sluice::writeResults(const PlanInfo &info, const unsigned char *frame,
                          const uint64_t *offsets, void *structure) {
  auto *bytes = static_cast<unsigned char *>(structure);
  for (uint32_t i = 0; i < info.plan.numResults; ++i) {
    const SluicePlanResult &result = info.plan.results[i];
    copyField(bytes + offsets[i], frame + result.frameOffset, result.size);
  }
}

static bool belongsTo(const PointerArgument &pointer, ArgumentSet set) {
  return set == ArgumentSet::All ||
         pointer.isStreaming == (set == ArgumentSet::Streaming);
}

MemoryAccess sluice::accessOf(const PointerArgument &pointer,
                              const unsigned char *frame) {
  MemoryAccess access = {};
  access.name = pointer.name;
  access.writes = pointer.isWritten;
  access.sizeKnown = pointer.sizeOffset != SLUICE_NO_OFFSET;
  std::memcpy(&access.start, frame + pointer.frameOffset, sizeof(uintptr_t));
  if (access.sizeKnown)
    std::memcpy(&access.size, frame + pointer.sizeOffset, sizeof(uint64_t));
  return access;
}

void sluice::readMemoryAccesses(const PlanInfo &info, ArgumentSet set,
                                const unsigned char *frame,
                                std::vector<MemoryAccess> &accesses) {
  accesses.clear();
  accesses.reserve(info.pointers.size());
  for (const PointerArgument &pointer : info.pointers) {
    if (!belongsTo(pointer, set))
      continue;
    MemoryAccess access = accessOf(pointer, frame);
    if (access.start)
      accesses.push_back(access);
  }
}

Status sluice::checkNullPointers(const PlanInfo &info, ArgumentSet set,
                                 const unsigned char *frame) {
  for (const PointerArgument &pointer : info.pointers) {
    if (!belongsTo(pointer, set))
      continue;
    MemoryAccess access = accessOf(pointer, frame);
    if (!access.start && access.sizeKnown && access.size)
      return Status::invalidArgument(
          concat("argument ", quoted(access.name), " of graph ",
                 quoted(info.plan.name), " is a null pointer of ",
                 countOf(access.size, "byte", "bytes")));
  }
  return {};
}

static std::string accessText(const MemoryAccess &access) {
  std::string out = concat(quoted(access.name), " (",
                           reinterpret_cast<const void *>(access.start), ", ");
  return out +
         (access.sizeKnown ? countOf(access.size, "byte", "bytes")
                           : std::string("size unknown")) +
         ")";
}

/// Memory of unknown size counts as one byte.
static bool overlap(const MemoryAccess &a, const MemoryAccess &b) {
  const uint64_t aSize = a.sizeKnown ? a.size : 1;
  const uint64_t bSize = b.sizeKnown ? b.size : 1;
  return a.start && b.start && aSize && bSize &&
         (a.start <= b.start ? b.start - a.start < aSize
                             : a.start - b.start < bSize);
}

Status sluice::checkDisjoint(const PlanInfo &info, ArgumentSet set,
                             const unsigned char *frame) {
  // The other pairs were compared when the stream began.
  for (auto [first, second] :
       set == ArgumentSet::Streaming ? info.movingPairs : info.disjointPairs) {
    const MemoryAccess a = accessOf(info.pointers[first], frame);
    const MemoryAccess b = accessOf(info.pointers[second], frame);
    if (overlap(a, b))
      return Status::invalidArgument(
          concat("arguments ", accessText(a), " and ", accessText(b),
                 " of graph ", quoted(info.plan.name),
                 " overlap, but the graph is free of races only if they are "
                 "disjoint"));
  }
  return {};
}

//===- Specialize.cpp - Kernels compiled for the extents at hand ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts launches per set of values, and selects the kernel of a node.
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"

#include "../Execution/Instance.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace sluice;

//===----------------------------------------------------------------------===//
// All nodes
//===----------------------------------------------------------------------===//

Specializer::Specializer(const VariantOptions &options)
    : options(options), compiler(options) {}

Specializer::~Specializer() = default;

/// Nodes with the same kernel and shape share variants.
static bool areAlike(const SluicePlanNode &a, const SluicePlanNode &b) {
  return a.kernel == b.kernel && a.numLevels == b.numLevels &&
         std::equal(a.shape, a.shape + a.numShape, b.shape,
                    b.shape + b.numShape,
                    [](const SluicePlanShape &x, const SluicePlanShape &y) {
                      return x.frameOffset == y.frameOffset && x.size == y.size;
                    });
}

NodeVariants &Specializer::variantsOf(const SluicePlan &plan,
                                      const SluicePlanNode &node,
                                      KernelVariants &known) {
  NodeVariants *&found = known[node.kernel];
  if (found && areAlike(found->getNode(), node))
    return *found;
  nodes.push_back(
      std::make_unique<NodeVariants>(compiler, options, plan, node));
  found = nodes.back().get();
  return *found;
}

void Specializer::preparePlan(PlanInfo &info) {
  const SluicePlan &plan = info.plan;
  if (!compiler.isEnabled() || !plan.specializer || !plan.specializer->code)
    return;
  KernelVariants known;
  for (NodeInfo &node : info.nodes) {
    // Only constants: the generic kernel already uses them.
    if (!node.node->extents && node.node->numShape == 0)
      continue;
    node.variants = &variantsOf(plan, *node.node, known);
    node.isPlain = info.isPlain = false;
  }
}

//===----------------------------------------------------------------------===//
// One node
//===----------------------------------------------------------------------===//

NodeVariants::NodeVariants(VariantCompiler &compiler,
                           const VariantOptions &options,
                           const SluicePlan &plan, const SluicePlanNode &node)
    : compiler(compiler), options(options), plan(plan), node(node) {}

uint64_t NodeVariants::shapeValue(const NodeRun &run, uint32_t index) const {
  uint64_t value = 0;
  std::memcpy(&value, run.invocation.frame + node.shape[index].frameOffset,
              node.shape[index].size);
  return value;
}

bool NodeVariants::isFor(const KernelVariant &variant,
                         const NodeRun &run) const {
  const VariantKey &key = variant.key;
  if (key.varying != varying.load(std::memory_order_relaxed) ||
      !std::equal(key.extents.begin(), key.extents.end(),
                  run.invocation.extents))
    return false;
  for (uint32_t i = 0; i < node.numShape; ++i)
    if (!varies(key.varying, i) && key.shape[i] != shapeValue(run, i))
      return false;
  return true;
}

VariantKey NodeVariants::keyOf(const NodeRun &run) const {
  VariantKey key;
  const int64_t *extents = run.invocation.extents;
  key.extents.assign(extents, extents + 3 * node.numLevels);
  key.varying = varying.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < node.numShape; ++i)
    key.shape.push_back(varies(key.varying, i) ? 0 : shapeValue(run, i));
  return key;
}

//===----------------------------------------------------------------------===//
// Values that vary
//===----------------------------------------------------------------------===//

/// The history for the extents of a run. If there are many histories, replaces
/// the least recently used one.
ShapeHistory &NodeVariants::historyOf(const VariantKey &key) {
  for (ShapeHistory &history : histories)
    if (history.extents == key.extents)
      return history;
  if (histories.size() == maxHistories)
    histories.erase(std::min_element(
        histories.begin(), histories.end(),
        [](const auto &a, const auto &b) { return a.lastUse < b.lastUse; }));
  return histories.emplace_back(ShapeHistory{key.extents, {}, 0});
}

/// The value with the most different values, among those that are still
/// constants.
uint32_t NodeVariants::mostVaried(const ShapeHistory &history) const {
  uint32_t result = 0;
  size_t most = 0;
  for (uint32_t i = 0; i < node.numShape; ++i) {
    std::set<uint64_t> values;
    for (const std::vector<uint64_t> &entry : history.sets)
      values.insert(entry[i]);
    if (values.size() > most) {
      most = values.size();
      result = i;
    }
  }
  return result;
}

/// Called for unknown values. Returns the number of sets of values in launches
/// with the same extents so far.
size_t NodeVariants::countSets(const NodeRun &run) {
  VariantKey key = keyOf(run);
  ShapeHistory &history = historyOf(key);
  history.lastUse = clock;
  auto found = std::find(history.sets.begin(), history.sets.end(), key.shape);
  if (found != history.sets.end())
    return found - history.sets.begin() + 1;
  if (history.sets.size() < options.maxVariants) {
    history.sets.push_back(std::move(key.shape));
    return history.sets.size();
  }
  uint32_t most = mostVaried(history);
  if (most >= 64)
    return options.maxVariants + 1;
  varying.store(key.varying | uint64_t(1) << most, std::memory_order_relaxed);
  histories.clear();
  forgetVariants();
  return 1;
}

/// Drops variants for values that turned out to vary. Those that are still
/// running, or about to be compiled, stay but are not selected.
void NodeVariants::forgetVariants() {
  using State = KernelVariant::State;
  std::erase_if(variants, [](const auto &entry) {
    return entry->state != State::Requested && entry->uses == 0;
  });
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// The entry for the values of a run. A new one may replace the least recently
/// used entry without a variant.
KernelVariant &NodeVariants::findOrAdd(const NodeRun &run) {
  for (const auto &entry : variants)
    if (isFor(*entry, run))
      return *entry;
  const size_t numSets = countSets(run);
  KernelVariant *result = nullptr;
  size_t numCounted = 0;
  for (const auto &entry : variants) {
    if (entry->state != KernelVariant::State::Counting)
      continue;
    ++numCounted;
    if (!result || entry->lastUse < result->lastUse)
      result = entry.get();
  }
  if (numCounted < maxCounted)
    result = variants.emplace_back(std::make_unique<KernelVariant>()).get();
  result->launches = 0;
  result->enough = options.specializeAfter * numSets;
  result->key = keyOf(run);
  return *result;
}

/// Whether values may get a variant now. If more sets of values alternate than
/// there may be variants, some keep theirs and the others never get one:
/// opening a variant takes as long as many launches.
bool NodeVariants::hasRoom() const {
  size_t numTaken = 0;
  bool anyIsUnused = false;
  for (const auto &entry : variants) {
    bool isReady = entry->state == KernelVariant::State::Ready;
    numTaken += isReady || entry->state == KernelVariant::State::Requested;
    anyIsUnused |= isReady && entry->uses == 0 &&
                   clock - entry->lastUse > turnsUnused * options.maxVariants;
  }
  return numTaken < options.maxVariants || anyIsUnused;
}

/// Records whether the values of a launch were known. If most were not, values
/// change all the time, and nothing is looked up for a while. A few recurring
/// values do not justify looking up all others.
void NodeVariants::noteValues(const KernelVariant &variant) {
  if (variant.launches > 1) {
    numNew -= std::min(numNew, worthOfKnown);
    if (variant.state == KernelVariant::State::Ready)
      pause -= pause / worthOfKnown;
    return;
  }
  if (++numNew <= maxCounted)
    return;
  numNew = 0;
  pause = std::clamp(2 * pause, minPause, maxPause);
  pauseLeft.store(pause, std::memory_order_relaxed);
}

void NodeVariants::choose(NodeRun &run) {
  using State = KernelVariant::State;
  // It stays open, and its values never change.
  if (run.variant && isFor(*run.variant, run))
    return useVariant(run);
  run.kernel = node.kernel;
  run.unitsAtOnce = run.info->unitsAtOnce();
  // An estimate: several threads may count down.
  if (uint32_t left = pauseLeft.load(std::memory_order_relaxed)) {
    pauseLeft.store(left - 1, std::memory_order_relaxed);
    return;
  }
  std::lock_guard lock(mutex);
  if (run.variant)
    --run.variant->uses;
  run.variant = nullptr;
  KernelVariant &variant = findOrAdd(run);
  variant.lastUse = ++clock;
  ++variant.launches;
  noteValues(variant);
  // An earlier run of the program may have left a variant: the cache is
  // searched at the first launch with these values, unless values change all
  // the time.
  const bool isNew = variant.launches == 1 && variants.size() < maxCounted;
  const bool isWanted = variant.launches >= variant.enough;
  if (variant.state == State::Counting && (isNew || isWanted) && hasRoom()) {
    if (SharedKernel kernel = compiler.find(requestFor(variant)))
      setReady(variant, std::move(kernel));
    else if (isWanted)
      compileInBackground(variant);
  }
  if (variant.state != State::Ready && variant.state != State::Failed)
    return;
  run.variant = &variant;
  ++variant.uses;
  useVariant(run);
}

/// Sets the kernel of a run with a variant for its values, if one could be
/// made. This does not change while the run uses it.
void NodeVariants::useVariant(NodeRun &run) const {
  SluiceKernel kernel = run.variant->kernel.get();
  run.kernel = kernel ? kernel : node.kernel;
  run.unitsAtOnce =
      kernel ? run.variant->kernel.unitsAtOnce() : run.info->unitsAtOnce();
  run.keepsKernel = node.numShape == 0;
}

static std::string commaSeparated(const std::vector<int64_t> &numbers) {
  std::string out;
  for (int64_t number : numbers)
    appendText(out, concat(out.empty() ? "" : ",", number));
  return out;
}

VariantRequest NodeVariants::requestFor(const KernelVariant &variant) const {
  const VariantKey &key = variant.key;
  std::string shape;
  for (uint32_t i = 0; i < node.numShape; ++i)
    appendText(shape, varies(key.varying, i)
                          ? concat(i == 0 ? "" : ",", "?")
                          : concat(i == 0 ? "" : ",", key.shape[i]));
  return {plan.specializer, node.name, commaSeparated(key.extents), shape};
}

void NodeVariants::compileInBackground(KernelVariant &variant) {
  variant.state = KernelVariant::State::Requested;
  // Only entries that are counted or ready are removed.
  compiler.compile(requestFor(variant), [this, &variant](SharedKernel kernel) {
    finishCompiling(variant, std::move(kernel));
  });
}

void NodeVariants::finishCompiling(KernelVariant &variant,
                                   SharedKernel kernel) {
  std::lock_guard lock(mutex);
  bool isWanted =
      variant.key.varying == varying.load(std::memory_order_relaxed);
  if (kernel && isWanted)
    setReady(variant, std::move(kernel));
  else
    variant.state = KernelVariant::State::Failed;
}

void NodeVariants::setReady(KernelVariant &variant, SharedKernel kernel) {
  variant.kernel = std::move(kernel);
  variant.state = KernelVariant::State::Ready;
  variant.lastUse = ++clock;
  closeOldest(variant);
}

/// Closes variants beyond the limit, the least recently used first, except
/// running ones and the newly opened one.
void NodeVariants::closeOldest(const KernelVariant &newest) {
  auto isReady = [](const auto &entry) {
    return entry->state == KernelVariant::State::Ready;
  };
  auto count = std::count_if(variants.begin(), variants.end(), isReady);
  for (; count > static_cast<ptrdiff_t>(options.maxVariants); --count) {
    auto oldest = variants.end();
    for (auto entry = variants.begin(); entry != variants.end(); ++entry)
      if (isReady(*entry) && (*entry)->uses == 0 && entry->get() != &newest &&
          (oldest == variants.end() || (*entry)->lastUse < (*oldest)->lastUse))
        oldest = entry;
    if (oldest == variants.end())
      return;
    variants.erase(oldest);
  }
}

//===- Packer.cpp - A committed layout ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimizes the cost of a pack beyond its kernel: loads the current kernel,
// counts uses until a compiled kernel exists, and compares the size with the
// threshold for sharing between threads.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Packer.h"

#include "../Form/SelfOverlap.h"
#include "CompileQueue.h"
#include "KernelTrial.h"
#include "PackOptions.h"
#include "PackerRegistry.h"
#include "PartPlan.h"
#include "SharedPack.h"
#include "sluice/Pack/Compiler.h"
#include "sluice/Pack/Datatype.h"

#include <algorithm>
#include <mutex>
#include <optional>

using namespace sluice;
using namespace sluice::pack;

/// Number of bytes of a pack, or number of packs, from which a careful
/// selection of the kernel pays.
static constexpr int64_t bytesForCare = 64 << 10;
static constexpr int64_t usesForCare = 8;

/// Ready-made kernels that always write around the caches.
struct StreamingKernels {
  Kernel whole;
  std::unique_ptr<const PartPlan> parts;
};

struct Packer::State {
  State(const Layout &layout, uint64_t hash)
      : first(readyMadeKernel(layout, thisProcessor(), effortFor(layout))),
        hash(hash), compileAfter(packOptions().compileAfter),
        isChosen(effortFor(layout) == KernelEffort::Full) {}

  /// Each kernel copies long lists, so for these it is selected only once.
  static KernelEffort effortFor(const Layout &layout) {
    return layout.form->offsets.size() > 1024 ? KernelEffort::Full
                                              : KernelEffort::Quick;
  }

  const Kernel first;
  /// Selected carefully by the thread that set `isChosen`.
  Kernel chosen;
  Kernel compiled;
  /// Made with the compiled kernel.
  std::optional<KernelTrial> packTrial, unpackTrial;
  uint64_t hash;
  int64_t compileAfter;

  int64_t usesToCount() const {
    return compileAfter > 0 ? compileAfter : usesForCare;
  }

  std::atomic<bool> isChosen;
  std::atomic<bool> wasAsked = false;
  /// Guarded by CompileQueue::compiling, like `compiled` while it is being
  /// made.
  bool wasCompiled = false;
  Status failure;

  /// Whether no two packed bytes of an instance have the same address; computed
  /// when first needed.
  enum class Overlap : uint8_t { Unknown, None, Possible };
  std::atomic<Overlap> overlap = Overlap::Unknown;

  /// For parts of instances; made when first needed.
  std::atomic<const PartPlan *> plan = nullptr;
  const PartPlan *planFor(const Layout &layout, int64_t position,
                          int64_t length);

  /// For packs that threads share; made when first needed.
  std::atomic<const StreamingKernels *> streaming = nullptr;
  const StreamingKernels &streamingFor(const Layout &layout);

  ~State() {
    delete plan.load(std::memory_order_relaxed);
    delete streaming.load(std::memory_order_relaxed);
  }
};

/// The target of `slot`, made by the first caller.
template <typename Value, typename Make>
static const Value *lazily(std::atomic<const Value *> &slot, Make make) {
  const Value *known = slot.load(std::memory_order_acquire);
  if (known)
    return known;
  std::unique_ptr<const Value> own = make();
  if (slot.compare_exchange_strong(known, own.get(), std::memory_order_acq_rel))
    return own.release();
  return known;
}

/// The plan, if the range benefits from one and the form needs one.
const PartPlan *Packer::State::planFor(const Layout &layout, int64_t position,
                                       int64_t length) {
  if (!needsPlan(layout, position, length))
    return nullptr;
  return lazily(plan, [&] { return PartPlan::of(*layout.form); });
}

const StreamingKernels &Packer::State::streamingFor(const Layout &layout) {
  return *lazily(streaming, [&] {
    // A kernel streams when it packs more than a part of the last-level cache.
    // Here no kernel packs as much as the whole.
    Processor processor = thisProcessor();
    processor.lastLevelBytes = 0;
    return std::unique_ptr<const StreamingKernels>(
        new StreamingKernels{readyMadeKernel(layout, processor),
                             PartPlan::of(*layout.form, processor)});
  });
}

Packer::Packer(const Layout &layout, uint64_t hash)
    : shape(layout), usesLeft(0), state(std::make_unique<State>(layout, hash)) {
  packing.kernel.store(&state->first, std::memory_order_relaxed);
  unpacking.kernel.store(&state->first, std::memory_order_relaxed);
  if (!state->first.canImprove || layout.size() == 0)
    return;
  usesLeft.store(state->usesToCount(), std::memory_order_relaxed);
}

Packer::~Packer() { PackerRegistry::get().remove(this, state->hash); }

std::shared_ptr<Packer> Packer::of(const Layout &layout) {
  uint64_t hash = hashOf(layout);
  PackerRegistry &registry = PackerRegistry::get();
  if (std::shared_ptr<Packer> packer = registry.find(layout, hash))
    return packer;
  std::shared_ptr<Packer> packer(new Packer(layout, hash));
  std::shared_ptr<Packer> shared = registry.add(packer, hash);
  if (shared == packer && packer->state->first.canImprove &&
      layout.size() != 0 && packer->state->compileAfter == 0)
    packer->askForCompilation();
  return shared;
}

const Kernel &Packer::kernel() const {
  return *packing.kernel.load(std::memory_order_acquire);
}

const Kernel &Packer::unpackKernel() const {
  return *unpacking.kernel.load(std::memory_order_acquire);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

[[noreturn]] static void throwNotCompiled() {
  throw farc::Error(farc::Error::NO_COMPILER,
                    "a layout with a user's own datatype was not compiled; "
                    "commit it where libSluicePackJIT.so is found");
}

inline const Kernel &Packer::use(const Direction &direction, int64_t bytes) {
  if (int64_t left = usesLeft.load(std::memory_order_relaxed); left != 0)
    countUse(left, bytes);
  const Kernel &kernel = *direction.kernel.load(std::memory_order_acquire);
  if (!kernel.pack) [[unlikely]]
    throwNotCompiled();
  return kernel;
}

/// Not atomic: a lost count only delays an improvement.
void Packer::countUse(int64_t left, int64_t bytes) {
  usesLeft.store(left - 1, std::memory_order_relaxed);
  int64_t uses = state->usesToCount() - left + 1;
  if ((uses >= usesForCare || bytes >= bytesForCare) &&
      !state->isChosen.load(std::memory_order_relaxed) &&
      !state->isChosen.exchange(true, std::memory_order_relaxed))
    chooseWithCare();
  if (left == 1 && state->compileAfter > 0)
    askForCompilation();
}

/// Replaces the quickly selected kernel, unless a compiled one is in use.
void Packer::chooseWithCare() {
  if (shape.form->hasCustom)
    return;
  state->chosen = readyMadeKernel(shape);
  for (Direction *direction : {&packing, &unpacking}) {
    const Kernel *first = &state->first;
    direction->kernel.compare_exchange_strong(first, &state->chosen,
                                              std::memory_order_acq_rel);
  }
}

void Packer::askForCompilation() {
  if (state->wasAsked.exchange(true, std::memory_order_relaxed))
    return;
  if (CompileQueue::get().ask(shared_from_this()))
    return;
  state->wasAsked.store(false, std::memory_order_relaxed);
  usesLeft.store(state->usesToCount(), std::memory_order_relaxed);
}

/// Whether there was a trial, which did the copying.
inline bool Packer::runTrial(Direction &direction, const std::byte *in,
                             int64_t count, std::byte *out) {
  KernelTrial *trial = direction.trial.load(std::memory_order_acquire);
  if (!trial) [[likely]]
    return false;
  if (const Kernel *winner = trial->run(in, count, out)) {
    direction.kernel.store(winner, std::memory_order_release);
    direction.trial.store(nullptr, std::memory_order_relaxed);
  }
  return true;
}

bool Packer::canShareUnpack(int64_t count) {
  using Overlap = State::Overlap;
  Overlap overlap = state->overlap.load(std::memory_order_relaxed);
  if (overlap == Overlap::Unknown) {
    overlap = isDisjoint(*shape.form) ? Overlap::None : Overlap::Possible;
    state->overlap.store(overlap, std::memory_order_relaxed);
  }
  return overlap == Overlap::None && areInstancesDisjoint(shape, count);
}

bool Packer::packShared(const Kernel &kernel, const std::byte *in,
                        int64_t count, std::byte *out) {
  if (shape.form->hasCustom)
    return false;
  if (shape.size() * count < thisProcessor().lastLevelBytes / 2)
    return packWithThreads(
        {shape, kernel, state->planFor(shape, 1, shape.size())}, in, count,
        out);
  const StreamingKernels &streaming = state->streamingFor(shape);
  return packWithThreads({shape, streaming.whole, streaming.parts.get()}, in,
                         count, out);
}

void Packer::pack(const void *in, int64_t count, void *out) {
  int64_t bytes = shape.size() * count;
  const Kernel &kernel = use(packing, bytes);
  auto *from = static_cast<const std::byte *>(in);
  auto *to = static_cast<std::byte *>(out);
  if (isShared(bytes) && packShared(kernel, from, count, to))
    return;
  if (runTrial(packing, from, count, to))
    return;
  kernel.pack(from, count, to, kernel.context.get());
}

void Packer::unpack(const void *in, void *out, int64_t count) {
  int64_t bytes = shape.size() * count;
  const Kernel &kernel = use(unpacking, bytes);
  auto *from = static_cast<const std::byte *>(in);
  auto *to = static_cast<std::byte *>(out);
  if (isShared(bytes) && canShareUnpack(count) &&
      unpackWithThreads({shape, kernel, state->planFor(shape, 1, shape.size())},
                        from, to, count))
    return;
  if (runTrial(unpacking, from, count, to))
    return;
  kernel.unpack(from, count, to, kernel.context.get());
}

void Packer::packPart(const void *in, int64_t count, int64_t position,
                      int64_t length, void *out) {
  const Kernel &kernel = use(packing, length);
  checkRange(shape, count, position, length);
  packPlanned(shape, kernel, state->planFor(shape, position, length),
              static_cast<const std::byte *>(in), position, length,
              static_cast<std::byte *>(out));
}

void Packer::unpackPart(const void *in, int64_t position, int64_t length,
                        void *out, int64_t count) {
  const Kernel &kernel = use(unpacking, length);
  checkRange(shape, count, position, length);
  unpackPlanned(shape, kernel, state->planFor(shape, position, length),
                static_cast<const std::byte *>(in), position, length,
                static_cast<std::byte *>(out));
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static Status copyOf(const Status &status) {
  return status.ok() ? Status()
                     : Status::error(status.code(), status.message());
}

static Result<Kernel> compileKernel(const Layout &layout) {
  Result<Compiler *> compiler = kernelCompiler();
  if (!compiler.ok())
    return compiler.takeStatus();
  try {
    return (*compiler)->compile({.layout = &layout,
                                 .processor = &thisProcessor(),
                                 .useDiskCache = packOptions().useDiskCache});
  } catch (const std::exception &error) {
    // A user's packCodegen may throw.
    return Status::error(StatusCode::NodeFailed, error.what());
  }
}

Status Packer::compile() {
  CompilingLock lock;
  if (state->wasCompiled)
    return copyOf(state->failure);
  state->wasCompiled = true;
  usesLeft.store(0, std::memory_order_relaxed);
  Result<Kernel> kernel = compileKernel(shape);
  if (!kernel.ok()) {
    state->failure = kernel.takeStatus();
    return copyOf(state->failure);
  }
  state->compiled = std::move(*kernel);
  // The trial compares the best kernel of each kind.
  if (packOptions().compareKernels &&
      !state->isChosen.exchange(true, std::memory_order_relaxed))
    chooseWithCare();
  useCompiled();
  return Status();
}

/// The ready-made kernel takes part in the trial in its current form.
void Packer::useCompiled() {
  const Kernel &compiled = state->compiled;
  const Kernel &packed = kernel(), &unpacked = unpackKernel();
  bool hasTrial = packOptions().compareKernels && !shape.form->hasCustom;
  if (hasTrial) {
    state->packTrial.emplace(KernelTrial::Contestant{&packed, packed.pack},
                             KernelTrial::Contestant{&compiled, compiled.pack});
    state->unpackTrial.emplace(
        KernelTrial::Contestant{&unpacked, unpacked.unpack},
        KernelTrial::Contestant{&compiled, compiled.unpack});
  }
  packing.kernel.store(&compiled, std::memory_order_release);
  unpacking.kernel.store(&compiled, std::memory_order_release);
  if (!hasTrial)
    return;
  packing.trial.store(&*state->packTrial, std::memory_order_release);
  unpacking.trial.store(&*state->unpackTrial, std::memory_order_release);
}

void sluice::pack::waitForCompilations() {
  CompileQueue::get().waitUntilIdle();
}

void sluice::pack::stopPackThreads() {
  CompileQueue::get().stop();
  stopHelperThreads();
}

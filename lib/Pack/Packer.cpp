//===- Packer.cpp - A committed layout ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pack costs beyond its kernel is decided here: a load of the kernel in
// use, a count of uses until the compiled one is there, and a comparison with
// the size from which threads share the work.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Packer.h"

#include "Options.h"
#include "PackerRegistry.h"
#include "sluice/Pack/Compiler.h"
#include "sluice/Pack/Datatype.h"

#include <mutex>

using namespace sluice;
using namespace sluice::pack;

struct Packer::State {
  explicit State(const Layout &layout) : ready(readyMadeKernel(layout)) {}

  /// Points to `ready`, later to `compiled`.
  std::atomic<const Kernel *> current = &ready;
  /// Uses until a compiled kernel is asked for; 0 once it was, or if never.
  std::atomic<int64_t> usesLeft = 0;
  uint64_t hash = 0;
  Kernel ready;
  Kernel compiled;

  /// Guards a compilation and its outcome.
  std::mutex mutex;
  bool wasCompiled = false;
  Status failure;
};

Packer::Packer(const Layout &layout)
    : shape(layout), state(std::make_unique<State>(layout)) {}

Packer::~Packer() { PackerRegistry::get().remove(this, state->hash); }

std::shared_ptr<Packer> Packer::of(const Layout &layout) {
  uint64_t hash = hashOf(layout);
  PackerRegistry &registry = PackerRegistry::get();
  if (std::shared_ptr<Packer> packer = registry.find(layout, hash))
    return packer;
  std::shared_ptr<Packer> packer(new Packer(layout));
  packer->state->hash = hash;
  return registry.add(packer, hash);
}

const Kernel &Packer::kernel() const {
  return *state->current.load(std::memory_order_acquire);
}

/// The kernel to pack with. Throws if the layout has only custom code that is
/// not compiled.
static const Kernel &usable(const Kernel &kernel) {
  if (kernel.pack) [[likely]]
    return kernel;
  throw farc::Error(farc::Error::NO_COMPILER,
                    "a layout with a user's own datatype was not compiled; "
                    "commit it where libSluicePackJIT.so is found");
}

void Packer::pack(const void *in, int64_t count, void *out) {
  const Kernel &kernel = usable(this->kernel());
  kernel.pack(static_cast<const std::byte *>(in), count,
              static_cast<std::byte *>(out), kernel.context.get());
}

void Packer::unpack(const void *in, void *out, int64_t count) {
  const Kernel &kernel = usable(this->kernel());
  kernel.unpack(static_cast<const std::byte *>(in), count,
                static_cast<std::byte *>(out), kernel.context.get());
}

void Packer::packPart(const void *in, int64_t count, int64_t position,
                      int64_t length, void *out) {
  packRange(shape, usable(kernel()), static_cast<const std::byte *>(in), count,
            position, length, static_cast<std::byte *>(out));
}

void Packer::unpackPart(const void *in, int64_t position, int64_t length,
                        void *out, int64_t count) {
  unpackRange(shape, usable(kernel()), static_cast<const std::byte *>(in),
              position, length, static_cast<std::byte *>(out), count);
}

static Status copyOf(const Status &status) {
  return status.ok() ? Status()
                     : Status::error(status.code(), status.message());
}

Status Packer::compile() {
  std::lock_guard lock(state->mutex);
  if (state->wasCompiled)
    return copyOf(state->failure);
  Result<Compiler *> compiler = kernelCompiler();
  if (!compiler.ok())
    return compiler.takeStatus();
  state->wasCompiled = true;
  Result<Kernel> kernel = (*compiler)->compile(
      {.layout = &shape,
       .processor = &thisProcessor(),
       .useDiskCache =
           LiveOptions::get().useDiskCache.load(std::memory_order_relaxed)});
  if (!kernel.ok()) {
    state->failure = kernel.takeStatus();
    return copyOf(state->failure);
  }
  state->compiled = std::move(*kernel);
  state->current.store(&state->compiled, std::memory_order_release);
  return Status();
}

void sluice::pack::waitForCompilations() {}

void sluice::pack::stopPackThreads() {}

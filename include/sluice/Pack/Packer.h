//===- Packer.h - A committed layout --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Committing a layout returns a packer. It packs at once with a ready-made
// kernel, selects a better one when it is used, and after enough uses has a
// kernel compiled on a worker thread, which then replaces the ready-made one.
// Equal layouts share one packer, even if a program commits the same layout ten
// thousand times.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_PACKER_H
#define SLUICE_PACK_PACKER_H

#include "sluice/Base/Status.h"
#include "sluice/Pack/Kernel.h"

#include <atomic>

namespace sluice::pack {

class KernelTrial;

/// Thread-safe. Exists until the last reference is dropped; then frees its
/// tables and compiled code (the code may stay in a bounded cache).
class Packer : public std::enable_shared_from_this<Packer> {
public:
  /// The packer of `layout`: an existing one, or a new one.
  static std::shared_ptr<Packer> of(const Layout &layout);

  /// The layout that it packs.
  const Layout &layout() const { return shape; }

  /// Copies `count` instances; see KernelFunction.
  ///@{
  void pack(const void *in, int64_t count, void *out);
  void unpack(const void *in, void *out, int64_t count);
  ///@}
  /// A part of the packed stream, by byte position; see packRange.
  ///@{
  void packPart(const void *in, int64_t count, int64_t position, int64_t length,
                void *out);
  void unpackPart(const void *in, int64_t position, int64_t length, void *out,
                  int64_t count);
  ///@}

  /// The current kernels for packing and for unpacking. They are valid as long
  /// as the packer.
  ///@{
  const Kernel &kernel() const;
  const Kernel &unpackKernel() const;
  ///@}
  /// Compiles in the calling thread, unless already done. If there is no
  /// compiler, or compilation fails, every call returns that error and the
  /// ready-made kernel stays in use. Custom forms can be packed only after this
  /// has succeeded. The following uses select the faster kernel; see
  /// PackOptions::compareKernels.
  Status compile();

  ~Packer();

private:
  friend class CompileQueue;
  struct State;
  /// The current state of packing, or of unpacking.
  struct Direction {
    std::atomic<const Kernel *> kernel = nullptr;
    /// Not null while two kernels are being compared.
    std::atomic<KernelTrial *> trial = nullptr;
  };
  explicit Packer(const Layout &layout, uint64_t hash);
  /// Returns the kernel for the next use, which copies `bytes` bytes.
  const Kernel &use(const Direction &direction, int64_t bytes);
  bool runTrial(Direction &direction, const std::byte *in, int64_t count,
                std::byte *out);
  void useCompiled();
  void countUse(int64_t left, int64_t bytes);
  void chooseWithCare();
  void askForCompilation();
  bool packShared(const Kernel &kernel, const std::byte *in, int64_t count,
                  std::byte *out);
  bool canShareUnpack(int64_t count);

  Layout shape;
  Direction packing, unpacking;
  /// Uses until the search for the next better kernel; 0 if there is none.
  std::atomic<int64_t> usesLeft;
  std::unique_ptr<State> state;
};

/// Copies from one layout directly into another: `inCount` instances of `from`
/// to `outCount` of `to`; the total packed sizes must be equal. The buffers
/// must not overlap.
Status transpack(Packer &from, const void *in, int64_t inCount, Packer &to,
                 void *out, int64_t outCount);

/// The behaviour of packing in this process; initially set from the
/// environment.
struct PackOptions {
  /// Uses of a packer before it is compiled (SLUICE_PACK_COMPILE_AFTER); 0: as
  /// soon as it is made; negative: never. Applies to packers made afterwards.
  int64_t compileAfter = 32;
  /// Threads that share one large pack (SLUICE_PACK_THREADS).
  int threads = 1;
  /// The threads share packs of at least this size in bytes.
  int64_t parallelBytes = 4 << 20;
  /// Keep compiled objects on disk (SLUICE_PACK_CACHE=off disables this).
  bool useDiskCache = true;
  /// Alternate between the compiled and the ready-made kernel in the first
  /// uses, and keep the faster one (SLUICE_PACK_COMPARE=off: keep the compiled
  /// one).
  bool compareKernels = true;
};
/// The current options, from the environment or from the last call of
/// setPackOptions.
///@{
PackOptions packOptions();
void setPackOptions(const PackOptions &options);
///@}

/// Waits until all requested compilations are done; for tests and benchmarks.
void waitForCompilations();
/// Ends the worker thread, after its current compilation, and the helper
/// threads; they start again when needed. The end of the process does the same.
void stopPackThreads();

} // namespace sluice::pack

#endif // SLUICE_PACK_PACKER_H

//===- SluiceLibrary.h - Sluice's own library under test ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts Sluice's library behind the same interface as an MPI, so that the same
// code measures both.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_SLUICELIBRARY_H
#define DDTPLAYER_SLUICELIBRARY_H

#include "Library.h"
#include "PlayerOptions.h"
#include "Workbench.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Packer.h"

#include <unordered_map>

namespace sluice::player {

/// Drives farc's classes.
class SluiceEngine : public PackLibrary {
public:
  explicit SluiceEngine(KernelChoice choice) : choice(choice) {}
  ~SluiceEngine() override { release(); }

  std::string name() const override { return "Sluice"; }
  Status build(const std::string &text) override;
  Result<TypeShape> shape() override;
  Result<double> timeCommit() override;
  Result<double> timeCompile() override;
  Status commit() override;
  Status pack(const void *in, int64_t count, void *out,
              int64_t packedBytes) override;
  Status unpack(const void *in, int64_t packedBytes, void *out,
                int64_t count) override;
  void release() override;

  /// The kernel in use, for readers; valid after commit.
  std::string kernelName() const;

private:
  KernelChoice choice;
  farc::Datatype *type = nullptr;
  pack::Kernel interpreter;
  std::unordered_map<std::string, double> compileSeconds;
};

/// The engine on a workbench in this process.
class SluiceLibrary : public Library {
public:
  explicit SluiceLibrary(KernelChoice choice)
      : engine(choice), workbench(engine) {}

  std::string name() const override { return engine.name(); }
  Result<TypeShape> prepare(const std::string &text, int64_t count) override {
    return workbench.prepare(text, count);
  }
  Status commit() override { return workbench.commit(); }
  Result<double> measure(Quantity quantity, double seconds) override {
    return workbench.measure(quantity, seconds);
  }
  Result<std::string> packed() override;
  Result<std::string> unpacked() override;
  Status release() override;
  std::string kernelName() const { return engine.kernelName(); }

private:
  SluiceEngine engine;
  Workbench workbench;
};

/// The kernels that `choice` selects in this process. Best selects compiled
/// ones if there is a compiler. An error if compiled ones are requested and
/// there is no compiler.
Result<KernelChoice> availableKernels(KernelChoice choice);

} // namespace sluice::player

#endif // DDTPLAYER_SLUICELIBRARY_H

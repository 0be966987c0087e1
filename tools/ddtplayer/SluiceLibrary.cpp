//===- SluiceLibrary.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are compiled only when the player asks for it, and never come from
// the cache on disk, so that nothing changes during a measurement.
//
//===----------------------------------------------------------------------===//

#include "SluiceLibrary.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Compiler.h"

using namespace sluice;
using namespace sluice::player;

/// Calls `work`; its exceptions become errors.
template <typename Work> static Status guarded(const Work &work) {
  try {
    work();
  } catch (const farc::Error &error) {
    return Status::invalidArgument(error.what());
  } catch (const std::bad_alloc &) {
    return Status::error(StatusCode::Exhausted, "out of memory");
  }
  return Status();
}

static Result<double> secondsToCompile(pack::Compiler &compiler,
                                       const pack::Layout &layout) {
  pack::CompilerInput input = {.layout = &layout,
                               .processor = &pack::thisProcessor(),
                               .useDiskCache = false};
  auto start = Clock::now();
  Result<pack::Kernel> kernel = compiler.compile(input);
  double seconds = secondsSince(start);
  if (!kernel.ok())
    return kernel.takeStatus();
  return seconds;
}

/// The start of the compiler itself must not count as the time of a type.
static void warmUp(pack::Compiler &compiler) {
  auto types = farc::parseDatatypes("hidxb(1: 0 2 5 11 23)[byte]");
  // The error occurs again where it matters.
  (void)secondsToCompile(compiler, farc::layoutOf(*types.front()));
}

Result<KernelChoice> sluice::player::availableKernels(KernelChoice choice) {
  pack::PackOptions options = pack::packOptions();
  options.compileAfter = -1;
  options.useDiskCache = false;
  options.compareKernels = false;
  pack::setPackOptions(options);
  if (choice != KernelChoice::Best && choice != KernelChoice::Compiled)
    return choice;
  Result<pack::Compiler *> compiler = pack::kernelCompiler();
  if (compiler.ok()) {
    warmUp(**compiler);
    return KernelChoice::Compiled;
  }
  if (choice == KernelChoice::Best)
    return KernelChoice::ReadyMade;
  return compiler.takeStatus();
}

Status SluiceEngine::build(const std::string &text) {
  release();
  return guarded([&] {
    auto types = farc::parseDatatypes(text);
    if (types.size() != 1)
      throw farc::Error(farc::Error::ARGUMENT,
                        concat("expected 1 type, found ", types.size()));
    type = types.front().release();
  });
}

Result<TypeShape> SluiceEngine::shape() {
  return TypeShape{.size = type->getSize(),
                   .lowerBound = type->getLowerBound(),
                   .extent = type->getExtent(),
                   .trueLowerBound = type->getTrueLowerBound(),
                   .trueExtent = type->getTrueExtent()};
}

Result<double> SluiceEngine::timeCommit() {
  double seconds = 0;
  Status status = guarded([&] {
    std::unique_ptr<farc::Datatype> copy(type->clone());
    auto start = Clock::now();
    farc::DDT_Commit(copy.get());
    seconds = secondsSince(start);
  });
  if (!status.ok())
    return status;
  return seconds;
}

/// The compiler keeps compiled kernels in memory, so equal layouts later in the
/// list get the time of the first one.
Result<double> SluiceEngine::timeCompile() {
  Result<pack::Compiler *> compiler = pack::kernelCompiler();
  if (!compiler.ok())
    return compiler.takeStatus();
  pack::Layout layout;
  if (Status status = guarded([&] { layout = farc::layoutOf(*type); });
      !status.ok())
    return status;
  auto [known, isNew] = compileSeconds.try_emplace(pack::toKey(layout), 0);
  if (!isNew)
    return known->second;
  Result<double> seconds = secondsToCompile(**compiler, layout);
  if (!seconds.ok()) {
    compileSeconds.erase(known);
    return seconds.takeStatus();
  }
  known->second = *seconds;
  return *seconds;
}

Status SluiceEngine::commit() {
  Status status = guarded([&] {
    farc::DDT_Commit(type, choice == KernelChoice::Compiled);
    if (choice == KernelChoice::Interpreted)
      interpreter = pack::interpretedKernel(type->getPacker()->layout());
  });
  if (!status.ok() || choice != KernelChoice::Compiled)
    return status;
  return type->getPacker()->compile();
}

Status SluiceEngine::pack(const void *in, int64_t count, void *out,
                          int64_t packedBytes) {
  if (interpreter.pack)
    interpreter.pack(static_cast<const std::byte *>(in), count,
                     static_cast<std::byte *>(out), interpreter.context.get());
  else
    farc::DDT_Pack(in, out, type, count);
  return Status();
}

Status SluiceEngine::unpack(const void *in, int64_t packedBytes, void *out,
                            int64_t count) {
  if (interpreter.unpack)
    interpreter.unpack(static_cast<const std::byte *>(in), count,
                       static_cast<std::byte *>(out),
                       interpreter.context.get());
  else
    farc::DDT_Unpack(in, out, type, count);
  return Status();
}

void SluiceEngine::release() {
  farc::DDT_Free(type);
  type = nullptr;
  interpreter = pack::Kernel();
}

std::string SluiceEngine::kernelName() const {
  if (interpreter.pack)
    return "interpreted";
  const pack::Kernel &kernel = type->getPacker()->kernel();
  if (kernel.origin == pack::KernelOrigin::ReadyMade)
    return "ready: " + kernel.name;
  return kernel.name;
}

static std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

Result<std::string> SluiceLibrary::packed() {
  Result<std::span<const std::byte>> bytes = workbench.packed();
  if (!bytes.ok())
    return bytes.takeStatus();
  return text(*bytes);
}

Result<std::string> SluiceLibrary::unpacked() {
  Result<std::span<const std::byte>> bytes = workbench.unpacked();
  if (!bytes.ok())
    return bytes.takeStatus();
  return text(*bytes);
}

Status SluiceLibrary::release() {
  workbench.release();
  return Status();
}

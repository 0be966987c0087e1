//===- JITCompiler.cpp - The kernel compiler ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that libSluicePack opens: returns already loaded code, or an
// object from the caches, or else new code. Forms with users' code are compiled
// each time, because it is unknown whether that code has changed.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"
#include "Customs.h"
#include "ExitGuard.h"
#include "Loader.h"
#include "ObjectCache.h"

#include "sluice/Base/Text.h"
#include "sluice/Pack/Compiler.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// Changes whenever the code for some form changes.
static constexpr int codeVersion = 8;
static constexpr size_t maxMemoryBytes = size_t(8) << 20;

namespace {
/// Code in use, by key.
class LoadedCodes {
public:
  std::shared_ptr<LoadedCode> find(const std::string &key) {
    std::lock_guard lock(mutex);
    auto place = codes.find(key);
    return place == codes.end() ? nullptr : place->second.lock();
  }
  void insert(const std::string &key, const std::shared_ptr<LoadedCode> &code) {
    std::lock_guard lock(mutex);
    codes[key] = code;
    // The keys of long lists are as long as the lists.
    if (codes.size() < cleanAt && key.size() < longKey)
      return;
    std::erase_if(codes,
                  [](const auto &entry) { return entry.second.expired(); });
    cleanAt = std::max<size_t>(64, 2 * codes.size());
  }

private:
  static constexpr size_t longKey = size_t(64) << 10;

  std::mutex mutex;
  std::unordered_map<std::string, std::weak_ptr<LoadedCode>> codes;
  size_t cleanAt = 64;
};

class JITCompiler : public Compiler {
public:
  /// The process may end during the first use of LLVM, which takes a while, so
  /// the handler is registered before. Leaving the scope registers it again,
  /// after those of the objects that LLVM created meanwhile.
  JITCompiler() {
    exitGuard.arm();
    ExitGuard::Scope scope(exitGuard);
    if (scope.mayRun())
      warmUp();
  }
  Result<Kernel> compile(const CompilerInput &input) override;
  Result<std::string> printIR(const CompilerInput &input) override;
  Result<std::string> printAssembly(const CompilerInput &input) override;
  void emit(const farc::Datatype &type, bool isPack, Value *in, Value *count,
            Value *out) override {
    emitNested(type, isPack, in, count, out);
  }

private:
  Result<std::shared_ptr<LoadedCode>> load(const CompilerInput &input);

  ExitGuard exitGuard;
  LoadedCodes loaded;
  MemoryCache memory{maxMemoryBytes};
};
} // namespace

static Status endingError() {
  return Status::misuse("the process is ending; nothing is compiled any more");
}

static std::string keyOf(const CompilerInput &input) {
  return concat("code ", codeVersion, ", LLVM " LLVM_VERSION_STRING ", ",
                processorKey(*input.processor), '\n', toKey(*input.layout));
}

static Result<SmallVector<char, 0>> generate(const CompilerInput &input,
                                             CodeFormat format) {
  LLVMContext context;
  auto module = buildModule(*input.layout, *input.processor, context);
  if (!module.ok())
    return module.takeStatus();
  return lower(**module, *input.processor, format,
               !hasCustom(*input.layout->form));
}

static std::string_view textOf(const SmallVector<char, 0> &bytes) {
  return {bytes.data(), bytes.size()};
}

/// Copying beyond the caches is limited by memory, which the ready-made kernel
/// handles well.
static Kernel kernelForLarge(const CompilerInput &input) {
  return readyMadeKernel(*input.layout, *input.processor);
}

Result<std::shared_ptr<LoadedCode>>
JITCompiler::load(const CompilerInput &input) {
  bool isKept = !hasCustom(*input.layout->form);
  std::string key = isKept ? keyOf(input) : std::string();
  if (isKept) {
    if (std::shared_ptr<LoadedCode> code = loaded.find(key))
      return code;
    std::shared_ptr<const std::string> object = memory.find(key);
    if (!object && input.useDiskCache)
      if (std::optional<std::string> file = findOnDisk(key)) {
        object = std::make_shared<const std::string>(std::move(*file));
        memory.insert(key, object);
      }
    if (object)
      if (auto code = loadObject(*object, kernelForLarge(input)); code.ok()) {
        loaded.insert(key, *code);
        return code;
      }
  }
  auto object = generate(input, CodeFormat::Object);
  if (!object.ok())
    return object.takeStatus();
  auto code = loadObject(textOf(*object), kernelForLarge(input));
  if (!code.ok() || !isKept)
    return code;
  loaded.insert(key, *code);
  memory.insert(key, std::make_shared<const std::string>(textOf(*object)));
  if (input.useDiskCache)
    keepOnDisk(key, textOf(*object));
  return code;
}

static const char *vectorName(const Processor &processor) {
  switch (targetFor(processor).vectorBytes) {
  case 64:
    return "compiled, avx512";
  case 32:
    return "compiled, avx2";
  default:
    return "compiled";
  }
}

Result<Kernel> JITCompiler::compile(const CompilerInput &input) {
  ExitGuard::Scope scope(exitGuard);
  if (!scope.mayRun())
    return endingError();
  auto code = load(input);
  if (!code.ok())
    return code.takeStatus();
  Kernel kernel;
  kernel.pack = (*code)->pack;
  kernel.unpack = (*code)->unpack;
  // The functions read the context, which is at the start of the loaded code.
  kernel.context = std::shared_ptr<const void>(*code, &(*code)->context);
  kernel.origin = KernelOrigin::Compiled;
  kernel.name = vectorName(*input.processor);
  return kernel;
}

Result<std::string> JITCompiler::printIR(const CompilerInput &input) {
  ExitGuard::Scope scope(exitGuard);
  if (!scope.mayRun())
    return endingError();
  LLVMContext context;
  auto module = buildModule(*input.layout, *input.processor, context);
  if (!module.ok())
    return module.takeStatus();
  std::string text;
  raw_string_ostream stream(text);
  (*module)->print(stream, nullptr);
  return text;
}

Result<std::string> JITCompiler::printAssembly(const CompilerInput &input) {
  ExitGuard::Scope scope(exitGuard);
  if (!scope.mayRun())
    return endingError();
  auto text = generate(input, CodeFormat::Assembly);
  if (!text.ok())
    return text.takeStatus();
  return std::string(textOf(*text));
}

/// Never destroyed, because threads may use it until the process is gone.
extern "C" __attribute__((visibility("default"))) Compiler *
sluicePackCompiler(uint32_t version) {
  if (version != compilerInterfaceVersion)
    return nullptr;
  static auto *compiler = new JITCompiler;
  return compiler;
}

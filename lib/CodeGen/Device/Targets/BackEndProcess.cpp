//===- BackEndProcess.cpp - Back ends in child processes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's device back ends can end the process or run forever. So they run in a
// child process. If it fails, the kernels are split until single kernels are
// known to be at fault.
//
//===----------------------------------------------------------------------===//

#include "BackEndProcess.h"
#include "sluice/CodeGen/SPIRVWords.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <memory>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// Seconds for one child: far more than a kernel of some thousand lines takes.
static constexpr double secondsAtMost = 60;

Expected<NeutralFile> NeutralFile::write(const Module &neutral) {
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  NeutralFile file(std::move(*folder));
  for (const Function &function : neutral)
    if (function.hasFnAttribute("sluice-kernel") && !function.isDeclaration())
      file.names.push_back(function.getName().str());
  std::string bitcode;
  raw_string_ostream os(bitcode);
  WriteBitcodeToFile(neutral, os);
  if (Error error = writeFile(file.path(), bitcode))
    return std::move(error);
  return std::move(file);
}

//===----------------------------------------------------------------------===//
// Finding the kernels at fault
//===----------------------------------------------------------------------===//

namespace {

/// Splits a failing set of kernels until single kernels are left.
class Halves {
public:
  Halves(const BackEnd &backEnd, SluiceDeviceFormat format,
         BackEndResult &result)
      : backEnd(backEnd), format(format), result(result) {}

  /// Adds the working kernels to `good`. Sets the image of all kernels if they
  /// work together.
  void search(ArrayRef<std::string> kernels, std::vector<std::string> &good) {
    std::string failure;
    BackEndResult part = backEnd(kernels, failure);
    if (failure.empty()) {
      append_range(good, part.kernels);
      append_range(result.problems, part.problems);
      last = std::move(part.image);
      return;
    }
    last.clear();
    if (kernels.size() == 1) {
      result.problems.push_back({kernels.front(), failure, format});
      return;
    }
    size_t half = kernels.size() / 2;
    search(kernels.take_front(half), good);
    search(kernels.drop_front(half), good);
    last.clear();
  }

  std::string last; ///< image of the last search, if one child made it

private:
  const BackEnd &backEnd;
  SluiceDeviceFormat format;
  BackEndResult &result;
};

} // namespace

BackEndResult codegen::runBackEnd(const BackEnd &backEnd,
                                  ArrayRef<std::string> kernels,
                                  SluiceDeviceFormat format) {
  BackEndResult result;
  if (kernels.empty())
    return result;
  Halves halves(backEnd, format, result);
  halves.search(kernels, result.kernels);
  result.image = std::move(halves.last);
  if (!result.image.empty() || result.kernels.empty())
    return result;
  std::string failure;
  BackEndResult rest = backEnd(result.kernels, failure);
  if (failure.empty()) {
    result.image = std::move(rest.image);
    return result;
  }
  // Each kernel works alone, but together they do not.
  for (const std::string &kernel : result.kernels)
    result.problems.push_back({kernel, failure, format});
  result.kernels.clear();
  return result;
}

//===----------------------------------------------------------------------===//
// The children
//===----------------------------------------------------------------------===//

/// A name that no other child of this process uses.
static std::string freshName(StringRef stem) {
  static std::atomic<unsigned> number{0};
  return (stem + "-" + Twine(number++)).str();
}

/// Parses lines "entry<tab>problem" that the child wrote.
static std::vector<KernelProblem> parseProblems(StringRef text,
                                                SluiceDeviceFormat format) {
  std::vector<KernelProblem> problems;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [entry, problem] = line.split('\t');
    problems.push_back({entry.str(), problem.str(), format});
  }
  return problems;
}

static bool isIn(ArrayRef<KernelProblem> problems, StringRef entry) {
  return any_of(problems,
                [&](const KernelProblem &p) { return p.entry == entry; });
}

static Expected<BackEndResult> collect(const std::string &stem,
                                       ArrayRef<std::string> kernels,
                                       SluiceDeviceFormat format) {
  BackEndResult result;
  Expected<std::string> image = readFile(stem + ".image");
  if (!image)
    return image.takeError();
  Expected<std::string> problems = readFile(stem + ".problems");
  if (!problems)
    return problems.takeError();
  result.image = std::move(*image);
  result.problems = parseProblems(*problems, format);
  for (const std::string &kernel : kernels)
    if (!isIn(result.problems, kernel))
      result.kernels.push_back(kernel);
  return result;
}

static std::vector<std::string> workerWords(const std::string &input,
                                            const std::string &stem,
                                            SluiceDeviceFormat format,
                                            const DeviceCodeOptions &options) {
  std::vector<std::string> words{format == SLUICE_DEVICE_PTX ? "ptx" : "spirv",
                                 input,
                                 stem + ".image",
                                 stem + ".problems",
                                 stem + ".kernels",
                                 std::to_string(options.optimizationLevel)};
  if (format == SLUICE_DEVICE_PTX)
    words.insert(words.end(), {options.chip, options.libdevice});
  return words;
}

namespace {

/// Runs sluice-device-codegen. LLVM's optimisers may turn a kernel into code
/// that its back end does not support; a single failing kernel is tried again
/// without them.
class Worker {
public:
  Worker(const NeutralFile &file, SluiceDeviceFormat format,
         const DeviceCodeOptions &options)
      : file(file), format(format), options(options) {}

  BackEndResult operator()(ArrayRef<std::string> kernels,
                           std::string &failure) {
    BackEndResult result = run(kernels, failure);
    if (failure.empty() || kernels.size() != 1)
      return result;
    std::string failurePlain;
    plain->insert(kernels.front());
    result = run(kernels, failurePlain);
    if (failurePlain.empty())
      failure.clear();
    else
      plain->erase(kernels.front());
    return result;
  }

private:
  BackEndResult run(ArrayRef<std::string> kernels, std::string &failure) {
    std::string stem = file.folder().file(freshName("worker"));
    std::string lines;
    for (const std::string &kernel : kernels)
      lines += kernel + (plain->contains(kernel) ? "\t\n" : "\n");
    if (Error error = writeFile(stem + ".kernels", lines)) {
      failure = toString(std::move(error));
      return {};
    }
    ChildResult child = runChild(
        options.worker, workerWords(file.path(), stem, format, options),
        stem + ".log", secondsAtMost);
    if (!child.hasSucceeded) {
      failure = child.problem;
      return {};
    }
    Expected<BackEndResult> result = collect(stem, kernels, format);
    if (result)
      return std::move(*result);
    failure = toString(result.takeError());
    return {};
  }

  const NeutralFile &file;
  const SluiceDeviceFormat format;
  const DeviceCodeOptions &options;
  /// Kernels that are not optimised; shared by all copies of this back end.
  std::shared_ptr<StringSet<>> plain = std::make_shared<StringSet<>>();
};

} // namespace

BackEnd codegen::workerFor(const NeutralFile &file, SluiceDeviceFormat format,
                           const DeviceCodeOptions &options) {
  return Worker(file, format, options);
}

/// Bitcode begins with these bytes; the translator may have written fewer.
static bool isBitcode(StringRef text) {
  return text.size() > 16 && text.starts_with("BC\xC0\xDE");
}

/// Translates SPIR-V to SPIR.
static Expected<std::string> translate(const NeutralFile &file, StringRef spirv,
                                       const DeviceCodeOptions &options) {
  Expected<std::string> looped = keepLoopsNearBarriers(spirv);
  if (!looped)
    return looped.takeError();
  Expected<std::string> older = rewriteForOldTranslator(*looped);
  if (!older)
    return older.takeError();
  std::string stem = file.folder().file(freshName("spir"));
  if (Error error = writeFile(stem + ".spv", *older))
    return std::move(error);
  ChildResult child =
      runChild(options.translator, {"-r", stem + ".spv", "-o", stem + ".bc"},
               stem + ".log", secondsAtMost);
  if (!child.hasSucceeded)
    return createStringError(child.problem);
  Expected<std::string> bitcode = readFile(stem + ".bc");
  if (!bitcode)
    return bitcode.takeError();
  if (!isBitcode(*bitcode))
    return createStringError("'" + options.translator +
                             "' wrote something else than bitcode");
  return bitcode;
}

BackEnd codegen::translatorFor(const NeutralFile &file,
                               const DeviceCodeOptions &options) {
  BackEnd worker = workerFor(file, SLUICE_DEVICE_SPIRV, options);
  return [&file, &options, worker](ArrayRef<std::string> kernels,
                                   std::string &failure) -> BackEndResult {
    BackEndResult result = worker(kernels, failure);
    if (!failure.empty() || result.image.empty())
      return result;
    Expected<std::string> spir = translate(file, result.image, options);
    if (spir)
      result.image = std::move(*spir);
    else
      failure = toString(spir.takeError());
    return result;
  };
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static void addImage(BackEndResult result, SluiceDeviceFormat format,
                     StringRef target, std::vector<DeviceImage> &images,
                     std::vector<KernelProblem> &problems) {
  if (!result.image.empty())
    images.push_back({format, target.str(), std::move(result.image)});
  append_range(problems, result.problems);
}

/// SPIR of the kernels in `spirv`: of all kernels, or of those that the
/// translator accepts.
static BackEndResult makeSPIR(const NeutralFile &file,
                              const BackEndResult &spirv,
                              const DeviceCodeOptions &options) {
  Expected<std::string> whole = translate(file, spirv.image, options);
  if (whole)
    return {std::move(*whole), spirv.kernels, {}};
  consumeError(whole.takeError());
  return runBackEnd(translatorFor(file, options), spirv.kernels,
                    SLUICE_DEVICE_SPIR);
}

std::vector<DeviceImage>
codegen::makeSPIRV(const NeutralFile &file, const DeviceCodeOptions &options,
                   std::vector<KernelProblem> &problems) {
  std::vector<DeviceImage> images;
  BackEndResult spirv =
      runBackEnd(workerFor(file, SLUICE_DEVICE_SPIRV, options), file.kernels(),
                 SLUICE_DEVICE_SPIRV);
  BackEndResult spir;
  if (!spirv.image.empty() && !options.translator.empty())
    spir = makeSPIR(file, spirv, options);
  addImage(std::move(spirv), SLUICE_DEVICE_SPIRV, "", images, problems);
  addImage(std::move(spir), SLUICE_DEVICE_SPIR, "", images, problems);
  return images;
}

std::vector<DeviceImage>
codegen::makePTX(const NeutralFile &file, const DeviceCodeOptions &options,
                 std::vector<KernelProblem> &problems) {
  std::vector<DeviceImage> images;
  BackEndResult ptx = runBackEnd(workerFor(file, SLUICE_DEVICE_PTX, options),
                                 file.kernels(), SLUICE_DEVICE_PTX);
  // Drivers expect PTX as a string, including the zero byte at its end.
  if (!ptx.image.empty())
    ptx.image.push_back('\0');
  addImage(std::move(ptx), SLUICE_DEVICE_PTX, options.chip, images, problems);
  return images;
}

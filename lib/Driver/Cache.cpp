//===- Cache.cpp - Executables kept by content ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a program is a hash of everything the command line names: tools'
// versions, CPU, flags, files. Under that key lies a manifest of all files the
// program was made from, headers included, with their hashes; only if all are
// as they were is the executable beside it used.
//
//===----------------------------------------------------------------------===//

#include "FileHash.h"
#include "Link.h"
#include "Toolchain.h"
#include "sluice/Base/Files.h"
#include "sluice/Driver/Build.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// A line that changes whenever the compiler does.
static std::string describeTool() {
  static int anchor;
  std::string self = sys::fs::getMainExecutable(nullptr, &anchor);
  return SLUICE_VERSION " " SLUICE_LLVM_VERSION " " + self + " " +
         fileStamp(self);
}

static std::string describeCpu(StringRef cpu) {
  if (cpu != "native")
    return cpu.str();
  std::string text = sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto &[name, isOn] : sys::getHostCPUFeatures())
    if (isOn)
      features.push_back(name.str());
  llvm::sort(features);
  return text + " " + llvm::join(features, ",");
}

static std::string programKey(const BuildOptions &options) {
  SHA256 hash;
  auto add = [&](StringRef text) {
    hash.update(text);
    hash.update(ArrayRef<uint8_t>{0});
  };
  const ProgramOptions &program = options.program;
  SmallString<128> folder;
  sys::fs::current_path(folder);
  add(describeTool());
  add(describeCpu(program.cpu));
  add(folder);
  for (const std::string &file : program.files) {
    add(file);
    add(hashFile(file));
  }
  for (const std::string &flag : program.compilerFlags)
    add(flag);
  add("link");
  for (const std::string &flag : program.linkerFlags)
    add(flag);
  add(std::to_string(program.optimizationLevel) +
      (program.isLegacy ? "l" : "-") + (program.isVersion05 ? "5" : "-") +
      (program.isReference ? "r" : "-") + (program.isChecked ? "c" : "-") +
      (options.isStatic ? "s" : "-"));
  const transforms::TransformOptions &transforms = program.transforms;
  add(std::string(transforms.flattenGraphs ? "f" : "-") +
      (transforms.removeDead ? "d" : "-") + (transforms.fuseNodes ? "u" : "-") +
      (transforms.pipelineEdges ? "p" : "-"));
  return toHex(hash.final(), /*LowerCase=*/true).substr(0, 40);
}

/// True if every file of the manifest has the content it had. Lines are the
/// hash, a blank and the path.
static bool isUnchanged(StringRef manifest) {
  SmallVector<StringRef> lines;
  manifest.split(lines, '\n', -1, /*KeepEmpty=*/false);
  return !lines.empty() && all_of(lines, [](StringRef line) {
    auto [hash, path] = line.split(' ');
    return !path.empty() && hash == hashFile(path);
  });
}

static std::string complain(const Twine &message) {
  errs() << "sluice: error: " << message << '\n';
  return "";
}

std::string driver::cachedExecutable(const BuildOptions &options) {
  SmallString<128> folder(cacheDirectory());
  sys::path::append(folder, "programs");
  if (Status status = preparePrivateDirectory(folder.str().str()); !status.ok())
    return complain(status.message());

  std::string base = (folder + "/" + programKey(options)).str();
  std::string manifestPath = base + ".files";
  if (auto manifest = MemoryBuffer::getFile(manifestPath))
    if (sys::fs::can_execute(base) && checkPrivateFile(base).ok() &&
        isUnchanged((*manifest)->getBuffer()))
      return base;

  std::vector<std::string> dependencies;
  if (!buildExecutable(options, base, &dependencies))
    return "";
  std::string lines;
  for (const std::string &path : dependencies)
    lines += hashFile(path) + " " + path + "\n";
  Status status = writeFileAtomically(manifestPath, lines);
  if (!status.ok()) // the executable is good, the next run builds it again
    errs() << "sluice: warning: " << status.message() << '\n';
  return base;
}

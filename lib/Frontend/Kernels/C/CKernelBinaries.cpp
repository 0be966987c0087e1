//===- CKernelBinaries.cpp - Kernels in objects and libraries -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels may already be compiled. This file opens the objects, archives and
// libraries that the user links, in the linker's order.
//
//===----------------------------------------------------------------------===//

#include "CKernelFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// -lNAME
//===----------------------------------------------------------------------===//

/// The default search folders of the linker.
static std::vector<std::string> systemFolders() {
  Triple host(sys::getProcessTriple());
  std::string multiarch = (host.getArchName() + "-linux-gnu").str();
  return {"/usr/local/lib/" + multiarch,
          "/lib/" + multiarch,
          "/usr/lib/" + multiarch,
          "/usr/local/lib",
          "/lib",
          "/usr/lib",
          "/lib64",
          "/usr/lib64"};
}

static std::string findLibrary(StringRef name,
                               const std::vector<std::string> &folders) {
  std::vector<std::string> candidates;
  if (name.consume_front(":"))
    candidates = {name.str()};
  else
    candidates = {("lib" + name + ".so").str(), ("lib" + name + ".a").str()};
  std::vector<std::string> all = folders;
  append_range(all, systemFolders());
  for (const std::string &folder : all)
    for (const std::string &candidate : candidates) {
      SmallString<128> path(folder);
      sys::path::append(path, candidate);
      if (sys::fs::exists(path))
        return path.str().str();
    }
  return {};
}

/// Some libraries are linker scripts that name the real ones.
static std::vector<std::string> filesOfScript(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer || (*buffer)->getBufferSize() > 65536 ||
      (*buffer)->getBuffer().starts_with("\x7f"
                                         "ELF") ||
      (*buffer)->getBuffer().starts_with("!<"))
    return {path.str()};
  std::vector<std::string> files;
  SmallVector<StringRef> words;
  SplitString((*buffer)->getBuffer(), words, " \t\r\n()");
  for (StringRef word : words)
    if (word.starts_with("/") && !word.starts_with("/*") &&
        sys::fs::exists(word))
      files.push_back(word.str());
  return files;
}

void KernelFiles::addLibrary(KernelFile &file) {
  std::string path =
      findLibrary(StringRef(file.written).drop_front(2), folders);
  if (path.empty() && file.isLinked)
    return;
  if (path.empty()) {
    hasErrors = true;
    mlir::emitError(file.place)
        << "no library for '" << file.written
        << "' is in the folders that -L names or those of the system";
    return;
  }
  for (const std::string &part : filesOfScript(path)) {
    KernelFile library{
        KernelFile::Kind::Binary, file.written, part, {}, file.place};
    library.isLinked = true;
    files.push_back(std::make_unique<KernelFile>(std::move(library)));
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void KernelFiles::readBinary(KernelFile &file) {
  bool isProgram = file.kind == KernelFile::Kind::Program;
  Expected<ObjectContents> contents =
      readObject(file.path, wanted, /*isProgram=*/isProgram);
  if (!contents) {
    std::string reason = toString(contents.takeError());
    // A linker reads more kinds of files.
    if (file.isLinked && StringRef(reason).starts_with("is none of"))
      return;
    hasErrors = true;
    mlir::emitError(file.place) << "'" << file.written << "' " << reason;
    return;
  }
  file.contents = std::move(*contents);
  if (!isProgram)
    resolution.dependencies.push_back(file.path);
  if (file.contents.definesMain) {
    hasErrors = true;
    mlir::emitError(file.place)
        << "'" << file.written
        << "' defines 'main', which the program of a task graph has itself; "
           "compile the kernels without it";
    return;
  }
  if (file.isLinked)
    return;
  SmallString<128> path(file.path);
  sys::fs::make_absolute(path);
  resolution.linkInputs.push_back(path.str().str());
  if (file.contents.kind == ObjectContents::Kind::Library)
    // "-Wl," would split the path at commas.
    append_values(resolution.linkInputs, "-Xlinker", "-rpath", "-Xlinker",
                  sys::path::parent_path(path).str());
}

void KernelFiles::readBinaries() {
  for (const std::unique_ptr<KernelFile> &file : files)
    if (file->kind == KernelFile::Kind::Flag &&
        StringRef(file->written).starts_with("-L"))
      folders.push_back(file->written.substr(2));
  // Libraries are added at the end, the order that linkers require.
  for (size_t i = 0; i != files.size(); ++i) {
    KernelFile &file = *files[i];
    if (file.kind == KernelFile::Kind::Flag) {
      if (!file.isLinked)
        resolution.linkInputs.push_back(file.written);
      if (StringRef(file.written).starts_with("-l"))
        addLibrary(file);
    } else if (file.kind != KernelFile::Kind::Code) {
      readBinary(file);
    }
  }
}

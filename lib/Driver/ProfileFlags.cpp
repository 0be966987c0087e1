//===- ProfileFlags.cpp - Flags about profiles ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileFlags.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

static std::string inFolder(StringRef folder, StringRef file) {
  SmallString<128> path(folder);
  sys::path::append(path, file);
  return path.str().str();
}

static Error takeUpdate(StringRef way, codegen::Profiling &profiling) {
  auto isAtomic = StringSwitch<std::optional<bool>>(way)
                      .Cases({"atomic", "prefer-atomic"}, true)
                      .Case("single", false)
                      .Default(std::nullopt);
  if (!isAtomic)
    return createStringError("unknown value of -fprofile-update: '" + way +
                             "', expected atomic, prefer-atomic or single");
  profiling.isAtomic = *isAtomic;
  return Error::success();
}

Error driver::takeProfileFlag(StringRef name, StringRef rest,
                              codegen::Profiling &profiling) {
  if (name == "-fprofile-update=")
    return takeUpdate(rest, profiling);
  StringRef value = rest;
  if (!value.consume_front("=") && !value.empty())
    return createStringError("unknown argument: '" + name + rest + "'");
  codegen::Profiling::Kind kind = name.ends_with("-generate")
                                      ? codegen::Profiling::Kind::Generate
                                      : codegen::Profiling::Kind::Use;
  if (name.starts_with("-fno-")) {
    if (profiling.kind == kind)
      profiling.kind = codegen::Profiling::Kind::None;
    return Error::success();
  }
  if (profiling.kind != codegen::Profiling::Kind::None &&
      profiling.kind != kind)
    return createStringError("'" + name + rest +
                             "': a program is built to make a profile or by "
                             "one, not both");
  profiling.kind = kind;
  profiling.file =
      StringSwitch<std::string>(name)
          .Case("-fprofile-generate", inFolder(value, "default_%m.profraw"))
          .Case("-fprofile-instr-generate",
                value.empty() ? "default.profraw" : value.str())
          .Default(value.empty() ? "default.profdata" : value.str());
  return Error::success();
}

Error driver::findProfile(codegen::Profiling &profiling) {
  if (profiling.kind != codegen::Profiling::Kind::Use)
    return Error::success();
  std::string &file = profiling.file;
  if (sys::fs::is_directory(file))
    file = inFolder(file, "default.profdata");
  auto buffer = MemoryBuffer::getFile(file, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read the profile '" + file +
                             "': " + buffer.getError().message());
  if (RawInstrProfReader64::hasFormat(**buffer))
    return createStringError(
        "'" + file +
        "' is what a run wrote, and not yet a profile: 'llvm-profdata-22 merge "
        "-o default.profdata FILE...' makes one of such files");
  auto reader = IndexedInstrProfReader::create(std::move(*buffer));
  if (!reader)
    return createStringError(
        "'" + file + "' is no profile: " + toString(reader.takeError()));
  if (!(*reader)->isIRLevelProfile())
    return createStringError(
        "'" + file +
        "' counts what clang's -fprofile-instr-generate counts, which is not "
        "what programs of Sluice do; make one with 'sluice build "
        "-fprofile-generate'");
  return Error::success();
}

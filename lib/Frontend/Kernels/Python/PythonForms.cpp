//===- PythonForms.cpp - Finite-element forms, compiled -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FFCx names its output by content. A separate record, named by the content of
// the module and everything that it imports, lists these files and the tools
// that made them, so that a second build need not run Python.
//
//===----------------------------------------------------------------------===//

#include "PythonForms.h"
#include "PythonModules.h"
#include "sluice/Base/Store.h"
#include "sluice/Toolchain/FileHash.h"
#include "sluice/Toolchain/Manifest.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static std::string recordName(const FormRequest &request) {
  ContentHash hash;
  hash.add(request.module).add(request.generator).add(request.pythonPath);
  for (const std::string &kernel : request.kernels)
    hash.add(kernel);
  for (const std::string &file : request.sources)
    hash.add(file).add(hashInput(file));
  for (StringRef helper : {"sluice_fem.py", "sluice_tasks.py"})
    hash.add(hashInput(pythonHelper(helper)));
  return hash.text() + ".forms";
}

/// The files of a record, whose lines are a stamp, a blank and a path; empty if
/// there is no record, or if one of the files has changed.
static std::vector<std::string> readRecord(const Store &store,
                                           const std::string &name) {
  std::optional<std::string> text = store.read(name);
  if (!text)
    return {};
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<std::string> files;
  for (StringRef line : lines) {
    auto [stamp, file] = line.split(' ');
    if (stamp.empty() || exactStamp(file) != stamp)
      return {};
    files.push_back(file.str());
  }
  // The stamp would change with the access time.
  for (StringRef file : files)
    store.touch((sys::path::filename(file) + ".sha256").str());
  return files;
}

static void writeRecord(const Store &store, const std::string &name,
                        ArrayRef<std::string> files) {
  std::string lines;
  for (const std::string &file : files)
    lines += exactStamp(file) + " " + file + "\n";
  (void)store.write(name, lines); // asked again next time
}

//===----------------------------------------------------------------------===//
// Asking Python
//===----------------------------------------------------------------------===//

static Expected<json::Value> askPython(const FormRequest &request,
                                       const std::string &folder) {
  json::Object object{{"path", request.pythonPath},
                      {"module", request.module},
                      {"generator", request.generator},
                      {"kernels", json::Array(request.kernels)},
                      {"folder", folder}};
  std::string asked;
  raw_string_ostream(asked) << json::Value(std::move(object));
  Expected<std::string> question = writeTemporary(asked, ".json");
  if (!question)
    return question.takeError();
  FileRemover questionRemover(*question);
  Expected<std::string> answer = writeTemporary("", ".json");
  if (!answer)
    return answer.takeError();
  FileRemover answerRemover(*answer);
  Expected<std::string> output =
      runPython(pythonHelper("sluice_fem.py"), {*question, *answer});
  if (!output)
    return output.takeError();
  auto buffer = MemoryBuffer::getFile(*answer);
  if (!buffer)
    return createStringError("no answer came from Python");
  return json::parse((*buffer)->getBuffer());
}

static std::vector<std::string> listOf(const json::Object &object,
                                       StringRef name) {
  std::vector<std::string> texts;
  if (const json::Array *array = object.getArray(name))
    for (const json::Value &value : *array)
      if (auto text = value.getAsString())
        texts.push_back(text->str());
  return texts;
}

static FormProblems problemsOf(const json::Object &answer) {
  FormProblems problems;
  if (const json::Object *object = answer.getObject("problems"))
    for (const auto &[kernel, problem] : *object)
      if (auto text = problem.getAsString())
        problems[kernel.str()] = text->str();
  return problems;
}

Expected<FormProblems>
driver::compileForms(const FormRequest &request,
                     std::vector<std::string> &dependencies) {
  Result<Store> store = Store::open(StoreKind::Forms);
  if (!store.ok())
    return createStringError("compiled forms need a cache: " +
                             store.status().message());
  append_range(dependencies, request.sources);
  std::string record = recordName(request);
  if (auto files = readRecord(*store, record); !files.empty()) {
    append_range(dependencies, files);
    return FormProblems();
  }
  Expected<json::Value> value = askPython(request, store->getFolder());
  if (!value)
    return value.takeError();
  const json::Object *answer = value->getAsObject();
  if (!answer)
    return createStringError("no answer came from Python");
  if (auto error = answer->getString("error"))
    return createStringError(*error);
  FormProblems problems = problemsOf(*answer);
  std::vector<std::string> files = listOf(*answer, "tools");
  append_range(files, listOf(*answer, "compiled"));
  append_range(files, listOf(*answer, "modules"));
  if (problems.empty())
    writeRecord(*store, record, files);
  append_range(dependencies, files);
  return problems;
}

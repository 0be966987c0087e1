//===- PythonModules.cpp - Inspecting modules without running them --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes in Python kernels should be found when the program is built. A
// helper process parses the modules, without executing any of their code.
//
//===----------------------------------------------------------------------===//

#include "PythonModules.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Store.h"
#include "sluice/Toolchain/FileHash.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

char PythonSyntaxError::ID;

void PythonSyntaxError::log(raw_ostream &os) const {
  os << path << ':' << line << ':' << column << ": " << text;
}

std::error_code PythonSyntaxError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

//===----------------------------------------------------------------------===//
// Running Python
//===----------------------------------------------------------------------===//

std::string driver::pythonHelper(StringRef name) {
  SmallString<128> path(libraryFolder());
  sys::path::append(path, "sluice", "python", name);
  return path.str().str();
}

static std::string contentOf(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

Expected<std::string> driver::runPython(StringRef program,
                                        ArrayRef<std::string> arguments) {
  Expected<std::string> out = writeTemporary("", ".out");
  if (!out)
    return out.takeError();
  FileRemover outRemover(*out);
  Expected<std::string> err = writeTemporary("", ".err");
  if (!err)
    return err.takeError();
  FileRemover errRemover(*err);
  ProcessOptions python{.program = pythonExecutable,
                        .arguments = {"-I", program.str()},
                        .input = Redirect::nowhere(),
                        .output = Redirect::file(*out),
                        .errors = Redirect::file(*err)};
  append_range(python.arguments, arguments);
  Result<ProcessEnd> end = runProgram(python);
  if (!end.ok())
    return createStringError(end.status().message());
  if (end->succeeded())
    return contentOf(*out);
  std::string said = StringRef(contentOf(*err)).rtrim().str();
  return createStringError(Twine("'") + pythonExecutable + "' ended with " +
                           end->text() + (said.empty() ? "" : "\n") +
                           StringRef(said).take_back(4000));
}

std::string driver::whyNoPython() {
  if (!sys::fs::can_execute(pythonExecutable))
    return "Python is not installed: install the package 'python3'";
  if (!sys::fs::exists(libraryFolder() + "/libSluicePython.so"))
    return "Sluice was built without Python: install the package "
           "'python3-dev' and build it again";
  return "";
}

//===----------------------------------------------------------------------===//
// One module
//===----------------------------------------------------------------------===//

static std::vector<std::string> textsOf(const json::Array *array) {
  std::vector<std::string> texts;
  for (const json::Value &value : array ? *array : json::Array())
    if (auto text = value.getAsString())
      texts.push_back(text->str());
  return texts;
}

static PythonFunction functionOf(const json::Object &object) {
  PythonFunction function;
  function.line = object.getInteger("line").value_or(0);
  function.least = object.getInteger("least").value_or(0);
  function.most = object.getInteger("most").value_or(-1);
  function.keywords = textsOf(object.getArray("keywords"));
  function.isAsync = object.getBoolean("async").value_or(false);
  function.isGenerator = object.getBoolean("generator").value_or(false);
  function.isKnown = object.getBoolean("known").value_or(false);
  return function;
}

static Expected<std::unique_ptr<PythonModule>>
moduleOf(const std::string &path, const json::Object &object) {
  if (const json::Object *error = object.getObject("error"))
    return make_error<PythonSyntaxError>(
        path, unsigned(error->getInteger("line").value_or(1)),
        unsigned(error->getInteger("column").value_or(1)),
        error->getString("message").value_or("not Python").str());
  auto module = std::make_unique<PythonModule>();
  module->path = path;
  if (const json::Object *functions = object.getObject("functions"))
    for (const auto &[name, function] : *functions)
      if (const json::Object *entry = function.getAsObject())
        module->functions[name.str()] = functionOf(*entry);
  for (const std::string &name : textsOf(object.getArray("names")))
    module->names.insert(name);
  module->isOpen = object.getBoolean("open").value_or(false);
  module->imports = textsOf(object.getArray("imports"));
  return module;
}

/// The helper's description of a file, from the cache if possible.
static Expected<std::string> describeFile(const std::string &path) {
  std::string hash = hashInput(path);
  if (hash.empty())
    return createStringError("cannot read '" + path + "'");
  std::string helper = pythonHelper("sluice_inspect.py");
  std::string entry = ContentHash()
                          .add(hash)
                          .add(hashInput(helper))
                          .add(fileStamp(pythonExecutable))
                          .text() +
                      ".json";
  Store store(StoreKind::Python);
  if (std::optional<std::string> text = store.read(entry))
    return *text;
  Expected<std::string> text = runPython(helper, {path});
  if (text)
    (void)store.write(entry, *text); // If this fails, the file is inspected
                                     // again next time.
  return text;
}

Expected<const PythonModule *> PythonModules::inspect(const std::string &path) {
  if (auto known = modules.find(path); known != modules.end())
    return known->second.get();
  Expected<std::string> text = describeFile(path);
  if (!text)
    return text.takeError();
  Expected<json::Value> value = json::parse(*text);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return createStringError("nothing is known about '" + path + "'");
  Expected<std::unique_ptr<PythonModule>> module = moduleOf(path, *object);
  if (!module)
    return module.takeError();
  return (modules[path] = std::move(*module)).get();
}

Expected<PythonModule> driver::inspectPython(const std::string &path) {
  PythonModules modules;
  Expected<const PythonModule *> module = modules.inspect(path);
  if (!module)
    return module.takeError();
  return **module;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static std::string countOf(const PythonFunction &function) {
  std::string least = std::to_string(function.least);
  if (function.most < 0)
    return "at least " + least +
           (function.least == 1 ? " argument" : " arguments");
  std::string text = function.least == function.most
                         ? least
                         : least + " to " + std::to_string(function.most);
  return text + (text == "1" ? " argument" : " arguments");
}

std::string driver::problemOfCall(const PythonFunction &function, int64_t count,
                                  StringRef caller) {
  if (!function.isKnown)
    return "";
  if (function.isAsync || function.isGenerator)
    return std::string("is ") +
           (function.isAsync ? "asynchronous" : "a generator") +
           ", so a call would not run it";
  if (!function.keywords.empty())
    return "needs the keyword argument '" + function.keywords.front() +
           "', but arguments of tasks have no names";
  if (count >= function.least && (function.most < 0 || count <= function.most))
    return "";
  return "takes " + countOf(function) + ", but the " + caller.str() +
         " passes " + std::to_string(count);
}

//===----------------------------------------------------------------------===//
// Finding modules
//===----------------------------------------------------------------------===//

/// The file of a module or package `name` in `folder`; empty if none.
static std::string fileIn(StringRef folder, StringRef name,
                          std::vector<std::string> *tried = nullptr) {
  for (StringRef ending : {"/__init__.py", ".py"}) {
    std::string path = (folder + "/" + name + ending).str();
    if (sys::fs::is_regular_file(path))
      return path;
    if (tried)
      tried->push_back(path);
  }
  return "";
}

std::string driver::findPythonModule(StringRef name,
                                     ArrayRef<std::string> folders,
                                     std::string *found,
                                     std::vector<std::string> *tried) {
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  std::string inner = join(parts, "/");
  for (const std::string &folder : folders) {
    std::string path = fileIn(folder, inner, tried);
    bool hasTop = !path.empty() || !fileIn(folder, parts[0], tried).empty();
    if (path.empty() && !hasTop)
      continue;
    if (found)
      *found = folder;
    return path; // A package hides modules of the same name.
  }
  return "";
}

/// Names that importing `name` may load: "a", "a.b" for "a.b".
static std::vector<std::string> prefixes(StringRef name) {
  std::vector<std::string> result;
  for (size_t dot = name.find('.'); dot != StringRef::npos;
       dot = name.find('.', dot + 1))
    result.push_back(name.take_front(dot).str());
  result.push_back(name.str());
  return result;
}

/// Files that an import in the file at `path` may load.
static void addImported(StringRef import, StringRef path,
                        ArrayRef<std::string> folders,
                        std::vector<std::string> &files) {
  std::string base;
  StringRef name = import.ltrim('.');
  if (size_t level = import.size() - name.size()) {
    base = path.str();
    for (; level > 0; --level)
      base = sys::path::parent_path(base).str();
    folders = base;
  }
  for (const std::string &prefix : prefixes(name))
    if (std::string file = findPythonModule(prefix, folders); !file.empty())
      files.push_back(file);
}

std::vector<std::string> PythonModules::closure(const std::string &path,
                                                ArrayRef<std::string> folders) {
  std::vector<std::string> open{path}, result;
  StringSet<> seen;
  while (!open.empty()) {
    std::string file = std::move(open.back());
    open.pop_back();
    if (!seen.insert(file).second)
      continue;
    result.push_back(file);
    Expected<const PythonModule *> module = inspect(file);
    if (!module) { // Running it will report the error.
      consumeError(module.takeError());
      continue;
    }
    for (const std::string &import : (*module)->imports)
      addImported(import, file, folders, open);
  }
  llvm::sort(result);
  return result;
}

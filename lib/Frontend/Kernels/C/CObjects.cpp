//===- CObjects.cpp - Functions in objects, archives and libraries --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child process reads the file and reports in two lines of JSON: the symbols
// that it defines, and the prototypes. If debug information crashes the second
// part, it counts as missing.
//
//===----------------------------------------------------------------------===//

#include "CObjects.h"
#include "sluice/Base/Process.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// More than a library of one gigabyte needs.
static constexpr unsigned secondsToRead = 20;

std::string driver::baseNameOfMangled(StringRef symbol) {
  std::string name = symbol.str();
  ItaniumPartialDemangler demangler;
  if (!symbol.starts_with("_Z") || demangler.partialDemangle(name.c_str()) ||
      !demangler.isFunction())
    return {};
  char *base = demangler.getFunctionBaseName(nullptr, nullptr);
  std::string text = base ? base : "";
  std::free(base);
  return text;
}

//===----------------------------------------------------------------------===//
// In the child
//===----------------------------------------------------------------------===//

namespace {
class Scan {
public:
  Scan(StringRef path, const std::vector<std::string> &wanted, bool isProgram)
      : path(path), wanted(wanted), isProgram(isProgram) {}

  /// Both lines of the report.
  void run(raw_ostream &os);

private:
  struct Found {
    size_t symbol;
    const object::ObjectFile *file;
    std::optional<uint64_t> address;
  };

  Error open();
  Error readFile(const object::ObjectFile &file, bool isMember);
  Error readArchive(const object::Archive &archive);
  void addSymbol(const object::ELFSymbolRef &symbol,
                 const object::ObjectFile &file, bool isExported);
  void add(CSymbol symbol, const object::ObjectFile &file,
           std::optional<uint64_t> address);
  json::Value prototypes();

  StringRef path;
  const std::vector<std::string> &wanted;
  bool isProgram;
  ObjectContents contents;
  std::vector<Found> found;
  object::OwningBinary<object::Binary> binary;
  std::vector<std::unique_ptr<object::Binary>> members;
};
} // namespace

static StringRef archName(const object::ObjectFile &file) {
  return Triple::getArchTypeName(file.getArch());
}

Error Scan::open() {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot be read: " + buffer.getError().message());
  file_magic magic = identify_magic((*buffer)->getBuffer());
  switch (magic) {
  case file_magic::elf_relocatable:
    contents.kind = ObjectContents::Kind::Object;
    break;
  case file_magic::elf_shared_object:
    contents.kind = ObjectContents::Kind::Library;
    break;
  case file_magic::archive:
    contents.kind = ObjectContents::Kind::Archive;
    break;
  case file_magic::elf_executable:
    contents.kind = ObjectContents::Kind::Library;
    if (isProgram)
      break;
    return createStringError("is an executable, which cannot be linked");
  default:
    return createStringError(
        "is none of what kernels are in: source (.c, .cc, .cpp, .cxx, .C), "
        "LLVM IR (.ll, .bc), ELF object (.o), archive (.a), library (.so)");
  }
  Expected<std::unique_ptr<object::Binary>> opened =
      object::createBinary((*buffer)->getMemBufferRef());
  if (!opened)
    return createStringError("is malformed: " + toString(opened.takeError()));
  binary = object::OwningBinary<object::Binary>(std::move(*opened),
                                                std::move(*buffer));
  if (auto *archive = dyn_cast<object::Archive>(binary.getBinary()))
    return readArchive(*archive);
  if (auto *file = dyn_cast<object::ObjectFile>(binary.getBinary()))
    return readFile(*file, /*isMember=*/false);
  return createStringError("holds no code");
}

Error Scan::readArchive(const object::Archive &archive) {
  Error problem = Error::success();
  for (const object::Archive::Child &child : archive.children(problem)) {
    Expected<MemoryBufferRef> bytes = child.getMemoryBufferRef();
    if (!bytes) {
      consumeError(std::move(problem));
      return createStringError("is malformed: " + toString(bytes.takeError()));
    }
    if (identify_magic(bytes->getBuffer()) != file_magic::elf_relocatable)
      continue;
    Expected<std::unique_ptr<object::Binary>> member = child.getAsBinary();
    auto *file = member ? dyn_cast<object::ObjectFile>(member->get()) : nullptr;
    Error error = !member ? member.takeError()
                  : file  ? readFile(*file, /*isMember=*/true)
                          : Error::success();
    if (error) {
      consumeError(std::move(problem));
      return createStringError("has a malformed member: " +
                               toString(std::move(error)));
    }
    members.push_back(std::move(*member));
  }
  if (problem)
    return createStringError("is malformed: " + toString(std::move(problem)));
  return Error::success();
}

Error Scan::readFile(const object::ObjectFile &file, bool isMember) {
  auto *elf = dyn_cast<object::ELFObjectFileBase>(&file);
  Triple host(sys::getProcessTriple());
  if (!elf || file.getArch() != host.getArch())
    return createStringError("is for " + archName(file) +
                             ", but the program is for " + host.getArchName());
  for (const object::ELFSymbolRef &symbol : elf->symbols())
    addSymbol(symbol, file, contents.kind != ObjectContents::Kind::Library);
  if (contents.kind == ObjectContents::Kind::Library)
    for (const object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators())
      addSymbol(symbol, file, /*isExported=*/true);
  return Error::success();
}

void Scan::addSymbol(const object::ELFSymbolRef &symbol,
                     const object::ObjectFile &file, bool isExported) {
  Expected<uint32_t> flags = symbol.getFlags();
  Expected<StringRef> name = symbol.getName();
  Expected<uint64_t> address = symbol.getAddress();
  if (!flags || !name || !address) {
    consumeError(flags.takeError());
    consumeError(name.takeError());
    consumeError(address.takeError());
    return;
  }
  uint8_t type = symbol.getELFType();
  if ((*flags & object::SymbolRef::SF_Undefined) || name->empty() ||
      type == ELF::STT_FILE || type == ELF::STT_SECTION)
    return;
  bool isLocal = symbol.getBinding() == ELF::STB_LOCAL || !isExported;
  bool isVariable = type == ELF::STT_OBJECT || type == ELF::STT_COMMON ||
                    type == ELF::STT_TLS;
  std::optional<uint64_t> place;
  if (contents.kind == ObjectContents::Kind::Library)
    place = *address;
  if (*name == "main" && contents.kind == ObjectContents::Kind::Object)
    contents.definesMain = true;
  if (is_contained(wanted, *name))
    return add({name->str(), isLocal      ? CSymbol::Kind::Hidden
                             : isVariable ? CSymbol::Kind::Variable
                                          : CSymbol::Kind::Function},
               file, place);
  std::string base = baseNameOfMangled(*name);
  if (!base.empty() && is_contained(wanted, base))
    add({base, CSymbol::Kind::Mangled, demangle(*name)}, file, std::nullopt);
}

/// A linkable definition hides others with its name.
void Scan::add(CSymbol symbol, const object::ObjectFile &file,
               std::optional<uint64_t> address) {
  auto known = find_if(contents.symbols, [&](const CSymbol &other) {
    return other.name == symbol.name;
  });
  bool isNew = known == contents.symbols.end();
  if (!isNew && known->kind <= symbol.kind)
    return;
  size_t index = known - contents.symbols.begin();
  if (isNew)
    contents.symbols.push_back(std::move(symbol));
  else
    *known = std::move(symbol);
  erase_if(found, [&](const Found &old) { return old.symbol == index; });
  if (contents.symbols[index].kind == CSymbol::Kind::Function)
    found.push_back({index, &file, address});
}

json::Value Scan::prototypes() {
  json::Array list;
  for (const Found &symbol : found)
    if (std::optional<CPrototype> prototype = prototypeFromDwarf(
            *symbol.file, contents.symbols[symbol.symbol].name, symbol.address))
      list.push_back(toJSON(*prototype));
  return list;
}

void Scan::run(raw_ostream &os) {
  if (Error error = open()) {
    os << json::Value(json::Object{
              {"error", json::fixUTF8(toString(std::move(error)))}})
       << '\n';
    return;
  }
  json::Array symbols;
  for (const CSymbol &symbol : contents.symbols)
    symbols.push_back(json::Object{{"name", json::fixUTF8(symbol.name)},
                                   {"kind", int64_t(symbol.kind)},
                                   {"text", json::fixUTF8(symbol.text)}});
  os << json::Value(json::Object{{"kind", int64_t(contents.kind)},
                                 {"main", contents.definesMain},
                                 {"symbols", std::move(symbols)}})
     << '\n';
  os.flush();
  os << prototypes() << '\n';
}

//===----------------------------------------------------------------------===//
// In the parent
//===----------------------------------------------------------------------===//

static Error notRead() {
  return createStringError("is malformed: LLVM's reader of object files "
                           "crashes on it");
}

static Error readSymbols(StringRef line, ObjectContents &contents) {
  Expected<json::Value> value = json::parse(line);
  const json::Object *object = value ? value->getAsObject() : nullptr;
  consumeError(value.takeError());
  if (!object)
    return notRead();
  if (auto error = object->getString("error"))
    return createStringError(*error);
  const json::Array *symbols = object->getArray("symbols");
  if (!symbols)
    return notRead();
  contents.kind = ObjectContents::Kind(object->getInteger("kind").value_or(0));
  contents.definesMain = object->getBoolean("main").value_or(false);
  for (const json::Value &entry : *symbols) {
    const json::Object *symbol = entry.getAsObject();
    if (!symbol)
      return notRead();
    CSymbol &added = contents.symbols.emplace_back();
    added.name = symbol->getString("name").value_or("").str();
    added.kind = CSymbol::Kind(symbol->getInteger("kind").value_or(0));
    added.text = symbol->getString("text").value_or("").str();
  }
  return Error::success();
}

static void readPrototypes(StringRef line, ObjectContents &contents) {
  Expected<json::Value> value = json::parse(line);
  const json::Array *list = value ? value->getAsArray() : nullptr;
  for (const json::Value &entry : list ? *list : json::Array()) {
    std::optional<CPrototype> prototype = prototypeFromJSON(entry);
    for (CSymbol &symbol : contents.symbols)
      if (prototype && symbol.name == prototype->function &&
          symbol.kind == CSymbol::Kind::Function)
        symbol.prototype = prototype;
  }
  consumeError(value.takeError());
}

Expected<ObjectContents>
driver::readObject(StringRef path, const std::vector<std::string> &wanted,
                   bool isProgram) {
  // The child has another /proc/self.
  SmallString<128> file(path);
  sys::fs::real_path(path, file);
  Result<ForkResult> result = runInFork(
      [&](int output) {
        raw_fd_ostream os(output, /*shouldClose=*/false);
        Scan(file, wanted, isProgram).run(os);
      },
      secondsToRead);
  if (!result.ok())
    return createStringError(result.status().message());
  if (result->end.wasStopped)
    return createStringError("is malformed: LLVM's reader of object files does "
                             "not come to an end with it in " +
                             Twine(secondsToRead) + " seconds");
  auto [first, rest] = StringRef(result->text).split('\n');
  ObjectContents contents;
  if (Error error = readSymbols(first, contents))
    return error;
  readPrototypes(rest.split('\n').first, contents);
  return contents;
}

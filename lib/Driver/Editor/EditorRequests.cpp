//===- EditorRequests.cpp - Answers to an editor --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each request is answered from the results of the last check of its document.
//
//===----------------------------------------------------------------------===//

#include "Server.h"
#include "sluice/Diagnostics/Report.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static constexpr StringLiteral showGraph = "sluice.showGraph";

static Error failure(const Twine &message, lsp::ErrorCode code) {
  return make_error<lsp::LSPError>(message.str(), code);
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

/// The value at a path of keys; null if there is none.
static const json::Value *get(const json::Value &value,
                              std::initializer_list<StringRef> keys) {
  const json::Value *at = &value;
  for (StringRef key : keys) {
    const json::Object *object = at->getAsObject();
    at = object ? object->get(key) : nullptr;
    if (!at)
      return nullptr;
  }
  return at;
}

static std::string pathOf(const json::Value *uri) {
  std::optional<StringRef> text = uri ? uri->getAsString() : std::nullopt;
  if (!text)
    return "";
  Expected<lsp::URIForFile> file = lsp::URIForFile::fromURI(*text);
  if (file)
    return file->file().str();
  consumeError(file.takeError());
  return "";
}

void Server::initialize(const RawParams &params, Reply reply) {
  std::vector<std::string> wrong;
  if (const json::Value *options = get(params.value, {"initializationOptions"}))
    if (const json::Object *object = options->getAsObject())
      wrong = settings.read(*object, pathOf(get(params.value, {"rootUri"})));
  const json::Value *support =
      get(params.value, {"capabilities", "window", "showDocument", "support"});
  canShowFiles = support && support->getAsBoolean().value_or(false);
  reply(json::Value(json::Object{
      {"serverInfo",
       json::Object{{"name", "sluice"}, {"version", SLUICE_VERSION}}},
      {"capabilities",
       json::Object{
           {"textDocumentSync", json::Object{{"openClose", true},
                                             {"change", 1}, // whole texts
                                             {"save", true}}},
           {"hoverProvider", true},
           {"definitionProvider", true},
           {"documentSymbolProvider", true},
           {"codeActionProvider",
            json::Object{
                {"codeActionKinds", json::Array{"quickfix", "source"}}}},
           {"executeCommandProvider",
            json::Object{{"commands", json::Array{showGraph}}}}}}}));
  for (const std::string &name : wrong)
    tell(/*type=*/2, "the option '" + name + "' has a value of a wrong kind");
}

void Server::shutDown(const RawParams &, Reply reply) {
  hasShutDown = true;
  // No more checks will end: pending requests get the results known so far.
  for (auto &[path, document] : documents) {
    document->check.reset();
    loop.clearTimer(limitOf(path));
    for (auto &answer : std::exchange(document->waiting, {}))
      answer();
  }
  while (!pictures.empty())
    finishPicture(pictures.begin()->first, "the server ends",
                  lsp::ErrorCode::RequestCancelled);
  reply(nullptr);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Reads ranges of the protocol from the results of a check.
static std::optional<lsp::Range> rangeIn(const json::Value &value) {
  lsp::Range range;
  json::Path::Root root;
  const json::Object *object = value.getAsObject();
  const json::Value *part = object ? object->get("range") : nullptr;
  if (!part || !fromJSON(*part, range, root))
    return std::nullopt;
  return range;
}

/// Whether a range has fewer lines, or as many and fewer columns.
static bool isSmaller(const lsp::Range &a, const lsp::Range &b) {
  auto sizeOf = [](const lsp::Range &range) {
    return std::pair(range.end.line - range.start.line,
                     range.end.character - range.start.character);
  };
  return sizeOf(a) < sizeOf(b);
}

/// The smallest mark at a position; null if there is none.
static const json::Value *markAt(const json::Array &marks,
                                 lsp::Position position) {
  const json::Value *found = nullptr;
  std::optional<lsp::Range> smallest;
  for (const json::Value &mark : marks) {
    std::optional<lsp::Range> range = rangeIn(mark);
    if (!range || !range->contains(position) ||
        (smallest && !isSmaller(*range, *smallest)))
      continue;
    smallest = range;
    found = &mark;
  }
  return found;
}

void Server::hover(const lsp::TextDocumentPositionParams &params, Reply reply) {
  std::string path = params.textDocument.uri.file().str();
  afterCheck(path, [this, path, position = params.position,
                    reply = std::move(reply)]() mutable {
    const Document *document = find(path);
    const json::Value *mark =
        document ? markAt(document->marks, position) : nullptr;
    if (!mark)
      return reply(nullptr);
    const json::Object &object = *mark->getAsObject();
    reply(json::Value(json::Object{
        {"contents",
         json::Object{{"kind", "markdown"}, {"value", *object.get("hover")}}},
        {"range", *object.get("range")}}));
  });
}

void Server::define(const lsp::TextDocumentPositionParams &params,
                    Reply reply) {
  std::string path = params.textDocument.uri.file().str();
  afterCheck(path, [this, path, position = params.position,
                    reply = std::move(reply)]() mutable {
    const Document *document = find(path);
    const json::Value *mark =
        document ? markAt(document->marks, position) : nullptr;
    const json::Array *targets =
        mark ? mark->getAsObject()->getArray("targets") : nullptr;
    if (!targets || targets->empty())
      return reply(nullptr);
    reply(json::Value(json::Array(*targets)));
  });
}

void Server::outline(const lsp::DocumentSymbolParams &params, Reply reply) {
  std::string path = params.textDocument.uri.file().str();
  afterCheck(path, [this, path, reply = std::move(reply)]() mutable {
    const Document *document = find(path);
    reply(document ? json::Value(json::Array(document->symbols))
                   : json::Value(nullptr));
  });
}

//===----------------------------------------------------------------------===//
// Changes and commands
//===----------------------------------------------------------------------===//

/// Whether the editor requests actions of a kind.
static bool isWanted(const json::Value &params, StringRef kind) {
  const json::Value *only = get(params, {"context", "only"});
  const json::Array *kinds = only ? only->getAsArray() : nullptr;
  return !kinds || any_of(*kinds, [&](const json::Value &value) {
    StringRef wanted = value.getAsString().value_or("-");
    return wanted.empty() || kind == wanted ||
           kind.starts_with((wanted + ".").str());
  });
}

void Server::act(const RawParams &params, Reply reply) {
  std::string path = pathOf(get(params.value, {"textDocument", "uri"}));
  std::optional<lsp::Range> range = rangeIn(params.value);
  if (path.empty() || !range)
    return reply(
        failure("expected a file and a range", lsp::ErrorCode::InvalidParams));
  afterCheck(path, [this, path, range = *range, params = params.value,
                    reply = std::move(reply)]() mutable {
    json::Array actions;
    const Document *document = find(path);
    const json::Array *offered =
        document ? document->found.getArray("actions") : nullptr;
    if (offered && isWanted(params, "quickfix"))
      for (const json::Value &offer : *offered)
        if (std::optional<lsp::Range> place = rangeIn(offer);
            place && !(place->end < range.start) && !(range.end < place->start))
          actions.push_back(*offer.getAsObject()->get("action"));
    if (document && !document->symbols.empty() &&
        isWanted(params, "source.sluice.showGraph"))
      actions.push_back(json::Object{
          {"title", "Show the graph"},
          {"kind", "source.sluice.showGraph"},
          {"command",
           json::Object{{"title", "Show the graph"},
                        {"command", showGraph},
                        {"arguments", json::Array{document->uri}}}}});
    reply(json::Value(std::move(actions)));
  });
}

static std::string pictureLimitOf(unsigned number) {
  return "picture " + std::to_string(number);
}

/// Runs "sluice.showGraph" for a document, optionally with the form of the
/// picture.
void Server::execute(const RawParams &params, Reply reply) {
  const json::Value *command = get(params.value, {"command"});
  const json::Value *given = get(params.value, {"arguments"});
  const json::Array *arguments = given ? given->getAsArray() : nullptr;
  if (!command || command->getAsString() != showGraph)
    return reply(failure("no such command", lsp::ErrorCode::InvalidParams));
  std::string path =
      arguments && !arguments->empty() ? pathOf(&arguments->front()) : "";
  if (path.empty())
    return reply(failure("'sluice.showGraph' takes the URI of a file",
                         lsp::ErrorCode::InvalidParams));
  StringRef form = StringRef(path).ends_with(".ddt") ? "svg" : "html";
  if (arguments->size() > 1)
    form = (*arguments)[1].getAsString().value_or("");
  if (form != "html" && form != "svg" && form != "dot")
    return reply(failure("a picture is html, svg or dot",
                         lsp::ErrorCode::InvalidParams));
  if (folder.empty())
    return reply(failure("there is no folder for pictures",
                         lsp::ErrorCode::RequestFailed));
  if (hasShutDown)
    return reply(failure("the server ends", lsp::ErrorCode::InvalidRequest));
  unsigned number = numPictures++;
  std::string picture = folder + "/graph-" + std::to_string(number) + "-" +
                        sys::path::stem(path).str() + "." + form.str();
  auto work = [this, path, picture](raw_ostream &os) {
    for (const auto &[name, document] : documents)
      setUnsavedText(name, document->text);
    os << drawInspected(settings.optionsFor(path), picture);
  };
  auto done = [this, number](const std::string &problem, int status) {
    finishPicture(number,
                  status != 0 && problem.empty() ? "the graph cannot be drawn"
                                                 : problem,
                  lsp::ErrorCode::RequestFailed);
  };
  pictures[number] = {nullptr, picture, std::move(reply)};
  pictures[number].job = std::make_unique<ChildJob>(loop, work, done);
  loop.setTimer(pictureLimitOf(number),
                EventLoop::Clock::now() + settings.timeLimit, [this, number] {
                  finishPicture(number, "drawing the graph takes too long",
                                lsp::ErrorCode::RequestFailed);
                });
}

/// Answers the requests for a picture, which is drawn unless there was a
/// problem.
void Server::finishPicture(unsigned number, const std::string &problem,
                           lsp::ErrorCode code) {
  auto node = pictures.extract(number);
  if (!node)
    return;
  loop.clearTimer(pictureLimitOf(number));
  Picture &picture = node.mapped();
  if (!problem.empty())
    return picture.reply(failure(StringRef(problem).trim(), code));
  std::string uri = fileUri(picture.file);
  if (canShowFiles)
    askToShow(json::Object{{"uri", uri}, {"external", true}},
              "show " + std::to_string(numRequests++));
  picture.reply(json::Value(json::Object{{"uri", uri}}));
}

void Server::connect(lsp::MessageHandler &handler) {
  handler.method("initialize", this, &Server::initialize);
  handler.notification("initialized", this, &Server::initialized);
  handler.method("shutdown", this, &Server::shutDown);
  handler.notification("textDocument/didOpen", this, &Server::open);
  handler.notification("textDocument/didChange", this, &Server::change);
  handler.notification("textDocument/didSave", this, &Server::save);
  handler.notification("textDocument/didClose", this, &Server::close);
  handler.method("textDocument/hover", this, &Server::hover);
  handler.method("textDocument/definition", this, &Server::define);
  handler.method("textDocument/documentSymbol", this, &Server::outline);
  handler.method("textDocument/codeAction", this, &Server::act);
  handler.method("workspace/executeCommand", this, &Server::execute);
  sendProblems = handler.outgoingNotification<json::Value>(
      "textDocument/publishDiagnostics");
  sendMessage = handler.outgoingNotification<json::Value>("window/logMessage");
  askToShow = handler.outgoingRequest<json::Value, lsp::NoParams>(
      "window/showDocument", [](json::Value, Expected<lsp::NoParams> shown) {
        if (!shown)
          consumeError(shown.takeError());
      });
}

//===- Server.cpp - Checks during typing ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"
#include "EditorInput.h"
#include "MovedMarks.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Diagnostics/Report.h"
#include "sluice/Driver/LanguageServer.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// The number of checks that run at the same time, not counting slow ones.
static constexpr unsigned maxChecks = 2;
static constexpr auto longCheck = std::chrono::seconds(2);

static std::string timerOf(const std::string &path) { return "check " + path; }

Server::Document *Server::find(StringRef path) {
  auto it = documents.find(path.str());
  return it == documents.end() ? nullptr : it->second.get();
}

void Server::tell(int type, const std::string &text) {
  sendMessage(json::Object{{"type", type}, {"message", json::fixUTF8(text)}});
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

void Server::open(const lsp::DidOpenTextDocumentParams &params) {
  std::string path = params.textDocument.uri.file().str();
  std::unique_ptr<Document> &document = documents[path];
  if (!document)
    document = std::make_unique<Document>();
  document->path = path;
  document->uri = params.textDocument.uri.uri().str();
  document->text = params.textDocument.text;
  document->version = params.textDocument.version;
  document->checked = -1;
  touch(*document, std::chrono::milliseconds(0));
}

void Server::change(const lsp::DidChangeTextDocumentParams &params) {
  Document *document = find(params.textDocument.uri.file());
  if (!document)
    return;
  const std::string before = document->text;
  // The server requested whole texts.
  for (const lsp::TextDocumentContentChangeEvent &event : params.contentChanges)
    if (event.range)
      (void)event.applyTo(document->text);
    else
      document->text = event.text;
  document->version = params.textDocument.version;
  move(*document, before);
  touch(*document, settings.pause);
  // Problems that other checks found in this text are outdated as well.
  auto found = problems.find(fileUri(document->path));
  if (found == problems.end())
    return;
  for (const auto &[owner, list] : found->second)
    if (Document *other = find(owner);
        other && other != document && !list.empty())
      touch(*other, settings.pause);
}

/// Moves earlier results along with their text.
void Server::move(Document &document, const std::string &before) {
  for (const TextChange &change : changesBetween(before, document.text)) {
    moveMarks(document.marks, change);
    moveSymbols(document.symbols, change);
    for (auto &[path, other] : documents)
      moveTargets(other->marks, fileUri(document.path), change);
  }
}

/// The saved file may be a header of other files.
void Server::save(const RawParams &) {
  for (auto &[path, document] : documents)
    touch(*document, settings.pause);
}

void Server::close(const lsp::DidCloseTextDocumentParams &params) {
  std::string path = params.textDocument.uri.file().str();
  auto it = documents.find(path);
  if (it == documents.end())
    return;
  loop.clearTimer(timerOf(path));
  loop.clearTimer(limitOf(path));
  publish(*it->second, {});
  auto waiting = std::move(it->second->waiting);
  documents.erase(it);
  for (unique_function<void()> &answer : waiting)
    answer();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Stops an outdated check.
void Server::touch(Document &document, std::chrono::milliseconds pause) {
  document.check.reset();
  loop.clearTimer(limitOf(document.path));
  document.checked = -1;
  document.found = {};
  loop.setTimer(timerOf(document.path), EventLoop::Clock::now() + pause,
                [this, path = document.path] { startCheck(path); });
}

static std::string describeEnd(int status) {
  if (status != -1 && WIFSIGNALED(status))
    return "the check was ended by signal " + std::to_string(WTERMSIG(status));
  if (status != -1 && WIFEXITED(status))
    return "the check ended with status " + std::to_string(WEXITSTATUS(status));
  return "no process can be started";
}

void Server::startCheck(const std::string &path) {
  Document *document = find(path);
  if (!document || hasShutDown)
    return;
  const auto now = EventLoop::Clock::now();
  auto isYoung = [&](const auto &entry) {
    return entry.second->check && now - entry.second->checkBegin < longCheck;
  };
  if (count_if(documents, isYoung) >= maxChecks) {
    loop.setTimer(timerOf(path), now + std::chrono::milliseconds(10),
                  [this, path] { startCheck(path); });
    return;
  }
  auto work = [this, path](raw_ostream &os) {
    for (const auto &[name, open] : documents)
      setUnsavedText(name, open->text);
    inspect(settings.optionsFor(path), os);
  };
  document->checkBegin = now;
  document->check = std::make_unique<ChildJob>(
      loop, work, [this, path](const std::string &output, int status) {
        finishCheck(path, output, status ? describeEnd(status) : "");
      });
  loop.setTimer(limitOf(path), now + settings.timeLimit, [this, path] {
    finishCheck(path, "",
                "the check took longer than " +
                    std::to_string(settings.timeLimit.count()) +
                    " ms, and was ended");
  });
}

/// The check saw the current text, since a change ends the check.
void Server::finishCheck(const std::string &path, const std::string &output,
                         const std::string &problem) {
  Document *document = find(path);
  if (!document)
    return;
  document->check.reset();
  loop.clearTimer(limitOf(path));
  document->checked = document->version;
  document->found = {};
  Expected<json::Value> value = json::parse(output);
  if (value && value->getAsObject() && problem.empty()) {
    document->found = std::move(*value->getAsObject());
    if (document->found.getBoolean("isComplete").value_or(false)) {
      for (auto [key, list] : {std::pair("marks", &document->marks),
                               std::pair("symbols", &document->symbols)})
        if (json::Array *array = document->found.getArray(key))
          *list = std::move(*array);
    }
    if (json::Object *problems = document->found.getObject("diagnostics"))
      publish(*document, std::move(*problems));
  } else {
    consumeError(value.takeError());
    json::Value start = json::Object{{"line", 0}, {"character", 0}};
    json::Value shown = json::Object{
        {"range", json::Object{{"start", start}, {"end", start}}},
        {"severity", 2},
        {"source", "sluice"},
        {"message",
         "this file was not checked: " +
             (problem.empty() ? "the check wrote nothing" : problem)}};
    publish(*document,
            json::Object{{fileUri(path), json::Array{std::move(shown)}}});
  }
  auto waiting = std::move(document->waiting);
  document->waiting.clear();
  for (unique_function<void()> &answer : waiting)
    answer();
}

void Server::afterCheck(StringRef path, unique_function<void()> answer) {
  Document *document = find(path);
  if (!document || document->checked == document->version || hasShutDown)
    return answer();
  document->waiting.push_back(std::move(answer));
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// A file may have problems that checks of other files found.
void Server::publish(Document &document, json::Object found) {
  std::set<std::string> changed = {fileUri(document.path)};
  for (auto &[uri, owners] : problems)
    if (owners.erase(document.path))
      changed.insert(uri);
  for (auto &[uri, list] : found)
    if (json::Array *array = list.getAsArray()) {
      problems[uri.str()][document.path] = std::move(*array);
      changed.insert(uri.str());
    }
  for (const std::string &uri : changed)
    publishFile(uri);
}

void Server::publishFile(const std::string &uri) {
  json::Array all;
  for (const auto &[owner, list] : problems[uri])
    for (const json::Value &problem : list)
      if (!is_contained(all, problem))
        all.push_back(problem);
  json::Object message{{"uri", uri}, {"diagnostics", std::move(all)}};
  // Uses the editor's spelling of the path.
  for (const auto &[path, document] : documents)
    if (fileUri(path) == uri) {
      message["uri"] = document->uri;
      message["version"] = document->version;
    }
  sendProblems(std::move(message));
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

bool driver::serveEditor(const ServerOptions &options) {
  lsp::Logger::setLogLevel(options.isVerbose ? lsp::Logger::Level::Debug
                                             : lsp::Logger::Level::Error);
  EditorSettings settings;
  if (!options.compileCommands.empty())
    settings.compileCommands = absolutePath(options.compileCommands);
  // Created now, so that checks, which may be killed, leave nothing elsewhere.
  Result<std::string> folder = workFolder();
  EventLoop loop;
  lsp::JSONTransport transport(
      std::make_unique<EditorInput>(STDIN_FILENO, loop), outs());
  lsp::MessageHandler handler(transport);
  Server server(loop, std::move(settings), folder.ok() ? *folder : "");
  server.connect(handler);
  if (Error error = transport.run(handler))
    consumeError(std::move(error)); // the editor has gone
  return server.isShutDown();
}

//===- Server.h - The documents of an editor --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the documents that are open in the editor, checks each one after a
// pause in typing, and answers requests from the results of the last check. A
// request about a text that has not been checked yet waits for its check.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_SERVER_H
#define SLUICE_LIB_DRIVER_EDITOR_SERVER_H

#include "ChildJob.h"
#include "EditorSettings.h"
#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/LSP/Transport.h"

#include <map>
#include <memory>

namespace sluice::driver {

/// Parameters that are parsed by hand.
struct RawParams {
  llvm::json::Value value = nullptr;
};
inline bool fromJSON(const llvm::json::Value &value, RawParams &result,
                     llvm::json::Path) {
  result.value = value;
  return true;
}

/// Not thread-safe.
class Server {
public:
  using Reply = llvm::lsp::Callback<llvm::json::Value>;

  /// `folder`: the folder for pictures.
  Server(EventLoop &loop, EditorSettings settings, std::string folder)
      : loop(loop), settings(std::move(settings)), folder(std::move(folder)) {}

  /// Connects the methods of the protocol.
  void connect(llvm::lsp::MessageHandler &handler);
  /// The editor has requested shutdown, as it should before it exits.
  bool isShutDown() const { return hasShutDown; }

private:
  struct Document {
    std::string path, uri, text;
    int64_t version = 0;
    /// The version that `found` belongs to; -1 if there is none yet.
    int64_t checked = -1;
    llvm::json::Object found;
    /// Marks and outline of the last text that had a graph, at their positions
    /// in the current text.
    llvm::json::Array marks, symbols;
    std::unique_ptr<ChildJob> check;
    EventLoop::Clock::time_point checkBegin;
    std::vector<llvm::unique_function<void()>> waiting;
  };

  /// A graph that is being drawn, and the requests that wait for it.
  struct Picture {
    std::unique_ptr<ChildJob> job;
    std::string file;
    Reply reply;
  };

  // Requests and notifications.
  void initialize(const RawParams &params, Reply reply);
  void initialized(const RawParams &) {}
  void shutDown(const RawParams &params, Reply reply);
  void open(const llvm::lsp::DidOpenTextDocumentParams &params);
  void change(const llvm::lsp::DidChangeTextDocumentParams &params);
  void save(const RawParams &params);
  void close(const llvm::lsp::DidCloseTextDocumentParams &params);
  void hover(const llvm::lsp::TextDocumentPositionParams &params, Reply reply);
  void define(const llvm::lsp::TextDocumentPositionParams &params, Reply reply);
  void outline(const llvm::lsp::DocumentSymbolParams &params, Reply reply);
  void act(const RawParams &params, Reply reply);
  void execute(const RawParams &params, Reply reply);

  // Checks.
  void touch(Document &document, std::chrono::milliseconds pause);
  void startCheck(const std::string &path);
  void finishCheck(const std::string &path, const std::string &output,
                   const std::string &problem);
  void move(Document &document, const std::string &before);
  void finishPicture(unsigned number, const std::string &problem,
                     llvm::lsp::ErrorCode code);
  void publish(Document &document, llvm::json::Object problems);
  void publishFile(const std::string &uri);
  /// Calls `answer` once the current text has been checked.
  void afterCheck(llvm::StringRef path, llvm::unique_function<void()> answer);

  Document *find(llvm::StringRef path);
  /// The name of the timer that ends a check.
  static std::string limitOf(const std::string &path) {
    return "limit " + path;
  }
  void tell(int type, const std::string &text);

  EventLoop &loop;
  EditorSettings settings;
  std::string folder;
  /// By path.
  std::map<std::string, std::unique_ptr<Document>> documents;
  /// Problems by the file they are in and the document that was checked.
  std::map<std::string, std::map<std::string, llvm::json::Array>> problems;
  /// By number.
  std::map<unsigned, Picture> pictures;
  unsigned numPictures = 0, numRequests = 0;
  bool hasShutDown = false, canShowFiles = false;

  llvm::lsp::OutgoingNotification<llvm::json::Value> sendProblems, sendMessage;
  llvm::lsp::OutgoingRequest<llvm::json::Value> askToShow;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_SERVER_H

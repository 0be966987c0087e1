//===- Picture.cpp - Files of pictures ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Picture.h"
#include "../Traces/TimelinePage.h"
#include "Explorer.h"
#include "sluice/Base/Output.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

int Picture::addSource(StringRef path) {
  for (size_t i = 0; i != sources.size(); ++i)
    if (sources[i].path == path)
      return int(i);
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer || (*buffer)->getBuffer().contains('\0'))
    return -1;
  sources.push_back({path.str(), (*buffer)->getBuffer().str()});
  return int(sources.size()) - 1;
}

bool driver::isPictureFile(StringRef path) {
  return StringSwitch<bool>(sys::path::extension(path))
      .Cases({".svg", ".png", ".pdf", ".dot", ".html"}, true)
      .Default(false);
}

std::string driver::escapeMarkup(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  printHTMLEscaped(text, os);
  return result;
}

//===----------------------------------------------------------------------===//
// Graphviz
//===----------------------------------------------------------------------===//

/// Runs Graphviz over the text and writes to `output` directly.
static Error runGraphviz(StringRef dot, StringRef format, StringRef output) {
  Expected<std::string> input = writeTemporary(dot, ".dot");
  if (!input)
    return input.takeError();
  FileRemover remover(*input);
  return runTool("dot", {"-T" + format.str(), "-o", output.str(), *input});
}

Expected<std::string> driver::drawSvg(StringRef dot) {
  Expected<std::string> path = temporaryPath(".svg");
  if (!path)
    return path.takeError();
  FileRemover remover(*path);
  if (Error error = runGraphviz(dot, "svg", *path))
    return error;
  auto buffer = MemoryBuffer::getFile(*path);
  if (!buffer)
    return createStringError("cannot read '" + *path +
                             "': " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  return text.substr(text.find("<svg")).str();
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

static void writeTime(json::OStream &json, const PictureNode &node,
                      const TimelinePage &page) {
  json.attribute("colour", colourOf(node.time));
  json.attribute("timedWith", json::fixUTF8(node.timedWith));
  if (!node.time)
    return;
  const NodeTime &time = *node.time;
  json.attributeObject("time", [&] {
    json.attribute("total", time.total);
    json.attribute("share", time.share);
    json.attribute("calls", int64_t(time.numCalls));
    json.attribute("parts", int64_t(time.numParts));
    json.attribute("longest", time.longest);
    json.attribute("onPath", time.onPath);
    json.attribute("isShared", time.isShared);
    json.attributeArray("names", [&] {
      for (uint32_t name : page.numbersOf(time.names))
        json.value(int64_t(name));
    });
    json.attributeArray("ranks", [&] {
      for (double rank : time.ofRanks)
        json.value(rank);
    });
  });
}

/// The data of the page, for use inside a script element.
static std::string pageData(const Picture &picture) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os);
  std::optional<TimelinePage> page;
  if (picture.traced)
    page.emplace(picture.traced->timeline, picture.traced->report);
  json.object([&] {
    if (page) {
      json.attributeBegin("timeline");
      page->write(json);
      json.attributeEnd();
      json.attribute("absent", colourOf(std::nullopt));
      json.attributeArray("scale", [&] {
        for (double share : {0.001, 0.01, 0.05, 0.2, 0.5, 1.0})
          json.object([&] {
            NodeTime time;
            time.share = share;
            json.attribute("share", share);
            json.attribute("colour", colourOf(time));
          });
      });
    }
    json.attributeArray("nodes", [&] {
      for (const PictureNode &node : picture.nodes)
        json.object([&] {
          json.attribute("id", json::fixUTF8(node.id));
          json.attribute("name", json::fixUTF8(node.name));
          json.attribute("kind", json::fixUTF8(node.kind));
          json.attribute("source", node.source);
          json.attribute("line", node.line);
          json.attribute("column", node.column);
          json.attributeArray("problems", [&] {
            for (const std::string &problem : node.problems)
              json.value(json::fixUTF8(problem));
          });
          json.attributeArray("remarks", [&] {
            for (const std::string &remark : node.remarks)
              json.value(json::fixUTF8(remark));
          });
          if (page && node.isTimed)
            writeTime(json, node, *page);
        });
    });
    json.attributeArray("sources", [&] {
      for (const PictureSource &source : picture.sources)
        json.object([&] {
          json.attribute("path", json::fixUTF8(source.path));
          json.attribute("text", json::fixUTF8(source.text));
        });
    });
  });
  return jsonForScript(text);
}

std::string driver::jsonForScript(StringRef json) {
  // In JSON, '<' only occurs in strings.
  std::string result;
  for (char c : json)
    result += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return result;
}

std::string driver::fillPage(StringRef page,
                             function_ref<std::string(StringRef)> part) {
  std::string filled;
  while (true) {
    auto [before, after] = page.split("{{");
    filled += before;
    if (after.empty())
      return filled;
    auto [mark, rest] = after.split("}}");
    filled += part(mark);
    page = rest;
  }
}

/// Fills the marked places of the page with its parts.
static std::string fillExplorer(const Picture &picture, StringRef svg) {
  return fillPage(explorerPage, [&](StringRef mark) {
    return StringSwitch<std::string>(mark)
        .Case("title", escapeMarkup(picture.title))
        .Case("style", explorerStyle)
        .Case("element", explorerElement)
        .Case("script", explorerScript)
        .Case("frames", explorerFrames)
        .Case("times", picture.traced ? explorerTimes : "")
        .Case("timeline", picture.traced ? explorerTimeline : "")
        .Case("drawing", svg.str())
        .Case("data", pageData(picture))
        .Default("");
  });
}

static Error writeText(StringRef path, const std::string &text) {
  if (Status status = writeOutput(path.str(), text); !status.ok())
    return createStringError(status.message());
  return Error::success();
}

Error driver::writePicture(const Picture &picture, StringRef path) {
  std::vector<std::string> inputs;
  for (const PictureSource &source : picture.sources)
    inputs.push_back(source.path);
  if (Error error = checkOutput(path, inputs))
    return error;
  StringRef ending = sys::path::extension(path);
  if (ending == ".dot")
    return writeText(path, picture.dot);
  if (ending == ".html") {
    Expected<std::string> svg = drawSvg(picture.dot);
    if (!svg)
      return svg.takeError();
    return writeText(path, fillExplorer(picture, *svg));
  }
  Expected<std::string> temporary = temporaryPath(ending);
  if (!temporary)
    return temporary.takeError();
  FileRemover remover(*temporary);
  if (Error error = runGraphviz(picture.dot, ending.drop_front(), *temporary))
    return error;
  Status status = copyToOutput(*temporary, path.str(), /*isProgram=*/false);
  return status.ok() ? Error::success() : createStringError(status.message());
}

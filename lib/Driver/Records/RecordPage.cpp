//===- RecordPage.cpp - A recorded run as a page --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps as JSON, with contents in base 64. The page's script answers the
// same queries as RecordHistory.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/RecordPage.h"
#include "Debugger.h"
#include "RecordTexts.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Text.h"
#include "sluice/Driver/Picture.h"
#include "sluice/Runtime/Record/CompareRecords.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// Graphviz would take minutes for more nodes.
static constexpr size_t maxDrawnNodes = 1000;

/// Nodes are called "g0n3".
static std::string dotOf(const RecordedGraph &graph, size_t number) {
  std::string text;
  raw_string_ostream os(text);
  os << "digraph {\n  node [shape=box, style=\"filled,rounded\", "
        "fillcolor=white, fontname=Helvetica, fontsize=11]\n"
        "  edge [color=\"#8a939c\"]\n";
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    os << "  g" << number << 'n' << i << " [label=<"
       << escapeMarkup(json::fixUTF8(graph.nodes[i].name)) << ">]\n";
  for (auto [from, to] : graph.edges)
    os << "  g" << number << 'n' << from << " -> g" << number << 'n' << to
       << '\n';
  os << "}\n";
  return text;
}

namespace {
class PageData {
public:
  PageData(const Record &record, raw_ostream &os, uint64_t maxBytes)
      : record(record), json(os), left(maxBytes) {}

  void write() {
    json.object([&] {
      json.attribute("program", json::fixUTF8(record.program));
      json.attributeArray("graphs", [&] {
        for (const RecordedGraph &graph : record.graphs)
          writeGraph(graph);
      });
      json.attributeArray("launches", [&] {
        for (const RecordedLaunch &launch : record.launches)
          writeLaunch(launch);
      });
      json.attributeArray("steps", [&] {
        for (const RecordedStep &step : record.steps)
          writeStep(step);
      });
      json.attributeArray("notes", [&] {
        for (const std::string &remark : remarksOn(record))
          json.value(json::fixUTF8(remark));
        if (numLeftOut)
          json.value(concat("this page is without the contents of ",
                            countOf(numLeftOut, "change", "changes"),
                            ", which 'sluice debug' shows"));
      });
    });
  }

private:
  void writeGraph(const RecordedGraph &graph) {
    json.object([&] {
      json.attribute("name", json::fixUTF8(graph.name));
      json.attributeArray("nodes", [&] {
        for (const RecordedNode &node : graph.nodes)
          json.object([&] {
            json.attribute("name", json::fixUTF8(node.name));
            json.attribute("location", json::fixUTF8(node.location));
          });
      });
    });
  }

  void writeValues(StringRef name, const std::vector<RecordedValue> &values,
                   const RecordedLaunch &launch) {
    json.attributeArray(name, [&] {
      for (const RecordedValue &value : values)
        json.array([&] {
          json.value(json::fixUTF8(value.name));
          json.value(json::fixUTF8(textOf(value, launch)));
          if (value.kind == RecordedValue::Inside) {
            json.value(value.block);
            json.value(int64_t(value.offset));
          }
        });
    });
  }

  void writeLaunch(const RecordedLaunch &launch) {
    json.object([&] {
      json.attribute("graph", launch.graph);
      json.attribute("number", int64_t(launch.numBefore + 1));
      json.attribute("error", json::fixUTF8(launch.error));
      json.attributeArray("blocks", [&] {
        for (const RecordedBlock &block : launch.blocks)
          json.array([&] {
            json.value(json::fixUTF8(block.name));
            json.value(json::fixUTF8(block.type));
            json.value(int64_t(block.address));
            json.value(int64_t(block.size));
          });
      });
      writeValues("results", launch.results, launch);
    });
  }

  /// Data that is only computed while steps are written follows them.
  void writeStep(const RecordedStep &step) {
    const RecordedLaunch &launch = record.launchOf(step);
    json.object([&] {
      json.attribute("name", json::fixUTF8(record.nameOf(step)));
      json.attribute("kind", unsigned(step.kind));
      json.attribute("launch", step.launch);
      if (step.kind == RecordedStep::Node)
        json.attribute("node", step.node);
      json.attribute("extents", extentsText(step));
      json.attribute("location", json::fixUTF8(locationOf(record, step)));
      const bool isLaunch = step.kind == RecordedStep::Launch;
      writeValues("inputs", isLaunch ? launch.arguments : step.inputs, launch);
      writeValues("outputs", step.outputs, launch);
      json.attribute("ended", step.hasEnded);
      json.attribute("error", json::fixUTF8(step.error));
      if (step.verification == RecordedStep::Differs)
        json.attribute("differs", json::fixUTF8(step.finding));
      json.attributeArray("changes", [&] {
        for (const RecordedChange &change : step.changes)
          writeChange(change);
      });
    });
  }

  /// [block, offsets and sizes of runs, contents or null].
  void writeChange(const RecordedChange &change) {
    json.array([&] {
      json.value(change.block);
      json.array([&] {
        for (const RecordedRun &run : change.runs) {
          json.value(int64_t(run.offset));
          json.value(int64_t(run.size));
        }
      });
      if (change.content == RecordedChange::Fill) {
        json.value(int(static_cast<unsigned char>(change.bytes[0])));
      } else if (change.content == RecordedChange::Kept &&
                 change.bytes.size() <= left) {
        left -= change.bytes.size();
        json.value(encodeBase64(change.bytes));
      } else {
        numLeftOut += change.content == RecordedChange::Kept;
        json.value(nullptr);
      }
    });
  }

  const Record &record;
  json::OStream json;
  uint64_t left;
  uint64_t numLeftOut = 0;
};
} // namespace

Error driver::writeRecordPage(const Record &record, StringRef path,
                              uint64_t maxBytes) {
  std::string drawings;
  for (size_t i = 0; i < record.graphs.size(); ++i) {
    drawings += concat("<div class=\"drawing\" data-graph=\"", i, "\">");
    if (record.graphs[i].nodes.size() <= maxDrawnNodes) {
      Expected<std::string> svg = drawSvg(dotOf(record.graphs[i], i));
      if (!svg)
        return svg.takeError();
      drawings += *svg;
    }
    drawings += "</div>\n";
  }
  std::string data;
  raw_string_ostream os(data);
  PageData(record, os, maxBytes).write();
  std::string page = fillPage(debuggerPage, [&](StringRef mark) {
    return StringSwitch<std::string>(mark)
        .Case("title", escapeMarkup(json::fixUTF8(record.program)))
        .Case("style", debuggerStyle)
        .Case("element", debuggerElement)
        .Case("script", debuggerScript)
        .Case("drawing", drawings)
        .Case("data", jsonForScript(data))
        .Default("");
  });
  if (Status status = writeOutput(path.str(), page); !status.ok())
    return createStringError(status.message());
  return Error::success();
}

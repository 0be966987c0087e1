//===- Picture.h - Files of pictures --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of drawings of all kinds of graphs: a text in the language of
// Graphviz, information on its nodes, and the output formats.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_PICTURE_H
#define SLUICE_DRIVER_PICTURE_H

#include "sluice/Driver/TracedNodes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// The information that a page shows for a clicked node or a frame around
/// nodes.
struct PictureNode {
  /// Its id in the Graphviz text: "n12", or "cluster_n12".
  std::string id;
  /// "%t2", and its kind: "task @update".
  std::string name, kind;
  /// Index into Picture::sources, or -1; line and column count from 1.
  int source = -1;
  unsigned line = 0, column = 0;
  /// Problems that the checks found.
  std::vector<std::string> problems;
  /// What passes did to a leaf.
  std::vector<std::string> remarks;
  /// Times from the picture's trace, if it has some.
  bool isTimed = false;
  std::optional<NodeTime> time;
  /// The frame whose nodes run together, so that only the frame has a time.
  std::string timedWith;
};

/// A source file of nodes, shown next to the graph.
struct PictureSource {
  std::string path, text;
};

struct Picture {
  std::string title;
  /// The drawing in the language of Graphviz.
  std::string dot;
  std::vector<PictureNode> nodes;
  std::vector<PictureSource> sources;
  /// The trace with the times to show; must outlive the picture. Null: none.
  TracedNodes *traced = nullptr;

  /// The index of the file `path` in `sources`. Reads the file at the first
  /// request; -1 if it cannot be read.
  int addSource(llvm::StringRef path);
};

/// True for the suffixes that writePicture supports: .svg, .png, .pdf, .dot,
/// .html.
bool isPictureFile(llvm::StringRef path);

/// Writes the picture atomically: .dot as text, .html as a self-contained page
/// with panning, zooming and searching, any other suffix in Graphviz's output
/// format.
llvm::Error writePicture(const Picture &picture, llvm::StringRef path);

/// Graphviz's drawing of a text in its language, as an <svg> element.
llvm::Expected<std::string> drawSvg(llvm::StringRef dot);

/// Replaces the marks of a page, such as {{title}}, by the results of `part`.
/// Does not search for marks in the results.
std::string fillPage(llvm::StringRef page,
                     llvm::function_ref<std::string(llvm::StringRef)> part);

/// JSON in a form that is safe inside a script element.
std::string jsonForScript(llvm::StringRef json);

/// Escapes `text` for HTML labels of Graphviz and for pages.
std::string escapeMarkup(llvm::StringRef text);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_PICTURE_H

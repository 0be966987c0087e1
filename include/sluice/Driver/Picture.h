//===- Picture.h - Files of pictures --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the drawings of all kinds of graphs share: a text in the language of
// Graphviz, what is known of its nodes, and the forms both can be written in.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_PICTURE_H
#define SLUICE_DRIVER_PICTURE_H

#include "sluice/Driver/TracedNodes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// What a page says of a node, or of a frame around nodes, that is clicked.
struct PictureNode {
  /// Of it in the Graphviz text: "n12", or "cluster_n12".
  std::string id;
  /// "%t2", and what it is: "task @update".
  std::string name, kind;
  /// Index into Picture::sources, or -1; line and column count from 1.
  int source = -1;
  unsigned line = 0, column = 0;
  /// What the checks say of it.
  std::vector<std::string> problems;
  /// What the picture's trace says of it, if it can say something.
  bool isTimed = false;
  std::optional<NodeTime> time;
  /// The frame whose nodes run together, so that only it has a time.
  std::string timedWith;
};

/// A file that nodes come from, shown beside the graph.
struct PictureSource {
  std::string path, text;
};

struct Picture {
  std::string title;
  /// The drawing in the language of Graphviz.
  std::string dot;
  std::vector<PictureNode> nodes;
  std::vector<PictureSource> sources;
  /// The trace whose times it shows; must outlive the picture. Null: none.
  TracedNodes *traced = nullptr;

  /// The index of the file `path` in `sources`, read when it is asked for
  /// first; -1 if it cannot be read.
  int addSource(llvm::StringRef path);
};

/// True for the endings that writePicture knows: .svg, .png, .pdf, .dot, .html.
bool isPictureFile(llvm::StringRef path);

/// Writes the picture, complete or not at all: .dot as text, .html as a page
/// that needs no other file, to pan, zoom and search in, any other ending as
/// Graphviz makes it.
llvm::Error writePicture(const Picture &picture, llvm::StringRef path);

/// `text` for labels of Graphviz that are written in HTML, and for pages.
std::string escapeMarkup(llvm::StringRef text);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_PICTURE_H

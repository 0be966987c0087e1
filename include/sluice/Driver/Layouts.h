//===- Layouts.h - Information on data layouts ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice pack` shows a layout as Pack sees it: bounds, normal form, kernel,
// generated code, and a picture of its bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_LAYOUTS_H
#define SLUICE_DRIVER_LAYOUTS_H

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace farc {
class Datatype;
} // namespace farc

namespace sluice::driver {

struct LayoutOptions {
  /// Layouts in the textual form of Pack.
  struct Text {
    std::string content;
    /// The file to read, or "-" for standard input; else empty.
    std::string file;
  };
  std::vector<Text> texts;
  bool hasIR = false;
  bool hasAssembly = false;
  bool isJson = false;
  /// If not empty, write a picture to this file.
  std::string picture;
};

/// Prints the layouts to `os`. Returns false after printing an error, with its
/// place in the text, to standard error.
bool describeLayouts(const LayoutOptions &options, llvm::raw_ostream &os);

/// The first few KiB of each layout as SVG: rows of bytes, with packed bytes in
/// colour and labelled with their position in the packed stream.
std::string drawLayouts(const std::vector<const farc::Datatype *> &types);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_LAYOUTS_H

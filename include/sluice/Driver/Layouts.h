//===- Layouts.h - What there is to know of data layouts ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice pack` shows what Pack makes of a layout: bounds, normal form, kernel,
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
    /// Names a file to read, "-" for standard input; else empty.
    std::string file;
  };
  std::vector<Text> texts;
  bool hasIR = false;
  bool hasAssembly = false;
  bool isJson = false;
  /// Write a picture to this file, unless empty.
  std::string picture;
};

/// Prints the layouts to `os`. Returns false after saying on standard error
/// what is wrong, with its place in the text.
bool describeLayouts(const LayoutOptions &options, llvm::raw_ostream &os);

/// The first few KiB of each layout as SVG: rows of bytes, those that are
/// packed in colour and with their place in the packed stream.
std::string drawLayouts(const std::vector<const farc::Datatype *> &types);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_LAYOUTS_H

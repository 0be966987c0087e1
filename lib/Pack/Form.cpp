//===- Form.cpp - Building normal forms -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of forms. Each operation looks only at the form it is given and
// the places it puts it, so nested layouts are simplified from the inside out.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Form.h"

using namespace sluice::pack;

bool Form::operator==(const Form &other) const {
  if (this == &other)
    return true;
  if (kind != other.kind || size != other.size || low != other.low ||
      high != other.high || dimensions != other.dimensions ||
      offsets != other.offsets || lengths != other.lengths ||
      custom != other.custom || children.size() != other.children.size())
    return false;
  for (size_t i = 0; i != children.size(); ++i)
    if (!(*children[i] == *other.children[i]))
      return false;
  return true;
}

bool Layout::operator==(const Layout &other) const {
  return offset == other.offset && extent == other.extent &&
         *form == *other.form;
}

FormRef sluice::pack::emptyForm() {
  static const FormRef empty = std::make_shared<Form>();
  return empty;
}

FormRef sluice::pack::blockForm(int64_t size) {
  if (size == 0)
    return emptyForm();
  auto form = std::make_shared<Form>();
  form->kind = FormKind::Block;
  form->size = size;
  form->high = size;
  return form;
}

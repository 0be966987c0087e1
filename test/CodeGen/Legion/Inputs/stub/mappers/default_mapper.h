//===- default_mapper.h - What generated programs use of it -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations only; see legion.h of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TEST_LEGION_STUB_DEFAULT_MAPPER_H
#define SLUICE_TEST_LEGION_STUB_DEFAULT_MAPPER_H

#include "legion.h"

namespace Legion::Mapping {

struct SluiceStubMapperContext;
using MapperContext = SluiceStubMapperContext *;

class MapperRuntime {
public:
  LayoutConstraintID register_layout(MapperContext ctx,
                                     const LayoutConstraintSet &constraints);
};

class Mapper {
public:
  virtual ~Mapper();
  MapperRuntime *runtime;
};

class DefaultMapper : public Mapper {
public:
  enum MappingKind { TASK_MAPPING, INLINE_MAPPING, COPY_MAPPING };
  DefaultMapper(MapperRuntime *runtime, Machine machine, Processor processor,
                const char *name = nullptr);
  virtual void default_policy_select_constraints(
      MapperContext ctx, LayoutConstraintSet &constraints, Memory memory,
      const RegionRequirement &requirement);
  virtual LayoutConstraintID default_policy_select_layout_constraints(
      MapperContext ctx, Memory memory, const RegionRequirement &requirement,
      MappingKind kind, bool needsFieldCheck, bool &forceNewInstances);
};

} // namespace Legion::Mapping

#endif // SLUICE_TEST_LEGION_STUB_DEFAULT_MAPPER_H

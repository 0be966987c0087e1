// What the generated program looks like behind the parts that all share, with
// static traces; and what the other options change.
// RUN: sluice build %s --emit=legion --legion-static-traces > %t.cpp
// RUN: FileCheck --strict-whitespace --match-full-lines %s < %t.cpp
// RUN: sluice build %s --emit=legion | FileCheck --check-prefix=DYNAMIC %s
// RUN: sluice build %s --emit=legion --legion-no-independent-requirements \
// RUN:   | FileCheck --check-prefix=MARKS %s

// DYNAMIC-NOT: begin_trace
// DYNAMIC: launcher.independent_requirements = true;
// MARKS: IndexTaskLauncher
// MARKS-NOT: independent_requirements

// CHECK:/// Fields of 'grid'.
// CHECK-NEXT:enum : FieldID {
// CHECK-NEXT:  FID_GRID_OLD,
// CHECK-NEXT:  FID_GRID_NEW
// CHECK-NEXT:};

// CHECK:enum : TaskID {
// CHECK-NEXT:  TOP_LEVEL_TASK_ID,
// CHECK-NEXT:  RELAX_TASK_ID,
// CHECK-NEXT:  FOLD_MAX_DOUBLE_TASK_ID,
// CHECK-NEXT:  PRINT_TASK_ID
// CHECK-NEXT:};

// CHECK:enum : ProjectionID {
// CHECK-NEXT:  PROJECT_BLOCKS = 1
// CHECK-NEXT:};
// CHECK-EMPTY:
// CHECK-NEXT:/// The projection of each point to the color of the same coordinates.
// CHECK-NEXT:constexpr ProjectionID identity = 0;

// CHECK:double relax_task(const Task *task, const std::vector<PhysicalRegion> &regions,
// CHECK-NEXT:                  Context, Runtime *) {
// CHECK-NEXT:  const SluiceTask self = selfOf(task);
// CHECK-NEXT:  const RegionView<2> region0(regions[0], FID_GRID_OLD,
// CHECK-NEXT:                              {parameter_n, parameter_n});
// CHECK-NEXT:  const RegionView<2> region1(regions[1], FID_GRID_NEW,
// CHECK-NEXT:                              {parameter_n, parameter_n});
// CHECK-NEXT:  return ::relax(&self, region0.field<const double>(FID_GRID_OLD),
// CHECK-NEXT:                 &region0.domain, region1.field<double>(FID_GRID_NEW),
// CHECK-NEXT:                 &region1.domain);
// CHECK-NEXT:}

// CHECK:/// Colors of 'blocks'.
// CHECK-NEXT:Point<2> project_blocks(const DomainPoint &point, const Domain &) {
// CHECK-NEXT:  return Point<2>(-point[0] + 3, point[1]);
// CHECK-NEXT:}

// CHECK:  void run() {
// CHECK-NEXT:    createRegions();
// CHECK-NEXT:    createPartitions0();
// CHECK-NEXT:    run_main();
// CHECK-NEXT:  }

// CHECK:  void createRegions() {
// CHECK-NEXT:    scalar_change = Future::from_value<double>(0.0);
// CHECK-NEXT:    {
// CHECK-NEXT:      const IndexSpace elements =
// CHECK-NEXT:          runtime->create_index_space(ctx, box<2>({parameter_n, parameter_n}));
// CHECK-NEXT:      const FieldSpace fields = runtime->create_field_space(ctx);
// CHECK-NEXT:      FieldAllocator allocator =
// CHECK-NEXT:          runtime->create_field_allocator(ctx, fields);
// CHECK-NEXT:      allocator.allocate_field(sizeof(double), FID_GRID_OLD);
// CHECK-NEXT:      allocator.allocate_field(sizeof(double), FID_GRID_NEW);
// CHECK-NEXT:      region_grid = runtime->create_logical_region(ctx, elements, fields);
// CHECK-NEXT:      runtime->fill_field(ctx, region_grid, region_grid, FID_GRID_OLD,
// CHECK-NEXT:                          double{});
// CHECK-NEXT:      runtime->fill_field(ctx, region_grid, region_grid, FID_GRID_NEW,
// CHECK-NEXT:                          double{});
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// CHECK:  void createPartitions0() {
// CHECK-NEXT:    partition_blocks = blocks<2, 2>(region_grid, {4, 4});
// CHECK-NEXT:    partition_halos =
// CHECK-NEXT:        halos<2, 2>(region_grid, partition_blocks, {4, 4}, {1, 1},
// CHECK-NEXT:                    /*hasCorners=*/true);
// CHECK-NEXT:    promise(partition_halos, "halos", /*isDisjoint=*/false,
// CHECK-NEXT:            /*isComplete=*/true);
// CHECK-NEXT:  }

// CHECK:  void run_main() {
// CHECK-NEXT:    // fill, readable.mlir:[[#@LINE + 102]]
// CHECK-NEXT:    {
// CHECK-NEXT:      const double value = 1.0;
// CHECK-NEXT:      FillLauncher launcher(region_grid, region_grid,
// CHECK-NEXT:                            UntypedBuffer(&value, sizeof(value)));
// CHECK-NEXT:      launcher.add_field(FID_GRID_OLD);
// CHECK-NEXT:      runtime->fill_fields(ctx, launcher);
// CHECK-NEXT:    }
// CHECK-NEXT:    // loop, readable.mlir:[[#@LINE + 100]]
// CHECK-NEXT:    for (int64_t iteration1 = 0; iteration1 < parameter_steps; ++iteration1) {
// CHECK-NEXT:      runtime->begin_trace(ctx, 0, /*logical_only=*/true,
// CHECK-NEXT:                           /*static_trace=*/true);
// CHECK-NEXT:      // relax, readable.mlir:[[#@LINE + 104]]
// CHECK-NEXT:      {
// CHECK-NEXT:        IndexTaskLauncher launcher(RELAX_TASK_ID, box<2>({4, 4}),
// CHECK-NEXT:                                   UntypedBuffer(), ArgumentMap());
// CHECK-NEXT:        launcher.add_region_requirement(
// CHECK-NEXT:            RegionRequirement(partition_halos, identity, LEGION_READ_ONLY,
// CHECK-NEXT:                              LEGION_EXCLUSIVE, region_grid)
// CHECK-NEXT:                .add_field(FID_GRID_OLD));
// CHECK-NEXT:        launcher.add_region_requirement(
// CHECK-NEXT:            RegionRequirement(partition_blocks, identity, LEGION_WRITE_DISCARD,
// CHECK-NEXT:                              LEGION_EXCLUSIVE, region_grid)
// CHECK-NEXT:                .add_field(FID_GRID_NEW));
// CHECK-NEXT:        launcher.independent_requirements = true;
// CHECK-NEXT:        const Future value =
// CHECK-NEXT:            runtime->execute_index_space(ctx, launcher,
// CHECK-NEXT:                                         MaxReduction<double>::REDOP_ID);
// CHECK-NEXT:        scalar_change = fold(FOLD_MAX_DOUBLE_TASK_ID, scalar_change, value);
// CHECK-NEXT:      }
// CHECK-NEXT:      // copy, readable.mlir:[[#@LINE + 92]]
// CHECK-NEXT:      {
// CHECK-NEXT:        const std::vector<StaticDependence> dependences = {
// CHECK-NEXT:            dependence(2, 0, 1, LEGION_ANTI_DEPENDENCE, {FID_GRID_OLD}),
// CHECK-NEXT:            dependence(2, 1, 0, LEGION_TRUE_DEPENDENCE, {FID_GRID_NEW}),
// CHECK-NEXT:        };
// CHECK-NEXT:        IndexCopyLauncher launcher(box<2>({4, 4}));
// CHECK-NEXT:        launcher.add_copy_requirements(
// CHECK-NEXT:            RegionRequirement(partition_blocks, PROJECT_BLOCKS,
// CHECK-NEXT:                              LEGION_READ_ONLY, LEGION_EXCLUSIVE, region_grid)
// CHECK-NEXT:                .add_field(FID_GRID_NEW),
// CHECK-NEXT:            RegionRequirement(partition_blocks, PROJECT_BLOCKS,
// CHECK-NEXT:                              LEGION_WRITE_DISCARD, LEGION_EXCLUSIVE,
// CHECK-NEXT:                              region_grid)
// CHECK-NEXT:                .add_field(FID_GRID_OLD));
// CHECK-NEXT:        launcher.static_dependences = &dependences;
// CHECK-NEXT:        runtime->issue_copy_operation(ctx, launcher);
// CHECK-NEXT:      }
// CHECK-NEXT:      runtime->end_trace(ctx, 0);
// CHECK-NEXT:    }
// CHECK-NEXT:    // print, readable.mlir:[[#@LINE + 74]]
// CHECK-NEXT:    {
// CHECK-NEXT:      TaskLauncher launcher(PRINT_TASK_ID, UntypedBuffer());
// CHECK-NEXT:      launcher.add_region_requirement(
// CHECK-NEXT:          RegionRequirement(region_grid, LEGION_READ_ONLY, LEGION_EXCLUSIVE,
// CHECK-NEXT:                            region_grid)
// CHECK-NEXT:              .add_field(FID_GRID_OLD));
// CHECK-NEXT:      launcher.add_future(scalar_change);
// CHECK-NEXT:      launcher.independent_requirements = true;
// CHECK-NEXT:      launcher.add_future(lastHost);
// CHECK-NEXT:      lastHost = runtime->execute_task(ctx, launcher);
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// CHECK:void registerAll() {
// CHECK-NEXT:  TaskVariantRegistrar top(TOP_LEVEL_TASK_ID, "top_level");
// CHECK-NEXT:  top.add_constraint(ProcessorConstraint(Processor::LOC_PROC));
// CHECK-NEXT:  // It looks at nothing that differs between processes.
// CHECK-NEXT:  top.set_replicable();
// CHECK-NEXT:  Runtime::preregister_task_variant<top_level_task>(top, "top_level");
// CHECK-NEXT:  Runtime::set_top_level_task_id(TOP_LEVEL_TASK_ID);
// CHECK-NEXT:  Runtime::add_registration_callback(addMappers);
// CHECK-NEXT:  Runtime::preregister_task_variant<double, relax_task>(
// CHECK-NEXT:      leaf(RELAX_TASK_ID, "relax"), "relax");
// CHECK-NEXT:  Runtime::preregister_task_variant<double, fold_task<MaxReduction<double>>>(
// CHECK-NEXT:      leaf(FOLD_MAX_DOUBLE_TASK_ID, "fold"), "fold");
// CHECK-NEXT:  Runtime::preregister_projection_functor(PROJECT_BLOCKS,
// CHECK-NEXT:                                          new Projection<2, project_blocks>());
// CHECK-NEXT:  Runtime::preregister_task_variant<print_task>(leaf(PRINT_TASK_ID, "print"),
// CHECK-NEXT:                                                "print");
// CHECK-NEXT:}

// CHECK:int main(int argc, char **argv) {
// CHECK-NEXT:  // Legion's own options begin with one hyphen.
// CHECK-NEXT:  std::vector<char *> own{argv[0]};
// CHECK-NEXT:  for (int i = 1; i < argc; ++i)
// CHECK-NEXT:    if (strncmp(argv[i], "--", 2) == 0)
// CHECK-NEXT:      own.push_back(argv[i]);
// CHECK-NEXT:  parseParameters(int(own.size()), own.data());
// CHECK-NEXT:  sluice_program::registerAll();
// CHECK-NEXT:  return Runtime::start(argc, argv);
// CHECK-NEXT:}

rdir.parameter @n : i64 = 1024
rdir.parameter @steps : i64 = 10
rdir.variable @change : f64 = 0.0
rdir.root @grid [@n, @n] {old : f64, new : f64}
rdir.partition @blocks of @grid [4, 4] disjoint complete by blocks
rdir.partition @halos of @grid [4, 4] aliased complete by halo(@blocks, [1, 1])
rdir.graph @main {
  %old = rdir.region @grid {old}
  %old1 = rdir.region @grid {old}
  rdir.fill 1.0 : f64 discards(%old) writes(%old1)
  %old2 = rdir.region @grid {old}
  %new = rdir.region @blocks {new}
  %new1 = rdir.region @blocks {new}
  %change0 = rdir.scalar @change initial
  %change1 = rdir.scalar @change
  rdir.loop @steps reads(%old1, %change0) discards(%new) writes(%old2, %new1, %change1) {
    %o = rdir.region @grid {old}
    %halos = rdir.region @halos {old}
    rdir.open reads(%o) writes(%halos)
    %n = rdir.region @blocks {new}
    %n1 = rdir.region @blocks {new}
    %c = rdir.scalar @change
    %c1 = rdir.scalar @change
    rdir.task @relax over [4, 4] reads(%halos) discards(%n) writes(%n1) continues(%c) reduces<"max">(%c1)
    %o1 = rdir.region @grid {old}
    rdir.close reads(%halos) writes(%o1)
    %b = rdir.region @blocks {old}
    rdir.open reads(%o1) writes(%b)
    %b1 = rdir.region @blocks {old}
    rdir.copy over [4, 4] reads(%n1 by affine_map<(i, j) -> (3 - i, j)>) discards(%b by affine_map<(i, j) -> (3 - i, j)>) writes(%b1 by affine_map<(i, j) -> (3 - i, j)>)
  }
  rdir.host @print reads(%old2, %change1) with(2.5 : f64)
}

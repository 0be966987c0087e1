// The rows "mesh" of `./dev bench rdir`: examples/regent/mesh.mlir. The host
// statement @serve speaks with the driver.

rdir.parameter @num_cells : i64 = 4096
rdir.parameter @num_faces : i64 = 12288
rdir.parameter @pieces : i64 = 8
rdir.parameter @steps : i64 = 20

rdir.variable @more : i32 = 1
rdir.variable @step : f64 = 0.0
rdir.root @cells [@num_cells] {density : f64, energy : f64, mass_in : f64, energy_in : f64, volume : f64}
rdir.root @faces [@num_faces] {left : i64, right : i64, area : f64, flow : f64}
rdir.partition @owned of @cells [@pieces] disjoint complete by blocks
rdir.partition @sides of @faces [@pieces] disjoint complete by preimage("left", @owned)
rdir.partition @rights of @cells [@pieces] aliased incomplete by image(@sides, "right")
rdir.partition @touched of @cells [@pieces] aliased complete by union(@owned, @rights)

rdir.graph @build {
  rdir.task @makeFaces writes(@faces) with(@num_cells)
}

rdir.graph @advance {
  rdir.loop while @more {
    rdir.host @serve reads(@faces {left, right, area}) writes(@cells, @faces {flow}, @more) with(@steps)
    rdir.loop @steps {
      rdir.fill 1.0e30 : f64 writes(@step)
      rdir.task @limit over [@pieces] reads(@owned {density, energy, volume}) reduces<"min">(@step)
      rdir.task @flux over [@pieces] reads(@sides {left, right, area}, @touched {density, energy}, @step) writes(@sides {flow})
      rdir.fill 0.0 : f64 writes(@owned {mass_in, energy_in})
      rdir.task @collect over [@pieces] reads(@sides {left, right, flow}) reduces<"+">(@touched {mass_in, energy_in})
      rdir.task @update over [@pieces] reads(@owned {mass_in, energy_in, volume}) writes(@owned {density, energy})
    }
  }
}

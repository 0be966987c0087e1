// The rows "hydro" of `./dev bench cluster`: the gas of examples/hydro, whose
// host statement touches scalars only, so that nothing but borders crosses in a
// repetition. What it orders, tasks of all ranks do: 0 is the end, 1 goes on, 2
// begins anew and compares.

rdir.parameter @width : i64 = 64
rdir.parameter @zoneCount : i64 = 4096   // width^2
rdir.parameter @pointCount : i64 = 4225  // (width + 1)^2
rdir.parameter @sideCount : i64 = 16384  // 4 width^2
rdir.parameter @pieces : i64 = 2
rdir.parameter @cycles : i64 = 20

rdir.variable @order : i32 = 1
rdir.variable @wrong : f64 = 0.0
rdir.variable @step : f64 = 1.0e-4 // of time
rdir.root @zones [@zoneCount] {mass : f64, energy : f64, density : f64, rate : f64, pressure : f64}
rdir.root @points [@pointCount] {x : f64, y : f64, u : f64, v : f64, fx : f64, fy : f64, mu : f64, mv : f64, mass : f64, wall : i8}
rdir.root @sides [@sideCount] {zone : i64, p1 : i64, p2 : i64, cx : f64, cy : f64}

rdir.partition @zonePieces of @zones [@pieces] disjoint complete by blocks
rdir.partition @pointPieces of @points [@pieces] disjoint complete by blocks
rdir.partition @sidePieces of @sides [@pieces] disjoint complete by preimage("zone", @zonePieces)
rdir.partition @corners of @points [@pieces] aliased complete by image(@sidePieces, "p1")

rdir.graph @setup {
  %z0 = rdir.region @zones
  %p0 = rdir.region @points
  %s0 = rdir.region @sides
  %z1 = rdir.region @zones
  %p1 = rdir.region @points
  %s1 = rdir.region @sides
  rdir.task @build discards(%z0, %p0, %s0) writes(%z1, %p1, %s1) with(@width)
}

rdir.graph @main {
  %mesh = rdir.region @sidePieces {zone, p1, p2} initial
  %zoneMass = rdir.region @zonePieces {mass} initial
  %pointMass = rdir.region @pointPieces {mass, wall} initial
  %gas0 = rdir.region @zonePieces {energy, density, rate} initial
  %place0 = rdir.region @points {x, y} initial
  %speed0 = rdir.region @pointPieces {u, v} initial
  %step0 = rdir.scalar @step initial
  %pressure0 = rdir.region @zonePieces {pressure} initial
  %corner0 = rdir.region @sidePieces {cx, cy} initial
  %force0 = rdir.region @points {fx, fy} initial
  %mean0 = rdir.region @points {mu, mv} initial
  %order0 = rdir.scalar @order initial
  %wrong0 = rdir.scalar @wrong initial

  %gas9 = rdir.region @zonePieces {energy, density, rate}
  %place9 = rdir.region @points {x, y}
  %speed9 = rdir.region @pointPieces {u, v}
  %step9 = rdir.scalar @step
  %pressure9 = rdir.region @zonePieces {pressure}
  %corner9 = rdir.region @sidePieces {cx, cy}
  %force9 = rdir.region @points {fx, fy}
  %mean9 = rdir.region @points {mu, mv}
  %order9 = rdir.scalar @order
  %wrong9 = rdir.scalar @wrong
  rdir.loop while @order reads(%mesh, %zoneMass, %pointMass, %gas0, %place0, %speed0, %step0, %pressure0, %corner0, %force0, %mean0, %order0, %wrong0) writes(%gas9, %place9, %speed9, %step9, %pressure9, %corner9, %force9, %mean9, %order9, %wrong9) {
    %o0 = rdir.scalar @order
    %o1 = rdir.scalar @order
    %w0 = rdir.scalar @wrong
    rdir.host @serve reads(%o0, %w0) writes(%o1)

    %mesh1 = rdir.region @sidePieces {zone, p1, p2}
    %zoneMass1 = rdir.region @zonePieces {mass}
    %pointMass1 = rdir.region @pointPieces {mass, wall}
    %gasA = rdir.region @zonePieces {energy, density, rate}
    %gasB = rdir.region @zonePieces {energy, density, rate}
    rdir.task @resetZones over [@pieces] reads(%gasA, %o1) writes(%gasB) with(@width)
    %placeA = rdir.region @points {x, y}
    %placeB = rdir.region @pointPieces {x, y}
    rdir.open reads(%placeA) writes(%placeB)
    %placeC = rdir.region @pointPieces {x, y}
    %speedA = rdir.region @pointPieces {u, v}
    %speedB = rdir.region @pointPieces {u, v}
    rdir.task @resetPoints over [@pieces] reads(%placeB, %speedA, %o1) writes(%placeC, %speedB) with(@width)
    %placeD = rdir.region @points {x, y}
    rdir.close reads(%placeC) writes(%placeD)
    %stepA = rdir.scalar @step
    %stepB = rdir.scalar @step
    rdir.task @resetStep reads(%stepA, %o1) writes(%stepB)
    %pressureA = rdir.region @zonePieces {pressure}
    %cornerA = rdir.region @sidePieces {cx, cy}
    %forceA = rdir.region @points {fx, fy}
    %meanA = rdir.region @points {mu, mv}

    %gas1 = rdir.region @zonePieces {energy, density, rate}
    %place1 = rdir.region @points {x, y}
    %speed1 = rdir.region @pointPieces {u, v}
    %step1 = rdir.scalar @step
    %pressure1 = rdir.region @zonePieces {pressure}
    %corner1 = rdir.region @sidePieces {cx, cy}
    %force1 = rdir.region @points {fx, fy}
    %mean1 = rdir.region @points {mu, mv}
    rdir.loop @cycles reads(%mesh1, %zoneMass1, %pointMass1, %gasB, %placeD, %speedB, %stepB, %pressureA, %cornerA, %forceA, %meanA) writes(%gas1, %place1, %speed1, %step1, %pressure1, %corner1, %force1, %mean1) {
      %sides = rdir.region @sidePieces {zone, p1, p2}
      %zm = rdir.region @zonePieces {mass}
      %pm = rdir.region @pointPieces {mass, wall}

      %g0 = rdir.region @zonePieces {energy, density, rate}
      %q0 = rdir.region @zonePieces {pressure}
      %q1 = rdir.region @zonePieces {pressure}
      rdir.task @press over [@pieces] reads(%g0, %zm) discards(%q0) writes(%q1)

      %f = rdir.region @points {fx, fy}
      %f0 = rdir.region @pointPieces {fx, fy}
      rdir.open reads(%f) writes(%f0)
      %f1 = rdir.region @pointPieces {fx, fy}
      rdir.fill 0.0 : f64 over [@pieces] discards(%f0) writes(%f1)
      %f2 = rdir.region @points {fx, fy}
      rdir.close reads(%f1) writes(%f2)
      %f3 = rdir.region @corners {fx, fy}
      rdir.open reads(%f2) writes(%f3)
      %f4 = rdir.region @corners {fx, fy}
      %x0 = rdir.region @points {x, y}
      %x1 = rdir.region @corners {x, y}
      rdir.open reads(%x0) writes(%x1)
      %c0 = rdir.region @sidePieces {cx, cy}
      %c1 = rdir.region @sidePieces {cx, cy}
      rdir.task @push over [@pieces] reads(%sides, %q1, %x1) discards(%c0) writes(%c1) continues(%f3) reduces<"+">(%f4)
      %f5 = rdir.region @points {fx, fy}
      rdir.close reads(%f4) writes(%f5)
      %f6 = rdir.region @pointPieces {fx, fy}
      rdir.open reads(%f5) writes(%f6)

      %dt0 = rdir.scalar @step
      %x2 = rdir.region @points {x, y}
      rdir.close reads(%x1) writes(%x2)
      %x3 = rdir.region @pointPieces {x, y}
      rdir.open reads(%x2) writes(%x3)
      %x4 = rdir.region @pointPieces {x, y}
      %v0 = rdir.region @pointPieces {u, v}
      %v1 = rdir.region @pointPieces {u, v}
      %m = rdir.region @points {mu, mv}
      %m0 = rdir.region @pointPieces {mu, mv}
      rdir.open reads(%m) writes(%m0)
      %m1 = rdir.region @pointPieces {mu, mv}
      rdir.task @move over [@pieces] reads(%f6, %pm, %dt0, %x3, %v0) discards(%m0) writes(%x4, %v1, %m1)

      %m2 = rdir.region @points {mu, mv}
      rdir.close reads(%m1) writes(%m2)
      %m3 = rdir.region @corners {mu, mv}
      rdir.open reads(%m2) writes(%m3)
      %x5 = rdir.region @points {x, y}
      rdir.close reads(%x4) writes(%x5)
      %x6 = rdir.region @corners {x, y}
      rdir.open reads(%x5) writes(%x6)
      %g1 = rdir.region @zonePieces {energy, density, rate}
      rdir.task @work over [@pieces] reads(%sides, %c1, %m3, %x6, %zm, %dt0, %g0) writes(%g1)
      %x7 = rdir.region @points {x, y}
      rdir.close reads(%x6) writes(%x7)
      %m4 = rdir.region @points {mu, mv}
      rdir.close reads(%m3) writes(%m4)

      %dt1 = rdir.scalar @step
      rdir.fill 1.0e-2 : f64 discards(%dt0) writes(%dt1)
      %dt2 = rdir.scalar @step
      rdir.task @limit over [@pieces] reads(%g1, %zm) continues(%dt1) reduces<"min">(%dt2)
    }
    %w1 = rdir.scalar @wrong
    rdir.fill 0.0 : f64 discards(%w0) writes(%w1)
    %w2 = rdir.scalar @wrong
    rdir.task @compare over [@pieces] reads(%gas1, %o1) continues(%w1) reduces<"max">(%w2) with(@width, @cycles)
  }
}

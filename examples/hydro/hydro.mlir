// A gas in a box: staggered-grid Lagrangian hydrodynamics on an unstructured
// mesh, in the manner of the proxy application PENNANT. Zones hold mass and
// energy, points move, sides join a zone to two of its points. Forces are
// gathered from sides to points by a reduction, since a point has sides of
// several pieces.

rdir.parameter @pieces : i64 = 8
rdir.parameter @cycles : i64 = 100

rdir.variable @step : f64 = 1.0e-4 // of time
rdir.root @zones [4096] {mass : f64, energy : f64, density : f64, rate : f64, pressure : f64}
rdir.root @points [4225] {x : f64, y : f64, u : f64, v : f64, fx : f64, fy : f64, mu : f64, mv : f64, mass : f64, wall : i8}
rdir.root @sides [16384] {zone : i64, p1 : i64, p2 : i64, cx : f64, cy : f64}

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
  rdir.task @build discards(%z0, %p0, %s0) writes(%z1, %p1, %s1)
}

rdir.graph @main {
  %mesh = rdir.region @sidePieces {zone, p1, p2} initial
  %zoneMass = rdir.region @zonePieces {mass} initial
  %pointMass = rdir.region @pointPieces {mass, wall} initial
  %gas0 = rdir.region @zonePieces {energy, density, rate} initial
  %place0 = rdir.region @points {x, y} initial
  %speed0 = rdir.region @pointPieces {u, v} initial
  %step0 = rdir.scalar @step initial

  // What the cycles use in between.
  %pressure0 = rdir.region @zonePieces {pressure} initial
  %corner0 = rdir.region @sidePieces {cx, cy} initial
  %force0 = rdir.region @points {fx, fy} initial
  %mean0 = rdir.region @points {mu, mv} initial

  %gas1 = rdir.region @zonePieces {energy, density, rate}
  %place1 = rdir.region @points {x, y}
  %speed1 = rdir.region @pointPieces {u, v}
  %step1 = rdir.scalar @step
  %pressure1 = rdir.region @zonePieces {pressure}
  %corner1 = rdir.region @sidePieces {cx, cy}
  %force1 = rdir.region @points {fx, fy}
  %mean1 = rdir.region @points {mu, mv}
  rdir.loop @cycles reads(%mesh, %zoneMass, %pointMass, %gas0, %place0, %speed0, %step0, %pressure0, %corner0, %force0, %mean0) writes(%gas1, %place1, %speed1, %step1, %pressure1, %corner1, %force1, %mean1) {
    %sides = rdir.region @sidePieces {zone, p1, p2}
    %zm = rdir.region @zonePieces {mass}
    %pm = rdir.region @pointPieces {mass, wall}

    // The pressure of an ideal gas, and the viscosity that shocks need.
    %g0 = rdir.region @zonePieces {energy, density, rate}
    %q0 = rdir.region @zonePieces {pressure}
    %q1 = rdir.region @zonePieces {pressure}
    rdir.task @press over [@pieces] reads(%g0, %zm) discards(%q0) writes(%q1)

    // It pushes the two points of each side.
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

    // Points move, with the mean of their speeds.
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

    // The work of the forces, as the points felt it, is the zones' loss.
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

    // The next step, from the speed of sound.
    %dt1 = rdir.scalar @step
    rdir.fill 1.0e-2 : f64 discards(%dt0) writes(%dt1)
    %dt2 = rdir.scalar @step
    rdir.task @limit over [@pieces] reads(%g1, %zm) continues(%dt1) reduces<"min">(%dt2)
  }
  rdir.host @check reads(%gas1, %place1, %speed1, %step1, %zoneMass, %pointMass) with(@cycles)
}

// Columns that are narrower than pages of memory: a rank has a fourth of each
// row. Sweeps leave the plate as it is.
rdir.parameter @rows : i64 = 32768
rdir.parameter @columns : i64 = 512

rdir.variable @wrong : i64 = 0
rdir.variable @peak : i64 = 0
rdir.root @plate [@rows, @columns] {now : f64, next : f64}
rdir.partition @blocks of @plate [1, 4] disjoint complete by blocks
rdir.partition @halos of @plate [1, 4] aliased complete by halo(@blocks, [1, 1], axes)

rdir.graph @main {
  %before = rdir.region @blocks {now, next}
  %started = rdir.region @blocks {now, next}
  rdir.task @start over [1, 4] discards(%before) writes(%started)
  %plate0 = rdir.region @plate {now, next}
  rdir.close reads(%started) writes(%plate0)
  %plate1 = rdir.region @plate {now, next}
  rdir.loop 3 reads(%plate0) writes(%plate1) {
    %now0 = rdir.region @plate {now}
    %next0 = rdir.region @plate {next}
    %nowHalos = rdir.region @halos {now}
    rdir.open reads(%now0) writes(%nowHalos)
    %next1 = rdir.region @blocks {next}
    rdir.open reads(%next0) writes(%next1)
    %next2 = rdir.region @blocks {next}
    rdir.task @sweep over [1, 4] reads(%nowHalos, %next1) writes(%next2)
    %now1 = rdir.region @plate {now}
    rdir.close reads(%nowHalos) writes(%now1)
    %next3 = rdir.region @plate {next}
    rdir.close reads(%next2) writes(%next3)
    %nextHalos = rdir.region @halos {next}
    rdir.open reads(%next3) writes(%nextHalos)
    %now2 = rdir.region @blocks {now}
    rdir.open reads(%now1) writes(%now2)
    %now3 = rdir.region @blocks {now}
    rdir.task @sweep over [1, 4] reads(%nextHalos, %now2) writes(%now3)
    %now4 = rdir.region @plate {now}
    rdir.close reads(%now3) writes(%now4)
  }
  %blocks = rdir.region @blocks {now, next}
  rdir.open reads(%plate1) writes(%blocks)
  %wrong0 = rdir.scalar @wrong initial
  %wrong1 = rdir.scalar @wrong
  rdir.task @countWrong over [1, 4] reads(%blocks) continues(%wrong0) reduces<"+">(%wrong1)
  %peak0 = rdir.scalar @peak initial
  %peak1 = rdir.scalar @peak
  rdir.task @measure over [1, 4] reads(%blocks) continues(%peak0) reduces<"max">(%peak1)
  rdir.host @show reads(%wrong1, %peak1) with(@rows, @columns)
}

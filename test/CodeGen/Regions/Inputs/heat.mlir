// Heat spreads over a plate until little changes.
rdir.parameter @size : i64 = 64
rdir.parameter @spread : f64 = 0.25
rdir.reduction @furthest : f64 identity 0.0 fold @further
rdir.root @plate [@size, @size] {heat : f64, next : f64, kind : vector<2xi8>}
rdir.variable @change : f64 = 0.0
rdir.variable @going : i32 = 1
rdir.partition @tiles of @plate [4, 4] disjoint complete by blocks
rdir.partition @around of @plate [4, 4] aliased complete by halo(@tiles, [1, 1], axes)
rdir.partition @byKind of @plate [3] disjoint complete by coloring(@kindOf)

rdir.graph @start {
  %h0 = rdir.region @tiles {heat, kind}
  %h1 = rdir.region @tiles {heat, kind}
  rdir.task @ignite over [4, 4] discards(%h0 by @shuffled) writes(%h1 by @shuffled) with(100.0 : f32)
}

rdir.graph @simulate {
  %heat0 = rdir.region @tiles {heat} initial
  %next0 = rdir.region @tiles {next}
  %change0 = rdir.scalar @change initial
  %going0 = rdir.scalar @going initial
  %heat2 = rdir.region @tiles {heat}
  %next2 = rdir.region @tiles {next}
  %change2 = rdir.scalar @change
  %going2 = rdir.scalar @going
  rdir.loop 1000 while @going reads(%heat0, %change0, %going0) discards(%next0)
    writes(%heat2, %next2, %change2, %going2) {
    %heat = rdir.region @tiles {heat}
    %plate = rdir.region @plate {heat}
    rdir.close reads(%heat) writes(%plate)
    %around = rdir.region @around {heat}
    rdir.open reads(%plate) writes(%around)
    %old = rdir.region @tiles {next}
    %new = rdir.region @tiles {next}
    %change = rdir.scalar @change
    %zero = rdir.scalar @change
    %largest = rdir.scalar @change
    rdir.fill 0.0 : f64 discards(%change) writes(%zero)
    rdir.task @step over [4, 4] reads(%around) discards(%old) writes(%new)
      continues(%zero) reduces<@furthest>(%largest) with(@spread)
    %after = rdir.region @tiles {heat}
    rdir.copy over [4, 4] reads(%new) discards(%heat) writes(%after)
    %going = rdir.scalar @going
    %more = rdir.scalar @going
    rdir.task @isMore reads(%largest) discards(%going) writes(%more)
  }
  %mirror = rdir.region @tiles {next}
  rdir.task @reflect over [2, 4] reads(%heat2 by affine_map<(i, j) -> (i + 2, -j + 3)>, %next2) writes(%mirror)
  %end = rdir.region @plate {next}
  rdir.close reads(%mirror) writes(%end)
  rdir.host @show reads(%end)
}

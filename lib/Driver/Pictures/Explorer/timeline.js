// The activity of workers and devices over time, from a trace: rows of bars in
// the colours of nodes, with waits below and the critical path above. The wheel
// zooms, dragging moves, and clicking a bar chooses its node.
(() => {
  const {data, nodes, groups, hooks, choose, spellTime, countOf} =
      explorer;
  const {length, names, rows, waits, resolution} = data.timeline;
  const gutter = 190, axis = 20, rowHeight = 26;
  const section = document.getElementById('timeline');
  section.hidden = false;

  //--- Data -------------------------------------------------------------------

  // Turns differences into times. `last` is the latest end of a bar and of all
  // bars before it, for searches.
  function unpack(bars) {
    const count = bars.start.length;
    const start = new Float64Array(count), end = new Float64Array(count);
    const last = new Float64Array(count);
    for (let i = 0, at = 0, latest = 0; i !== count; ++i) {
      at += bars.start[i];
      start[i] = at;
      end[i] = at + bars.time[i];
      last[i] = latest = Math.max(latest, end[i]);
    }
    return {...bars, start, end, last};
  }
  for (const row of rows)
    for (const kind of ['bars', 'waits', 'path'])
      row[kind] = unpack(row[kind]);

  // The drawn element of each name. Leaves come before frames, which have the
  // names of their contents.
  const nodeOf = new Map();
  for (const isFrame of [true, false])
    for (const node of data.nodes)
      if (node.time && groups.get(node.id)?.matches('.node') !== isFrame)
        for (const name of node.time.names)
          nodeOf.set(name, node);

  // The names that take the most time get their own colours, as in a picture of
  // 'sluice trace'.
  const palette = ['#4e79a7', '#f28e2b', '#59a14f', '#b07aa1', '#edc948',
                   '#76b7b2', '#ff9da7', '#9c755f', '#86bcb6', '#d4a6c8'];
  const colours = new Array(names.length).fill('#bab0ac');
  const timeOf = (name) => nodeOf.get(name)?.time.total ?? 0;
  [...names.keys()].filter((name) => nodeOf.has(name))
      .sort((a, b) => timeOf(b) - timeOf(a)).slice(0, palette.length)
      .forEach((name, index) => { colours[name] = palette[index]; });

  //--- Drawing ----------------------------------------------------------------

  const head = element('header', '', section);
  element('span', `${spellTime(length)}, ${
      countOf(data.timeline.launches, 'launch', 'launches')}`, head);
  if (resolution)
    element('span', `bars shorter than ${spellTime(resolution)} are joined`,
            head, 'hint');
  for (const [kind, wait] of waits.entries())
    if (wait.time > 0 && kind + 1 !== waits.length) {
      const entry = element('span', '', head);
      entry.title = wait.meaning;
      element('span', '', entry, 'swatch').style.background = wait.colour;
      entry.append(`${wait.name} ${spellTime(wait.time)}`);
    }
  const scroll = element('div', '', section);
  scroll.id = 'rows';
  const sheet = element('canvas', '', scroll);
  const spacer = element('div', '', scroll);
  const tip = element('div', '', document.body);
  tip.id = 'bar';
  tip.hidden = true;
  const pen = sheet.getContext('2d');
  const view = {begin: 0, end: Math.max(1, length)};
  let wide = 0, high = 0, chosen = new Set();

  const xOf = (time) => gutter +
      (time - view.begin) / (view.end - view.begin) * (wide - gutter);
  const timeAt = (x) => view.begin +
      (x - gutter) / (wide - gutter) * (view.end - view.begin);
  const yOf = (row) => axis + row * rowHeight - scroll.scrollTop;

  // The first bar that may end later than a time.
  function firstAfter({last}, time) {
    let low = 0, top = last.length;
    while (low < top) {
      const middle = (low + top) >> 1;
      if (last[middle] <= time)
        low = middle + 1;
      else
        top = middle;
    }
    return low;
  }

  // Bars narrower than a pixel are drawn only where nothing has been drawn yet.
  function drawBars(bars, y, height, colourOf) {
    let drawn = -1;
    for (let i = firstAfter(bars, view.begin); i < bars.start.length; ++i) {
      if (bars.start[i] >= view.end)
        break;
      const left = Math.max(gutter, xOf(bars.start[i]));
      const right = Math.min(wide, xOf(bars.end[i]));
      if (right < left || (right - left < 1 && right < drawn))
        continue;
      pen.fillStyle = colourOf(i);
      pen.fillRect(left, y, Math.max(1, right - left), height);
      drawn = left + Math.max(1, right - left);
    }
  }

  function forEachTick(use) {
    const span = view.end - view.begin;
    let step = 10 ** Math.floor(Math.log10(Math.max(1, span / 8)));
    while (span / step > 10)
      step *= span / step > 25 ? 5 : 2;
    for (let at = Math.ceil(view.begin / step) * step; at <= view.end;
         at += step)
      use(at);
  }

  function drawRow(row, y) {
    const {name, busy, bars, waits: waited, path} = rows[row];
    pen.fillStyle = '#222';
    pen.font = '11px sans-serif';
    pen.textAlign = 'right';
    pen.fillText(`${Math.round(100 * busy / Math.max(1, length))} %`,
                 gutter - 6, y + 14);
    pen.textAlign = 'left';
    pen.fillText(name, 6, y + 14, gutter - 50);
    drawBars(bars, y + 3, 15, (i) => {
      const what = bars.what[i];
      pen.globalAlpha = chosen.size && !chosen.has(what) ? 0.25 : 1;
      return colours[what];
    });
    pen.globalAlpha = 1;
    drawBars(waited, y + 19, 4, (i) => waits[waited.what[i]].colour);
    drawBars(path, y, 2, () => '#c00000');
  }

  let isPending = false;
  function draw() {
    isPending = false;
    const scale = window.devicePixelRatio;
    wide = scroll.clientWidth;
    high = scroll.clientHeight;
    if (sheet.width !== wide * scale || sheet.height !== high * scale) {
      sheet.width = wide * scale;
      sheet.height = high * scale;
      sheet.style.width = `${wide}px`;
      sheet.style.height = `${high}px`;
    }
    spacer.style.height =
        `${Math.max(0, axis + rows.length * rowHeight - high)}px`;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, wide, high);
    pen.fillStyle = '#e4e4e4';
    forEachTick((at) => pen.fillRect(xOf(at), axis - 4, 1, high));
    const first = Math.max(0, Math.floor((scroll.scrollTop - axis) / rowHeight));
    for (let row = first; row < rows.length && yOf(row) < high; ++row)
      drawRow(row, yOf(row));
    pen.clearRect(0, 0, wide, axis);
    pen.fillStyle = '#666';
    pen.font = '10px sans-serif';
    pen.textAlign = 'center';
    forEachTick((at) => pen.fillText(spellTime(at), xOf(at), axis - 8));
  }
  function redraw() {
    if (!isPending)
      requestAnimationFrame(draw);
    isPending = true;
  }

  //--- Moving -----------------------------------------------------------------

  function setView(begin, end) {
    const span = Math.min(Math.max(end - begin, 10), Math.max(10, length));
    view.begin = Math.min(Math.max(0, begin), Math.max(0, length - span));
    view.end = view.begin + span;
    redraw();
  }
  const place = (event) => {
    const box = sheet.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  scroll.addEventListener('scroll', redraw);
  sheet.addEventListener('wheel', (event) => {
    if (event.shiftKey)
      return;
    event.preventDefault();
    const middle = timeAt(Math.max(gutter, place(event)[0]));
    const factor = Math.exp(event.deltaY * 0.0015);
    setView(middle - (middle - view.begin) * factor,
            middle + (view.end - middle) * factor);
  }, {passive: false});
  sheet.addEventListener('dblclick', () => setView(0, length));

  // The innermost bar at a position: {row, index}.
  function barAt(x, y) {
    const row = Math.floor((y + scroll.scrollTop - axis) / rowHeight);
    if (x < gutter || y < axis || !rows[row])
      return null;
    const isWait = (y + scroll.scrollTop - axis) % rowHeight >= 18;
    const kind = isWait ? 'waits' : 'bars', bars = rows[row][kind];
    const from = timeAt(x - 1), to = timeAt(x + 1);
    let found = null;
    for (let i = firstAfter(bars, from); i < bars.start.length &&
         bars.start[i] <= to; ++i)
      if (bars.end[i] >= from)
        found = {row, kind, index: i};
    return found;
  }

  function describe({row, kind, index}) {
    const bars = rows[row][kind], count = bars.count?.[index] ?? 1;
    const time = bars.end[index] - bars.start[index];
    const of = bars.of[index];
    const name = kind === 'waits'
        ? waits[bars.what[index]].name + (of ? `, for ${names[of - 1]}` : '')
        : names[bars.what[index]] + (of ? `, launch ${of}` : '');
    return `${name}: ${spellTime(time)} from ${spellTime(bars.start[index])}` +
        ` on ${rows[row].name}` +
        (count > 1 ? `; ${count} of them and of others, ${
            spellTime(bars.busy[index])} together` : '');
  }

  let grip = null;
  sheet.addEventListener('pointerdown', (event) => {
    grip = {x: event.clientX, view: {...view}, hasMoved: false};
    sheet.setPointerCapture(event.pointerId);
  });
  sheet.addEventListener('pointermove', (event) => {
    if (grip) {
      const dx = event.clientX - grip.x;
      grip.hasMoved ||= Math.abs(dx) >= 4;
      const passed = dx / (wide - gutter) * (view.end - view.begin);
      if (grip.hasMoved)
        setView(grip.view.begin - passed, grip.view.end - passed);
    }
    const bar = grip?.hasMoved ? null : barAt(...place(event));
    tip.hidden = !bar;
    if (!bar)
      return;
    tip.textContent = describe(bar);
    tip.style.left =
        `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${event.clientY - tip.offsetHeight - 8}px`;
  });
  sheet.addEventListener('pointerleave', () => { tip.hidden = true; });
  sheet.addEventListener('pointerup', (event) => {
    const bar = grip && !grip.hasMoved ? barAt(...place(event)) : null;
    grip = null;
    if (!bar)
      return;
    const {row, kind, index} = bar;
    const bars = rows[row][kind];
    const name = kind === 'waits' ? bars.of[index] - 1 : bars.what[index];
    const node = nodeOf.get(name);
    if (node)
      choose(node.id, true);
    else
      markName(name);
    const details = document.getElementById('details');
    element('p', describe(bar), details, 'bar');
  });

  // A name without a drawn node, such as a message, is only marked here.
  function markName(name) {
    chosen = new Set(name >= 0 ? [name] : []);
    redraw();
  }
  hooks.chosen.push((id) => {
    chosen = new Set(nodes.get(id).time?.names ?? []);
    redraw();
  });

  explorer.timeline = {view, xOf, yOf, barAt, setView, draw, sheet,
                       chosen: () => [...chosen].map((name) => names[name])};
  new ResizeObserver(redraw).observe(section);
  draw();
})();

// Steps through a record: the graph of the launch, the inputs and changes of
// each step, the memory after it, and the writer of each byte.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const {steps, launches, graphs} = data;
  const get = (id) => document.getElementById(id);
  const count = steps.length;
  let current = 0;

  //--- Questions to the steps -------------------------------------------------

  const contents = new Map();
  function bytesOf(change) {
    if (typeof change[2] !== 'string')
      return change[2];
    if (!contents.has(change))
      contents.set(change, Uint8Array.from(atob(change[2]),
                                           (c) => c.charCodeAt(0)));
    return contents.get(change);
  }

  // For each byte, its value or -1, and the step that changed it last or -1.
  function memoryAfter(step, address, size) {
    const values = new Int16Array(size).fill(-1);
    const writers = new Int32Array(size).fill(-1);
    let left = size;
    for (let s = step; s >= 0 && left; --s)
      for (const change of steps[s].changes) {
        const block = launches[steps[s].launch].blocks[change[0]];
        const shift = block[2] - address;
        if (shift >= size || shift + block[3] <= 0)
          continue;
        const bytes = bytesOf(change), runs = change[1];
        let before = 0;
        for (let r = 0; r < runs.length; r += 2) {
          const begin = Math.max(runs[r], -shift);
          const end = Math.min(runs[r] + runs[r + 1], size - shift);
          for (let i = begin; i < end; ++i) {
            if (writers[i + shift] >= 0)
              continue;
            writers[i + shift] = s;
            --left;
            if (typeof bytes === 'number')
              values[i + shift] = bytes;
            else if (bytes)
              values[i + shift] = bytes[before + i - runs[r]];
          }
          before += runs[r + 1];
        }
      }
    return {values, writers};
  }

  const types = {
    hex: [1, (v) => v.getUint8(0).toString(16).padStart(2, '0')],
    u8: [1, (v) => v.getUint8(0)],
    i8: [1, (v) => v.getInt8(0)],
    i16: [2, (v) => v.getInt16(0, true)],
    i32: [4, (v) => v.getInt32(0, true)],
    i64: [8, (v) => v.getBigInt64(0, true)],
    f32: [4, (v) => Number(v.getFloat32(0, true).toPrecision(9))],
    f64: [8, (v) => v.getFloat64(0, true)],
  };
  function textOf(memory, begin, type) {
    const [size, read] = types[type];
    const part = memory.values.subarray(begin, begin + size);
    if (part.some((value) => value < 0))
      return '?';
    return String(read(new DataView(Uint8Array.from(part).buffer)));
  }

  //--- Showing ----------------------------------------------------------------

  function link(step, parent) {
    element('a', `step ${step + 1}, ${steps[step].name}`, parent).onclick =
        () => go(step);
  }

  function table(heading, rows, parent) {
    if (!rows.length)
      return;
    element('h2', heading, parent);
    const body = element('table', '', parent);
    for (const [name, value] of rows) {
      const row = element('tr', '', body);
      element('td', name, row);
      element('td', value, row);
    }
  }

  function showDetails() {
    const step = steps[current], launch = launches[step.launch];
    const details = get('details');
    details.replaceChildren();
    element('h2', `${step.name} ${step.extents}`, details);
    element('div', [`launch ${launch.number} of ${graphs[launch.graph].name}`,
                    step.location].filter(Boolean).join(', '), details);
    if (!step.ended)
      element('p', 'It did not end.', details, 'problem');
    if (step.error)
      element('p', step.error, details, 'problem');
    if (step.differs)
      element('p', `It is not deterministic: ${step.differs}`, details,
              'problem');
    if (step.kind === 0 && launch.error)
      element('p', launch.error, details, 'problem');
    table('Given', step.inputs, details);
    table('Delivered', step.kind === 0 ? launch.results : step.outputs,
          details);
    table('Changed', step.changes.map(([block, runs]) => {
      let sum = 0;
      for (let r = 1; r < runs.length; r += 2)
        sum += runs[r];
      return [launch.blocks[block][0], `${sum} of ${launch.blocks[block][3]} ` +
                                           'bytes'];
    }), details);
  }

  function showGraph() {
    const step = steps[current], launch = launches[step.launch];
    for (const graph of document.querySelectorAll('.drawing'))
      graph.classList.toggle('shown',
                             Number(graph.dataset.graph) === launch.graph);
    const states = new Map();
    for (let s = current; s >= 0 && steps[s].launch === step.launch; --s)
      if (steps[s].node !== undefined && !states.has(steps[s].node))
        states.set(steps[s].node, steps[s]);
    for (const group of document.querySelectorAll('.drawing.shown g.node')) {
      const number = Number(group.querySelector('title').textContent
          .split('n')[1]);
      const ran = states.get(number);
      group.classList.toggle('ran', Boolean(ran));
      group.classList.toggle('now', ran === step);
      group.classList.toggle(
          'bad', Boolean(ran && (ran.error || ran.differs || !ran.ended)));
    }
  }

  // A click on a node of the graph goes to its next step, continuing at the
  // start of the record.
  get('canvas').addEventListener('click', (event) => {
    const group = event.target.closest('g.node');
    if (!group)
      return;
    const [graph, node] = group.querySelector('title').textContent.slice(1)
        .split('n').map(Number);
    for (let i = 1; i <= count; ++i) {
      const s = (current + i) % count;
      if (steps[s].node === node && launches[steps[s].launch].graph === graph)
        return go(s);
    }
  });

  // Names of the node's inputs and of blocks.
  let places = [];
  function showPlaces() {
    const step = steps[current], launch = launches[step.launch];
    const select = get('block'), before = select.value;
    places = [];
    const add = (name, block, offset) => {
      if (!places.some((place) => place.name === name))
        places.push({name, type: launch.blocks[block][1],
                     address: launch.blocks[block][2] + offset,
                     size: launch.blocks[block][3] - offset});
    };
    for (const [name, , block, offset] of step.inputs)
      if (block !== undefined)
        add(name, block, offset);
    launch.blocks.forEach((block, number) => add(block[0], number, 0));
    select.replaceChildren();
    for (const place of places)
      element('option', place.name, select);
    const changed = step.changes.length
        ? launch.blocks[step.changes[0][0]][0] : undefined;
    for (const wanted of [before, changed])
      if (places.some((place) => place.name === wanted))
        select.value = wanted;
  }

  const perPage = 256;
  let asked = -1;
  function showMemory() {
    const place = places.find((one) => one.name === get('block').value);
    const body = get('bytes');
    body.replaceChildren();
    if (!place)
      return;
    const type = get('type').value, size = types[type][0];
    const number = Math.floor(place.size / size);
    const first = Math.max(0, Math.min(Number(get('from').value) || 0,
                                       number - 1));
    const shown = Math.min(perPage, number - first);
    const address = place.address + first * size;
    const memory = memoryAfter(current, address, shown * size);
    const perRow = size === 1 ? 16 : size === 8 ? 4 : 8;
    const rows = element('table', '', body);
    let row;
    for (let i = 0; i < shown; ++i) {
      if (i % perRow === 0) {
        row = element('tr', '', rows);
        element('td', first + i, row, 'index');
      }
      const cell = element('td', textOf(memory, i * size, type), row);
      if (memory.writers.subarray(i * size, (i + 1) * size).includes(current))
        cell.classList.add('changed');
      if (asked === address + i * size)
        cell.classList.add('asked');
      cell.onclick = () => {
        asked = address + i * size;
        showWho(place, first + i, type);
        body.querySelectorAll('.asked').forEach(
            (other) => other.classList.remove('asked'));
        cell.classList.add('asked');
      };
    }
  }

  function showWho(place, index, type) {
    const size = types[type][0], address = place.address + index * size;
    const memory = memoryAfter(current, address, size);
    const who = get('who');
    who.replaceChildren();
    who.className = '';
    // The last step that changed any byte of it.
    const last = Math.max(...memory.writers);
    const writers = last < 0 ? [] : [last];
    who.append(`${place.name}[${index}] is ${textOf(memory, 0, type)}. `);
    if (!writers.length)
      who.append('No launch was given it up to here.');
    for (const s of writers) {
      who.append('Changed in ');
      link(s, who);
      const before = textOf(memoryAfter(s - 1, address, size), 0, type);
      const after = textOf(memoryAfter(s, address, size), 0, type);
      who.append(`: ${before} to ${after}. `);
    }
  }

  //--- Moving -----------------------------------------------------------------

  function go(step) {
    if (!count)
      return;
    current = Math.max(0, Math.min(count - 1, step));
    get('slider').value = current + 1;
    get('position').textContent = `${current + 1} of ${count}`;
    showDetails();
    showGraph();
    showPlaces();
    showMemory();
    history.replaceState(null, '', `#${current + 1}`);
  }

  for (const note of data.notes)
    element('p', note, get('notes'), 'hint');
  get('slider').max = Math.max(1, count);
  get('slider').oninput = () => go(Number(get('slider').value) - 1);
  get('first').onclick = () => go(0);
  get('back').onclick = () => go(current - 1);
  get('next').onclick = () => go(current + 1);
  get('last').onclick = () => go(count - 1);
  get('block').onchange = () => {
    const place = places.find((one) => one.name === get('block').value);
    if (place && types[place.type])
      get('type').value = place.type;
    showMemory();
  };
  get('type').onchange = showMemory;
  get('from').oninput = showMemory;
  document.addEventListener('keydown', (event) => {
    if (event.target.matches?.('input, select'))
      return;
    const keys = {ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0,
                  End: count - 1};
    if (event.key in keys) {
      event.preventDefault();
      go(keys[event.key]);
    }
  });
  if (!count)
    element('p', 'No graph was launched.', get('details'));
  go((Number(location.hash.slice(1)) || 1) - 1);
  get('block').onchange?.();
})();

// Navigation in a drawing of Graphviz: pan, zoom, search, and the source
// location of a clicked element. The other scripts of the page build on the
// object returned here.
const explorer = (() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const canvas = document.getElementById('canvas');
  const svg = canvas.querySelector('svg');
  const title = (group) => group.querySelector('title')?.textContent ?? '';

  // Groups of the drawing by node name, which is their title. Browsers show
  // titles, so the titles are replaced by readable ones.
  const groups = new Map();
  for (const group of svg.querySelectorAll('g.node, g.cluster')) {
    group.dataset.id = title(group);
    groups.set(group.dataset.id, group);
  }
  const bare = (end) => end.split(':')[0];
  const edges = [...svg.querySelectorAll('g.edge')].map((group) => {
    const [from, to] = title(group).split('->').map(bare);
    return {group, from, to};
  });
  const nodes = new Map(data.nodes.map((node) => [node.id, node]));
  for (const group of svg.querySelectorAll('g.node, g.cluster, g.edge')) {
    const node = nodes.get(group.dataset.id);
    const text = group.querySelector('title');
    if (text && node)
      text.textContent = `${node.name}: ${node.kind}`;
    else
      text?.remove();
  }
  svg.querySelector('g.graph > title')?.remove();

  // Called at the start, when all scripts are loaded; with a node's id before
  // it is shown, and to add to its description; and when it has been chosen.
  const hooks = {start: [], reveal: [], describe: [], chosen: []};

  //--- Moving and zooming -----------------------------------------------------

  const whole = svg.viewBox.baseVal;
  const full = {x: whole.x, y: whole.y, width: whole.width,
                height: whole.height};
  let view = {...full};

  function show() {
    svg.setAttribute('viewBox',
                     `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  function unitsPerPixel() {
    return Math.max(view.width / canvas.clientWidth,
                    view.height / canvas.clientHeight);
  }

  // Scales about a point of the window, the middle by default.
  function zoom(factor, x = canvas.clientWidth / 2,
                y = canvas.clientHeight / 2) {
    const scale = unitsPerPixel();
    const centerX = view.x + view.width / 2 + (x - canvas.clientWidth / 2) * scale;
    const centerY =
        view.y + view.height / 2 + (y - canvas.clientHeight / 2) * scale;
    const width = view.width * factor;
    if (width < 20 || width > 20 * full.width)
      return;
    view = {x: centerX + (view.x - centerX) * factor,
            y: centerY + (view.y - centerY) * factor,
            width, height: view.height * factor};
    show();
  }

  function fit() {
    view = {...full};
    show();
  }

  // Moves a group to the middle, at a readable size.
  function center(group) {
    const box = group.getBBox();
    const corner = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2)
        .matrixTransform(svg.getScreenCTM().inverse().multiply(
            group.getScreenCTM()));
    const pixels = {width: canvas.clientWidth, height: canvas.clientHeight};
    view.width = Math.min(view.width, Math.max(pixels.width, 2 * box.width));
    view.height = Math.min(view.height, Math.max(pixels.height, 2 * box.height));
    view.x = corner.x - view.width / 2;
    view.y = corner.y - view.height / 2;
    show();
  }

  svg.setAttribute('preserveAspectRatio', 'xMidYMid meet');
  let grip = null;
  canvas.addEventListener('pointerdown', (event) => {
    grip = {x: event.clientX, y: event.clientY, view: {...view},
            hasMoved: false};
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!grip)
      return;
    const dx = event.clientX - grip.x, dy = event.clientY - grip.y;
    if (!grip.hasMoved && Math.hypot(dx, dy) < 4)
      return;
    grip.hasMoved = true;
    canvas.classList.add('moving');
    const scale = unitsPerPixel();
    view.x = grip.view.x - dx * scale;
    view.y = grip.view.y - dy * scale;
    show();
  });
  let dragged = false;
  window.addEventListener('pointerup', () => {
    dragged = grip?.hasMoved ?? false;
    grip = null;
    canvas.classList.remove('moving');
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(event.deltaY * 0.0015), event.clientX - box.left,
         event.clientY - box.top);
  }, {passive: false});
  document.getElementById('closer').onclick = () => zoom(1 / 1.3);
  document.getElementById('farther').onclick = () => zoom(1.3);
  document.getElementById('fit').onclick = fit;

  //--- Choosing ---------------------------------------------------------------

  function list(heading, ids, parent) {
    const known = [...new Set(ids)].filter((id) => nodes.has(id));
    if (!known.length)
      return;
    element('h2', heading, parent);
    const items = element('ul', '', parent);
    for (const id of known) {
      const link = element('a', nodes.get(id).name,
                           element('li', '', items));
      link.onclick = () => choose(id, true);
    }
  }

  let shownSource = -1;
  function showSource(node) {
    const path = document.getElementById('path');
    const lines = document.getElementById('lines');
    if (node.source < 0) {
      path.textContent = '';
      lines.replaceChildren();
      shownSource = -1;
      return;
    }
    const source = data.sources[node.source];
    if (shownSource !== node.source) {
      lines.replaceChildren();
      for (const line of source.text.split('\n'))
        element('li', line, lines);
      shownSource = node.source;
    }
    path.textContent = `${source.path}:${node.line}:${node.column}`;
    lines.querySelector('.here')?.classList.remove('here');
    const here = lines.children[node.line - 1];
    here?.classList.add('here');
    here?.scrollIntoView({block: 'center'});
  }

  function choose(id, isCentered = false) {
    const node = nodes.get(id), group = groups.get(id);
    if (!node || !group)
      return;
    for (const reveal of hooks.reveal)
      reveal(id);
    svg.querySelectorAll('.chosen, .joined').forEach(
        (other) => other.classList.remove('chosen', 'joined'));
    group.classList.add('chosen');
    const incoming = edges.filter((edge) => edge.to === id);
    const outgoing = edges.filter((edge) => edge.from === id);
    for (const edge of [...incoming, ...outgoing])
      edge.group.classList.add('joined');
    const details = document.getElementById('details');
    details.replaceChildren();
    element('h2', node.name, details);
    element('div', node.kind, details);
    for (const problem of node.problems)
      element('p', problem, details, 'problem');
    for (const remark of node.remarks)
      element('p', remark, details, 'hint');
    for (const describe of hooks.describe)
      describe(id, details);
    list('From', incoming.map((edge) => edge.from), details);
    list('To', outgoing.map((edge) => edge.to), details);
    showSource(node);
    if (isCentered)
      center(group);
    history.replaceState(null, '', '#' + encodeURIComponent(node.name));
    for (const chosen of hooks.chosen)
      chosen(id);
  }

  svg.addEventListener('click', (event) => {
    if (dragged)
      return;
    const group = event.target.closest('g.node, g.cluster');
    if (group)
      choose(group.dataset.id);
  });

  //--- Problems and search ----------------------------------------------------

  const bad = data.nodes.filter((node) => node.problems.length);
  const problems = document.getElementById('problems');
  if (bad.length)
    element('h2', 'Problems', problems);
  for (const node of bad)
    for (const problem of node.problems) {
      const line = element('p', '', problems, 'problem');
      element('a', node.name, line).onclick = () => choose(node.id, true);
      line.append(' ' + problem);
    }

  const search = document.getElementById('search');
  const matches = document.getElementById('matches');
  let found = [], current = -1;
  function find() {
    const wanted = search.value.trim().toLowerCase();
    found = wanted ? data.nodes.filter((node) =>
        `${node.name} ${node.kind}`.toLowerCase().includes(wanted)) : [];
    current = -1;
    const ids = new Set(found.map((node) => node.id));
    for (const [id, group] of groups)
      if (group.matches('.node'))
        group.classList.toggle('faded', wanted !== '' && !ids.has(id));
    matches.textContent = wanted ? `${found.length} found` : '';
  }
  search.addEventListener('input', find);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      search.value = '';
      find();
      search.blur();
    } else if (event.key === 'Enter' && found.length) {
      const step = event.shiftKey ? found.length - 1 : 1;
      current = current < 0 ? 0 : (current + step) % found.length;
      choose(found[current].id, true);
      matches.textContent = `${current + 1} of ${found.length}`;
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.target === search)
      return;
    if (event.key === '/') {
      event.preventDefault();
      search.focus();
    } else if (event.key === '+') {
      zoom(1 / 1.3);
    } else if (event.key === '-') {
      zoom(1.3);
    } else if (event.key === '0') {
      fit();
    }
  });

  // Finally chooses the node that the address names.
  function start() {
    for (const begin of hooks.start)
      begin();
    const wanted = decodeURIComponent(location.hash.slice(1));
    const first = data.nodes.find((node) => node.name === wanted);
    if (first)
      choose(first.id, true);
  }

  return {data, nodes, groups, edges, svg, canvas, hooks, choose,
          start};
})();

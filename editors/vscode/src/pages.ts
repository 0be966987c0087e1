// What panels show. Names in graphs and traces are anybody's: nothing of them is
// taken for markup, and no script runs but those that are told by the nonce.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import {randomBytes} from 'node:crypto';

/// Larger ones make the editor slow; they can be opened in a browser.
export const largestPage = 32 << 20;

export function makeNonce(): string {
  return randomBytes(18).toString('base64url');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function policy(nonce: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
      `style-src 'unsafe-inline'; script-src 'nonce-${nonce}'">`;
}

function banner(problem: string | undefined): string {
  return problem ? `<pre class="sluice-problem">${escapeHtml(problem)}</pre>` : '';
}

const bannerStyle = `
.sluice-problem { margin: 0; padding: .5rem .8rem; max-height: 9rem;
  overflow: auto; white-space: pre-wrap; background: #fdecea; color: #611a15;
  border-bottom: 1px solid #c62828; font: 12px/1.5 monospace; }`;

// The page keeps what is chosen in its address, which panels lose; clicks on a
// place in the source open it.
const explorerScript = `
'use strict';
(() => {
  const editor = acquireVsCodeApi();
  const chosen = editor.getState()?.chosen;
  if (typeof chosen === 'string')
    try { location.hash = chosen; } catch {}
  history.replaceState = (state, title, address) =>
      editor.setState({chosen: String(address)});
  document.getElementById('path').addEventListener('click', (event) =>
      editor.postMessage({open: event.target.textContent}));
})();`;

/// The page that 'sluice graph' writes, for a panel; undefined if it is none.
export function explorerPage(
    html: string, nonce: string, problem?: string): string | undefined {
  const head = html.indexOf('<head>');
  const body = html.indexOf('<body>', head);
  // What stands behind the page's data is its own.
  const script = html.lastIndexOf('<script>\n');
  if (head < 0 || body < 0 || script < body ||
      !html.slice(body, script).includes('id="data"'))
    return undefined;
  return html.slice(0, head) + '<head>\n' + policy(nonce) +
      html.slice(head + '<head>'.length, body) + `<style>
body { background: #fff; padding: 0; color-scheme: light; }
#path { cursor: pointer; }
@media (max-width: 50rem) {
  main { flex-direction: column; }
  aside { width: auto; height: 40%; border: 0; border-top: 1px solid var(--line); }
}${bannerStyle}
</style>
<body>` + banner(problem) + html.slice(body + '<body>'.length, script) +
      `<script nonce="${nonce}">${explorerScript}\n</script>\n` +
      `<script nonce="${nonce}">` + html.slice(script + '<script>'.length);
}

const pictureStyle = `
body { margin: 0; padding: 0; }
#tools { position: sticky; top: 0; padding: .4rem .8rem;
  background: var(--vscode-editor-background);
  border-bottom: 1px solid var(--vscode-panel-border, #888); }
#tools button { font: inherit; min-width: 2rem; }
#picture { overflow: auto; background: #fff; padding: .5rem; }
#picture svg { display: block; height: auto; }
#text { margin: 0; padding: .8rem; white-space: pre; overflow: auto;
  font-family: var(--vscode-editor-font-family, monospace);
  font-size: var(--vscode-editor-font-size, 13px); }${bannerStyle}`;

const pictureScript = `
'use strict';
(() => {
  const svg = document.querySelector('#picture svg');
  if (!svg)
    return;
  const width = parseFloat(svg.getAttribute('width')) || 1000;
  const units = /[a-z]*$/.exec(svg.getAttribute('width') ?? '')[0];
  let scale = 1;
  const show = () => svg.setAttribute('width', width * scale + units);
  svg.removeAttribute('height');
  document.getElementById('closer').onclick = () => { scale *= 1.4; show(); };
  document.getElementById('farther').onclick = () => { scale /= 1.4; show(); };
  document.getElementById('fit').onclick = () => {
    scale = 1;
    svg.setAttribute('width', '100%');
  };
})();`;

/// A picture with text below it.
export function picturePage(content: {
  title: string, svg?: string, text?: string, problem?: string, nonce: string,
}): string {
  const {title, text, problem, nonce} = content;
  // Without what may stand before the element in a file of its own.
  const start = content.svg?.search(/<svg[\s>]/) ?? -1;
  const svg = start < 0 ? undefined : content.svg!.slice(start);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
${policy(nonce)}
<title>${escapeHtml(title)}</title>
<style>${pictureStyle}
</style>
</head>
<body>
${banner(problem)}${svg === undefined ? '' : `<div id="tools">
<button id="closer" title="Larger">+</button>
<button id="farther" title="Smaller">&minus;</button>
<button id="fit" title="As wide as the panel">Fit</button>
</div>
<div id="picture">
${svg}
</div>`}
${text === undefined ? '' : `<pre id="text">${escapeHtml(text)}</pre>`}
<script nonce="${nonce}">${pictureScript}
</script>
</body>
</html>
`;
}

/// A place as 'path:line:column', both of which count from 1.
export function placeOf(text: unknown):
    {path: string, line: number, column: number} | undefined {
  const match = typeof text === 'string' ? /^(.+):(\d+):(\d+)$/s.exec(text) : null;
  return match
      ? {path: match[1], line: Number(match[2]), column: Number(match[3])}
      : undefined;
}

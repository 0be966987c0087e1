// Makes the folder that a .vsix holds: the extension as one file, its manifest,
// and the licences of what is in it.
//
//   node bundle.mjs FOLDER VERSION
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync}
  from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const [given, version] = process.argv.slice(2);
if (!given || !/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  console.error('usage: node bundle.mjs FOLDER VERSION');
  process.exit(2);
}
const folder = resolve(given);
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});

const {metafile} = await build({
  absWorkingDir: here,
  entryPoints: ['src/extension.ts'],
  outfile: join(folder, 'dist/extension.js'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node18',
  external: ['vscode'],
  legalComments: 'none', // they are in the notice
  metafile: true,
  logLevel: 'warning',
});

// Packages whose code is in the bundle, with the texts of their licences.
const packages = new Map();
for (const output of Object.values(metafile.outputs))
  for (const [input, {bytesInOutput}] of Object.entries(output.inputs)) {
    const match = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(input);
    if (match && bytesInOutput > 0)
      packages.set(match[1], match[2]);
  }
if (packages.size === 0)
  throw new Error('the bundle holds no packages');
const free = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0',
              'BlueOak-1.0.0', '0BSD'];
let notice = 'The extension holds code of these packages, in whole or in part.\n';
for (const [place, name] of [...packages].sort((a, b) => a[1] < b[1] ? -1 : 1)) {
  const at = join(here, place);
  const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  if (!free.includes(manifest.license))
    throw new Error(`'${name}' has the licence '${manifest.license}'`);
  const texts = readdirSync(at).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  if (texts.length === 0)
    throw new Error(`'${name}' has no text of its licence`);
  notice += `\n${'='.repeat(76)}\n${name} ${manifest.version} ` +
      `(${manifest.license})\n${'='.repeat(76)}\n\n`;
  for (const file of texts)
    notice += readFileSync(join(at, file), 'utf8').replace(/\r/g, '').trim() + '\n';
}
writeFileSync(join(folder, 'THIRD-PARTY.txt'), notice);

const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
delete manifest.devDependencies;
delete manifest.private;
manifest.version = version;
writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2) + '\n');
for (const name of ['README.md', 'INSTALL.md', 'languages'])
  cpSync(join(here, name), join(folder, name), {recursive: true});
const licence = join(here, '../../LICENSE');
if (!existsSync(licence))
  throw new Error(`there is no ${licence}`);
cpSync(licence, join(folder, 'LICENSE.txt'));

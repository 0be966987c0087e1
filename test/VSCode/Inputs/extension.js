// Unpacks a .vsix as VS Code installs it, and starts the extension in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

'use strict';
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const stand = path.join(__dirname, 'vscode.js');
const resolve = Module._resolveFilename;
Module._resolveFilename = function(name, ...rest) {
  return name === 'vscode' ? stand : resolve.call(this, name, ...rest);
};
const vscode = require('vscode');

process.on('unhandledRejection', (error) => {
  console.log('a promise was rejected:', error);
  process.exit(1);
});

/// Starts the extension of a .vsix in a folder; gives VS Code's stand-in.
exports.start = async (vsix, folder) => {
  const home = path.join(folder, 'extension home');
  fs.rmSync(home, {recursive: true, force: true});
  execFileSync('/usr/bin/python3', ['-m', 'zipfile', '-e', vsix, home]);
  const root = path.join(home, 'extension');
  vscode.test.manifest = JSON.parse(
      fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const extension = require(path.join(root, vscode.test.manifest.main));
  vscode.test.context = {
    subscriptions: [],
    extensionUri: vscode.Uri.file(root),
    storageUri: vscode.Uri.file(path.join(home, 'storage')),
    globalStorageUri: vscode.Uri.file(path.join(home, 'storage of all')),
  };
  await extension.activate(vscode.test.context);
  /// As when the window is closed.
  vscode.test.end = async () => {
    await extension.deactivate();
    for (const one of vscode.test.context.subscriptions.reverse())
      one.dispose();
  };
  return vscode;
};

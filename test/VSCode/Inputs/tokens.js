// Colours files as VS Code does, with the grammars of an extension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tokens.js NPM EXTENSION FILE...
//
// For each file, prints a line of JSON: for each of its lines the tokens, as pairs
// of a text and its innermost scope.

'use strict';
const fs = require('node:fs');
const {createRequire} = require('node:module');
const path = require('node:path');

const [npm, extension, ...files] = process.argv.slice(2);
const load = createRequire(path.join(npm, 'index.js'));
const {Registry, parseRawGrammar, INITIAL} = load('vscode-textmate');
const oniguruma = load('vscode-oniguruma');

(async () => {
  const wasm = path.join(npm, 'vscode-oniguruma/release/onig.wasm');
  await oniguruma.loadWASM(fs.readFileSync(wasm).buffer);
  const {contributes} = JSON.parse(
      fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    async loadGrammar(scope) {
      const found = contributes.grammars.find(({scopeName}) => scopeName === scope);
      const file = path.join(extension, found.path);
      return parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
    },
    getInjections: (scope) => contributes.grammars
        .filter(({injectTo}) => injectTo?.includes(scope))
        .map(({scopeName}) => scopeName),
  });
  for (const file of files) {
    const {id} = contributes.languages.find(
        ({extensions}) => extensions.includes(path.extname(file)));
    const {scopeName} = contributes.grammars.find(({language}) => language === id);
    const grammar = await registry.loadGrammar(scopeName);
    let stack = INITIAL;
    const lines = fs.readFileSync(file, 'utf8').split('\n').map((line) => {
      const {tokens, ruleStack} = grammar.tokenizeLine(line, stack);
      stack = ruleStack;
      return tokens.map(({startIndex, endIndex, scopes}) =>
          [line.slice(startIndex, endIndex), scopes.at(-1)]);
    });
    console.log(JSON.stringify(lines));
  }
})();

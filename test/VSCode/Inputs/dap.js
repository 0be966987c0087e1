// An editor's end of the debug adapter protocol, for tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

'use strict';
const {spawn} = require('node:child_process');

exports.Adapter = class {
  constructor(command, args) {
    this.child = spawn(command, args, {stdio: ['pipe', 'pipe', 'inherit']});
    this.number = 0;
    this.answers = new Map();
    /// Events that nobody has taken yet, and who waits for one.
    this.events = [];
    this.waiting = [];
    /// What the program and the debugger print.
    this.output = '';
    let rest = Buffer.alloc(0);
    this.child.stdout.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0)
          return;
        const length = Number(/Content-Length: (\d+)/.exec(rest.slice(0, end))[1]);
        if (rest.length < end + 4 + length)
          return;
        this.receive(JSON.parse(rest.slice(end + 4, end + 4 + length)));
        rest = rest.slice(end + 4 + length);
      }
    });
  }

  receive(message) {
    if (message.type === 'response') {
      this.answers.get(message.request_seq)(message);
    } else if (message.type === 'event') {
      if (message.event === 'output')
        this.output += message.body.output;
      this.events.push(message);
      const waiting = this.waiting;
      this.waiting = [];
      waiting.forEach((look) => look());
    }
  }

  /// Sends a request; gives the body of the answer.
  ask(command, args) {
    const seq = ++this.number;
    const text = JSON.stringify({seq, type: 'request', command, arguments: args});
    this.child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return new Promise((resolve, reject) => this.answers.set(seq, (answer) =>
      answer.success ? resolve(answer.body)
          : reject(new Error(`${command}: ${JSON.stringify(answer)}`))));
  }

  /// Waits for an event of a kind, and takes it.
  event(name) {
    return new Promise((resolve) => {
      const look = () => {
        const at = this.events.findIndex((event) => event.event === name);
        if (at < 0)
          this.waiting.push(look);
        else
          resolve(this.events.splice(at, 1)[0].body);
      };
      look();
    });
  }

  end() {
    return new Promise((resolve) => {
      this.child.on('close', resolve);
      this.child.stdin.end();
    });
  }
};

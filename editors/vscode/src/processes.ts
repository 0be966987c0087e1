// Programs: finding them, running them to their end, and what of them is there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import {execFile} from 'node:child_process';
import {accessSync, constants, existsSync, realpathSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import * as path from 'node:path';

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/// The first of the names that PATH finds.
export function findInPath(
    names: string[], folders = process.env.PATH ?? ''): string | undefined {
  for (const name of names)
    for (const folder of folders.split(path.delimiter))
      // A relative folder would depend on what is open.
      if (path.isAbsolute(folder) && isProgram(path.join(folder, name)))
        return path.join(folder, name);
  return undefined;
}

/// A program that a setting names: a path, which may begin with `~`, have
/// `${workspaceFolder}` in it, and is relative to the folder; or a name in PATH.
export function findNamed(setting: string, folder?: string): string | undefined {
  let file = setting.trim();
  if (file.startsWith('~/'))
    file = path.join(homedir(), file.slice(2));
  if (file.includes('${workspaceFolder}')) {
    if (!folder)
      return undefined;
    file = file.split('${workspaceFolder}').join(folder);
  }
  if (!file.includes('/'))
    return findInPath([file]);
  if (!path.isAbsolute(file)) {
    if (!folder)
      return undefined;
    file = path.join(folder, file);
  }
  return isProgram(file) ? file : undefined;
}

export interface Ended {
  /// Undefined if it was ended by a signal, or could not be started.
  status?: number;
  /// Why it could not be started, was ended, or wrote too much.
  problem?: string;
  output: string;
  errors: string;
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /// Milliseconds; 0 for ever.
  timeLimit?: number;
}

const mostOutput = 64 << 20;

/// Runs a program without a shell. Never rejects.
export function run(
    program: string, args: string[], options: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    try {
      execFile(program, args, {
        cwd: options.cwd,
        env: options.env,
        signal: options.signal,
        timeout: options.timeLimit ?? 0,
        maxBuffer: mostOutput,
        encoding: 'utf8',
      }, (error, output, errors) => {
        if (!error)
          return resolve({status: 0, output, errors});
        if (typeof error.code === 'number')
          return resolve({status: error.code, output, errors});
        const problem = options.signal?.aborted ? 'it was cancelled'
            : error.signal ? `it was ended by ${error.signal}`
            : error.message;
        resolve({problem, output, errors});
      });
    } catch (error) { // as of a file name with a zero in it
      resolve({problem: String(error), output: '', errors: ''});
    }
  });
}

export type Answer = {kind: 'good'} | {kind: 'old', version: string} |
    {kind: 'bad', problem: string};

/// Whether `sluice` has a command.
export async function probe(sluice: string, command: string): Promise<Answer> {
  const help = await run(sluice, [command, '--help'], {timeLimit: 60_000});
  if (help.status === 0 && help.output.includes(`sluice ${command}`))
    return {kind: 'good'};
  if (help.status === undefined)
    return {kind: 'bad', problem: help.problem ?? 'it ended'};
  const version = await run(sluice, ['--version'], {timeLimit: 60_000});
  const line = version.output.split('\n')[0].trim();
  if (/^sluice \d/.test(line))
    return {kind: 'old', version: line};
  return {kind: 'bad', problem: 'it is no Sluice'};
}

/// What tells lldb of instances; beside the runtime's library, wherever Sluice
/// is installed.
export function findFormatters(sluice: string): string | undefined {
  let real = sluice;
  try {
    real = realpathSync(sluice);
  } catch {
  }
  const root = path.dirname(path.dirname(real));
  return ['lib', 'lib/x86_64-linux-gnu', 'lib64']
      .map((folder) => path.join(root, folder, 'sluice_lldb.py'))
      .find(existsSync);
}

/// lldb's adapter of the debug adapter protocol.
export function findLldbDap(setting: string, folder?: string): string | undefined {
  if (setting.trim())
    return findNamed(setting, folder);
  return findInPath(['lldb-dap-22']) ??
      findNamed('/usr/lib/llvm-22/bin/lldb-dap') ?? findInPath(['lldb-dap']);
}

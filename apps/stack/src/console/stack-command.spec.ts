import { describe, expect, it } from '@jest/globals';

import { parseStackCommand } from './stack-command.js';

const read = (line: string): ReturnType<typeof parseStackCommand> =>
  parseStackCommand(line.split(' ').filter((word) => word !== ''));

describe('the words behind npm run stack', () => {
  it.each([
    ['', { kind: 'start', foreground: false, instances: null }],
    ['--foreground', { kind: 'start', foreground: true, instances: null }],
    ['--instances 2', { kind: 'start', foreground: false, instances: 2 }],
    ['start --instances=3 --foreground', { kind: 'start', foreground: true, instances: 3 }],
    ['start kafka', { kind: 'begin', name: 'kafka' }],
    ['status', { kind: 'status', json: false }],
    ['status --json', { kind: 'status', json: true }],
    ['logs', { kind: 'logs', about: null, follow: false, lines: 50 }],
    ['logs payments-2 --follow --lines 7', { kind: 'logs', about: 'payments-2', follow: true, lines: 7 }],
    ['stop', { kind: 'stop', name: null }],
    ['stop redis', { kind: 'stop', name: 'redis' }],
    ['restart sandbox-provider-b', { kind: 'restart', name: 'sandbox-provider-b' }],
    ['kill notifier', { kind: 'kill', name: 'notifier' }],
    ['scale payments 2', { kind: 'scale', service: 'payments', instances: 2 }],
  ])('%j', (line, command) => {
    expect(read(line)).toEqual({ kind: 'command', command });
  });

  it.each([
    ['start it all now', /one word too many/],
    ['begin', /no command begin/],
    ['--background', /--background is not an option/],
    ['status --follow', /--follow is not an option/],
    ['--foreground=yes', /takes no value/],
    ['--instances', /needs a value/],
    ['--instances 0', /whole number from 1 to 8/],
    ['--instances 9', /whole number from 1 to 8/],
    ['logs --lines many', /--lines must be/],
    ['logs ../secrets', /not the name of a process/],
    ['restart', /restart needs the name of a process/],
    ['kill', /kill needs the name of a process/],
    ['scale', /scale needs a service/],
    ['scale kafka 2', /scale needs a service/],
    ['scale payments', /needs a whole number from 1 to/],
    ['scale payments 0', /needs a whole number from 1 to/],
    ['scale payments 2 3', /one word too many/],
  ])('%j is refused, saying why', (line, why) => {
    const parsed = read(line);
    expect(parsed.kind === 'wrong' && parsed.problem).toMatch(why);
  });

  it.each(['--help', '-h', 'help', 'logs --help'])('%j asks for help', (line) => {
    expect(read(line)).toEqual({ kind: 'help' });
  });
});

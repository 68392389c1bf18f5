import { describe, expect, it } from '@jest/globals';

import { runSandbox } from './run-sandbox.js';
import { parseSandboxCommand, type SandboxAction, type SandboxPlace } from './sandbox-command.js';

const TO = '0x1111111111111111111111111111111111111111';
const TRANSFER = ['transfer', '--asset', 'USDC', '--amount', '12.5', '--to', TO];
const ANY: SandboxPlace = { kind: 'any' };

describe('commands for the chains of a sandbox', () => {
  it.each<[string[], string, SandboxPlace, SandboxAction]>([
    [
      TRANSFER,
      'CELO',
      ANY,
      { name: 'transfer', asset: 'USDC', amount: '12.5', to: TO, from: null, memo: null, mine: true },
    ],
    [
      [...TRANSFER, '--from', TO, '--no-mine', '--chain', 'bsc'],
      'BNB',
      ANY,
      { name: 'transfer', asset: 'USDC', amount: '12.5', to: TO, from: TO, memo: null, mine: false },
    ],
    [
      [...TRANSFER, '--chain', 'stellar', '--memo', '7'],
      'STELLAR',
      ANY,
      { name: 'transfer', asset: 'USDC', amount: '12.5', to: TO, from: null, memo: '7', mine: true },
    ],
    [['mine'], 'CELO', ANY, { name: 'mine', blocks: 1 }],
    [['mine', '--blocks=500', '--stack'], 'CELO', { kind: 'stack' }, { name: 'mine', blocks: 500 }],
    [
      ['reorg', '--depth', '3', '--chain', 'Base', '--data-dir', '/data'],
      'BASE',
      { kind: 'folder', path: '/data' },
      { name: 'reorg', depth: 3 },
    ],
    [['stall'], 'CELO', ANY, { name: 'stall', on: true }],
    [['stall', '--off'], 'CELO', ANY, { name: 'stall', on: false }],
  ])('%j', (argv, chain, place, action) => {
    expect(parseSandboxCommand(argv)).toMatchObject({ kind: 'command', chain: { name: chain }, place, action });
  });

  it.each([
    [['pay'], 'There is no command pay: the commands are transfer, mine, reorg and stall.'],
    [['toString'], 'There is no command toString: the commands are transfer, mine, reorg and stall.'],
    [['transfer', '--asset', 'USDC', '--amount', '12.5'], '--to is missing.'],
    [[...TRANSFER, '--chain', 'DOGE'], /^DOGE is not a chain of the sandbox\. The chains are BASE, CELO,/],
    [[...TRANSFER, '--from'], '--from needs a value.'],
    [[...TRANSFER, '--fast'], 'transfer has no option --fast.'],
    [[...TRANSFER, 'now'], /^transfer takes only options/],
    [[...TRANSFER, '--stack', '--data-dir', '/data'], 'Give either --data-dir or --stack, not both.'],
    [['mine', '--blocks', '0'], '--blocks must be a whole number from 1 to 10000.'],
    [['mine', '--blocks', '10001'], /^--blocks must be/],
    [['reorg'], '--depth is missing.'],
    [['reorg', '--depth', '1.5'], /^--depth must be/],
  ])('%j is wrong, and why is told', (argv, problem) => {
    expect(parseSandboxCommand(argv)).toEqual({
      kind: 'wrong',
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
    });
  });

  it.each([[[]], [['--help']], [['transfer', '-h']]])('%j gets help', (argv) => {
    expect(parseSandboxCommand(argv)).toEqual({ kind: 'help' });
  });

  it('ends with 1 if no sandbox runs and with 2 for wrong usage, without standard output', async () => {
    const said: string[] = [];
    const told: string[] = [];
    const around = {
      env: {},
      say: (text: string) => void said.push(text),
      tell: (text: string) => void told.push(text),
    };
    expect(await runSandbox(['mine', '--data-dir', '/nowhere'], around)).toBe(1);
    expect(await runSandbox(['mine', '--blocks', 'many'], around)).toBe(2);
    expect(said).toEqual([]);
    expect(told).toEqual([
      expect.stringMatching(/^✗ No sandbox runs on \/nowhere\.\n/),
      expect.stringMatching(/^✗ --blocks must be .*\n {2}npm run sandbox -- --help$/),
    ]);
  });
});

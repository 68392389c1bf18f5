import { describe, expect, it } from '@jest/globals';

import { takeAs } from '../../cli-settings.js';
import { parseCommand } from '../parse-command.js';

const HASH = 'a'.repeat(64);

describe('commands about people', () => {
  it('tell an approval from a settlement by its number', () => {
    expect(parseCommand(['approve', 'a12', '--by', 'Ben'])).toMatchObject({
      command: { name: 'approve', approval: 'a12' },
    });
    expect(parseCommand(['approve', '12', '--by', 'Ben'])).toMatchObject({
      command: { name: 'approve', settlementId: 12 },
    });
    expect(parseCommand(['approve', 'b12', '--by', 'Ben']).kind).toBe('wrong_usage');
    expect(parseCommand(['decline', '12', '--reason', 'r', '--by', 'Ben']).kind).toBe('wrong_usage');
  });

  it('let a person in by a role that there is, and a hash', () => {
    const words = (role: string, hash: string): string[] => [
      ...['operator-make', 'Cyd  Achieng', '--role', role, '--credential-sha256', hash, '--reason', 'r', '--by', 'Ann'],
    ];
    expect(parseCommand(words('money', HASH))).toMatchObject({
      command: { person: 'Cyd Achieng', role: 'money', credentialSha256: HASH },
    });
    expect(parseCommand(words('owner', HASH)).kind).toBe('wrong_usage');
    expect(parseCommand(words('money', 'the credential itself')).kind).toBe('wrong_usage');
  });

  it('begin with two names', () => {
    expect(parseCommand(['operators-begin', 'Ann', 'Ben'])).toMatchObject({ command: { people: ['Ann', 'Ben'] } });
    expect(parseCommand(['operators-begin', 'Ann']).kind).toBe('wrong_usage');
  });

  it('take who asks from --as, wherever it stands', () => {
    expect(takeAs(['approve', 'a1', '--as', 'ben', '--json'])).toEqual({
      as: 'ben',
      words: ['approve', 'a1', '--json'],
    });
    expect(takeAs(['--as', 'ben', 'approvals'])).toEqual({ as: 'ben', words: ['approvals'] });
    expect(takeAs(['approvals'])).toEqual({ as: null, words: ['approvals'] });
  });
});

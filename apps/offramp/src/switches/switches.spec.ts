import { describe, expect, it } from '@jest/globals';

import type { SwitchedOff } from './switch.store.js';
import { Switches } from './switches.js';

const off = (chain: string, asset: string | null): SwitchedOff => ({
  id: 1,
  chain,
  asset,
  reason: 'its issuer froze it',
  offSince: new Date(0),
  offBy: 'Ann Otieno',
});

class Hands {
  public asked = 0;
  public nowMs = 0;
  public answer: () => Promise<SwitchedOff[]> = async () => [];
  public readonly switches = new Switches(
    { inForce: () => ((this.asked += 1), this.answer()) },
    { monotonicMs: () => this.nowMs },
  );
}

describe('what is switched off', () => {
  it('is a whole chain with all its tokens, or one token and nothing else', async () => {
    const hands = new Hands();
    hands.answer = async () => [off('BNB', null), off('CELO', 'USDT')];
    const told = async (chain: string, asset: string | null): Promise<boolean> => hands.switches.isOff(chain, asset);
    expect([await told('BNB', null), await told('BNB', 'USDC'), await told('CELO', 'USDT')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([await told('CELO', null), await told('CELO', 'USDC'), await told('BASE', 'USDT')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await hands.switches.whyOff('BNB', 'USDC')).toBe('BNB is switched off: its issuer froze it');
    expect(await hands.switches.whyOff('CELO', 'USDT')).toBe('USDT on CELO is switched off: its issuer froze it');
    expect(hands.asked).toBe(1);
  });

  it('is known within a second, both ways', async () => {
    const hands = new Hands();
    expect(await hands.switches.isOff('CELO', null)).toBe(false);
    hands.answer = async () => [off('CELO', null)];
    hands.nowMs = 999;
    expect(await hands.switches.isOff('CELO', null)).toBe(false);
    hands.nowMs = 1_000;
    expect(await hands.switches.isOff('CELO', null)).toBe(true);
    hands.answer = async () => [];
    hands.nowMs = 2_000;
    expect(await hands.switches.isOff('CELO', null)).toBe(false);
  });

  it('is asked for once by many at a time, and is never taken for on where it cannot be told', async () => {
    const hands = new Hands();
    hands.answer = async () => Promise.reject(new Error('the database is away'));
    const outcomes = await Promise.allSettled([hands.switches.isOff('CELO', null), hands.switches.isOff('BNB', null)]);
    expect([outcomes.map(({ status }) => status), hands.asked]).toEqual([['rejected', 'rejected'], 1]);
    hands.answer = async () => [off('CELO', null)];
    expect(await hands.switches.isOff('CELO', null)).toBe(true);
  });
});

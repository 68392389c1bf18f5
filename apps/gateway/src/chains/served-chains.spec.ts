import { describe, expect, it } from '@jest/globals';
import { ok, type Result } from '@vuka/domain';
import { ManualClock, ServiceUnavailableError } from '@vuka/runtime';

import { silentLog } from '../testing/gateway.spec-support.js';
import { ServedChains, type ServedChain } from './served-chains.js';

const CELO = { name: 'CELO', assets: ['USDC'] };
const BASE = { name: 'BASE', assets: ['USDC'] };
const DOWN = new ServiceUnavailableError('offramp', 'down');

type Told = Result<{ chains: ServedChain[] }>;

function knowing(answer: () => Promise<Told>) {
  const clock = new ManualClock(new Date('2026-11-21T12:00:00Z'));
  const state = { answer, asked: 0 };
  const listChains = (): Promise<Result<{ chains: { name: string; assets: string[] }[] }>> => {
    state.asked += 1;
    return state.answer() as Promise<Result<{ chains: { name: string; assets: string[] }[] }>>;
  };
  return { clock, state, chains: new ServedChains({ listChains }, clock, silentLog) };
}

const telling =
  (...chains: ServedChain[]) =>
  async (): Promise<Told> =>
    ok({ chains });

describe('the chains that are served', () => {
  it('are asked for every ten seconds', async () => {
    const { clock, state, chains } = knowing(telling(CELO));
    expect(await chains.all()).toEqual([CELO]);
    state.answer = telling(CELO, BASE);
    clock.advance(9_999);
    expect([await chains.all(), state.asked]).toEqual([[CELO], 1]);
    clock.advance(1);
    expect([await chains.all(), state.asked]).toEqual([[CELO, BASE], 2]);
  });

  it('are asked for again after the clock was set back', async () => {
    const { clock, state, chains } = knowing(telling(CELO));
    await chains.all();
    clock.set(new Date('2026-11-20T12:00:00Z'));
    await chains.all();
    expect(state.asked).toBe(2);
  });

  it('stay the same while offramp is away, and offramp is asked at most once a second', async () => {
    const { clock, state, chains } = knowing(telling(CELO));
    await chains.all();
    state.answer = () => Promise.reject(DOWN);
    clock.advance(86_400_000);
    for (const asked of [2, 2]) expect([await chains.all(), state.asked]).toEqual([[CELO], asked]);
    clock.advance(1_000);
    state.answer = telling(BASE);
    expect([await chains.all(), state.asked]).toEqual([[BASE], 3]);
  });

  it('are answered from memory when offramp is silent', async () => {
    const { clock, state, chains } = knowing(telling(CELO));
    await chains.all();
    let tell = (_told: Told): void => undefined;
    state.answer = () => new Promise((resolve) => (tell = resolve));
    clock.advance(10_000);
    expect(await Promise.all([chains.all(), chains.all()])).toEqual([[CELO], [CELO]]);
    expect(state.asked).toBe(2);
    tell(ok({ chains: [BASE] }));
    expect(await chains.all()).toEqual([BASE]);
  });

  it('are unknown until the first answer, and each question tries again', async () => {
    const { state, chains } = knowing(() => Promise.reject(DOWN));
    expect([await chains.all(), await chains.all(), state.asked]).toEqual([null, null, 2]);
    state.answer = telling();
    expect(await chains.all()).toEqual([]);
  });
});

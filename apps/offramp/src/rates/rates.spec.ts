import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, ManualClock } from '@vuka/runtime';

import { rateRules } from './rate-rules.js';
import type { RateReading } from './rate-source.js';
import type { RememberedRate } from './rate.store.js';
import { Rates } from './rates.js';

describe('the rates that count', () => {
  let clock: ManualClock;
  let lines: string[];
  let saved: RememberedRate[];
  let reading: () => Partial<RateReading>;
  let rates: Rates;

  const build = (): Rates => {
    const log = createLogger('test', { destination: { write: (line: string) => void lines.push(line) } });
    const source = {
      read: async () => ({
        at: clock.now(),
        mids: new Map([['KES', '129.35']]),
        pegs: new Map([
          ['USDC', '1'],
          ['USDT', '1'],
        ]),
        ...reading(),
      }),
      close: async () => undefined,
    };
    const store = {
      load: async () => saved,
      save: async (rows: readonly RememberedRate[]) => void (saved = [...rows]),
    };
    return new Rates(
      source,
      store,
      { ...rateRules({ spreads: new Map([['KES', 50]]), maxAgeMs: 60_000 }), tokens: ['USDC', 'USDT'] },
      clock,
      log,
    );
  };
  const alarms = (): string[] => lines.flatMap((line) => (JSON.parse(line) as { code?: string }).code ?? []);
  const stale = { ok: false, error: { code: 'rate_stale', message: expect.any(String) } };

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
    lines = [];
    saved = [];
    reading = () => ({});
    rates = build();
  });

  it('are stale before the first reading, and of a currency that the source does not tell', async () => {
    expect(rates.exchangeRate('KES')).toEqual(stale);
    await rates.refresh();
    expect(rates.exchangeRate('KES')).toEqual({
      ok: true,
      value: { buying_rate: '128.70325', quoted_rate: '129.35', selling_rate: '129.99675' },
    });
    expect(rates.exchangeRate('NGN')).toEqual(stale);
    expect(rates.buyingRate('KES', 'USDC')).toEqual({ ok: true, value: '128.70325' });
  });

  it('know a dollar without being told', async () => {
    await rates.refresh();
    expect(rates.exchangeRate('USD')).toEqual({
      ok: true,
      value: { buying_rate: '0.99', quoted_rate: '1', selling_rate: '1.01' },
    });
  });

  it('grow stale where the source is away or stands still, which is said once', async () => {
    await rates.refresh();
    reading = () => {
      throw new Error('away');
    };
    clock.advance(60_000);
    await rates.refresh();
    expect(rates.exchangeRate('KES').ok).toBe(true);
    clock.advance(1);
    await rates.refresh();
    await rates.refresh();
    expect(rates.exchangeRate('KES')).toEqual(stale);
    expect(alarms().sort()).toEqual(['peg_stale', 'peg_stale', 'rate_stale', 'rates_unreadable']);
    reading = () => ({});
    await rates.refresh();
    expect(rates.exchangeRate('KES').ok).toBe(true);
  });

  it('do not believe a jump before it has stood for ten minutes', async () => {
    await rates.refresh();
    reading = () => ({ mids: new Map([['KES', '258.70']]) });
    for (let minute = 0; minute <= 10; minute += 1) {
      clock.advance(60_000);
      await rates.refresh();
      if (minute === 5) expect(rates.exchangeRate('KES')).toEqual(stale);
    }
    expect(rates.exchangeRate('KES')).toMatchObject({ ok: true, value: { quoted_rate: '258.7' } });
    expect(alarms().filter((code) => code === 'rate_held')).toHaveLength(1);
  });

  it('buy no token that the source has never told, and go by the last word of one it leaves out for as long as that is fresh', async () => {
    reading = () => ({ pegs: new Map([['USDT', '0.9']]) });
    await rates.refresh();
    expect([rates.buyingRate('KES', 'USDC'), rates.buyingRate('KES', 'USDT')]).toEqual([stale, stale]);
    expect(alarms()).toEqual(['peg_stale', 'token_off_peg']);
    clock.advance(1_000);
    reading = () => ({ pegs: new Map([['USDC', '1']]) });
    await rates.refresh();
    expect([rates.buyingRate('KES', 'USDC').ok, rates.pegOf('USDT')]).toEqual([true, 'off']);
  });

  it('remember what they believed: a restart is no way around the step', async () => {
    await rates.refresh();
    clock.advance(3_600_000);
    reading = () => ({ mids: new Map([['KES', '12.935']]) });
    rates = build();
    await rates.remember();
    await rates.refresh();
    expect(rates.exchangeRate('KES')).toEqual(stale);
    expect(alarms()).toContain('rate_held');
  });

  it('remember no peg: after a restart no token is bought before the source has told what it is worth', async () => {
    await rates.refresh();
    reading = () => {
      throw new Error('away');
    };
    rates = build();
    await rates.remember();
    await rates.refresh();
    expect([rates.buyingRate('KES', null).ok, rates.buyingRate('KES', 'USDC'), rates.pegOf('USDC')]).toEqual([
      true,
      stale,
      'unknown',
    ]);
    reading = () => ({});
    await rates.refresh();
    expect([rates.buyingRate('KES', 'USDC').ok, rates.pegOf('USDC')]).toEqual([true, 'holds']);
  });

  it('let a peg grow old as a rate does: while the source is silent nobody knows it any more, which is said once and again when it was known meanwhile', async () => {
    reading = () => ({
      pegs: new Map([
        ['USDC', '0.9'],
        ['USDT', '1'],
      ]),
    });
    await rates.refresh();
    const told = reading;
    reading = () => {
      throw new Error('away');
    };
    clock.advance(60_000);
    await rates.refresh();
    expect([rates.pegOf('USDC'), rates.pegOf('USDT')]).toEqual(['off', 'holds']);
    clock.advance(1);
    await rates.refresh();
    await rates.refresh();
    expect([rates.pegOf('USDC'), rates.pegOf('USDT'), rates.buyingRate('KES', 'USDT')]).toEqual([
      'unknown',
      'unknown',
      stale,
    ]);
    expect(alarms().filter((code) => code.includes('peg'))).toEqual(['token_off_peg', 'peg_stale', 'peg_stale']);
    reading = told;
    await rates.refresh();
    expect([rates.pegOf('USDC'), rates.buyingRate('KES', 'USDT').ok]).toEqual(['off', true]);
    clock.advance(60_001);
    reading = () => ({ at: new Date(clock.now().getTime() - 60_001) });
    await rates.refresh();
    expect(alarms().filter((code) => code === 'peg_stale')).toHaveLength(4);
  });

  it('are not confirmed by a reading that leaves the token out: its peg ages alone, and the others are bought', async () => {
    await rates.refresh();
    reading = () => ({ pegs: new Map([['USDC', '1']]) });
    for (let second = 0; second < 60; second += 10) {
      clock.advance(10_000);
      await rates.refresh();
    }
    expect([rates.pegOf('USDC'), rates.pegOf('USDT'), alarms()]).toEqual(['holds', 'holds', []]);
    clock.advance(10_000);
    await rates.refresh();
    expect([
      rates.buyingRate('KES', 'USDC').ok,
      rates.pegOf('USDT'),
      rates.buyingRate('KES', 'USDT'),
      alarms(),
    ]).toEqual([true, 'unknown', stale, ['peg_stale']]);
  });

  it.each([
    ['0.984999', false],
    ['0.985', true],
    ['1.015', true],
    ['1.015001', false],
    ['0', false],
    ['nonsense', false],
  ])('a token worth %s dollars is bought: %s', async (peg, bought) => {
    reading = () => ({
      pegs: new Map([
        ['USDC', peg],
        ['USDT', '1'],
      ]),
    });
    await rates.refresh();
    expect([rates.buyingRate('KES', 'USDC').ok, rates.buyingRate('KES', 'USDT').ok]).toEqual([bought, true]);
    expect(alarms()).toEqual(bought ? [] : ['token_off_peg']);
  });

  it('do not believe a source that is ahead of the clock, or tells nonsense, and ignore one that goes back', async () => {
    reading = () => ({ at: new Date(clock.now().getTime() + 30_001) });
    await rates.refresh();
    expect(alarms()).toEqual(['rates_unreadable', 'peg_stale', 'peg_stale']);
    reading = () => ({ mids: new Map([['KES', '-1']]) });
    await rates.refresh();
    expect(rates.exchangeRate('KES')).toEqual(stale);
    reading = () => ({});
    await rates.refresh();
    reading = () => ({ at: new Date(clock.now().getTime() - 1), mids: new Map([['KES', '130']]) });
    await rates.refresh();
    expect(rates.exchangeRate('KES')).toMatchObject({ value: { quoted_rate: '129.35' } });
  });
});

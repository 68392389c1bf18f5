import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  amountOf,
  choiceNamed,
  lineUpTo,
  oneOf,
  optional,
  patternText,
  readFields,
  refusal,
  required,
} from './field-rules.js';

const NETWORKS = [
  { name: 'Safaricom', aliases: ['M-Pesa'] },
  { name: 'Cbe Birr', aliases: [] },
] as const;

describe('readFields', () => {
  const rules = {
    code: required(patternText({ pattern: /^\d{2}$/, rule: '2 digits' })),
    note: optional(lineUpTo(3)),
    network: required(oneOf(NETWORKS, 'unsupported_network')),
  };

  it('answers what the rules made of the fields, and nothing of the others', () => {
    expect(readFields({ code: '01', network: 'mpesa', other: 1, note: '' }, rules)).toEqual({
      ok: true,
      value: { code: '01', note: undefined, network: NETWORKS[0] },
    });
  });

  it('lists every fault in the order of the rules, and a refusal speaks of the first', () => {
    const read = readFields({ network: 'MTN', note: 'long', code: 5 }, rules);
    expect(read).toEqual({
      ok: false,
      error: [
        { code: 'invalid_request', pointer: '/code', detail: 'code must be a string, not a number' },
        { code: 'invalid_request', pointer: '/note', detail: 'note must have at most 3 characters' },
        { code: 'unsupported_network', pointer: '/network', detail: 'network must be one of Safaricom, Cbe Birr' },
      ],
    });
    if (!read.ok) {
      expect(refusal(read.error)).toMatchObject({
        error: { code: 'invalid_request', message: 'code must be a string, not a number' },
      });
    }
    expect(() => refusal([])).toThrow('without a fault');
  });

  it('reads no field from a prototype', () => {
    expect(readFields(Object.create({ code: '01' }) as Record<string, unknown>, { code: rules.code }).ok).toBe(false);
    expect(readFields({}, { toString: optional(lineUpTo(5)) })).toEqual({ ok: true, value: { toString: undefined } });
  });
});

describe('choiceNamed', () => {
  it('ignores letter case, spaces, dashes and underscores, in names and aliases', () => {
    const spelling = fc
      .tuple(
        fc.constantFrom('safaricom', 'mpesa'),
        fc.infiniteStream(fc.tuple(fc.boolean(), fc.constantFrom('', '', ' ', '-', '_'))),
      )
      .map(([word, stream]) =>
        [...word]
          .map((letter, at) => {
            const [upper, between] = [...stream.take(at + 1)].at(-1) ?? [false, ''];
            return (upper ? letter.toUpperCase() : letter) + between;
          })
          .join(''),
      );
    fc.assert(fc.property(spelling, (sent) => expect(choiceNamed(NETWORKS, sent)).toBe(NETWORKS[0])));
  });

  it.each([
    '',
    '-',
    'M.Pesa',
    'Mpes',
    'MpesaX',
    'ſafaricom',
    'M‐Pesa',
    'Safarıcom',
    '\u212Abc',
    ' '.repeat(60),
    'constructor',
  ])('knows no %j', (sent) => {
    expect(choiceNamed(NETWORKS, sent)).toBeUndefined();
  });

  it('never throws, and finds only what folds to a name', () => {
    fc.assert(
      fc.property(fc.anything(), (sent) => {
        const found = choiceNamed(NETWORKS, sent);
        if (found) expect(typeof sent).toBe('string');
      }),
    );
  });
});

describe('amountOf', () => {
  const outOfRange = { code: 'amount_out_of_range', below: () => 'too little', above: () => 'too much' } as const;
  const rule = amountOf({ decimals: 0, minorDecimals: 2, minMinor: 20_00n, maxMinor: 250_000_00n, outOfRange });

  it('answers minor units for the decimals that may be sent', () => {
    expect(rule.read('20.00', 'amount')).toEqual({ ok: true, value: 20_00n });
    expect(rule.read('20.5', 'amount')).toMatchObject({
      error: { code: 'invalid_request', detail: 'amount must be a whole number' },
    });
  });

  it.each(['19.99', '0.5', '19.50', '0.001', '19.999'])('says that %s is too little, whatever its decimals', (sent) => {
    expect(rule.read(sent, 'amount')).toMatchObject({ error: { code: 'amount_out_of_range', detail: 'too little' } });
  });

  it.each(['250000.01', '250000.5', '9'.repeat(39), '9'.repeat(100)])(
    'says that %s is too much, whatever its decimals and digits',
    (sent) => {
      expect(rule.read(sent, 'amount')).toMatchObject({ error: { code: 'amount_out_of_range', detail: 'too much' } });
    },
  );

  it.each(['20.5', '20.001', '249999.99', '2e1', '5'.repeat(101)])('says that the form of %s is wrong', (sent) => {
    expect(rule.read(sent, 'amount')).toMatchObject({ error: { code: 'invalid_request' } });
  });

  it('says which end was passed, and takes the limits themselves', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 400_000 }), (whole) => {
        const read = rule.read(String(whole), 'amount');
        if (whole < 20) expect(read).toMatchObject({ error: { code: 'amount_out_of_range', detail: 'too little' } });
        else if (whole > 250_000) expect(read).toMatchObject({ error: { detail: 'too much' } });
        else expect(read).toEqual({ ok: true, value: BigInt(whole) * 100n });
      }),
    );
  });
});

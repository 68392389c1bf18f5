import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { acts, reads, reasonGiven, type AdminCalls } from './admin-methods.js';

const methods = {
  codeOf: reads([z.int().positive(), z.string().nullable()], async (id, name) => `${id} ${String(name)}`),
  all: reads([], async () => new Map([[1n, 'one']])),
  freeze: acts({ reason: reasonGiven, partnerId: z.int().positive() }, async ({ by, reason, partnerId }) => ({
    ok: true as const,
    value: `${by}: ${reason}: ${partnerId}`,
  })),
};

const calls: AdminCalls<typeof methods> = {
  codeOf: (id, name) => methods.codeOf.run(id, name),
  all: () => methods.all.run(),
  freeze: (act) => methods.freeze.run(act),
};

describe('methods of an admin API', () => {
  it('are run with what their schemas make of the arguments', async () => {
    expect(await calls.codeOf(7, null)).toBe('7 null');
    expect((await calls.all()).get(1n)).toBe('one');
    expect(methods.codeOf.args.safeParse([7]).success).toBe(false);
    expect(methods.codeOf.args.safeParse([0, null]).success).toBe(false);
  });

  it('that act take who has it done, in one line, and no word that is not known', () => {
    const act = { by: '  Ann Otieno ', reason: 'ticket 7', partnerId: 3 };
    expect(methods.freeze.args.parse([act])).toEqual([{ ...act, by: 'Ann Otieno' }]);
    for (const wrong of [
      { ...act, by: '' },
      { ...act, by: 'Ann\nOtieno' },
      { ...act, by: '\u200b\u2060' },
      { ...act, reason: '\u200b \u00ad' },
      { ...act, reason: '' },
      { ...act, more: 1 },
      { reason: 'x', partnerId: 3 },
    ]) {
      expect(methods.freeze.args.safeParse([wrong]).success).toBe(false);
    }
    expect([methods.freeze.acts, methods.all.acts]).toEqual([true, false]);
  });
});

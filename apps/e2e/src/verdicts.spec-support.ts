import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PayBody } from '@vuka/testing';

import type { PayFixture } from './pay-fixture.spec-support.js';
import { Pays } from './pays.spec-support.js';
import { begunAs } from './side-by-side.spec-support.js';

export interface Verdict {
  readonly what: string;
  readonly send: () => Promise<string>;
  readonly body?: Partial<PayBody> & { readonly number?: string };
  readonly end: readonly [status: string, failureCode: string];
  readonly message?: RegExp;
  readonly brought?: bigint;
  readonly row?: object;
}

const JUDGED_WITHIN_MS = 60_000;

export function describeVerdicts(
  title: string,
  verdicts: readonly Verdict[],
  at: () => PayFixture,
  chain?: string,
): void {
  const judged = new Map<string, Promise<void>>();
  const wallet = async (): Promise<bigint> => (await at().one.wallets()).get('KES') ?? 0n;
  let had: bigint;

  async function judge(
    { body, end: [status, failureCode], message = /\S/, brought = 0n, row }: Verdict,
    hash: string,
  ): Promise<void> {
    const pays = new Pays(at());
    const code = await pays.claim(hash, { ...(chain !== undefined && { chain }), ...body });
    const ended = await pays.ended(code, status, at().one, JUDGED_WITHIN_MS);
    expect(ended).toMatchObject({
      failure_code: failureCode,
      transaction_hash: hash,
      message: expect.stringMatching(message),
      ...(chain !== undefined && { chain }),
      ...row,
    });
    expect(await pays.brought(code)).toBe(brought);
    expect(at().receiver.of(code).at(-1)?.payload).toMatchObject({
      status,
      transaction_code: code,
      message: ended.message,
    });
  }

  describe(title, () => {
    beforeAll(async () => {
      had = await wallet();
      for (const verdict of verdicts) {
        const sent = verdict.send();
        const told = sent.then((hash) => judge(verdict, hash));
        told.catch(() => undefined);
        judged.set(verdict.what, told);
        await sent.catch(() => undefined);
      }
    }, JUDGED_WITHIN_MS);

    it.each(verdicts)('$what', ({ what }) => begunAs(judged, what), JUDGED_WITHIN_MS + 30_000);

    it(
      'brought the wallet what its claims have brought, and nothing besides',
      async () => {
        await Promise.all(judged.values());
        expect(judged.size).toBe(verdicts.length);
        expect((await wallet()) - had).toBe(verdicts.reduce((sum, { brought = 0n }) => sum + brought, 0n));
      },
      JUDGED_WITHIN_MS,
    );
  });
}

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { atDepth, drawn } from '@vuka/testing';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** It takes under three minutes on a quiet machine; suites run beside others. */
const WITHIN_MS = 900_000;
/** A commit's run leaves out chains that differ from others by their number alone. */
const {
  options: OPTIONS,
  chains: CHAINS,
  currencies: PAID_BY_DEPOSITS,
} = atDepth({
  commit: { options: ['--brief'], chains: 4, currencies: ['ETB', 'GHS', 'KES', 'NGN'] },
  whole: { options: [], chains: 9, currencies: ['CDF', 'ETB', 'GHS', 'KES', 'MWK', 'NGN', 'UGX'] },
});

/** Each unsafe setting is one start of a service. A commit's run tries those of one part. */
const PARTS = atDepth({ commit: 4, whole: 1 });
const [PART] = drawn(
  'unsafe settings',
  Array.from({ length: PARTS }, (_, at) => at + 1),
  1,
);

const PROVIDERS = ['pawapay', 'paystack', 'chapa'] as const;

interface Payout {
  readonly from: string;
  readonly currency: string;
  readonly provider: string;
  readonly status: string;
  readonly receipt: string | null;
}

interface Report {
  readonly ok: boolean;
  readonly broken: readonly string[];
  readonly refusals: readonly { readonly setting: string; readonly refused: boolean }[];
  readonly unrouted: { readonly status: number };
  readonly payouts: readonly Payout[];
  readonly refunds: readonly { readonly chain: string; readonly status: string }[];
  readonly callbacks: Readonly<
    Record<(typeof PROVIDERS)[number], { readonly ended: number; readonly outcomes: Readonly<Record<string, number>> }>
  > & { readonly approvals: { readonly paid: number; readonly approved: number; readonly forged: readonly number[] } };
  readonly books: {
    readonly ledger: { readonly ok: boolean; readonly not_read: readonly object[] };
    readonly inbox: readonly object[];
    readonly floats: readonly { readonly balance_minor: string; readonly ledger_minor: string }[];
  };
  readonly later: readonly (Payout & { readonly what: string; readonly before?: string })[];
  readonly alarms: readonly object[];
}

let folder: string;
let output = '';
let report: Report;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vuka-rehearse-test-'));
  const file = join(folder, 'report.json');
  const env = { ...process.env, TMPDIR: folder };
  output = await new Promise((resolve) => {
    const options = { cwd: ROOT, env, timeout: WITHIN_MS, maxBuffer: 16_000_000 };
    const args = ['tools/rehearse/main.mjs', '--json', file, `--part=${PART}/${PARTS}`, ...OPTIONS];
    execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  rmSync(file);
}, WITHIN_MS + 10_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const currencies = (payouts: readonly Payout[]): string[] =>
  [...new Set(payouts.map(({ currency }) => currency))].sort();

describe('npm run rehearse', () => {
  it('keeps every promise, and leaves nothing behind', () => {
    expect({ broken: report.broken, output: report.ok ? '' : output }).toEqual({ broken: [], output: '' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('sees each unsafe setting refused by name', () => {
    expect(report.refusals.length).toBeGreaterThan(20 / PARTS);
    expect(report.refusals.filter(({ refused }) => !refused)).toEqual([]);
  });

  it('pays in each currency by each provider, from wallets and from a deposit on each chain', () => {
    const { payouts } = report;
    expect(payouts.filter(({ status, receipt }) => status !== 'COMPLETE' || receipt === null)).toEqual([]);
    const [wallets, deposits] = [true, false].map((fromWallet) =>
      payouts.filter(({ from }) => (from === 'wallet') === fromWallet),
    ) as [Payout[], Payout[]];
    expect(currencies(wallets)).toEqual(['CDF', 'ETB', 'GHS', 'KES', 'MWK', 'NGN', 'UGX', 'USD']);
    for (const paid of [wallets, deposits])
      expect(new Set(paid.map(({ provider }) => provider))).toEqual(new Set(PROVIDERS));
    expect(currencies(deposits)).toEqual(PAID_BY_DEPOSITS);
    expect(new Set(deposits.map(({ from }) => from)).size).toBe(CHAINS);
    expect([400, 404]).toContain(report.unrouted.status);
  });

  it('sends back on each family of chains what was signed apart', () => {
    expect(report.refunds.map(({ chain, status }) => [chain, status])).toEqual(
      expect.arrayContaining([
        ['CELO', 'COMPLETE'],
        ['SOLANA', 'COMPLETE'],
        ['STELLAR', 'COMPLETE'],
      ]),
    );
  });

  it('takes what each provider calls back: signed ones end payouts, a forged one and a stranger end nothing, none is left', () => {
    const { callbacks, later, books } = report;
    for (const id of PROVIDERS) {
      expect(callbacks[id].outcomes['recorded']).toBeGreaterThan(0);
      const [forged, late] = ['forged', 'late'].map((which) =>
        later.find(({ what, provider }) => what === which && provider === id),
      );
      expect([forged?.status, late?.before, late?.status]).toEqual(['FAILED', 'PROCESSING', 'COMPLETE']);
    }
    expect(books.inbox).toEqual([]);
  });

  it('approves what Chapa asks of what was sent, and nothing that a stranger asks', () => {
    const { paid, approved, forged } = report.callbacks.approvals;
    expect(paid).toBeGreaterThan(0);
    expect(approved).toBeGreaterThanOrEqual(paid);
    expect(forged).toEqual([400]);
  });

  it('pays by the second provider what the first has surely not taken', () => {
    const second = report.later.filter(({ what }) => what === 'secondWay');
    expect(second.map(({ status, provider }) => [status, provider])).toEqual(
      second.map(() => ['COMPLETE', 'paystack']),
    );
    expect(second.length).toBeGreaterThan(0);
  });

  it('ends with books that are sound, whole and without an alarm', () => {
    expect(report.books.ledger).toMatchObject({ ok: true, not_read: [] });
    const { floats } = report.books;
    expect(floats.map((one) => one.balance_minor)).toEqual(floats.map((one) => one.ledger_minor));
    expect(floats.length).toBeGreaterThan(PROVIDERS.length);
    expect(report.alarms).toEqual([]);
  });
});

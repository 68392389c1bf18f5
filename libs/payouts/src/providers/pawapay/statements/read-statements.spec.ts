import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import type { ProviderReply } from '../../../provider-http.js';
import type { StatementPage } from '../../../statement-provider.js';
import { floatsOf } from '../floats.js';
import { json } from '../shapes.spec-support.js';
import type { Download, StatementDownload } from './download.js';
import { PawapayStatements } from './read-statements.js';

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
const ID = '5b0c3f7a-91d2-4e44-8a01-0123456789ab';
const PAID = `Transaction ID,Type,Amount\n${ID},PAYOUT,5\n`;
const DOWN: ProviderReply = { kind: 'no_answer', detail: 'ETIMEDOUT' };
const wallet = (country: string, currency: string, provider = '') => ({ country, currency, provider, balance: '1' });

interface Asked {
  readonly wallet: { readonly country: string; readonly currency: string; readonly provider?: string };
  readonly startDate: string;
  readonly endDate: string;
  readonly callbackUrl?: string;
}

/** Answers as pawaPay does, unless told otherwise. */
class Account {
  readonly clock = new ManualClock(new Date('2026-08-01T12:00:00.000Z'));
  readonly requests: string[] = [];
  readonly asked: Asked[] = [];
  wallets: object[] = [wallet('MWI', 'MWK'), wallet('COD', 'CDF', 'AIRTEL_COD'), wallet('ZMB', 'ZMW')];
  initiation: ProviderReply | null = null;
  state: ProviderReply | null = null;
  file: Download = { bytes: Buffer.from(PAID) };
  cursor: string | null = null;
  private readonly reader = new PawapayStatements({
    call: (method, path, call) => Promise.resolve(this.answer(method, path, call?.body)),
    download: { get: () => Promise.resolve(this.file) } as unknown as StatementDownload,
    floats: floatsOf(['AIRTEL_COD']),
    clock: this.clock,
    beginsBackMs: 10 * HOUR_MS,
    callbackUrl: 'https://us.example.com/callbacks/pawapay/a1',
  });

  async read(): Promise<StatementPage | null> {
    const page = await this.reader.page(this.cursor);
    this.cursor = page?.next ?? this.cursor;
    expect(this.cursor?.length ?? 0).toBeLessThan(2_048);
    return page;
  }

  /** Until nothing is due. Resolves with the pages that had something to tell. */
  async catchUp(): Promise<StatementPage[]> {
    const told: StatementPage[] = [];
    for (let last = ''; last !== this.cursor;) {
      last = this.cursor ?? '';
      const page = await this.read();
      if (page !== null && (page.entries.length > 0 || page.trouble !== undefined)) told.push(page);
    }
    return told;
  }

  private answer(method: string, path: string, body: unknown): ProviderReply {
    this.requests.push(`${method} ${path}`);
    if (path === '/v2/wallet-balances') return json(200, { balances: this.wallets });
    if (method === 'POST') {
      this.asked.push(body as Asked);
      return this.initiation ?? json(200, { statementId: `s${this.asked.length}`, status: 'ACCEPTED' });
    }
    const data = {
      statementId: path.split('/').at(-1),
      status: 'COMPLETED',
      downloadUrl: 'https://files.example.com/s',
    };
    return this.state ?? json(200, { status: 'FOUND', data });
  }
}

const found = (data: object): ProviderReply => json(200, { status: 'FOUND', data: { statementId: 's1', ...data } });

describe('statements of pawaPay', () => {
  it('are asked for wallet by wallet, of those that the account has and we pay from', async () => {
    const account = new Account();
    expect(await account.read()).toMatchObject({ entries: [], more: false });
    expect(account.requests).toEqual(['GET /v2/wallet-balances', 'POST /v2/statements']);
    expect(await account.read()).toMatchObject({ entries: [{ event: 'paid', amount: { minor: 500n } }] });
    await account.read();
    expect(account.asked).toEqual([
      {
        wallet: { country: 'MWI', currency: 'MWK' },
        startDate: '2026-08-01T00:30:00',
        endDate: '2026-08-01T12:00:00',
        compressed: false,
        callbackUrl: 'https://us.example.com/callbacks/pawapay/a1',
      },
      expect.objectContaining({ wallet: { country: 'COD', currency: 'CDF', provider: 'AIRTEL_COD' } }),
    ]);
  });

  it('of one wallet join up and overlap, so that a line that is late by an hour is in one of them', async () => {
    const account = new Account();
    account.wallets = [wallet('MWI', 'MWK')];
    await account.catchUp();
    for (let reading = 0; reading < 20; reading++) {
      account.clock.advance(7 * MINUTE_MS);
      await account.catchUp();
    }
    const windows = account.asked.map(({ startDate, endDate }) => [
      Date.parse(`${startDate}Z`),
      Date.parse(`${endDate}Z`),
    ]);
    expect(windows.length).toBeGreaterThan(3);
    for (const [n, [from = 0, to = 0]] of windows.entries()) {
      expect(to - from).toBeLessThanOrEqual(31 * 24 * HOUR_MS);
      if (n > 0) expect((windows[n - 1]?.[1] ?? 0) - from).toBe(90 * MINUTE_MS);
    }
    expect(windows.at(-1)?.[1]).toBeGreaterThan(account.clock.now().getTime() - 15 * MINUTE_MS);
  });

  it('are asked for once in a quarter of an hour, and nothing is called meanwhile', async () => {
    const account = new Account();
    await account.catchUp();
    const before = account.requests.length;
    for (let n = 0; n < 14; n++) {
      account.clock.advance(MINUTE_MS);
      await account.catchUp();
    }
    expect(account.requests).toHaveLength(before);
    account.clock.advance(MINUTE_MS);
    await account.catchUp();
    expect(account.requests.length - before).toBe(6);
  });

  it('are waited for while they are made, under the same id, for an hour', async () => {
    const account = new Account();
    await account.read();
    account.state = found({ status: 'PROCESSING' });
    const { cursor } = account;
    for (let n = 0; n < 59; n++) {
      account.clock.advance(MINUTE_MS);
      expect(await account.read()).toEqual({ entries: [], next: cursor, more: false });
    }
    account.clock.advance(MINUTE_MS);
    await account.read();
    expect(account.cursor).not.toBe(cursor);
    expect(account.asked).toHaveLength(1);
    account.state = null;
    // The other wallet's is next, and this one's a quarter of an hour later.
    await account.read();
    expect(account.asked[1]?.wallet.country).toBe('COD');
  });

  it.each<[string, (account: Account) => void]>([
    [
      'refused',
      (account) =>
        (account.initiation = json(200, { status: 'REJECTED', failureReason: { failureCode: 'WALLET_NOT_FOUND' } })),
    ],
    [
      'refused with HTTP 400',
      (account) => (account.initiation = json(400, { failureReason: { failureCode: 'INVALID_DATE_RANGE' } })),
    ],
    ['not taken', (account) => (account.initiation = DOWN)],
    ['FAILED', (account) => (account.state = found({ status: 'FAILED' }))],
    ['forgotten', (account) => (account.state = json(200, { status: 'NOT_FOUND' }))],
    ['made without an address', (account) => (account.state = found({ status: 'COMPLETED' }))],
    ['not to be had', (account) => (account.file = { failure: 'HTTP 403' })],
    ['no CSV', (account) => (account.file = { bytes: Buffer.from('<Error>AccessDenied</Error>') })],
  ])('that are %s are asked for again later, and people hear of it the third time', async (_, spoil) => {
    const account = new Account();
    account.wallets = [wallet('MWI', 'MWK')];
    spoil(account);
    const statementIdNow = (): void => {
      if (account.state?.kind === 'json' && account.state.status === 200)
        account.state = json(200, { ...(account.state.body as object), ...idOf(account) });
    };
    const troubles: unknown[] = [];
    for (let n = 0; n < 4; n++) {
      await account.read();
      statementIdNow();
      const page = await account.catchUp();
      troubles.push(page.map(({ trouble }) => trouble)[0]);
      account.clock.advance(15 * MINUTE_MS);
    }
    expect(account.asked).toHaveLength(4);
    expect(new Set(account.asked.map(({ startDate }) => startDate)).size).toBe(1);
    expect(JSON.parse(account.cursor ?? '')).toMatchObject({ failed: { 'mw MWK': { times: 4 } } });
    expect(account.cursor).not.toContain('"asked":{');
    account.initiation = account.state = null;
    account.file = { bytes: Buffer.from(PAID) };
    expect((await account.catchUp())[0]?.entries).toHaveLength(1);
    expect(JSON.parse(account.cursor ?? '')).toMatchObject({ failed: {} });
  });

  it('say after three failures in a row which wallet is not read, and why', async () => {
    const account = new Account();
    account.wallets = [wallet('MWI', 'MWK')];
    account.initiation = json(200, { status: 'REJECTED', failureReason: { failureCode: 'INVALID_CALLBACK_URL' } });
    const told: (string | undefined)[] = [];
    for (let n = 0; n < 3; n++) {
      told.push((await account.read())?.trouble);
      account.clock.advance(15 * MINUTE_MS);
    }
    expect(told).toEqual([undefined, undefined, 'mw MWK, 3 times: REJECTED INVALID_CALLBACK_URL']);
  });

  it('are unread where pawaPay does not answer, and go on from there', async () => {
    const account = new Account();
    await account.read();
    const { cursor } = account;
    for (const silence of [
      DOWN,
      json(403, {}),
      json(200, { status: 'FOUND', data: { statementId: 'other', status: 'COMPLETED' } }),
    ]) {
      account.state = silence;
      expect(await account.read()).toBeNull();
      expect(account.cursor).toBe(cursor);
    }
    account.state = null;
    expect((await account.read())?.entries).toHaveLength(1);
  });

  it('begin anew after a cursor that is none of ours', async () => {
    for (const cursor of ['7', '{"read":{}}', 'x', '{"read":{"mw MWK":-1},"failed":{},"asked":null}']) {
      const account = new Account();
      account.cursor = cursor;
      await account.read();
      expect(account.asked[0]?.startDate).toBe('2026-08-01T00:30:00');
    }
  });
});

function idOf({ asked, state }: Account): object {
  const data = state?.kind === 'json' ? (state.body as { data?: object }).data : undefined;
  return data === undefined ? {} : { data: { ...data, statementId: `s${asked.length}` } };
}

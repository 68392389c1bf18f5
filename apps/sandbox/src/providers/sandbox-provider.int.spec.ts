import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { FolderInUseError } from './folder-lock.js';
import {
  type SandboxProvider,
  sandboxCredential,
  type SandboxProviderOptions,
  startSandboxProvider,
} from './sandbox-provider.js';
import { until } from './until.spec-support.js';

const CREDENTIAL = sandboxCredential();
const START = Date.parse('2026-11-21T10:00:00.000Z');
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Entry {
  readonly id: string;
  readonly status: string;
  readonly sequence: number;
}
interface Answer {
  readonly status: number;
  readonly body: {
    readonly status?: string;
    readonly entries: Entry[];
    readonly next_after: number;
    readonly more: boolean;
  };
}

const PAYOUT = {
  id: 'a-1',
  amount: '100.00',
  currency: 'KES',
  recipient: { account_number: '0110123456789', bank_code: '01' },
};

describe('the sandbox provider', () => {
  let folder: string;
  let nowMs: number;
  let simulator: SandboxProvider;

  const start = (options: Partial<SandboxProviderOptions> = {}): Promise<SandboxProvider> =>
    startSandboxProvider({
      folder,
      credential: CREDENTIAL,
      log: silent,
      clock: { now: () => new Date(nowMs) },
      ...options,
    });

  const restart = async (options: Partial<SandboxProviderOptions> = {}): Promise<void> => {
    await simulator.stop();
    simulator = await start(options);
  };

  async function call(method: string, path: string, body?: unknown, credential = CREDENTIAL): Promise<Answer> {
    const response = await fetch(simulator.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${credential}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
  const submit = (body: unknown): ReturnType<typeof call> => call('POST', '/v1/payouts', body);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'provider-'));
    nowMs = START;
    simulator = await start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('accepts, and pays one second later with receipt and name', async () => {
    expect(await submit(PAYOUT)).toEqual({
      status: 202,
      body: { id: 'a-1', status: 'ACCEPTED', created_at: '2026-11-21T10:00:00.000Z' },
    });
    nowMs = START + 999;
    expect((await call('GET', '/v1/payouts/a-1')).body).toEqual({ ...PAYOUT, status: 'PROCESSING' });
    nowMs = START + 1_000;
    const paid = await call('GET', '/v1/payouts/a-1');
    expect(paid.body).toEqual({
      ...PAYOUT,
      status: 'PAID',
      receipt: expect.stringMatching(/^SBX[0-9A-Z]{10}$/),
      name: 'TEST 6789',
    });
    nowMs = START + 5_000;
    await restart();
    expect(await call('GET', '/v1/payouts/a-1')).toEqual(paid);
  });

  it.each([
    ['within one run', async () => undefined],
    ['between two runs', () => restart()],
  ])('pays in its time when the clock goes back an hour %s', async (_when, between) => {
    await submit({ ...PAYOUT, id: 'before' });
    nowMs -= 3_600_000;
    await between();
    await submit({ ...PAYOUT, id: 'after' });
    const statuses = async (): Promise<unknown[]> => [
      (await call('GET', '/v1/payouts/before')).body.status,
      (await call('GET', '/v1/payouts/after')).body.status,
    ];
    nowMs += 999;
    expect(await statuses()).toEqual(['PROCESSING', 'PROCESSING']);
    nowMs += 1;
    expect(await statuses()).toEqual(['PAID', 'PAID']);
  });

  it('counts the wait of a payout that a restart interrupts', async () => {
    await submit(PAYOUT);
    nowMs += 600;
    await restart();
    nowMs += 399;
    expect((await call('GET', '/v1/payouts/a-1')).body.status).toBe('PROCESSING');
    nowMs += 1;
    expect((await call('GET', '/v1/payouts/a-1')).body.status).toBe('PAID');
  });

  it('knows an id again: the same payout is a duplicate, another is refused', async () => {
    await submit(PAYOUT);
    nowMs += 5_000;
    const duplicate = { status: 200, body: { id: 'a-1', status: 'DUPLICATE', created_at: '2026-11-21T10:00:00.000Z' } };
    expect(await submit(PAYOUT)).toEqual(duplicate);
    expect(await submit({ ...PAYOUT, amount: '100' })).toEqual(duplicate);
    const others = [
      { amount: '100.01' },
      { currency: 'NGN' },
      { narration: 'rent' },
      { recipient: { ...PAYOUT.recipient, account_number: '0110123456780' } },
      { recipient: { ...PAYOUT.recipient, bank_code: '02' } },
    ];
    for (const other of others) {
      expect(await submit({ ...PAYOUT, ...other })).toMatchObject({ status: 409, body: { code: 'ID_REUSED' } });
    }
    await restart();
    expect(await submit(PAYOUT)).toEqual(duplicate);
  });

  it('fails the sandbox numbers that fail', async () => {
    await submit({ ...PAYOUT, id: 'f-0', recipient: { ...PAYOUT.recipient, account_number: '0110120000' } });
    await submit({ ...PAYOUT, id: 'f-1', recipient: { ...PAYOUT.recipient, account_number: '0110120001' } });
    nowMs += 1_000;
    const codes = async (): Promise<unknown[]> => [
      (await call('GET', '/v1/payouts/f-0')).body,
      (await call('GET', '/v1/payouts/f-1')).body,
    ];
    const expected = [
      { status: 'FAILED', code: 'RECIPIENT_NOT_FOUND' },
      { status: 'FAILED', code: 'REJECTED' },
    ];
    expect(await codes()).toMatchObject(expected);
    await restart();
    expect(await codes()).toMatchObject(expected);
    expect((await call('GET', '/v1/balance')).body).toEqual({
      currencies: [{ currency: 'KES', paid_out: '0.00', came_back: '0.00', in_process: '0.00' }],
    });
  });

  it('tells its book in order, in pages, the same after a restart', async () => {
    for (let i = 0; i < 5; i += 1) await submit({ ...PAYOUT, id: `b-${i}`, amount: `${i + 1}.5` });
    nowMs += 1_000;
    const readAll = async (): Promise<Entry[]> => {
      const entries: Entry[] = [];
      for (let after = 0, more = true; more;) {
        const { body } = await call('GET', `/v1/book?after=${after}&limit=3`);
        expect(body.entries.length).toBeLessThanOrEqual(3);
        entries.push(...body.entries);
        after = body.next_after;
        more = body.more;
      }
      return entries;
    };
    const before = await readAll();
    expect(before.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(before.map(({ id, status }) => `${id} ${status}`)).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => `b-${i} ACCEPTED`),
      ...[0, 1, 2, 3, 4].map((i) => `b-${i} PAID`),
    ]);
    await restart();
    expect(await readAll()).toEqual(before);
    expect((await call('GET', '/v1/balance')).body).toEqual({
      currencies: [{ currency: 'KES', paid_out: '17.50', came_back: '0.00', in_process: '0.00' }],
    });
    expect((await call('GET', '/v1/book?after=99')).body).toEqual({ entries: [], next_after: 99, more: false });
  });

  it('pays without being asked', async () => {
    await simulator.stop();
    simulator = await startSandboxProvider({ folder, credential: CREDENTIAL, log: silent });
    await submit(PAYOUT);
    // Reads the file, because asking the provider would settle what is due.
    await until('paid in the journal', 5_000, async () => {
      const text = await readFile(join(folder, 'payouts.jsonl'), 'utf8');
      return text.includes('"event":"paid"') ? text : null;
    });
  });

  it('refuses every request without the credential', async () => {
    for (const [method, path] of [
      ['POST', '/v1/payouts'],
      ['GET', '/v1/payouts/a-1'],
      ['GET', '/v1/book'],
      ['GET', '/v1/balance'],
      ['GET', '/x'],
      ['POST', '/v1/control/payouts/a-1/pay'],
      ['POST', '/v1/control/top-ups'],
      ['POST', '/v1/lookups'],
    ] as const) {
      const answer = await call(method, path, method === 'POST' ? PAYOUT : undefined, `${CREDENTIAL}x`);
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    }
    expect((await call('GET', '/v1/book')).body.entries).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['not JSON', '{"id":'],
    ['nothing', ''],
    ['an array', []],
    ['a prototype', '{"__proto__":{"id":"a"}}'],
    ['a bad amount', { ...PAYOUT, amount: '-1' }],
    ['too much', { ...PAYOUT, narration: 'a'.repeat(20_000) }],
  ])('answers 400 to %s', async (_name, body) => {
    expect(await submit(body)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });

  it('answers 404 and 400 to what it does not have', async () => {
    expect(await call('GET', '/v1/payouts/none')).toMatchObject({ status: 404, body: { code: 'PAYOUT_NOT_FOUND' } });
    expect(await call('GET', '/v1/elsewhere')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=1001', 'after=1&after=2']) {
      expect(await call('GET', `/v1/book?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    }
  });

  it('refuses new payouts once its book is full, and still knows the old ones', async () => {
    await restart({ maxPayouts: 2 });
    await submit(PAYOUT);
    await submit({ ...PAYOUT, id: 'a-2' });
    expect(await submit({ ...PAYOUT, id: 'a-3' })).toMatchObject({ status: 403, body: { code: 'BOOK_FULL' } });
    expect((await submit(PAYOUT)).body.status).toBe('DUPLICATE');
  });

  it('never answers for a line that is not on disk', async () => {
    const probe = await open(folder, 'r');
    const spy = jest.spyOn(Object.getPrototypeOf(probe) as typeof probe, 'datasync');
    await probe.close();
    spy.mockImplementation(() => Promise.reject(new Error('EIO')));
    expect(await submit(PAYOUT)).toMatchObject({ status: 503, body: { code: 'STORE_FAILED' } });
    expect(await submit(PAYOUT)).toMatchObject({ status: 503, body: { code: 'STORE_FAILED' } });
    expect(await call('GET', '/v1/payouts/a-1')).toMatchObject({ status: 503 });
    expect(await submit({ ...PAYOUT, id: 'a-2' })).toMatchObject({ status: 429, body: { code: 'BUSY' } });
  });

  it('refuses a second provider in its folder', async () => {
    await expect(start()).rejects.toThrow(FolderInUseError);
    await submit(PAYOUT);
    expect((await call('GET', '/v1/payouts/a-1')).status).toBe(200);
  });
});

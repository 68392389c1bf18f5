import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '@vuka/config';
import type { Sighting } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import type { OpenedService } from '@vuka/service-host';
import { until } from '@vuka/testing';

import type { OfframpRoot } from './offramp.root.js';
import {
  awaitingDeposit,
  HandJobs,
  HandEventBus,
  hashOf,
  openOfframp,
  ScriptedReader,
  settingsOf,
  startTestDatabase,
  type TestDatabase,
} from './testing/offramp.spec-support.js';
import { HandChain, SECRET, WALLET } from './transfers/hand-chain.spec-support.js';
import { RefundFixture } from './transfers/refund-fixture.spec-support.js';

const APPLICATION = 'offramp that starts and ends';
const WITHIN = { withinMs: 30_000, what: 'it comes to that' };

let database: TestDatabase;
let db: Database;
let reader: ScriptedReader;
let opened: string[];
let eventBus: HandEventBus;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
}, 60_000);
afterAll(() => database.stop());
beforeEach(async () => {
  [reader, opened, eventBus] = [new ScriptedReader(), [], new HandEventBus()];
  await db.query('truncate claims, deposits, inbox, outbox, deposit_addresses');
});

const open = (chains: Partial<Settings['chains']> = {}): Promise<OpenedService<OfframpRoot>> =>
  openOfframp({
    settings: settingsOf({ CELO: ['http://127.0.0.1:1'] }, chains),
    database: { ...database.config, applicationName: APPLICATION },
    eventBus: eventBus,
    jobs: new HandJobs(),
    openReader: async ({ chain }) => {
      opened.push(chain.name);
      return reader;
    },
  });

const connections = async (): Promise<number> =>
  (await db.query('select 1 from pg_stat_activity where application_name = $1', [APPLICATION])).length;

describe('a start', () => {
  it.each([
    ['SCREENING_FILE', { screeningFile: '/nowhere/screened.json' }],
    ['OWN_ADDRESSES_FILE', { ownAddressesFile: '/nowhere/own.json' }],
    ['SANDBOX_REFUND_KEYS_FILE', { sandboxRefundKeysFile: '/nowhere/keys.json' }],
    ['DEPOSIT_XPUB', { depositXpub: 'xpub' }],
  ])('without what %s names opens no chain, and leaves nothing open', async (variable, chains) => {
    await expect(open(chains)).rejects.toMatchObject({
      name: 'BootError',
      message: expect.stringMatching(new RegExp(`^${variable} `)),
    });
    expect(opened).toEqual([]);
    await until(async () => (await connections()) === 0, WITHIN);
  });

  it('with another key than addresses were given from closes the chains that it opened', async () => {
    const offramp = await open();
    await offramp.handlers.listNetworks({ partner_id: 1 }, {} as never);
    await offramp.stop();
    await db.query(`update deposit_addresses set xpub_id = 'another'`);
    [reader, opened] = [new ScriptedReader(), []];
    await expect(open()).rejects.toMatchObject({ name: 'BootError' });
    expect([opened, reader.isClosed]).toEqual([['CELO'], true]);
    await until(async () => (await connections()) === 0, WITHIN);
  });
});

describe('an end', () => {
  it('ends what a chain was asked with its connections, and records what that came to', async () => {
    let answer: (sighting: Sighting) => void = () => undefined;
    const { close } = reader;
    reader.close = async () => {
      answer({ kind: 'trouble', reason: 'closed while it was asked' });
      await close.call(reader);
    };
    reader.says(hashOf(1), () => new Promise((resolve) => (answer = resolve)));
    const offramp = await open();
    await offramp.start();
    await offramp.handlers.listNetworks({ partner_id: 1 }, {} as never);
    await eventBus.deliver(awaitingDeposit({ transactionId: 1, acceptedAt: new Date() }));
    await until(() => reader.reads.length === 1, WITHIN);
    await offramp.stop();
    expect(await db.query('select state, trouble from claims')).toEqual([
      { state: 'open', trouble: 'closed while it was asked' },
    ]);
    await until(async () => (await connections()) === 0, WITHIN);
  });
});

describe('a refund', () => {
  it('is taken in, granted, signed and sent, and told of, by all that stands in its way', async () => {
    const chain = new HandChain(() => Date.now());
    const folder = await mkdtemp(join(tmpdir(), 'offramp-refund-'));
    const sandboxRefundKeysFile = join(folder, 'keys.json');
    await writeFile(sandboxRefundKeysFile, JSON.stringify({ evm: { address: WALLET, secret: SECRET } }));
    const fixture = await RefundFixture.open();
    let offramp: OpenedService<OfframpRoot> | undefined;
    try {
      const deposit = await fixture.deposit(1, 'unapplied');
      // Its block is final. A recheck would not find it on this chain.
      await fixture.db.query('update deposits set recheck_at = null');
      offramp = await openOfframp({
        settings: settingsOf({ CELO: ['http://127.0.0.1:1'] }, { sandboxRefundKeysFile }),
        database: fixture.config,
        eventBus: eventBus,
        jobs: new HandJobs(),
        openReader: async () => reader,
        openOutgoing: async () => chain,
        signerOf: async () => chain.signer,
      });
      await offramp.start();
      const held = fixture.heldEvent(1, deposit);
      await eventBus.deliver({
        ...held,
        data: { ...held.data, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
      });
      await eventBus.deliver(fixture.grantedEvent(1));
      await until(() => chain.broadcasts.length > 0, WITHIN);
      chain.mine();
      await until(async () => (await fixture.state()) === 'confirmed', WITHIN);
      expect(await fixture.kinds()).toEqual(['refund.signed 1_1', 'refund.broadcast 1_2', 'refund.confirmed 1_3']);
    } finally {
      await offramp?.stop();
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    }
  }, 90_000);
});

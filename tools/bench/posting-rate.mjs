// `node posting-rate.mjs <seconds>`: the upper limit below the gateway, as JSON.
// Payments' batched writer commits acceptances into its own durable PostgreSQL: one process, no HTTP, no sealing.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CommitWriter } from '../../apps/payments/dist/commit/commit-writer.js';
import { paymentsMigrations } from '../../apps/payments/dist/commit/migrations.js';
import { add, money, postingLegs, zero } from '../../libs/domain/dist/index.js';
import {
  Database,
  ensureMonthlyPartitions,
  ensureServiceLogins,
  sealRecords,
  startEmbeddedPostgres,
} from '../../libs/persistence/dist/index.js';
import { WakeSignal, createLogger, systemClock, uuidv7 } from '../../libs/runtime/dist/index.js';
import { processorSeconds } from './machine.mjs';

const CLIENTS = [1, 16, 64, 256];
const PARTNERS = [1, 2];
const CURRENCIES = ['KES', 'NGN'];
const WARM_UP_MS = 500;
const PASSWORD = 'of-the-bench-alone-0';

const seconds = Number(process.argv[2] ?? 2);
const log = createLogger('bench', { level: 'warn' });
const folder = await mkdtemp(join(tmpdir(), 'vuka-bench-'));
const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: true, log });
try {
  await ensureServiceLogins(server, 'vuka', [{ name: 'payments', password: PASSWORD }]);
  const db = await Database.connect({
    ...{
      host: server.host,
      port: server.port,
      user: 'vuka_payments',
      password: PASSWORD,
      database: 'vuka',
      schema: 'payments',
    },
    ...{ maxConnections: 4, applicationName: 'bench', migrations: paymentsMigrations },
  });
  await db.migrate();
  for (const table of ['entries', 'transitions', 'outbox']) await ensureMonthlyPartitions(db, table, new Date(), 1);
  const writer = new CommitWriter(db, systemClock, log, new WakeSignal());
  await fund(writer);
  await measure(writer, 16, WARM_UP_MS);
  const results = [];
  for (const clients of CLIENTS) results.push(await measure(writer, clients, seconds * 1_000));
  process.stdout.write(JSON.stringify({ postings: results, seal: await measureSeal(db) }));
  await db.close();
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Processor time for what the runs before have posted. */
async function measureSeal(db) {
  const before = processorSeconds(server.pid, { withChildren: true });
  await sealRecords(db);
  const seconds = processorSeconds(server.pid, { withChildren: true }) - before;
  const [{ blocks, rows }] = await db.query(
    "select count(*)::int as blocks, sum(row_count)::int as rows from seal_blocks where chain = 'ledger'",
  );
  return { blocks, rows, seconds };
}

async function fund(writer) {
  for (const partner of PARTNERS) {
    for (const currency of CURRENCIES) {
      const legs = postingLegs('sandbox_opened', { partner, provider: 'sandbox', amount: money(10n ** 15n, currency) });
      const posting = { reference: `sandbox-opened:${partner}:${currency}`, kind: 'sandbox_opened', legs };
      await writer.commit(
        {
          commitId: uuidv7(),
          transactionId: null,
          expectedSequence: 0,
          transitions: [],
          outbox: [],
          postings: [posting],
        },
        'background',
      );
    }
  }
}

async function measure(writer, clients, ms) {
  const latencies = [];
  const from = performance.now();
  const node = process.cpuUsage();
  const postgres = processorSeconds(server.pid, { withChildren: true });
  const caller = async (index) => {
    for (let turn = index; performance.now() - from < ms; turn += 1) {
      const sentAt = performance.now();
      const { outcome } = await writer.commit(acceptance(turn), 'foreground');
      if (outcome !== 'ok') throw new Error(`an acceptance was ${outcome}`);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => caller(index)));
  const wall = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(node);
  latencies.sort((a, b) => a - b);
  return {
    clients,
    perSecond: latencies.length / wall,
    p50: latencies[latencies.length >> 1],
    p99: latencies[Math.floor(latencies.length * 0.99)],
    nodeShare: (user + system) / 1e6 / wall,
    postgresShare: (processorSeconds(server.pid, { withChildren: true }) - postgres) / wall,
  };
}

/** The same commit as accepting a bank transfer (apps/payments/src/payouts/accept/accept-payout.ts). */
function acceptance(turn) {
  const id = (acceptance.last = (acceptance.last ?? 0) + 1);
  const partner = PARTNERS[turn % PARTNERS.length];
  const currency = CURRENCIES[(turn >> 1) % CURRENCIES.length];
  const amount = money(10_000n, currency);
  const serviceFee = money(currency === 'KES' ? 3_000n : 0n, currency);
  const facts = { partner, amount, serviceFee };
  return {
    commitId: uuidv7(),
    transactionId: id,
    expectedSequence: 0,
    insertion: {
      details: {
        ...{
          id,
          partnerId: partner,
          transactionCode: uuidv7(),
          operation: 'bank_transfer',
          amount,
          fee: zero(currency),
        },
        ...{
          serviceFee,
          callbackUrl: null,
          requestId: uuidv7(),
          traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`,
        },
      },
      destination: {
        kind: 'bank',
        bankCode: '01',
        bankName: 'KCB Bank Kenya',
        mobileNetwork: '',
        sealed: 'x'.repeat(80),
        blindIndex: uuidv7(),
      },
      fingerprint: `v1:${'a'.repeat(43)}`,
    },
    life: {
      ...{
        state: 'ACCEPTED',
        sequence: 1,
        publicSequence: 0,
        attemptNo: 0,
        paidAttemptNo: null,
        message: 'Bank transfer accepted and being processed',
      },
      ...{ failureCode: null, receiptNumber: null, publicName: null, dueAt: new Date(), parkDeadline: null },
    },
    transitions: [{ from: null, to: 'ACCEPTED', event: 'accepted', attemptNo: 0, detail: '' }],
    hold: { open: add(amount, serviceFee), partnerId: partner },
    postings: [{ reference: `payout-held:${id}`, kind: 'payout_held', legs: postingLegs('payout_held', facts) }],
    outbox: [],
  };
}

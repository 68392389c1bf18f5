import type { CallContext } from '@vuka/contracts';
import type { Database } from '@vuka/persistence';
import { createLogger, type ManualClock } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';

import { notifier as definition } from '../notifier.js';
import type { NotifierRoot } from '../notifier.root.js';
import {
  HandJobs,
  HandEventBus,
  Receiver,
  startTestDatabase,
  testCipher,
  testClock,
  transactionEvent,
  type EventFacts,
  type TestDatabase,
} from './notifier.spec-support.js';

const QUEUE = 'notifier.deliver-webhooks';
const context: CallContext = { requestId: 'r', traceparent: '', deadline: Number.MAX_SAFE_INTEGER };

type Told = Omit<EventFacts, 'occurredAt' | 'transactionId'> & { transactionId?: number };

interface Row {
  readonly state: string;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly settled_at: Date | null;
}

/** Event bus and clock are the test's; PostgreSQL is real. */
export class NotifierFixture {
  public db!: Database;
  public notifier!: OpenedService<NotifierRoot>;
  public eventBus!: HandEventBus;
  public jobs!: HandJobs;
  public clock!: ManualClock;
  public logged: string[] = [];
  private database!: TestDatabase;
  private receivers: Receiver[] = [];

  public async open(): Promise<void> {
    this.database = await startTestDatabase();
    this.db = await this.database.connect();
  }

  public close(): Promise<void> {
    return this.database.stop();
  }

  public async begin(): Promise<void> {
    this.clock = testClock();
    this.logged = [];
    this.receivers = [];
    await this.start();
    await this.db.query('truncate deliveries, delivery_attempts, inbox, webhook_secrets');
  }

  public async end(): Promise<void> {
    await this.notifier.stop();
    await Promise.all(this.receivers.map((receiver) => receiver.stop()));
  }

  public async start(
    settings = { env: 'sandbox' as const, webhookAllowPrivate: true, webhookPayloadDays: 30 },
  ): Promise<void> {
    this.eventBus = new HandEventBus();
    this.jobs = new HandJobs();
    const { eventBus, jobs, clock, database } = this;
    const log = createLogger('notifier', {
      level: 'debug',
      destination: { write: (line: string) => void this.logged.push(line) },
    });
    const parts = { settings, database: database.config, eventBus: eventBus, jobs, clock, log, cipher: testCipher };
    this.notifier = await openService(definition, testContext(parts));
    await this.notifier.start();
  }

  public readonly receiver = async (...args: Parameters<typeof Receiver.start>): Promise<Receiver> => {
    const made = await Receiver.start(...args);
    this.receivers.push(made);
    return made;
  };

  public readonly event = (facts: Told): ReturnType<typeof transactionEvent> =>
    transactionEvent({ transactionId: 7, occurredAt: this.clock.now(), ...facts });

  public readonly tell = (facts: Told): Promise<void> => this.eventBus.deliver(this.event(facts));

  public readonly delivery = async (sequence: number, transactionId = 7): Promise<Row | undefined> => {
    const rows = await this.db.query<Row>('select * from deliveries where transaction_id = $1 and sequence = $2', [
      transactionId,
      sequence,
    ]);
    return rows[0];
  };

  public readonly state = async (sequence: number, transactionId = 7): Promise<string | undefined> =>
    (await this.delivery(sequence, transactionId))?.state;

  public readonly attempts = (): Promise<
    { status: number | null; error: string | null; duration_ms: number; attempt: number }[]
  > => this.db.query('select status, error, duration_ms, attempt from delivery_attempts order by delivery_id, attempt');

  public readonly later = async (ms: number): Promise<void> => {
    this.clock.advance(ms);
    await this.jobs.wake(QUEUE);
  };

  public readonly secretOf = async (partner: number): Promise<string> => {
    const answer = await this.notifier.handlers.ensureWebhookSecret({ partner_id: partner }, context);
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value.secret;
  };
}

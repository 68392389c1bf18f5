import { acceptedTokens, chainNamed, type EvmChain } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { createLogger, ManualClock, WakeSignal } from '@vuka/runtime';

import { AddressStore } from '../addresses/address.store.js';
import { ScanStore } from '../incoming-transfers/scan.store.js';
import type { ScannedPage, ToldIncomingTransfer } from '../chains/chain-reader.js';
import {
  hashOf,
  ScriptedReader,
  SENDER,
  startTestDatabase,
  type TestDatabase,
} from '../testing/offramp.spec-support.js';
import { RecordPage } from './record-page.js';
import { ScanChains } from './scan-chains.js';
import { WatchedAddresses } from './watched-addresses.js';

export const NOW = new Date('2026-11-20T10:00:00.000Z');
const CELO = chainNamed('CELO') as EvmChain;
export const USDC = acceptedTokens(CELO).find(({ symbol }) => symbol === 'USDC')!.address;
export const PYUSD = '0x00000000000000000000000000000000000000CC';
export const OURS = [
  '0x00000000000000000000000000000000000000A1',
  '0x00000000000000000000000000000000000000A2',
  '0x00000000000000000000000000000000000000A3',
] as const;

interface Fact extends Partial<Omit<ToldIncomingTransfer, 'block'>> {
  readonly n: number;
  readonly block?: number;
  readonly fork?: string;
}

export const incomingTransfer = ({ n, block = n, fork = 'a', ...over }: Fact): ToldIncomingTransfer => ({
  transactionId: hashOf(n),
  address: OURS[0],
  token: USDC,
  from: SENDER,
  value: 1_000_000n,
  ordinal: 0,
  block: { number: block, hash: `0x${fork.repeat(64)}`, timeMs: NOW.getTime() },
  ...over,
});

export const page = (
  next: string,
  incomingTransfers: readonly ToldIncomingTransfer[],
  isAtHead = false,
  scannedTo: number | null = null,
): ScannedPage => ({ kind: 'page', incomingTransfers, next, isAtHead, scannedTo });

export class ScanFixture {
  public db!: Database;
  public clock = new ManualClock(NOW);
  public reader = new ScriptedReader();
  public lines: Record<string, unknown>[] = [];
  private database!: TestDatabase;

  public readonly log = createLogger('test', {
    destination: { write: (line: string) => void this.lines.push(JSON.parse(line) as Record<string, unknown>) },
  });

  public async open(): Promise<void> {
    this.database = await startTestDatabase();
    this.db = await this.database.connect();
  }

  public close(): Promise<void> {
    return this.database.stop();
  }

  public async reset(): Promise<void> {
    await this.db.query(
      'truncate scan_cursors, incoming_transfers, quarantined_incoming_transfers, deposit_addresses, claims, deposits, order_watches',
    );
    [this.clock, this.reader, this.lines] = [new ManualClock(NOW), new ScriptedReader(), []];
    await this.give(1, OURS[0]);
  }

  public readonly give = (partner: number, address: string): Promise<void> =>
    new AddressStore(this.db).insertUnlessPresent(partner, 'evm', {
      address,
      index: partner,
      keyId: 'key',
      createdAt: NOW,
    });

  public readonly scanner = (
    over: { readonly db?: Pick<Database, 'inTransaction'>; readonly reader?: ScriptedReader } = {},
  ): ScanChains => {
    const { db, clock, log } = this;
    return new ScanChains(
      new ScanStore(db),
      new WatchedAddresses(db),
      new RecordPage(over.db ?? db, { open: async () => false }, new WakeSignal(), clock, log),
      new Map([['CELO', { chain: CELO, reader: over.reader ?? this.reader }]]),
      clock,
      log,
    );
  };

  public readonly round = async (...processes: ScanChains[]): Promise<void> => {
    await Promise.all(processes.map((process) => process.tick()));
    await Promise.all(processes.map((process) => process.drain()));
  };

  public readonly kept = () =>
    this.db.query<{ n: number; block: number; gone: boolean }>(
      `select ('x' || right(transaction_hash, 8))::bit(32)::integer as n, block_number::integer as block, reverted_at is not null as gone from incoming_transfers order by transaction_hash, ordinal`,
    );

  public readonly cursor = async (): Promise<string | null> =>
    (await this.db.query<{ cursor: string | null }>(`select cursor from scan_cursors where chain = 'CELO'`))[0]
      ?.cursor ?? null;

  public readonly codes = (): unknown[] => this.lines.flatMap(({ code }) => (code === undefined ? [] : [code]));
}

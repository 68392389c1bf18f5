import type { ApiClient, SentTransfer, StatusRow } from './api-client.js';
import { checkOutside, key, type OutsideRules, type WalletChange } from './check-outside.js';
import { RailBook } from './rail-book.js';
import { eachOf, until } from './until.js';
import type { VukaProcess } from './vuka-process.js';
import type { WebhookReceiver } from './webhook-receiver.js';

const END_WITHIN_MS = 45_000;
const TOLD_WITHIN_MS = 20_000;
const LOOKUPS_AT_ONCE = 32;
const FAULTS_SHOWN = 20;

/** Watches a Vuka from outside over a suite: begin() before the first transfer, expectSound() at the end. */
export class OutsideChecker {
  private constructor(
    private readonly vuka: VukaProcess,
    private readonly clients: readonly ApiClient[],
    private readonly receiver: WebhookReceiver,
    private readonly before: ReadonlyMap<ApiClient, ReadonlyMap<string, bigint>>,
  ) {}

  static async begin(vuka: VukaProcess, clients: readonly ApiClient[], receiver: WebhookReceiver): Promise<OutsideChecker> {
    const wallets = await Promise.all(clients.map(async (client) => [client, await client.wallets()] as const));
    return new OutsideChecker(vuka, clients, receiver, new Map(wallets));
  }

  /** Waits until everything has ended and been told, then holds all that can be seen against each other. Throws what is wrong. */
  async expectSound(rules: OutsideRules = {}): Promise<{ transactions: number; paid: number }> {
    await this.allEnded();
    // Asked anew: what has ended must stay so.
    const rows = await this.rowsOf(() => true);
    await this.allTold(rows);
    const sent = this.clients.flatMap((client) => client.sent);
    const railBook = await new RailBook(this.vuka).entries();
    const wallets = (await Promise.all(this.clients.map((client) => this.walletChanges(client)))).flat();
    const faults = checkOutside({ sent, rows, railBook, wallets, webhooks: this.receiver.received }, rules);
    if (faults.length > 0) throw new Error(`seen from outside, ${faults.length} faults:\n  ${faults.slice(0, FAULTS_SHOWN).join('\n  ')}`);
    return { transactions: [...rows.values()].filter((row) => row !== null).length, paid: railBook.filter(({ status }) => status === 'PAID').length };
  }

  private async allEnded(): Promise<void> {
    const ended = new Set<string>();
    const look = async (): Promise<true> => {
      const rows = await this.rowsOf((transfer) => !ended.has(key(transfer)));
      for (const [name, row] of rows) if (row === null || row.status === 'COMPLETE' || row.status === 'FAILED') ended.add(name);
      const open = [...rows].filter(([name]) => !ended.has(name));
      if (open.length > 0) throw new Error(`${open.length} have not, the first is ${open[0]?.[0]}: ${open[0]?.[1]?.status}`);
      return true;
    };
    await until(look, { withinMs: END_WITHIN_MS, what: 'every transaction has ended', everyMs: 250 });
  }

  /** What the API says of what was sent, null where it knows nothing. */
  private async rowsOf(isAsked: (transfer: SentTransfer) => boolean): Promise<Map<string, StatusRow | null>> {
    const rows = new Map<string, StatusRow | null>();
    for (const client of this.clients) {
      await eachOf(client.sent.filter(isAsked), LOOKUPS_AT_ONCE, async (transfer) => {
        rows.set(key(transfer), await client.status(transfer.code));
      });
    }
    return rows;
  }

  /** The final webhook of each that has a URL. What does not come is told by the check, with its reason. */
  private async allTold(rows: ReadonlyMap<string, StatusRow | null>): Promise<void> {
    const awaited = this.clients.flatMap((client) => client.sent.filter((transfer) => transfer.callback_url !== undefined && (rows.get(key(transfer)) ?? null) !== null));
    const told = (): boolean => {
      const final = new Set(this.receiver.received.filter(({ payload }) => payload.status === 'COMPLETE' || payload.status === 'FAILED').map(({ partner, payload }) => key({ partner: partner ?? 0, code: payload.transaction_code })));
      return awaited.every((transfer) => final.has(key(transfer)));
    };
    await until(told, { withinMs: TOLD_WITHIN_MS, what: 'every end was told', everyMs: 100 }).catch(() => undefined);
  }

  private async walletChanges(client: ApiClient): Promise<WalletChange[]> {
    const after = await client.wallets();
    const before = this.before.get(client) ?? new Map<string, bigint>();
    return [...new Set([...before.keys(), ...after.keys()])].map((currency) => ({
      partner: client.partner.id,
      currency,
      before: before.get(currency) ?? 0n,
      after: after.get(currency) ?? 0n,
    }));
  }
}

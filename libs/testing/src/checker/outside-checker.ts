import type { ApiClient } from '../partner/api-client.js';
import { chainFact, spelled, type Family } from '../books/chain-facts.js';
import { rankOf, toldOrders } from './check-orders.js';
import { checkAnytime, checkOutside, toldOne } from './check-outside.js';
import { isTo } from './check-payments.js';
import type { DepositView } from './deposit-fate.js';
import type { OrdersView, OutsideRules, OutsideView, RefundView, WalletChange } from './outside-view.js';
import { ProviderBooks } from '../books/provider-book.js';
import { RateRecord } from '../books/rates-in-force.js';
import { readChainBook } from '../books/read-chain-book.js';
import { refundOutflows } from '../books/refund-outflows.js';
import { key, minorOf, type SentPayout } from '../partner/sent-payout.js';
import { orderKey, type SentOrder } from '../partner/sent-order.js';
import type { StatusRow } from '../partner/status-row.js';
import type { SharedPlace } from '../processes/vuka-place.js';
import { eachOf, until } from '../until.js';
import type { VukaProcess } from '../processes/vuka-process.js';
import type { WebhookReceiver } from '../partner/webhook-receiver.js';

const END_WITHIN_MS = 45_000;
/** Applies while transactions keep ending: CI machines share two processors. */
const END_AT_MOST_MS = 140_000;
/** After the last end: webhooks, late second payments and their detection, debt collection. */
const SETTLE_WITHIN_MS = 60_000;
/** Each poll reads all rows, chains and books. More often would take the processor from Vuka. */
const LOOK_EVERY_MS = 1_000;
const LOOKUPS_AT_ONCE = 32;
const FAULTS_SHOWN = 20;

export interface BeginOptions {
  /**
   * On a shared Vuka: checks only these partners' recipients, and writes down what it saw for the check of the whole.
   */
  readonly place?: SharedPlace | null;
}

/** Checks a Vuka from outside: call begin() before the first payout, expectSound() at the end. */
export class OutsideChecker {
  /** By partner. Read once, because addresses never change. */
  private addresses: DepositView['addresses'] | undefined;
  private readonly rates = new RateRecord();

  private constructor(
    private readonly vuka: VukaProcess,
    private readonly clients: readonly ApiClient[],
    private readonly receiver: WebhookReceiver,
    private readonly before: ReadonlyMap<ApiClient, ReadonlyMap<string, bigint>>,
    private readonly place: SharedPlace | null,
  ) {}

  static async begin(
    vuka: VukaProcess,
    clients: readonly ApiClient[],
    receiver: WebhookReceiver,
    { place = null }: BeginOptions = {},
  ): Promise<OutsideChecker> {
    const wallets = await Promise.all(clients.map(async (client) => [client, await client.wallets()] as const));
    const checker = new OutsideChecker(vuka, clients, receiver, new Map(wallets), place);
    // Without chains nobody gets rates.
    if (vuka.chainUrls.size > 0) await checker.noteRates([...new Set(wallets.flatMap(([, held]) => [...held.keys()]))]);
    return checker;
  }

  async expectSound(
    asked: OutsideRules = {},
  ): Promise<{ transactions: number; paid: number; incomingTransfers: number; sentBack: number; orders: number }> {
    const rules = { ...asked, amongOthers: this.place !== null };
    await this.allEnded(rules);
    const { view, faults } = await this.settled(rules);
    if (faults.length > 0)
      throw new Error(`seen from outside, ${faults.length} faults:\n  ${faults.slice(0, FAULTS_SHOWN).join('\n  ')}`);
    this.place?.account(view);
    return {
      transactions: [...view.rows.values()].filter((row) => row !== null).length,
      paid: view.books.filter(({ status }) => status === 'PAID').length,
      incomingTransfers:
        view.deposits?.books.reduce((sum, { incomingTransfers }) => sum + incomingTransfers.length, 0) ?? 0,
      sentBack: view.refunds?.outflows.length ?? 0,
      orders: [...(view.orders?.rows.values() ?? [])].filter((row) => row !== null).length,
    };
  }

  /** One that ended elsewhere will not change; the final check reports it. */
  private async allEnded(rules: OutsideRules): Promise<void> {
    const done = new Set<string>();
    const look = async (): Promise<true> => {
      const rows = await this.rowsOf((payout) => !done.has(key(payout)));
      const deposits = await this.deposits(rules);
      const open: string[] = [];
      for (const payout of this.sent()) {
        const row = rows.get(key(payout));
        if (row === undefined) continue;
        if (row === null || hasEnded(row, toldOne(payout, row, deposits, rules).expected.end)) done.add(key(payout));
        else open.push(`${payout.code}: ${row.status}`);
      }
      const orders = deposits && (await this.orders());
      if (orders)
        open.push(
          ...toldOrders({ orders, deposits }, rules)
            .filter(({ row, fate }) => rankOf(row.status) < 2 && !fate.ends.includes(row.status))
            .map(({ sent, row }) => `order ${sent.id}: ${row.status}`),
        );
      if (open.length > 0) throw new Error(`${open.length} have not, the first is ${open[0]}`);
      return true;
    };
    await until(look, {
      withinMs: END_WITHIN_MS,
      what: 'every transaction has ended',
      everyMs: LOOK_EVERY_MS,
      goesOn: { mark: () => done.size, atMostMs: END_AT_MOST_MS },
    });
  }

  private async settled(rules: OutsideRules): Promise<{ view: OutsideView; faults: readonly string[] }> {
    let seen: { view: OutsideView; faults: readonly string[] } | undefined;
    const look = async (): Promise<boolean> => {
      const view = await this.view(rules);
      const never = checkAnytime(view, rules);
      seen = { view, faults: never.length > 0 ? never : checkOutside(view, rules) };
      return seen.faults.length === 0 || never.length > 0;
    };
    await until(look, { withinMs: SETTLE_WITHIN_MS, what: 'nothing is wrong', everyMs: LOOK_EVERY_MS }).catch(
      (error: unknown) => {
        if (seen === undefined) throw error;
      },
    );
    return seen!;
  }

  private async view(rules: OutsideRules): Promise<OutsideView> {
    // Read again: an ended one must stay as it is.
    const rows = await this.rowsOf(() => true);
    const all = await new ProviderBooks(this.vuka).entries();
    const books = this.place === null ? all : all.filter(isTo(this.sent()));
    const orders = await this.orders();
    const deposits = await this.deposits(rules);
    const refunds = deposits && (await this.refunds());
    const wallets = (await Promise.all(this.clients.map((client) => this.walletChanges(client)))).flat();
    return {
      sent: this.sent(),
      rows,
      books,
      wallets,
      webhooks: this.receiver.received,
      ...(deposits && { deposits }),
      ...(refunds && { refunds }),
      ...(orders && { orders }),
    };
  }

  private async deposits({ rates: told }: OutsideRules): Promise<DepositView | undefined> {
    const named = this.sent().flatMap(({ deposit }) => deposit ?? []);
    const orders = this.sentOrders().filter(({ answers }) => answers.length > 0);
    if (named.length === 0 && orders.length === 0) return undefined;
    this.addresses ??= new Map(
      await Promise.all(
        this.clients.map(async (client) => [client.partner.id, await this.addressesOf(client)] as const),
      ),
    );
    const all = [...this.addresses.values()];
    const books = await Promise.all(
      [...this.vuka.chainUrls].map(([chain, url]) => {
        const { family } = chainFact(chain);
        const ofOrders = orders.flatMap(({ network, answers: [answer] }) =>
          answer === undefined || chainFact(network).family !== family ? [] : spelled(network, answer.address),
        );
        const addresses = [...all.flatMap((one) => one[family] ?? []), ...ofOrders];
        return readChainBook({
          chain,
          url,
          addresses,
          hashes: named.filter((one) => one.chain === chain).map(({ hash }) => hash),
        });
      }),
    );
    await this.noteRates(
      [...new Set([...this.sent().filter(({ deposit }) => deposit), ...orders].map((one) => one.currency))].filter(
        (currency) => told?.has(currency) !== true,
      ),
    );
    return { books, addresses: this.addresses, rates: new Map([...this.rates.rates, ...(told ?? [])]) };
  }

  /** Currencies without a fresh rate are skipped. */
  private async noteRates(currencies: readonly string[]): Promise<void> {
    const [client] = this.clients;
    for (const currency of currencies) {
      const rate = await client?.buyingRate(currency).catch(() => undefined);
      if (rate !== undefined) this.rates.note(currency, rate, Date.now());
    }
  }

  /** Read after the rows: what they call sent has left by then. */
  private async refunds(): Promise<RefundView> {
    const asked = this.clients.flatMap(({ refunds }) => refunds);
    const recipients = new Map<string, string[]>();
    const named = [
      ...asked.map(({ chain, to, told }) => [chain, told?.address ?? to] as const),
      ...this.sent().map(({ deposit }) => [deposit?.chain ?? '', deposit?.refundTo] as const),
    ];
    for (const [chain, to] of named) if (to) recipients.set(chain, [...(recipients.get(chain) ?? []), to]);
    return { asked, outflows: await refundOutflows(this.vuka, recipients) };
  }

  private async addressesOf(client: ApiClient): Promise<Partial<Record<Family, string>>> {
    const addresses: Partial<Record<Family, string>> = {};
    for (const chain of this.vuka.chainUrls.keys()) {
      const { family } = chainFact(chain);
      addresses[family] ??= spelled(chain, await client.settlementAddress(chain));
    }
    return addresses;
  }

  private async orders(): Promise<OrdersView | undefined> {
    const sent = this.sentOrders();
    if (sent.length === 0) return undefined;
    const rows = new Map<string, Awaited<ReturnType<ApiClient['orders']['status']>>>();
    const credits: OrdersView['credits'][number][] = [];
    const entries: OrdersView['entries'][number][] = [];
    for (const client of this.clients) {
      const {
        partner: { id: partner },
        orders,
      } = client;
      await eachOf(orders.sent, LOOKUPS_AT_ONCE, async (order) =>
        rows.set(orderKey(order), await orders.status(order.id)),
      );
      const own = (await client.listed<StatusRow>('/v1/transactions'))
        .filter(({ type }) => type === 'CHECKOUT')
        .map((row) => ({ partner, row }));
      credits.push(...own);
      for (const currency of new Set(own.map(({ row }) => row.currency_code))) {
        const lines = await client.listed<{ kind: string; transaction_code: string; amount: string }>(
          '/account/statement',
          { currency },
        );
        entries.push(
          ...lines
            .filter(({ kind }) => kind === 'checkout')
            .map(({ kind, transaction_code: code, amount }) => ({
              partner,
              currency,
              code,
              kind,
              amount: minorOf(amount, currency),
            })),
        );
      }
    }
    return { sent, rows, credits, entries, at: new Date() };
  }

  private sentOrders(): SentOrder[] {
    return this.clients.flatMap(({ orders }) => orders.sent);
  }

  private sent(): SentPayout[] {
    return this.clients.flatMap((client) => client.sent);
  }

  private async rowsOf(isAsked: (payout: SentPayout) => boolean): Promise<Map<string, StatusRow | null>> {
    const rows = new Map<string, StatusRow | null>();
    for (const client of this.clients) {
      await eachOf(client.sent.filter(isAsked), LOOKUPS_AT_ONCE, async (payout) => {
        rows.set(key(payout), await client.status(payout.code));
      });
    }
    return rows;
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

function hasEnded({ status }: StatusRow, end: string): boolean {
  return (
    status === end || status === 'FAILED' || status === 'REVERSED' || (status === 'COMPLETE' && end !== 'REVERSED')
  );
}

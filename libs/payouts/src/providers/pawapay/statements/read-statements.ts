import type { Clock } from '@vuka/runtime';

import type { Float } from '../../../payout-provider.js';
import type { ProviderCall, ProviderReply } from '../../../provider-http.js';
import { MAX_TEXT, providerText } from '../../../provider-text.js';
import type { StatementPage } from '../../../statement-provider.js';
import { walletName } from '../floats.js';
import { PAWAPAY_NETWORKS } from '../networks.js';
import { readBalances } from '../wallet-balances.js';
import { readInitiation, readState } from './answers.js';
import { readCsv } from './csv.js';
import { afterFailure, afterReading, readCursor, type StatementCursor, writeCursor } from './cursor.js';
import type { StatementDownload } from './download.js';
import { StatementLines } from './lines.js';

const MINUTE = 60;
/** Of one wallet. */
const EVERY = 15 * MINUTE;
/** [D] a statement may be 20 minutes behind, in an older copy 60. What was read is read again for longer, so that late lines are not lost. */
const OVERLAP = 90 * MINUTE;
/** [D] a statement covers 31 days at most. A busy wallet's must not be too long to be read. */
const WINDOW = 24 * 60 * MINUTE;
/** [U] pawaPay says of no time. */
const MADE_WITHIN = 60 * MINUTE;
/** Failures of one wallet in a row before people hear of it. */
const PATIENCE = 3;

export interface StatementSurroundings {
  readonly call: (method: 'GET' | 'POST', path: string, call?: ProviderCall) => Promise<ProviderReply>;
  readonly download: StatementDownload;
  readonly floats: readonly Float[];
  readonly clock: Clock;
  /** How far back the first statement of a wallet goes. */
  readonly beginsBackMs: number;
  /** [U] whether pawaPay takes a request without one. */
  readonly callbackUrl?: string;
}

interface Wallet {
  /** `<wallet> <currency>`. */
  readonly name: string;
  readonly currency: string;
  /** Where pawaPay has it. */
  readonly country: string;
  /** '': the wallet is of the country. */
  readonly provider: string;
}

/**
 * pawaPay makes statements on demand: one call asks for the one of the wallet that was read longest ago, later ones
 * ask whether it is made, and read it. Each makes two requests at most.
 */
export class PawapayStatements {
  private readonly wallets: readonly Wallet[];

  constructor(private readonly around: StatementSurroundings) {
    this.wallets = PAWAPAY_NETWORKS.flatMap(({ countryCode, country, currency, provider }) =>
      ['', provider].map((own) => ({
        name: `${walletName(countryCode, own)} ${currency}`,
        currency,
        country,
        provider: own,
      })),
    );
  }

  page(text: string | null): Promise<StatementPage | null> {
    const cursor = readCursor(text);
    return cursor.asked === null ? this.askForOldest(cursor) : this.readAsked(cursor, cursor.asked);
  }

  private async askForOldest(cursor: StatementCursor): Promise<StatementPage | null> {
    const now = this.now();
    if (Object.keys(cursor.read).length > 0 && dueIn(cursor, now) === undefined) return nothing(cursor);
    const known = await this.withWallets(cursor);
    const name = known && dueIn(known, now);
    if (known === null) return null;
    const wallet = this.wallets.find((one) => one.name === name);
    if (wallet === undefined) return nothing(known);
    const from = Math.max(0, (known.read[wallet.name] ?? now) - OVERLAP);
    const to = Math.min(now, from + OVERLAP + WINDOW);
    const { callbackUrl } = this.around;
    const { country, currency, provider } = wallet;
    const body = {
      wallet: { country, currency, ...(provider !== '' && { provider }) },
      startDate: dateOf(from),
      endDate: dateOf(to),
      compressed: false,
      ...(callbackUrl !== undefined && { callbackUrl }),
    };
    const answer = readInitiation(await this.around.call('POST', '/v2/statements', { body }));
    if ('failure' in answer) return this.failed(known, wallet.name, answer.failure);
    return nothing({ ...known, asked: { wallet: wallet.name, to, id: answer.id, at: now } });
  }

  /** The wallets that the account has; null: it does not tell. What is new begins some days back. */
  private async withWallets({ read, failed, asked }: StatementCursor): Promise<StatementCursor | null> {
    const { call, clock, beginsBackMs, floats } = this.around;
    const told = readBalances(await call('GET', '/v2/wallet-balances'), clock.now());
    if (told.outcome === 'failed') return null;
    const ours = told.balances.filter(({ wallet, amount }) =>
      floats.some((one) => one.wallet === wallet && one.currency === amount.currency),
    );
    const names = ours.map(({ wallet, amount }) => `${wallet} ${amount.currency}`);
    const begin = Math.max(0, this.now() - Math.floor(beginsBackMs / 1_000));
    return {
      read: Object.fromEntries(names.map((name) => [name, read[name] ?? begin])),
      failed: Object.fromEntries(Object.entries(failed).filter(([name]) => names.includes(name))),
      asked,
    };
  }

  private async readAsked(
    cursor: StatementCursor,
    { wallet, id, at }: NonNullable<StatementCursor['asked']>,
  ): Promise<StatementPage | null> {
    const { call, download } = this.around;
    const state = readState(await call('GET', `/v2/statements/${encodeURIComponent(id)}`), id);
    const isLate = this.now() - at >= MADE_WITHIN;
    if (state.is === 'gone') return this.failed(cursor, wallet, state.why);
    if (state.is !== 'made' && isLate) return this.failed(cursor, wallet, 'it is not made within an hour');
    if (state.is === 'not_told') return null;
    if (state.is === 'in_the_making') return nothing(cursor);
    const file = await download.get(state.url);
    if ('failure' in file) return this.failed(cursor, wallet, file.failure);
    const lines = new StatementLines(wallet.slice(wallet.indexOf(' ') + 1));
    const fault = await readCsv(file.bytes, (line) => lines.add(line));
    if (fault !== null) return this.failed(cursor, wallet, fault);
    return { ...lines.page(), next: writeCursor(afterReading(cursor)), more: false };
  }

  private failed(cursor: StatementCursor, wallet: string, why: string): StatementPage {
    const next = afterFailure(cursor, wallet, this.now());
    const times = next.failed[wallet]?.times ?? 0;
    const trouble = providerText(`${wallet}, ${times} times: ${why}`, MAX_TEXT.detail);
    return { ...nothing(next), ...(times >= PATIENCE && { trouble }) };
  }

  private now(): number {
    return Math.floor(this.around.clock.now().getTime() / 1_000);
  }
}

/** The one that was read longest ago; undefined: none is due. */
function dueIn({ read, failed }: StatementCursor, now: number): string | undefined {
  return Object.entries(read)
    .filter(([name, at]) => now - at >= EVERY && now - (failed[name]?.at ?? 0) >= EVERY)
    .sort(([, one], [, other]) => one - other)[0]?.[0];
}

function nothing(cursor: StatementCursor): StatementPage {
  return { entries: [], next: writeCursor(cursor), more: false };
}

/** [D] as their example writes it, in UTC and without the zone. */
function dateOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 19);
}

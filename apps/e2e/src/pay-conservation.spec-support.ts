import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import {
  chainFact,
  destinationIn,
  tokenNamed,
  until,
  type ApiClient,
  type Family,
  type PayBody,
  type RateInForce,
} from '@vuka/testing';

/** From 0 up to 1, by seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Per currency: amounts, and the market's middle rate in hundredths. */
const MARKETS = [
  { currency: 'KES', amount: 1_000, mid: 12_935 },
  { currency: 'NGN', amount: 10_000, mid: 146_500 },
  { currency: 'MWK', amount: 15_000, mid: 173_300 },
] as const;
const HUNDREDTHS = 100;
const RATE_DECIMALS = 4;
/** Our margin, in per cent of the rate. */
const SPREAD_PERCENT = 1;
const MOST_STEP = 0.02;

/** A rate source that changes each time, by less than the sanity limit. */
export class MovingRates {
  /** Buying rates with their times, by currency: offramp's result for each middle rate. */
  readonly told = new Map<string, RateInForce[]>(MARKETS.map(({ currency }) => [currency, []]));
  private readonly mids = new Map<string, number>(MARKETS.map(({ currency, mid }) => [currency, mid]));

  private constructor(
    private readonly server: Server,
    private readonly random: () => number,
  ) {}

  static async start(random: () => number): Promise<MovingRates> {
    const server = createServer();
    const rates = new MovingRates(server, random);
    server.on('request', (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          at: new Date().toISOString(),
          rates: rates.next(),
          pegs: { USDC: '0.9999', USDT: '1.0001', CUSD: '1' },
        }),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return rates;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private next(): Record<string, string> {
    const now = Date.now();
    return Object.fromEntries(
      [...this.mids].map(([currency, mid]) => {
        const moved = Math.round(mid * (1 + (2 * this.random() - 1) * MOST_STEP));
        this.mids.set(currency, moved);
        this.note(currency, decimal(BigInt(moved) * BigInt(HUNDREDTHS - SPREAD_PERCENT), RATE_DECIMALS), now);
        return [currency, decimal(BigInt(moved), 2)];
      }),
    );
  }

  private note(currency: string, rate: string, from: number): void {
    const rates = this.told.get(currency) ?? [];
    const last = rates.pop();
    rates.push(...(last === undefined ? [] : [{ ...last, until: from }]), { rate, from, until: Infinity });
  }
}

export interface Dealt {
  readonly chain: string;
  readonly asset: string;
  /** Minor units. */
  readonly value: bigint;
  /** With a quote: send so much less than it asks for; negative: more. */
  readonly lacks: bigint | null;
  readonly to: string;
  readonly owner: ApiClient;
  /** Nobody of ours has the recipient's address. */
  readonly isBeyond: boolean;
  /** Its owner asks for it back to this address, whatever its state; null: never. */
  readonly askedBackTo: string | null;
  readonly claims: readonly {
    readonly client: ApiClient;
    readonly currency: string;
    readonly body: Omit<PayBody, 'transaction_hash'>;
  }[];
}

const TOKENS = [
  ['CELO', 'USDC'],
  ['CELO', 'USDT'],
  ['CELO', 'CUSD'],
  ['BNB', 'USDT'],
  ['BNB', 'USDC'],
  ['SOLANA', 'USDC'],
  ['SOLANA', 'USDT'],
  ['STELLAR', 'USDC'],
] as const;
export const NOBODY: Readonly<Record<Family, string>> = {
  evm: '0x1111111111111111111111111111111111111111',
  solana: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  stellar: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
};
/** Most are paid; others fail both ways, are reversed, or lack a name. */
const NUMBERS = ['7890', '7890', '7890', '7890', '7890', '7890', '0000', '0001', '0005', '0006'];

/** What partners and strangers do: mostly right, sometimes anything else. */
export class Dealer {
  constructor(
    private readonly random: () => number,
    private readonly addresses: ReadonlyMap<ApiClient, ReadonlyMap<string, string>>,
    private readonly callbackUrl: string,
  ) {}

  deal(name: string): Dealt {
    const { random } = this;
    const [chain, asset] = this.oneOf(TOKENS);
    const market = this.oneOf(MARKETS);
    const [owner, other] = this.shuffled([...this.addresses.keys()]) as [ApiClient, ApiClient];
    const isBeyond = random() >= 0.92;
    const to = isBeyond ? NOBODY[chainFact(chain).family] : (this.addresses.get(owner)?.get(chain) ?? '');
    const claim = (client: ApiClient, suffix: string): Dealt['claims'][number] => ({
      client,
      currency: market.currency,
      body: this.body(chain, asset, market, `${name}${suffix}`),
    });
    const isQuoted = random() < 0.25;
    const claims = [
      ...(isQuoted || random() < 0.95 ? [claim(owner, '')] : []),
      ...(random() < 0.1 ? [claim(other, '-other')] : []),
      ...(random() < 0.1 ? [claim(owner, '-again')] : []),
    ];
    // Up to the tolerance may be missing; more than the quote and tolerance is unused.
    const unit = unitOf(chain, asset);
    const lacks = !isQuoted ? null : random() < 0.3 ? -this.share(20n * unit) : this.share(unit / 50n);
    const value = this.value(chain, asset, market);
    const askedBackTo = random() < 0.3 ? NOBODY[chainFact(chain).family] : null;
    return { chain, asset, value, lacks, to, isBeyond, owner, askedBackTo, claims };
  }

  /** Too little, almost nothing, about enough, far more; with all decimals. */
  private value(chain: string, asset: string, { amount, mid }: (typeof MARKETS)[number]): bigint {
    const due = (BigInt(amount * HUNDREDTHS) * unitOf(chain, asset)) / BigInt(mid);
    const dealt = this.random();
    if (dealt < 0.03) return 1n + BigInt(Math.floor(this.random() * 5));
    if (dealt < 0.12) return 1n + this.share(due);
    if (dealt < 0.25) return due + this.share(due / 10n);
    if (dealt < 0.3) return due + this.share(1_000n * due);
    return due + this.share(due);
  }

  private share(of: bigint): bigint {
    return (of * BigInt(Math.floor(this.random() * 1e9))) / 1_000_000_000n;
  }

  private body(
    chain: string,
    asset: string,
    { currency, amount }: (typeof MARKETS)[number],
    reference: string,
  ): Omit<PayBody, 'transaction_hash'> {
    const { random } = this;
    const other = asset === 'USDC' ? 'USDT' : 'USDC';
    const named = random() < 0.5 ? asset : random() < 0.1 && tokenNamed(chain, other) !== undefined ? other : '';
    return {
      ...destinationIn(currency, 'bank', this.oneOf(NUMBERS)),
      amount,
      chain,
      asset: named,
      reference,
      ...(random() < 0.3 && { fee: Math.floor((random() * amount) / 4) }),
      ...(random() < 0.2 && { refund_address: NOBODY[chainFact(chain).family] }),
      ...(random() < 0.25 && { callback_url: this.callbackUrl }),
    };
  }

  private oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  private shuffled<T>([one, other]: readonly T[]): readonly T[] {
    return (this.random() < 0.5 ? [one, other] : [other, one]) as T[];
  }
}

export async function priced(deal: Dealt): Promise<Dealt> {
  const [first, ...others] = deal.claims;
  if (deal.lacks === null || first === undefined) return deal;
  const { chain, asset } = deal;
  // A busy machine may have no price for a moment.
  const quote = await until(() => first.client.quote(first.currency, { amount: first.body.amount, chain, asset }), {
    withinMs: 60_000,
    what: 'a quote',
    everyMs: 250,
  });
  const body = { ...first.body, asset: '', quote_id: quote.quote_id };
  return {
    ...deal,
    value: BigInt(quote.asset_amount.replace('.', '')) - deal.lacks,
    claims: [{ ...first, body }, ...others],
  };
}

export function wholeOf({ chain, asset, value }: Dealt): string {
  return decimal(value, tokenNamed(chain, asset)?.decimals ?? 0);
}

const unitOf = (chain: string, asset: string): bigint => 10n ** BigInt(tokenNamed(chain, asset)?.decimals ?? 0);

function decimal(minor: bigint, decimals: number): string {
  const digits = minor.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

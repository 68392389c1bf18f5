import { type AmountLimits, CURRENCIES, type Carrier, type Corridor, type Currency, parseDecimal } from '@vuka/domain';
import type { Clock, MonotonicClock } from '@vuka/runtime';
import { z } from 'zod';

import type { KeptValues } from './kept-values.js';
import type { ConnectedProvider, ProviderCapabilities, SandboxPayoutControl } from './payout-provider.js';

const COUNTRIES = Object.values<Currency>(CURRENCIES).map(({ country }) => country);

/** Without a password, which would stand in logs, and without a query. */
const isPlainAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ''
  );
};

/** Members that every provider has in the providers file. A factory adds its own. */
export const PROVIDER_ROW = {
  id: z.string(),
  base_url: z
    .string()
    .max(2_000)
    .refine(isPlainAddress, 'must be an http or https address without user, password, query and fragment'),
  /** Name of its secret in the secrets file. */
  secret: z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/, 'must be 1 to 41 of a-z, 0-9, _ and -, the first a letter'),
  /** Where its contract lets us pay. ISO 3166-1 alpha-2. */
  countries: z.array(z.enum(COUNTRIES as [string, ...string[]])).min(1),
  /** Whether it takes money that came as stablecoin. `consent`: it does, and has said so to us in writing. */
  accepts_stablecoin_funds: z.enum(['yes', 'consent', 'no', 'unknown']),
};

export interface ProviderRow extends Omit<z.output<z.ZodObject<typeof PROVIDER_ROW>>, 'countries'> {
  readonly countries: readonly string[];
  /** An option of those that may pay after all what they had called not paid. */
  readonly refund_safe_after_ms?: number | undefined;
}

/** From the secrets file. */
export interface ProviderSecret {
  readonly credential: string;
  /** Of its callback URL; [] where nothing called back is taken. The current one first, then the one before it. */
  readonly callbackTokens: readonly string[];
  /** What it signs its requests to us with, where that is not the credential. The current one first, then the one before it. */
  readonly signingSecrets?: readonly string[];
}

export interface ProviderSurroundings {
  readonly env: 'sandbox' | 'live';
  readonly clock: Clock & MonotonicClock;
  readonly kept: KeptValues;
  /** Providers call this process: back, and for approval. Default false: it needs no secret of such calls. */
  readonly isCalledBack?: boolean;
  /** Tests only. */
  readonly testRefundSafeMs?: number;
}

export interface OpenedProvider {
  readonly provider: ConnectedProvider;
  /** The sandbox's own. */
  readonly control?: SandboxPayoutControl & { close(): Promise<void> };
}

/** One corridor that a provider can pay, and within what. */
export type CarriedCorridor = Corridor & Omit<Carrier, 'provider'>;

/** One provider that is built in. */
export interface ProviderFactory<R extends ProviderRow = ProviderRow> {
  /** Of its row in the providers file: PROVIDER_ROW and its own options. */
  readonly row: z.ZodType<R>;
  /** It pays nobody: live refuses it. */
  readonly isPlayMoney: boolean;
  /** Its test system, which pays nobody. Live refuses it; the sandbox calls no other system of this provider. */
  readonly testHosts: readonly string[];
  /**
   * Where test and live share one host: credentials of the test mode, which pays nobody. Live refuses them; the sandbox
   * takes no other ones to a system that is not ours.
   */
  readonly testCredential?: RegExp;
  /** Without these it pays nothing, such as one that asks for approval. Live wants them where providers call. */
  readonly needsOfCalls?: readonly ('signingSecrets' | 'callbackTokens')[];
  /** Banks that its map of bank codes lacks are in none. Of `{}`: what is published, for the documentation. */
  carries(row: Partial<R>): readonly CarriedCorridor[];
  /** The first call connects. */
  open(row: R, secret: ProviderSecret, around: ProviderSurroundings): OpenedProvider;
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without members that are undefined. */
export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** null: not both are amounts, or the least is above the most. */
export function limitsBetween(
  { min, max }: { readonly min: string; readonly max: string },
  decimals: number,
): AmountLimits | null {
  const [least, most] = [parseDecimal(min, decimals), parseDecimal(max, decimals)];
  if (!least.ok || !most.ok || least.value > most.value) return null;
  return { minMinor: least.value, maxMinor: most.value };
}

interface CapabilityOptions {
  readonly callTimeoutMs?: number | undefined;
  readonly maxConnections?: number | undefined;
  readonly dedupesForMs?: number | null | undefined;
  readonly notFoundProvesAfterMs?: number | null | undefined;
  readonly refundSafeAfterMs?: number | undefined;
}

/** What is published, and instead of it what the row sets. */
export function capabilitiesWith(
  published: ProviderCapabilities,
  { callTimeoutMs, maxConnections, dedupesForMs, notFoundProvesAfterMs, refundSafeAfterMs }: CapabilityOptions,
): ProviderCapabilities {
  return {
    ...published,
    // A submit that waits for a connection may end as unknown, and was never sent.
    ...present({ callTimeoutMs, callsAtOnce: maxConnections, dedupesForMs, notFoundProvesAfterMs, refundSafeAfterMs }),
  };
}

import type { WalletId } from './book/wallets.js';

/** A fee on each payment: so many hundredths and so many hundredths of a percent. What pawaPay takes is a matter of contract [U]. */
export interface Fee {
  readonly fixedHundredths: bigint;
  readonly basisPoints: bigint;
}

export interface CallbackSettings {
  /** null: none configured; the merchant polls. */
  readonly url: string | null;
  readonly signed: boolean;
  /** RFC 9421 asks for raw; pawaPay's own samples are DER [I]. Adapters must read both. */
  readonly encoding: 'der' | 'raw';
  readonly digest: 'sha-256' | 'sha-512';
  /** When it is tried again, from the first time on, while it is not answered 2xx. All within 15 minutes [D], the steps are ours [U]. */
  readonly retryAfterMs: readonly number[];
  readonly timeoutMs: number;
}

export interface StatementSettings {
  readonly generationMs: number;
  /** The newest that a statement knows is so old: up to 20 minutes [D]. */
  readonly delayMs: number;
  /** A link to the file ends after this [D: one day]. */
  readonly linkMs: number;
}

export interface PawapaySettings {
  readonly companyName: string;
  /** Documented is UUIDv4 [D]. Whether others are refused is unconfirmed [U]: refusing finds the adapter that relies on it. */
  readonly payoutIds: 'v4' | 'any';
  /** HTTP status of a wrong token: 403 by the table of codes, 401 by the API reference, both [D]. */
  readonly wrongTokenStatus: 401 | 403;
  /** A slow answer is held back for so long, by the machine's clock. */
  readonly holdMs: number;
  /** What each wallet opens with, as a decimal string. */
  readonly opening: string;
  /** Besides one wallet for each country and currency. */
  readonly providerWallets: readonly WalletId[];
  /** By provider; `default` for all others. */
  readonly fees: Readonly<Record<string, Fee>>;
  readonly callbacks: CallbackSettings;
  readonly statements: StatementSettings;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const DEFAULT_SETTINGS: PawapaySettings = {
  companyName: 'Simulated Merchant',
  payoutIds: 'v4',
  wrongTokenStatus: 403,
  holdMs: 10 * SECOND_MS,
  opening: '100000000.00',
  providerWallets: [],
  fees: {},
  callbacks: {
    url: null,
    signed: true,
    encoding: 'der',
    digest: 'sha-512',
    retryAfterMs: [
      10 * SECOND_MS,
      30 * SECOND_MS,
      MINUTE_MS,
      2 * MINUTE_MS,
      5 * MINUTE_MS,
      10 * MINUTE_MS,
      14 * MINUTE_MS,
    ],
    timeoutMs: 5 * SECOND_MS,
  },
  statements: { generationMs: 2 * SECOND_MS, delayMs: 0, linkMs: 24 * 60 * MINUTE_MS },
};

export type SettingsInput = Partial<Omit<PawapaySettings, 'callbacks' | 'statements'>> & {
  readonly callbacks?: Partial<CallbackSettings>;
  readonly statements?: Partial<StatementSettings>;
};

export function settingsOf(input: SettingsInput = {}): PawapaySettings {
  return {
    ...DEFAULT_SETTINGS,
    ...input,
    callbacks: { ...DEFAULT_SETTINGS.callbacks, ...input.callbacks },
    statements: { ...DEFAULT_SETTINGS.statements, ...input.statements },
  };
}

export function feeOf({ fees }: PawapaySettings, provider: string, amount: bigint): bigint {
  const fee = fees[provider] ?? fees['default'];
  return fee === undefined ? 0n : fee.fixedHundredths + (amount * fee.basisPoints) / 10_000n;
}

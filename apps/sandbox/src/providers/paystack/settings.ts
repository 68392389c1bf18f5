const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

export interface WebhookSettings {
  /** null: none configured; the merchant polls. */
  readonly url: string | null;
  /** Both spellings are in their samples [D]; the older, and most of them, has created_at. */
  readonly spelling: 'camel' | 'snake';
  /** When it is tried again, from the first time on, while it is not answered 200. */
  readonly retryAfterMs: readonly number[];
  readonly timeoutMs: number;
}

export interface ApprovalSettings {
  /** Asked before a transfer is released; null: no approval is asked for. */
  readonly url: string | null;
  /** Nested under data.transfers, as an integrator logged it, or as a flat body [I]. */
  readonly form: 'nested' | 'flat';
  /** Integrators have seen it unsigned [I]. */
  readonly signed: boolean;
  readonly timeoutMs: number;
}

export interface PaystackSettings {
  readonly businessName: string;
  /** The account wants an OTP for each transfer. */
  readonly otp: boolean;
  readonly otpCode: string;
  /** a-z, 0-9, - and _, 16 to 50 of them [D]. Their own samples have capitals: `any` takes those. */
  readonly references: 'strict' | 'any';
  /** How a used reference is answered: 400 with its own code [I], or 404 without, as the sample of bulk transfers [D]. */
  readonly duplicateAs: '400' | '404';
  /** A slow answer is held back for so long, by the machine's clock. */
  readonly holdMs: number;
  /** What the balance of each currency opens with, in minor units. */
  readonly openingMinor: bigint;
  /** Of each transfer, in minor units, by currency; `default` for all others. What Paystack takes depends on the country. */
  readonly feesMinor: Readonly<Record<string, bigint>>;
  readonly webhooks: WebhookSettings;
  readonly approval: ApprovalSettings;
}

/** Live: every three minutes for the first four tries, then hourly for 72 hours [D]. */
const LIVE_RETRIES: readonly number[] = [
  ...[1, 2, 3].map((n) => n * 3 * MINUTE_MS),
  ...Array.from({ length: 71 }, (_, index) => 9 * MINUTE_MS + (index + 1) * HOUR_MS),
];
/** Test: hourly, for ten hours by one page and 72 by another [D]. */
export const TEST_RETRIES: readonly number[] = Array.from({ length: 10 }, (_, index) => (index + 1) * HOUR_MS);

export const DEFAULT_SETTINGS: PaystackSettings = {
  businessName: 'Simulated Merchant',
  otp: false,
  otpCode: '123456',
  references: 'strict',
  duplicateAs: '400',
  holdMs: 10 * SECOND_MS,
  openingMinor: 100_000_000_00n,
  feesMinor: {},
  webhooks: { url: null, spelling: 'snake', retryAfterMs: LIVE_RETRIES, timeoutMs: 5 * SECOND_MS },
  approval: { url: null, form: 'nested', signed: false, timeoutMs: 5 * SECOND_MS },
};

export type SettingsInput = Partial<Omit<PaystackSettings, 'webhooks' | 'approval'>> & {
  readonly webhooks?: Partial<WebhookSettings>;
  readonly approval?: Partial<ApprovalSettings>;
};

export function settingsOf(input: SettingsInput = {}): PaystackSettings {
  return {
    ...DEFAULT_SETTINGS,
    ...input,
    webhooks: { ...DEFAULT_SETTINGS.webhooks, ...input.webhooks },
    approval: { ...DEFAULT_SETTINGS.approval, ...input.approval },
  };
}

export function feeOf({ feesMinor }: PaystackSettings, currency: string): bigint {
  return feesMinor[currency] ?? feesMinor['default'] ?? 0n;
}

export interface WebhookSettings {
  /** null: none configured; the merchant polls. */
  readonly url: string | null;
  /** When it is tried again, from the first time on, while it is not answered 200: every 10 minutes, 10 times in all [D]. */
  readonly retryAfterMs: readonly number[];
  readonly timeoutMs: number;
}

export interface ApprovalSettings {
  /** null: the account does not ask. */
  readonly url: string | null;
  /**
   * What Chapa-Signature is made of. Integrators check the body; an older text of the documents has the secret signed with itself,
   * which would be constant [U].
   */
  readonly signs: 'body' | 'secret';
  /** No answer within this is a refusal. How long Chapa waits is unconfirmed [U]. */
  readonly timeoutMs: number;
}

export interface ChapaSettings {
  /**
   * A reference that was used: the table of texts refuses it [D]. How long, and whether also while the first is under way, nobody
   * has shown [U].
   */
  readonly repeats: 'refused' | 'paid_again';
  /** HTTP status of verify for a reference that is unknown: 404 or 400 [U]. */
  readonly notFoundStatus: 400 | 404;
  /** A slow answer is held back for so long, by the machine's clock. */
  readonly holdMs: number;
  /** What the balance opens with, as a decimal string. */
  readonly opening: string;
  /** Of each transfer; what Chapa takes is a matter of contract [U]. */
  readonly chargeHundredths: bigint;
  readonly webhooks: WebhookSettings;
  readonly approval: ApprovalSettings;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const RETRIES = 9;

export const DEFAULT_SETTINGS: ChapaSettings = {
  repeats: 'refused',
  notFoundStatus: 404,
  holdMs: 10 * SECOND_MS,
  opening: '10000000.00',
  chargeHundredths: 0n,
  webhooks: {
    url: null,
    retryAfterMs: Array.from({ length: RETRIES }, (_, index) => (index + 1) * 10 * MINUTE_MS),
    timeoutMs: 5 * SECOND_MS,
  },
  approval: { url: null, signs: 'body', timeoutMs: 5 * SECOND_MS },
};

export type SettingsInput = Partial<Omit<ChapaSettings, 'webhooks' | 'approval'>> & {
  readonly webhooks?: Partial<WebhookSettings>;
  readonly approval?: Partial<ApprovalSettings>;
};

export function settingsOf(input: SettingsInput = {}): ChapaSettings {
  return {
    ...DEFAULT_SETTINGS,
    ...input,
    webhooks: { ...DEFAULT_SETTINGS.webhooks, ...input.webhooks },
    approval: { ...DEFAULT_SETTINGS.approval, ...input.approval },
  };
}

import type { NameQuestion } from '@vuka/payouts';

export type ProviderQuestion = Omit<NameQuestion, 'timeoutMs'>;

/** With less time left no provider is asked. */
export const WORTH_ASKING_MS = 50;

import type { PaystackSettings } from '../settings.js';

/** Whose transfers they are. */
export interface Account {
  /** sk_test_… or sk_live_…: bearer of calls, and key of signatures. */
  readonly secret: string;
  readonly settings: PaystackSettings;
}

export const isLive = ({ secret }: Account): boolean => secret.startsWith('sk_live_');

import { WALLET_CURRENCIES } from '@vuka/domain';

/** For examples: any wallet currency. */
export const ANY = WALLET_CURRENCIES[0] ?? '';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly value: string;
  readonly help: string;
}

export interface CommandHelp {
  readonly summary: string;
  readonly positional: string | null;
  readonly usage: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly words: readonly string[];
  readonly examples: readonly string[];
}

export const REASON: Option = { type: 'string', value: '"…"', help: 'why, and where the proof can be seen' };
export const BY: Option = { type: 'string', value: 'NAME', help: 'your name, for the audit record' };

import type { AuditEntriesWanted, FloatMovementView } from '@vuka/admin';
import { ACT_SOURCES } from '@vuka/data-folder';

import { actIn, nameIn, numberOf, sentenceIn, textIn, WrongUsage, type Words } from './command-words.js';
import type { MONEY_COMMANDS } from './money-commands.js';
import { given, partnerIn, type PartnerWord } from './partner-words.js';

export type MoneyCommandName = keyof typeof MONEY_COMMANDS;

type MovementKind = FloatMovementView['kind'];

interface AuditEntry {
  readonly by: string;
  readonly reason: string;
}

export type MoneyCommand =
  | ({
      readonly name: 'fund' | 'debit';
      readonly partner: PartnerWord;
      readonly currency: string;
      readonly amount: string;
    } & AuditEntry)
  | {
      readonly name: 'adjustments';
      readonly partnerId: number | null;
      readonly open: boolean;
      readonly before: number | null;
    }
  | ({ readonly name: 'approve-adjustment' | 'withdraw-adjustment'; readonly adjustmentId: number } & AuditEntry)
  | FloatMoveCommand
  | { readonly name: 'float-movements'; readonly open: boolean; readonly before: number | null }
  | ({ readonly name: 'float-approve' | 'float-withdraw'; readonly movementId: number } & AuditEntry)
  | ({ readonly name: 'freeze' | 'unfreeze'; readonly partner: PartnerWord } & AuditEntry)
  | { readonly name: 'freezes'; readonly partnerId: number | null }
  | { readonly name: 'incidents'; readonly partnerId: number | null; readonly before: number | null }
  | StatementCommand
  | ({ readonly name: 'acts' } & AuditEntriesWanted);

export interface FloatMoveCommand {
  readonly name: 'float-move';
  readonly kind: MovementKind;
  readonly currency: string;
  readonly amount: string;
  readonly provider: string | null;
  readonly wallet: string | null;
  readonly asset: string | null;
  readonly tokens: string | null;
  readonly evidence: string;
  readonly by: string;
}

export interface StatementCommand {
  readonly name: 'statement';
  readonly partner: PartnerWord;
  readonly currency: string;
  readonly from: string;
  readonly before: string;
  /** null: standard output. */
  readonly out: string | null;
}

const DAY_MS = 86_400_000;

export function readMoneyCommand(name: MoneyCommandName, words: Words): MoneyCommand {
  switch (name) {
    case 'fund':
    case 'debit': {
      const amount = amountIn(words, 'amount', 'give an amount, such as 1500.00.');
      return { name, partner: partnerIn(words), currency: currencyIn(words), amount, ...actIn(words) };
    }
    case 'float-move':
      return floatMoveIn(words);
    case 'float-movements':
      return { name, open: words.options['open'] === true, before: numberIn(words, 'before') };
    case 'float-approve':
    case 'float-withdraw':
      return { name, movementId: numberOf(words.positionals[0], 'a float movement'), ...actIn(words) };
    case 'adjustments':
      return {
        name,
        partnerId: numberIn(words, 'partner'),
        open: words.options['open'] === true,
        before: numberIn(words, 'before'),
      };
    case 'approve-adjustment':
    case 'withdraw-adjustment':
      return { name, adjustmentId: numberOf(words.positionals[0], 'an adjustment'), ...actIn(words) };
    case 'freeze':
    case 'unfreeze':
      return { name, partner: partnerIn(words), ...actIn(words) };
    case 'freezes':
      return { name, partnerId: numberIn(words, 'partner') };
    case 'incidents':
      return { name, partnerId: numberIn(words, 'partner'), before: numberIn(words, 'before') };
    case 'statement': {
      const [from, to] = [dayIn(words, 'from'), dayIn(words, 'to')];
      if (to < from) throw new WrongUsage('--to must not be before --from: --to is the last day of the period.');
      const out = textIn(words, 'out');
      if (out === null && words.options['json'] === true)
        throw new WrongUsage('--out is missing: with --json, name a file for the statement.');
      return {
        name,
        partner: partnerIn(words),
        currency: currencyIn(words),
        from: from.toISOString(),
        before: new Date(to.getTime() + DAY_MS).toISOString(),
        out,
      };
    }
    case 'acts':
      return {
        name,
        partnerId: numberIn(words, 'partner'),
        by: textIn(words, 'by')?.trim() ?? null,
        ...actsPageIn(words),
      };
  }
}

/** What a movement names beside its amount. */
const MOVEMENTS: Readonly<
  Record<MovementKind, readonly ['provider', 'wallet'] | readonly ['token', 'tokens'] | readonly []>
> = {
  float_funded: ['provider', 'wallet'],
  float_withdrawn: ['provider', 'wallet'],
  provider_fee: ['provider', 'wallet'],
  provider_fee_returned: ['provider', 'wallet'],
  bank_funded: [],
  bank_withdrawn: [],
  stablecoin_sold: ['token', 'tokens'],
  stablecoin_bought: ['token', 'tokens'],
};
const ASKED = {
  provider: 'name the provider, such as pawapay.',
  wallet: "name the provider's wallet, such as ke.",
  token: 'name the token, such as USDC@CELO.',
  tokens: 'give the number of whole tokens.',
};

function floatMoveIn(words: Words): FloatMoveCommand {
  const [kind = ''] = words.positionals;
  if (!isMovement(kind))
    throw new WrongUsage(`"${kind}" is not a float movement: it must be one of ${Object.keys(MOVEMENTS).join(', ')}.`);
  const wanted: readonly string[] = MOVEMENTS[kind];
  const part = (option: keyof typeof ASKED): string | null => {
    if (wanted.includes(option))
      return option === 'tokens' ? amountIn(words, option, ASKED[option]) : given(words, option, ASKED[option]);
    if (textIn(words, option) !== null) throw new WrongUsage(`${kind} takes no --${option}.`);
    return null;
  };
  return {
    name: 'float-move',
    kind,
    currency: currencyIn(words),
    amount: amountIn(words, 'amount', 'give an amount, such as 1500.00.'),
    provider: part('provider'),
    wallet: part('wallet'),
    asset: part('token'),
    tokens: part('tokens'),
    evidence: sentenceIn(words, 'evidence'),
    by: nameIn(words),
  };
}

function isMovement(text: string): text is MovementKind {
  return Object.hasOwn(MOVEMENTS, text);
}

function amountIn(words: Words, option: string, question: string): string {
  const amount = given(words, option, question);
  if (!/^\d{1,30}(\.\d{1,18})?$/.test(amount))
    throw new WrongUsage(`--${option} "${amount}" is not valid: it must be a number above 0, such as 1500 or 1500.00.`);
  return amount;
}

function actsPageIn(words: Words): Pick<AuditEntriesWanted, 'service' | 'before'> {
  const [text, before] = [textIn(words, 'service'), numberIn(words, 'before')];
  const service = ACT_SOURCES.find((known) => known === text) ?? null;
  if (text !== null && service === null) throw new WrongUsage(`--service must be one of ${ACT_SOURCES.join(', ')}.`);
  if (before !== null && service === null)
    throw new WrongUsage('--before needs --service, because each service numbers its own entries.');
  return { service, before };
}

function numberIn(words: Words, option: string): number | null {
  const text = textIn(words, option);
  return text === null ? null : numberOf(text, `--${option}`);
}

function currencyIn(words: Words): string {
  const currency = given(words, 'currency', 'give the three letters of its currency.').toUpperCase();
  if (!/^[A-Z]{3}$/.test(currency)) throw new WrongUsage('--currency must be the three letters of a currency.');
  return currency;
}

function dayIn(words: Words, option: string): Date {
  const text = given(words, option, 'give a day, such as 2026-11-01.');
  const day = new Date(`${text}T00:00:00.000Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new WrongUsage(`--${option} must be a day that exists, such as 2026-11-01.`);
  return day;
}

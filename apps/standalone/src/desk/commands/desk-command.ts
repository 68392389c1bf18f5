import { parseArgs } from 'node:util';

import { COMMAND_NAMES, COMMANDS, type CommandName } from './command-list.js';
import type { CommandHelp } from './command-options.js';
import { actIn, nameIn, numberOf, sentenceIn, textIn, WrongUsage, type Words } from './command-words.js';
import { FOLDER_COMMANDS } from './folder-commands.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { readMoneyCommand, type MoneyCommand } from './money-words.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
import { readPartnerCommand, type PartnerCommand } from './partner-words.js';
import type { TROUBLE_COMMANDS } from './trouble-commands.js';

/** What somebody asked the desk to do, checked as far as it can be without looking anything up. */
export type DeskCommand = TroubleCommand | PartnerCommand | MoneyCommand | FolderCommand;

/** About a folder that nothing works on. */
export interface FolderCommand {
  readonly name: keyof typeof FOLDER_COMMANDS;
}

export type TroubleCommand =
  | { readonly name: 'show'; readonly transaction: TransactionWord }
  | { readonly name: 'release'; readonly transaction: TransactionWord; readonly by: string; readonly reason: string }
  | { readonly name: 'stuck' | 'ledger' | 'dead-letters' | 'unapplied' | 'refunds' | 'orders' | 'switches' }
  | { readonly name: 'clear'; readonly transaction: TransactionWord; readonly by: string; readonly evidence: string }
  | {
      readonly name: 'settle';
      readonly transaction: TransactionWord;
      readonly by: string;
      readonly verdict: Verdict;
      readonly evidence: string;
    }
  | { readonly name: 'approve'; readonly settlementId: number; readonly by: string }
  | { readonly name: 'withdraw'; readonly settlementId: number; readonly by: string; readonly reason: string }
  | { readonly name: 'resolve'; readonly incidentId: number; readonly by: string; readonly note: string }
  /** `address` null: none any more. */
  | {
      readonly name: 'return-address';
      readonly partnerId: number;
      readonly chain: string;
      readonly address: string | null;
      readonly reason: string;
      readonly by: string;
    }
  | { readonly name: 'unclaimed'; readonly minutes: number | null; readonly dust: boolean }
  /** `asset` null: the whole chain. */
  | {
      readonly name: 'switch-off' | 'switch-on';
      readonly chain: string;
      readonly asset: string | null;
      readonly reason: string;
      readonly by: string;
    }
  | { readonly name: 'refunds-export'; readonly out: string }
  | { readonly name: 'refunds-import'; readonly file: string; readonly by: string; readonly reason: string }
  | {
      readonly name: 'refund-cancel' | 'refund-clear';
      readonly refundId: number;
      readonly by: string;
      readonly reason: string;
    }
  /** `sent` null: nothing of it got in. */
  | {
      readonly name: 'refund-settle';
      readonly refundId: number;
      readonly sent: string | null;
      readonly by: string;
      readonly evidence: string;
    }
  | {
      readonly name: 'replay';
      readonly eventId: string;
      readonly group: string | null;
      readonly by: string;
      readonly reason: string;
    };

/** How a person names a transaction: its code or id, and the partner where the code alone may mean several. */
export interface TransactionWord {
  readonly codeOrId: string;
  readonly partnerId: number | null;
}

export type Verdict =
  | {
      readonly outcome: 'paid';
      readonly receipt: string;
      /** Decimal text, where the rail paid another amount. */ readonly amount: string | null;
    }
  | { readonly outcome: 'not_paid' };

export type ParsedArguments =
  | { readonly kind: 'command'; readonly command: DeskCommand; readonly json: boolean }
  | { readonly kind: 'help'; readonly about: CommandName | null }
  /** `about`: the command it was meant to be, where that is known. */
  | {
      readonly kind: 'wrong_usage';
      readonly problem: string;
      readonly about: CommandName | null;
      readonly json: boolean;
    };

const CODE = /^[A-Za-z0-9._:-]{1,100}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const RECEIPT = /^[\x21-\x7e]{1,100}$/;

/** Reads the words behind `vuka`; `operator`: whose name stands where no --by does. Never throws: what cannot be read is wrong usage, in a sentence. */
export function parseDeskArguments(argv: readonly string[], operator: string | null = null): ParsedArguments {
  const json = argv.includes('--json');
  const [first] = argv.filter((word) => !word.startsWith('-'));
  const name = COMMAND_NAMES.find((known) => known === first) ?? null;
  const asksForHelp = argv.includes('--help') || argv.includes('-h') || first === 'help' || argv.length === 0;
  if (asksForHelp) return { kind: 'help', about: name ?? COMMAND_NAMES.find((known) => argv.includes(known)) ?? null };
  if (name === null) {
    const problem = first === undefined ? 'Say what to do: a command comes first.' : `There is no command "${first}".`;
    return { kind: 'wrong_usage', problem, about: null, json };
  }
  try {
    return { kind: 'command', command: readCommand(name, argv, operator), json };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { kind: 'wrong_usage', problem: error.message, about: name, json };
  }
}

function readCommand(name: CommandName, argv: readonly string[], operator: string | null): DeskCommand {
  const words = { ...readWords(name, argv), operator };
  const expected = COMMANDS[name].positional;
  const given = words.positionals.length;
  if (given > (expected === null ? 0 : name.startsWith('switch-') ? 2 : 1))
    throw new WrongUsage(`One word too many: "${words.positionals.at(-1) ?? ''}".`);
  if (expected !== null && given === 0) throw new WrongUsage(`${name} needs ${expected}.`);
  if (isOf(PARTNER_COMMANDS, name)) return readPartnerCommand(name, words);
  if (isOf(MONEY_COMMANDS, name)) return readMoneyCommand(name, words);
  return isOf(FOLDER_COMMANDS, name) ? { name } : readTroubleCommand(name, words);
}

function isOf<C extends object>(commands: C, name: CommandName): name is CommandName & keyof C {
  return Object.hasOwn(commands, name);
}

function readTroubleCommand(name: keyof typeof TROUBLE_COMMANDS, words: Words): TroubleCommand {
  switch (name) {
    case 'show':
      return { name, transaction: transactionIn(words) };
    case 'release':
      return { name, transaction: transactionIn(words), ...actIn(words) };
    case 'stuck':
    case 'ledger':
    case 'dead-letters':
    case 'unapplied':
    case 'refunds':
    case 'orders':
    case 'switches':
      return { name };
    case 'unclaimed': {
      const minutes = textIn(words, 'minutes');
      return {
        name,
        minutes: minutes === null ? null : numberOf(minutes, 'minutes'),
        dust: words.options['dust'] === true,
      };
    }
    case 'switch-off':
    case 'switch-on': {
      const [chain = '', asset = null] = words.positionals;
      return { name, chain, asset, reason: sentenceIn(words, 'reason'), by: nameIn(words) };
    }
    case 'refunds-export': {
      const out = textIn(words, 'out');
      if (out === null) throw new WrongUsage('--out is missing: into which file?');
      return { name, out };
    }
    case 'refunds-import':
      return { name, file: words.positionals[0] ?? '', ...actIn(words) };
    case 'refund-cancel':
    case 'refund-clear':
      return {
        name,
        refundId: numberOf(words.positionals[0], 'a refund'),
        by: nameIn(words),
        reason: sentenceIn(words, 'reason'),
      };
    case 'refund-settle': {
      const sent = textIn(words, 'sent');
      if ((sent === null) === (words.options['not-sent'] !== true))
        throw new WrongUsage(
          'Say what became of it: --sent with the hash of its transaction, or --not-sent, one of the two.',
        );
      return {
        name,
        refundId: numberOf(words.positionals[0], 'a refund'),
        sent,
        by: nameIn(words),
        evidence: sentenceIn(words, 'evidence'),
      };
    }
    case 'return-address':
      return { name, ...returnAddressIn(words), reason: sentenceIn(words, 'reason'), by: nameIn(words) };
    case 'clear':
      return { name, transaction: transactionIn(words), evidence: sentenceIn(words, 'evidence'), by: nameIn(words) };
    case 'settle':
      return {
        name,
        transaction: transactionIn(words),
        verdict: verdictIn(words),
        evidence: sentenceIn(words, 'evidence'),
        by: nameIn(words),
      };
    case 'approve':
      return { name, settlementId: numberOf(words.positionals[0], 'a settlement'), by: nameIn(words) };
    case 'withdraw':
      return { name, settlementId: numberOf(words.positionals[0], 'a settlement'), ...actIn(words) };
    case 'resolve':
      return {
        name,
        incidentId: numberOf(words.positionals[0], 'an incident'),
        by: nameIn(words),
        note: sentenceIn(words, 'note'),
      };
    case 'replay':
      return { name, eventId: eventIn(words), group: textIn(words, 'group'), ...actIn(words) };
  }
}

function readWords(name: CommandName, argv: readonly string[]): Omit<Words, 'operator'> {
  const known: CommandHelp['options'] = COMMANDS[name].options;
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } };
  for (const [option, { type }] of Object.entries(known)) options[option] = { type };
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    const rest = positionals.filter((word, index) => !(word === name && positionals.indexOf(word) === index));
    return { options: values, positionals: rest };
  } catch (error) {
    const [, option] = /'(-{1,2}[^'\s=]+)/.exec((error as Error).message) ?? [];
    const isKnown = option !== undefined && option.replace(/^-+/, '') in options;
    throw new WrongUsage(
      isKnown
        ? `${option} needs a value.`
        : option === undefined
          ? (error as Error).message
          : `${name} has no option ${option}.`,
    );
  }
}

function transactionIn(words: Words): TransactionWord {
  const [codeOrId = ''] = words.positionals;
  if (!CODE.test(codeOrId))
    throw new WrongUsage(`"${codeOrId}" is no transaction code: letters, digits and . _ : - only, 100 at most.`);
  const partner = textIn(words, 'partner');
  return { codeOrId, partnerId: partner === null ? null : numberOf(partner, '--partner') };
}

function returnAddressIn(words: Words): { partnerId: number; chain: string; address: string | null } {
  const chain = textIn(words, 'chain');
  const address = textIn(words, 'address');
  if (chain === null) throw new WrongUsage('--chain is missing: on which chain is the address?');
  if ((address === null) !== (words.options['none'] === true))
    throw new WrongUsage('Say where to: --address, or --none, one of the two.');
  return { partnerId: numberOf(words.positionals[0], 'a partner'), chain, address };
}

function verdictIn(words: Words): Verdict {
  const paid = words.options['paid'] === true;
  if (paid === (words.options['not-paid'] === true))
    throw new WrongUsage('Say what became of it: --paid or --not-paid, one of the two.');
  const receipt = textIn(words, 'receipt');
  const amount = textIn(words, 'amount');
  if (!paid) {
    if (receipt !== null || amount !== null)
      throw new WrongUsage('What was not paid has no --receipt and no --amount.');
    return { outcome: 'not_paid' };
  }
  if (receipt === null) throw new WrongUsage("--paid needs --receipt, the rail's own number of the payment.");
  if (!RECEIPT.test(receipt)) throw new WrongUsage('--receipt is 100 printable characters at most, without spaces.');
  return { outcome: 'paid', receipt, amount };
}

function eventIn(words: Words): string {
  const [eventId = ''] = words.positionals;
  if (!UUID.test(eventId))
    throw new WrongUsage(`"${eventId}" is no event id. npm run vuka -- dead-letters lists them.`);
  return eventId.toLowerCase();
}

import { actIn, listIn, nameIn, numberOf, sentenceIn, textIn, WrongUsage, type Words } from './command-words.js';
import { isApproval } from './people/people-words.js';
import type { SealWish } from '../seal/check-seal.js';
import type { TROUBLE_COMMANDS } from './trouble-commands.js';

export type TroubleCommand =
  | { readonly name: 'show'; readonly transaction: TransactionWord }
  | { readonly name: 'release'; readonly transaction: TransactionWord; readonly by: string; readonly reason: string }
  | {
      readonly name:
        'stuck' | 'dead-letters' | 'unapplied' | 'refunds' | 'orders' | 'switches' | 'corridors' | 'callbacks';
    }
  /** null: the seal is not checked. */
  | { readonly name: 'ledger'; readonly seal: SealWish | null }
  | { readonly name: 'callbacks-resolve'; readonly provider: string; readonly by: string; readonly reason: string }
  | { readonly name: 'clear'; readonly transaction: TransactionWord; readonly by: string; readonly evidence: string }
  | {
      readonly name: 'settle';
      readonly transaction: TransactionWord;
      readonly by: string;
      readonly verdict: Verdict;
      readonly evidence: string;
    }
  | { readonly name: 'approve'; readonly settlementId: number; readonly by: string }
  | { readonly name: 'approve'; readonly approval: string; readonly by: string }
  | { readonly name: 'withdraw'; readonly settlementId: number; readonly by: string; readonly reason: string }
  | { readonly name: 'resolve'; readonly incidentId: number; readonly by: string; readonly note: string }
  | {
      readonly name: 'return-address';
      readonly partnerId: number;
      readonly chain: string;
      readonly address: string | null;
      readonly reason: string;
      readonly by: string;
    }
  | { readonly name: 'unclaimed'; readonly minutes: number | null; readonly dust: boolean }
  | {
      readonly name: 'switch-off' | 'switch-on';
      readonly chain: string;
      readonly asset: string | null;
      readonly reason: string;
      readonly by: string;
    }
  | {
      readonly name: 'corridor-off' | 'corridor-on';
      readonly provider: string;
      /** null: all of them. */
      readonly currency: string | null;
      readonly kind: string | null;
      readonly network: string | null;
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
  /** `sent` null: none of it was accepted. */
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

export interface TransactionWord {
  readonly codeOrId: string;
  readonly partnerId: number | null;
}

export type Verdict =
  | {
      readonly outcome: 'paid';
      readonly receipt: string;
      /** Decimal text, if the provider paid another amount. */ readonly amount: string | null;
    }
  | { readonly outcome: 'not_paid' };

const CODE = /^[A-Za-z0-9._:-]{1,100}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const RECEIPT = /^[\x21-\x7e]{1,100}$/;

export function readTroubleCommand(name: keyof typeof TROUBLE_COMMANDS, words: Words): TroubleCommand {
  switch (name) {
    case 'show':
      return { name, transaction: transactionIn(words) };
    case 'release':
      return { name, transaction: transactionIn(words), ...actIn(words) };
    case 'ledger':
      return { name, seal: sealIn(words) };
    case 'stuck':
    case 'dead-letters':
    case 'unapplied':
    case 'refunds':
    case 'orders':
    case 'switches':
    case 'corridors':
    case 'callbacks':
      return { name };
    case 'callbacks-resolve':
      return { name, provider: words.positionals[0] ?? '', ...actIn(words) };
    case 'unclaimed':
      return { name, ...unclaimedIn(words) };
    case 'switch-off':
    case 'switch-on': {
      const [chain = '', asset = null] = words.positionals;
      return { name, chain, asset, reason: sentenceIn(words, 'reason'), by: nameIn(words) };
    }
    case 'corridor-off':
    case 'corridor-on':
      return { name, ...corridorIn(words), ...actIn(words) };
    case 'refunds-export':
      return { name, out: outIn(words) };
    case 'refunds-import':
      return { name, file: words.positionals[0] ?? '', ...actIn(words) };
    case 'refund-cancel':
    case 'refund-clear':
      return { name, refundId: numberOf(words.positionals[0], 'a refund'), ...actIn(words) };
    case 'refund-settle':
      return { name, ...refundFateIn(words) };
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
      return isApproval(words.positionals[0])
        ? { name, approval: words.positionals[0], by: nameIn(words) }
        : { name, settlementId: numberOf(words.positionals[0], 'a settlement'), by: nameIn(words) };
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

function unclaimedIn(words: Words): { minutes: number | null; dust: boolean } {
  const minutes = textIn(words, 'minutes');
  return { minutes: minutes === null ? null : numberOf(minutes, 'minutes'), dust: words.options['dust'] === true };
}

function corridorIn(words: Words): Record<'currency' | 'kind' | 'network', string | null> & { provider: string } {
  const provider = textIn(words, 'provider');
  if (provider === null) throw new WrongUsage('--provider is missing: name the provider, such as pawapay.');
  const [currency, kind, network] = [textIn(words, 'currency'), textIn(words, 'kind'), textIn(words, 'network')];
  if (kind !== null && currency === null) throw new WrongUsage('--kind needs --currency.');
  if (network !== null && kind === null) throw new WrongUsage('--network needs --kind mobile.');
  return { provider, currency: currency?.toUpperCase() ?? null, kind, network };
}

function outIn(words: Words): string {
  const out = textIn(words, 'out');
  if (out === null) throw new WrongUsage('--out is missing: name a new file.');
  return out;
}

function refundFateIn(words: Words): Omit<Extract<TroubleCommand, { name: 'refund-settle' }>, 'name'> {
  return {
    refundId: numberOf(words.positionals[0], 'a refund'),
    sent: sentIn(words),
    by: nameIn(words),
    evidence: sentenceIn(words, 'evidence'),
  };
}

function sentIn(words: Words): string | null {
  const sent = textIn(words, 'sent');
  if ((sent === null) === (words.options['not-sent'] !== true))
    throw new WrongUsage('Give either --sent, with the hash of the transaction, or --not-sent.');
  return sent;
}

function transactionIn(words: Words): TransactionWord {
  const [codeOrId = ''] = words.positionals;
  if (!CODE.test(codeOrId))
    throw new WrongUsage(`"${codeOrId}" is not a transaction code: it must have 1 to 100 letters, digits or . _ : -`);
  const partner = textIn(words, 'partner');
  return { codeOrId, partnerId: partner === null ? null : numberOf(partner, '--partner') };
}

function returnAddressIn(words: Words): { partnerId: number; chain: string; address: string | null } {
  const chain = textIn(words, 'chain');
  const address = textIn(words, 'address');
  if (chain === null) throw new WrongUsage('--chain is missing: name the chain of the address.');
  if ((address === null) !== (words.options['none'] === true)) throw new WrongUsage('Give either --address or --none.');
  return { partnerId: numberOf(words.positionals[0], 'a partner'), chain, address };
}

function verdictIn(words: Words): Verdict {
  const paid = words.options['paid'] === true;
  if (paid === (words.options['not-paid'] === true)) throw new WrongUsage('Give either --paid or --not-paid.');
  const receipt = textIn(words, 'receipt');
  const amount = textIn(words, 'amount');
  if (!paid) {
    if (receipt !== null || amount !== null) throw new WrongUsage('--not-paid takes no --receipt and no --amount.');
    return { outcome: 'not_paid' };
  }
  if (receipt === null) throw new WrongUsage('--paid needs --receipt, the number that the provider gave the payment.');
  if (!RECEIPT.test(receipt))
    throw new WrongUsage('--receipt must have at most 100 printable characters, without spaces.');
  return { outcome: 'paid', receipt, amount };
}

function eventIn(words: Words): string {
  const [eventId = ''] = words.positionals;
  if (!UUID.test(eventId))
    throw new WrongUsage(`"${eventId}" is not an event id. npm run vuka -- dead-letters lists the ids.`);
  return eventId.toLowerCase();
}

function sealIn(words: Words): SealWish | null {
  const [head, writeHead] = [textIn(words, 'head'), textIn(words, 'write-head')];
  const archives = listIn(words, 'archive') ?? [];
  if (head !== null && writeHead !== null)
    throw new WrongUsage('Give --head or --write-head: --write-head verifies too, before it adds to the file.');
  const file = head ?? writeHead;
  if (file === null && archives.length > 0) throw new WrongUsage('--archive goes with --head or --write-head.');
  return file === null ? null : { file, write: writeHead !== null, archives };
}

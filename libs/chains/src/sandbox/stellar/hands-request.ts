import { fail, ok, tokenIdentity, type Result, type StellarChain } from '@vuka/domain';
import { Memo, MemoText, StrKey } from '@stellar/stellar-sdk';

import { amountText, minorOf, NATIVE } from './ledger/accounts.js';
import type { SentKind, StellarMemo, StellarPayment, StellarSend } from './sandbox-stellar.js';

export interface SendOrder {
  readonly payments: readonly (StellarPayment & { readonly kind: SentKind })[];
  readonly from: string | null;
  readonly memo: Memo;
  readonly feeBump: boolean;
  readonly fails: boolean;
  readonly equips: boolean;
  readonly mine: boolean;
}

const MOST_PAYMENTS = 99;
const KINDS: readonly string[] = ['payment', 'path', 'contract', 'claimable'] satisfies SentKind[];

/** Assets `CODE:ISSUER`; the error is for people. */
export function readSend(chain: StellarChain, body: Partial<StellarSend>): Result<SendOrder, string> {
  const { payments = [], from = null, memo, feeBump = false, fails = false, equips = true, mine = true } = body;
  if (payments.length < 1 || payments.length > MOST_PAYMENTS)
    return fail(`from 1 to ${MOST_PAYMENTS} payments are sent at once`);
  if (from !== null && !isParty(from))
    return fail(
      `the address ${from} is neither an account (G…), a muxed one (M…) nor a contract (C…) of ${chain.name}`,
    );
  const read: (StellarPayment & { kind: SentKind })[] = [];
  for (const { asset, amount, to, kind = 'payment' } of payments) {
    const named = assetNamed(chain, asset);
    if (!named.ok) return named;
    const minor = minorOf(amount);
    if (minor === undefined || minor === 0n)
      return fail(`the amount must be a decimal number like 12.5 with at most 7 places, not ${JSON.stringify(amount)}`);
    if (!isParty(to) || (to.startsWith('C') && kind !== 'contract'))
      return fail(`the address ${to} is neither an account (G…) nor a muxed one (M…) of ${chain.name}`);
    if (!KINDS.includes(kind)) return fail(`a payment is sent as one of ${KINDS.join(', ')}`);
    if (kind === 'contract' && payments.length > 1) return fail('a contract is called by a transaction of its own');
    read.push({ asset: named.value, amount: amountText(minor), to, kind });
  }
  const noted = memoOf(memo);
  return noted.ok ? ok({ payments: read, from, memo: noted.value, feeBump, fails, equips, mine }) : noted;
}

export function assetNamed(chain: StellarChain, asset: string): Result<string, string> {
  if (asset === chain.nativeCoin) return ok(NATIVE);
  const token = chain.tokens.find(({ symbol, aliases }) => symbol === asset || aliases.includes(asset));
  if (token !== undefined) return ok(tokenIdentity(chain, token));
  const [code = '', issuer = ''] = asset.split(':');
  if (/^[A-Za-z0-9]{1,12}$/.test(code) && StrKey.isValidEd25519PublicKey(issuer)) return ok(asset);
  return fail(
    `${asset} is no token of ${chain.name}. It has ${chain.tokens.map(({ symbol }) => symbol).join(', ')} and ${chain.nativeCoin}; or give an asset as CODE:ISSUER`,
  );
}

const isParty = (text: string): boolean =>
  StrKey.isValidEd25519PublicKey(text) || StrKey.isValidMed25519PublicKey(text) || StrKey.isValidContract(text);

/** Digits are an id, as many wallets guess. */
function memoOf(memo: StellarMemo | string | null | undefined): Result<Memo, string> {
  if (memo === undefined || memo === null || memo === '') return ok(Memo.none());
  const { type, value } = typeof memo === 'string' ? { type: /^\d+$/.test(memo) ? 'id' : 'text', value: memo } : memo;
  try {
    switch (type) {
      case 'id':
        return ok(Memo.id(value));
      case 'text':
        return ok(Memo.text(value));
      case 'bytes':
        return ok(new Memo(MemoText, Buffer.from(value, 'base64')));
      case 'hash':
        return ok(Memo.hash(value));
      case 'return':
        return ok(Memo.return(value));
      default:
        return fail('a memo is one of id, text, bytes (a text in base64), hash, return (both in hex)');
    }
  } catch {
    return fail(`the memo ${JSON.stringify(value)} is no ${type} of Stellar`);
  }
}

import { createHash } from 'node:crypto';

import { fail, ok, type Result, type StellarChain } from '@vuka/domain';
import {
  Account,
  Address,
  Asset,
  Claimant,
  Keypair,
  nativeToScVal,
  Operation,
  StrKey,
  TransactionBuilder,
  type FeeBumpTransaction,
  type Transaction,
  type xdr,
} from '@stellar/stellar-sdk';

import { emptyAccount, issuerOf, minorOf, MOST, NATIVE, partyOf, type StellarAccount } from './ledger/accounts.js';
import { assetNamed, readSend, type SendOrder } from './hands-request.js';
import {
  SANDBOX_STELLAR_FAKE_ISSUER,
  SANDBOX_STELLAR_PAYER,
  type SentToStellar,
  type StellarHolding,
  type StellarSend,
} from './sandbox-stellar.js';
import type { StellarLedger } from './ledger/stellar-ledger.js';
import { hashOf } from './ledger/stored-transaction.js';

const FEE_BID = '1000';
const PLENTY_OF_NATIVE = 1_000_000n * 10_000_000n;
const PLENTY = MOST / 4n;
/** An asset that nobody trusts. */
const NOTHING = new Asset('NOTHING', SANDBOX_STELLAR_FAKE_ISSUER);

/** Other accounts' envelopes stay unsigned. */
export const SANDBOX_KEYS: ReadonlyMap<string, Keypair> = new Map(
  ['payer', 'fake issuer']
    .map((name) => Keypair.fromRawEd25519Seed(createHash('sha256').update(`vuka sandbox stellar ${name}`).digest()))
    .map((key) => [key.publicKey(), key]),
);

/** Acts for any account, and funds it. */
export class Hands {
  constructor(
    private readonly chain: StellarChain,
    private readonly ledger: StellarLedger,
  ) {}

  /** Issuers and payer; once. */
  install(): void {
    if (this.ledger.account(SANDBOX_STELLAR_PAYER) !== undefined) return;
    const issuers = [
      ...new Set([
        ...this.chain.tokens.map(({ address }) => address),
        SANDBOX_STELLAR_FAKE_ISSUER,
        SANDBOX_STELLAR_PAYER,
      ]),
    ];
    this.ledger.set(issuers.map((id) => ({ ...this.accountOr(id), native: PLENTY_OF_NATIVE })));
  }

  /** Creates account and trustline; sets the exact balance. */
  hold({ account: id, asset, amount = '0' }: StellarHolding): Result<void, string> {
    const named = asset === undefined ? ok(null) : assetNamed(this.chain, asset);
    const balance = minorOf(amount);
    if (!named.ok) return named;
    if (balance === undefined || !StrKey.isValidEd25519PublicKey(id))
      return fail('an account is G…, and holds a decimal number like 12.5');
    if (this.ledger.account(id) === undefined) this.ledger.set([{ ...this.accountOr(id), native: PLENTY_OF_NATIVE }]);
    if (named.value === null) return ok(undefined);
    const account = this.accountOr(id);
    this.ledger.set([
      named.value === NATIVE
        ? { ...account, native: balance }
        : { ...account, lines: { ...account.lines, [named.value]: { balance, limit: MOST } } },
    ]);
    return ok(undefined);
  }

  async send(body: Partial<StellarSend>): Promise<Result<SentToStellar, string>> {
    const order = readSend(this.chain, body);
    if (!order.ok) return order;
    const { envelope, innerHash } = this.build(order.value);
    const taken = this.ledger.submit(envelope, false);
    if (taken.kind !== 'taken')
      return fail(`the network refuses it: ${taken.kind === 'invalid' ? taken.codes.transaction : taken.kind}`);
    const hash = hashOf(envelope);
    if (this.ledger.isStalled) return ok({ hash, innerHash, ledger: null, result: null });
    if (order.value.mine) this.ledger.closeNow(1);
    const ending = await taken.ends;
    if (!ending.ok) return fail(`the network refuses it: ${ending.codes.transaction}`);
    return ok({
      hash,
      innerHash,
      ledger: ending.transaction.ledger,
      result: [ending.transaction.codes.transaction, ...(ending.transaction.codes.operations ?? [])].join(' '),
    });
  }

  private build(order: SendOrder): { envelope: Transaction | FeeBumpTransaction; innerHash: string | null } {
    const { payments, from, memo, feeBump, fails } = order;
    const payer = from === null || from.startsWith('C') ? SANDBOX_STELLAR_PAYER : partyOf(from).account;
    this.equipAll(order, payer);
    const source = new Account(payer, String(this.ledger.nextSequence(payer) - 1n));
    const builder = new TransactionBuilder(source, {
      fee: FEE_BID,
      networkPassphrase: this.chain.networkPassphrase,
      memo,
    }).setTimeout(0);
    for (const payment of payments) builder.addOperation(this.operation(payment, from ?? payer));
    if (fails)
      builder.addOperation(
        Operation.payment({ destination: SANDBOX_STELLAR_FAKE_ISSUER, asset: NOTHING, amount: '1' }),
      );
    const inner = builder.build();
    sign(inner, payer);
    if (!feeBump) return { envelope: inner, innerHash: null };
    const envelope = TransactionBuilder.buildFeeBumpTransaction(
      SANDBOX_STELLAR_PAYER,
      FEE_BID,
      inner,
      this.chain.networkPassphrase,
    );
    sign(envelope, SANDBOX_STELLAR_PAYER);
    return { envelope, innerHash: hashOf(inner) };
  }

  private operation({ kind, asset, amount, to }: SendOrder['payments'][number], from: string): xdr.Operation {
    const sent = assetOf(asset);
    const source = from.startsWith('M') ? { source: from } : {};
    switch (kind) {
      case 'payment':
        return Operation.payment({ destination: to, asset: sent, amount, ...source });
      case 'path':
        return Operation.pathPaymentStrictReceive({
          destination: to,
          sendAsset: Asset.native(),
          sendMax: '922337203685.4775807',
          destAsset: sent,
          destAmount: amount,
          path: [],
          ...source,
        });
      case 'claimable':
        return Operation.createClaimableBalance({
          asset: sent,
          amount,
          claimants: [new Claimant(partyOf(to).account)],
          ...source,
        });
      case 'contract': {
        const args = [
          new Address(from).toScVal(),
          new Address(to).toScVal(),
          nativeToScVal(minorOf(amount), { type: 'i128' }),
        ];
        return Operation.invokeContractFunction({
          contract: sent.contractId(this.chain.networkPassphrase),
          function: 'transfer',
          args,
        });
      }
    }
  }

  private equipAll({ payments, equips }: SendOrder, payer: string): void {
    const tokens = [...new Set(payments.map(({ asset }) => asset))].filter((asset) => asset !== NATIVE);
    const sum = (asset: string): bigint =>
      payments.reduce((total, one) => total + (one.asset === asset ? (minorOf(one.amount) ?? 0n) : 0n), 0n);
    for (const asset of tokens) if (this.ledger.account(issuerOf(asset)) === undefined) this.equip(issuerOf(asset), []);
    this.equip(
      payer,
      tokens.map((asset) => [asset, sum(asset)]),
    );
    if (!equips) return;
    for (const { to, asset } of payments)
      if (!to.startsWith('C')) this.equip(partyOf(to).account, asset === NATIVE ? [] : [[asset, 0n]]);
  }

  /** Changes nothing if enough. */
  private equip(id: string, needs: readonly (readonly [asset: string, balance: bigint])[]): void {
    const account = this.accountOr(id);
    const lacking = needs.filter(
      ([asset, needed]) =>
        issuerOf(asset) !== id && (account.lines[asset] === undefined || account.lines[asset].balance < needed),
    );
    const given = lacking.map(
      ([asset, needed]) => [asset, { balance: id === SANDBOX_STELLAR_PAYER ? PLENTY : needed, limit: MOST }] as const,
    );
    const isPoor = account.native < PLENTY_OF_NATIVE / 2n;
    if (given.length === 0 && !isPoor) return;
    this.ledger.set([
      {
        ...account,
        lines: { ...account.lines, ...Object.fromEntries(given) },
        native: isPoor ? PLENTY_OF_NATIVE : account.native,
      },
    ]);
  }

  private accountOr(id: string): StellarAccount {
    return this.ledger.account(id) ?? emptyAccount(id, BigInt(this.ledger.latest) << 32n);
  }
}

function sign(envelope: Transaction | FeeBumpTransaction, account: string): void {
  const key = SANDBOX_KEYS.get(account);
  if (key !== undefined) envelope.sign(key);
}

function assetOf(name: string): Asset {
  const [code = '', issuer] = name.split(':');
  return name === NATIVE ? Asset.native() : new Asset(code, issuer);
}

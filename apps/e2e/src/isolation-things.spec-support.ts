import { randomBytes, randomUUID } from 'node:crypto';

import {
  accountNumber,
  dataOf,
  destinationIn,
  until,
  type Answer,
  type ApiClient,
  type StatusRow,
} from '@vuka/testing';

import type { PayFixture } from './pay-fixture.spec-support.js';
import { Pays } from './pays.spec-support.js';

/** A name in use, and a similar one that never was. */
export interface Named {
  readonly theirs: string;
  readonly nobodys: string;
}

export interface Delivery {
  readonly id: string | number;
  readonly transaction_code: string;
  readonly state: string;
}

const NOBODY = '0x2222222222222222222222222222222222222222';
const REST_WITHIN_MS = 60_000;
/** Minor units of USDC: enough for every example. */
const PLENTY = 2_000_000_000n;
const TOO_LITTLE = 1_000_000n;
/** The owner's receiver answers 410, so its webhooks stay in the log. */
export const GONE = '/gone';

/** All that the owner has and can name, made before the tests. */
export class Things {
  private readonly pays: Pays;
  private readonly references = new Once('references');
  private readonly transfers = new Once('transfers');
  /** Paid, held until released, paid by a deposit, and failed as underpaid. */
  codes = { paid: '', held: '', pay: '', underpaid: '' };
  hashes = { claimed: '', underpaid: '' };
  quote = '';
  order = '';
  wallet = 0;
  delivery: string | number = '';
  private addresses: string[] = [];

  constructor(
    private readonly fixture: PayFixture,
    readonly owner: ApiClient,
  ) {
    this.pays = new Pays(fixture);
  }

  async make({ payouts, deposits }: { readonly payouts: number; readonly deposits: number }): Promise<void> {
    await this.payOut(payouts);
    await this.moveOnChain(deposits);
    this.quote = (await this.owner.quote('KES', { amount: 1000, chain: 'CELO', asset: 'USDC' })).quote_id;
    const order = await this.owner.orders.create({
      network: 'CELO',
      asset: 'USDC',
      currency_code: 'KES',
      amount: 1000,
      order_id: `theirs-${randomUUID()}`,
    });
    this.order = order.order_id;
    this.addresses = [
      await this.owner.settlementAddress('CELO'),
      order.address,
      order.payment_url.split('/').at(-1) ?? '',
    ];
    const { wallets } = dataOf<{ wallets: { id: number }[] }>(await this.owner.send({ path: '/account/detail' }));
    this.wallet = wallets[0]?.id ?? 0;
    await this.rest();
    this.delivery =
      (await this.deliveries()).find(
        ({ transaction_code: code, state }) => code === this.codes.paid && state === 'ended',
      )?.id ?? '';
  }

  /** Of an owner's payout, also as `Idempotency-Key`; a new one each time. */
  reference(): Named {
    return this.references.next();
  }

  /** A transfer to the owner, and one of nobody's on the same chain; new each time. */
  transfer(): Named {
    return this.transfers.next();
  }

  async deliveries(): Promise<Delivery[]> {
    return this.owner.listed<Delivery>('/v1/webhooks/deliveries', { limit: 100 });
  }

  async standing(): Promise<string> {
    const { owner } = this;
    const account = await owner.send({ path: '/account/detail' });
    const { wallets } = dataOf<{ wallets: { currency: string }[] }>(account);
    const statements = await Promise.all(
      wallets.map(({ currency }) => owner.listed('/account/statement', { currency })),
    );
    const asked = await Promise.all([
      owner.send({ path: '/v1/checkout/status', body: { order_id: this.order } }),
      owner.send({ path: '/account/networks' }),
    ]);
    return JSON.stringify(
      [
        account.text,
        statements,
        await owner.listed('/v1/transactions'),
        await this.deliveries(),
        asked.map(({ text }) => text),
      ],
      null,
      1,
    );
  }

  marks(): readonly string[] {
    const { name, id: _, ...secrets } = this.owner.partner;
    const recipients = this.owner.sent.flatMap(({ body }) =>
      'account_number' in body ? [String(body.account_number)] : [],
    );
    return [
      ...this.owner.sent.map(({ code }) => code),
      ...recipients,
      ...Object.values(this.hashes),
      this.quote,
      this.order,
      ...this.addresses,
      ...[...this.references.all, ...this.transfers.all].map(({ theirs }) => theirs),
      name,
      ...Object.values(secrets),
    ].filter((mark) => mark !== '');
  }

  private async payOut(many: number): Promise<void> {
    const { owner, fixture } = this;
    fixture.receiver.answerBy(({ path, payload }) => ({
      status: path === GONE && payload.status === 'COMPLETE' ? 410 : 200,
    }));
    const send = async (reference: string, number = '7890', path = '/hook', headers = {}): Promise<string> => {
      const body = {
        amount: 100,
        account_number: accountNumber(number),
        bank_code: '01',
        reference,
        callback_url: fixture.receiver.url(path),
      };
      return accepted(await owner.bankTransfer('KES', body, headers));
    };
    this.codes.paid = await send(randomUUID(), '7890', GONE);
    this.codes.held = await send(randomUUID(), '0004');
    for (let left = many; left > 0; left -= 1) {
      const theirs = randomUUID();
      await send(theirs, '7890', '/hook', { 'idempotency-key': theirs });
      this.references.all.push({ theirs, nobodys: randomUUID() });
    }
  }

  /** In a batch, because each single transfer would make blocks to finality. */
  private async moveOnChain(many: number): Promise<void> {
    const celo = this.fixture.chain('CELO');
    const to = await this.owner.settlementAddress('CELO');
    const usdc = { asset: 'USDC', value: PLENTY };
    const pairs = Array.from({ length: many }, () => [
      { ...usdc, to },
      { ...usdc, to: NOBODY },
    ]).flat();
    const [claimed = '', underpaid = '', ...hashes] = await celo.transferAll([
      { ...usdc, value: 8_000_000n, to },
      { ...usdc, value: TOO_LITTLE, to },
      ...pairs,
    ]);
    for (const hash of [claimed, underpaid, ...hashes]) await celo.included(hash);
    await celo.mineToFinality();
    for (let at = 0; at < hashes.length; at += 2)
      this.transfers.all.push({ theirs: hashes[at] ?? '', nobodys: hashes[at + 1] ?? '' });
    this.hashes = { claimed, underpaid };
    const body = (hash: string) => ({
      ...destinationIn('KES', 'bank'),
      amount: 1000,
      transaction_hash: hash,
      callback_url: this.fixture.receiver.url(),
    });
    this.codes.pay = accepted(await this.owner.pay('KES', body(claimed)));
    this.codes.underpaid = accepted(await this.owner.pay('KES', body(underpaid)));
    await Promise.all([
      this.pays.ended(this.codes.pay, 'COMPLETE', this.owner),
      this.pays.ended(this.codes.underpaid, 'FAILED', this.owner),
    ]);
  }

  private async rest(): Promise<void> {
    const look = async (): Promise<true> => {
      const open = (await this.owner.listed<StatusRow>('/v1/transactions'))
        .filter(({ status }) => status === 'PENDING' || status === 'PROCESSING')
        .map(({ transaction_code: code }) => code);
      const untold = (await this.deliveries()).filter(({ state }) => state === 'pending');
      if (open.join() !== this.codes.held || untold.length > 0)
        throw new Error(`${open.length} are open, ${untold.length} are not told`);
      return true;
    };
    await until(look, { withinMs: REST_WITHIN_MS, what: 'what the owner has is at rest', everyMs: 250 });
  }
}

export const neverHash = (): string => `0x${randomBytes(32).toString('hex')}`;

function accepted(answer: Answer): string {
  return dataOf<{ transaction_code: string }>(answer).transaction_code;
}

class Once {
  readonly all: Named[] = [];
  private used = 0;

  constructor(private readonly what: string) {}

  next(): Named {
    const one = this.all[this.used];
    if (one === undefined) throw new Error(`no more ${this.what}: more operations take one than were counted`);
    this.used += 1;
    return one;
  }
}

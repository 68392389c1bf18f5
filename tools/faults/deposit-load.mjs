import { setTimeout as pause } from 'node:timers/promises';

import { openEvmSandbox } from '../../libs/chains/dist/index.js';
import { EVM_CHAINS } from '../../libs/domain/dist/index.js';
import { destinationIn, until } from '../../libs/testing/dist/index.js';

/** Two chains with different decimals; leftovers go to the wallet; an order ends before a check gives up. */
export const DEPOSIT_ENV = {
  VUKA_SANDBOX_CHAINS: 'CELO,BNB',
  UNAPPLIED_POLICY: 'wallet',
  CHECKOUT_ORDER_SECONDS: '120',
};

const REST_MS = 250;
const ANSWERED_WITHIN_MS = 80_000;
const AMOUNT = 1000;

/** A surplus, too little, the wrong token, and a payout that the provider refuses. */
const PAYS = [
  { chain: 'CELO', asset: 'USDC', amount: '8', number: '7890' },
  { chain: 'BNB', asset: 'USDT', amount: '7.900000000000000001', number: '7890' },
  { chain: 'CELO', asset: 'USDC', amount: '7', number: '7890' },
  { chain: 'CELO', asset: 'USDT', amount: '8', number: '7890', named: 'USDC' },
  { chain: 'BNB', asset: 'USDC', amount: '8.5', number: '0000' },
];
const ORDERS = [
  { network: 'CELO', asset: 'USDC', pays: ['due'] },
  { network: 'BNB', asset: 'USDT', pays: ['9.000000000000000001'] },
  { network: 'CELO', asset: 'CUSD', pays: ['3', '4.9'] },
  { network: 'CELO', asset: 'USDT', pays: ['due', '1'] },
];

/**
 * Payers that send tokens until stopped: for pays that name them later, and for orders.
 * An order request is repeated until it is answered; open pays are left to the caller.
 */
export class DepositLoad {
  #fixture;
  #name;
  #hands = new Map();
  #going = true;
  #sent = 0;
  #lanes;

  constructor({ name, fixture }) {
    this.#fixture = fixture;
    this.#name = name;
    this.#lanes = fixture.clients.flatMap((client) =>
      [(number) => this.#pay(client, number), (number) => this.#order(client, number)].map((once) => this.#lane(once)),
    );
    // stop() reports the errors later.
    for (const lane of this.#lanes) lane.catch(() => undefined);
  }

  async stop() {
    this.#going = false;
    await Promise.all(this.#lanes);
    for (const hands of this.#hands.values()) (await hands).close();
  }

  async #lane(once) {
    while (this.#going) {
      await once(this.#sent++);
      await pause(REST_MS);
    }
  }

  async #pay(client, number) {
    const { chain, asset, amount, number: recipient, named } = PAYS[number % PAYS.length];
    const hash = await this.#transfer(chain, {
      asset,
      amount,
      to: await until(() => client.settlementAddress(chain), {
        withinMs: ANSWERED_WITHIN_MS,
        what: 'an address',
        everyMs: 100,
      }),
    });
    const reference = `${this.#name}-pay-${number}`;
    const body = {
      ...destinationIn('KES', 'mobile', recipient),
      amount: AMOUNT,
      fee: 10,
      chain,
      transaction_hash: hash,
      reference,
      callback_url: this.#fixture.receiver.url(),
      ...(named && { asset: named }),
    };
    await client.pay('KES', body, number % 3 === 0 ? { 'idempotency-key': reference } : {}).catch(() => undefined);
  }

  async #order(client, number) {
    const { network, asset, pays } = ORDERS[number % ORDERS.length];
    const query = { network, asset, currency_code: 'KES', amount: AMOUNT, order_id: `${this.#name}-order-${number}` };
    const order = await until(() => client.orders.create(query), {
      withinMs: ANSWERED_WITHIN_MS,
      what: `an answer to order ${query.order_id}`,
      everyMs: 100,
    });
    for (const amount of pays)
      await this.#transfer(network, {
        asset,
        amount: amount === 'due' ? order.asset_amount : amount,
        to: order.address,
      });
  }

  async #transfer(name, transfer) {
    const sent = await until(
      async () => {
        const url = this.#fixture.vuka.chainUrls.get(name);
        if (!this.#hands.has(url))
          this.#hands.set(
            url,
            openEvmSandbox(
              EVM_CHAINS.find((chain) => chain.name === name),
              url,
            ),
          );
        return (await this.#hands.get(url)).transfer(transfer);
      },
      { withinMs: ANSWERED_WITHIN_MS, what: `a transfer on ${name}`, everyMs: 250 },
    );
    if (!sent.ok) throw new Error(`${name}: ${sent.error}`);
    return sent.value.hash;
  }
}

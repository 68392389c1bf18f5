import { openOutgoing, transferSigner } from '@vuka/chains';
import type { Settings } from '@vuka/config';
import { assetSymbol, chainNamed, ok } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import type { Clock, Logger, Metrics, MonotonicClock, WakeSignal } from '@vuka/runtime';

import type { RefundWallets } from '../addresses/index.js';
import { type DueRefunds, RecordRefund, RefundStore, TransferStore } from '../refunds/index.js';
import type { CheckRefundAddress, Screening } from '../screening/index.js';
import type { Switches } from '../switches/index.js';
import type { OpenOutgoing, OutgoingChains } from './outgoing-chains.js';
import type { RefundGuards } from './refund-guards.js';
import { RefundTurn } from './refund-turn.js';
import { SignTransfer } from './sign-transfer.js';
import { WorkOnRefunds } from './work-on-refunds.js';

export interface RefundsParts {
  readonly db: Database;
  readonly wallets: RefundWallets;
  readonly outgoing: OutgoingChains;
  readonly guards: RefundGuards;
  readonly signal: DueRefunds;
  readonly outboxSignal: WakeSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends on the chains of the settings, by their endpoints. */
export function outgoingOf(
  { endpoints, agree }: Settings['chains'],
  tools: { readonly log: Logger; readonly metrics: Metrics; readonly clock: Clock & MonotonicClock },
): OpenOutgoing {
  return (name) => {
    const chain = chainNamed(name);
    if (chain === undefined) throw new Error(`${name} is no chain`);
    return openOutgoing({ chain, endpoints: endpoints[name] ?? [], agree, ...tools });
  };
}

export function makeRefunds({
  db,
  wallets,
  outgoing,
  guards,
  signal,
  outboxSignal,
  clock,
  log,
}: RefundsParts): WorkOnRefunds {
  const record = new RecordRefund(db, outboxSignal, clock);
  const sign = new SignTransfer(record, transferSigner);
  const turn = new RefundTurn({
    wallets,
    outgoing,
    guards,
    transfers: new TransferStore(db),
    sign,
    record,
    clock,
    log,
  });
  return new WorkOnRefunds({ refunds: new RefundStore(db), chains: outgoing.names, turn, signal, clock, log });
}

export function refundGuards(
  addresses: Pick<CheckRefundAddress, 'run'>,
  switches: Pick<Switches, 'whyOff'>,
  screening: Screening,
): RefundGuards {
  return {
    checkAddress: async (chain, address) => {
      const checked = await addresses.run({ chain, address });
      return checked.ok ? ok(checked.value.address) : checked;
    },
    whyOff: (chain, asset) => switches.whyOff(chain, assetSymbol(asset)),
    isListed: (chain, address) => screening.isHit(chain, [address]),
  };
}

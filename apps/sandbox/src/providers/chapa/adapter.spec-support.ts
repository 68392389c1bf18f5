import { randomUUID } from 'node:crypto';

import {
  callbackHeaders,
  chapaProvider,
  type ChapaProvider,
  type PayoutInstruction,
  type ProviderCallback,
} from '@vuka/payouts';

import type { Heard } from '../simulation/listener.spec-support.js';
import { APPROVAL_SECRET, type RunningChapa, SECRET_HASH, TOKEN } from './simulator.spec-support.js';

type Network = 'Telebirr' | 'Cbe Birr' | 'MPESA';

const instruction = (phone: string, mobile_network: Network): PayoutInstruction => ({
  // Of version 8, as payments makes them.
  attemptId: randomUUID().replace(/^(.{14})./, '$18'),
  orderId: randomUUID(),
  // Whole birr: cents are not sent.
  amount: { minor: 150_000n, currency: 'ETB' },
  destination: { kind: 'mobile', phone, mobile_network },
});

/** As payments hands it on. */
export const asReceived = ({ method, path, headers, raw }: Heard): ProviderCallback => ({
  method,
  path,
  host: String(headers.host),
  headers: callbackHeaders(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body: Buffer.from(raw),
});

interface Connection {
  readonly baseUrl: string;
  readonly credential: string;
  readonly callTimeoutMs: number;
  readonly clock?: RunningChapa['clock'];
}

/** The merchant that Chapa asks: it approves what it instructed, and nothing else, as payments does. */
export class Merchant {
  readonly refused: string[] = [];
  private readonly instructed = new Map<string, PayoutInstruction>();

  /** To the Telebirr wallet of these four digits. */
  readonly to = (digits: string): PayoutInstruction => this.keep(instruction(`+25191234${digits}`, 'Telebirr'));

  readonly payables = (): PayoutInstruction[] => [
    this.to('1234'),
    this.keep(instruction('+251911234567', 'Cbe Birr')),
    this.keep(instruction('+251711234567', 'MPESA')),
  ];

  connect(connection: Connection): ChapaProvider {
    return chapaProvider({ ...connection, signingSecrets: [SECRET_HASH, APPROVAL_SECRET] });
  }

  connectTo({ baseUrl, clock }: RunningChapa, callTimeoutMs = 5_000): ChapaProvider {
    return this.connect({ baseUrl, credential: TOKEN, callTimeoutMs, clock });
  }

  /** From now on its questions are answered. */
  answer(chapa: RunningChapa): void {
    const reader = this.connectTo(chapa);
    chapa.questions.decide = async (heard) => {
      const { signed, attemptIds, differenceFrom } = await reader.decideApproval(asReceived(heard));
      const [attemptId = ''] = attemptIds;
      const known = this.instructed.get(attemptId);
      const why = !signed ? 'not signed' : known === undefined ? 'unknown' : differenceFrom(known);
      if (why !== null) this.refused.push(why);
      return reader.approvalReply(why === null).status;
    };
  }

  private keep(payout: PayoutInstruction): PayoutInstruction {
    this.instructed.set(payout.attemptId, payout);
    return payout;
  }
}

import { randomUUID } from 'node:crypto';

import { currencyDecimals, type PayoutDestination } from '@vuka/domain';
import {
  pawapayProvider,
  type PawapayProvider,
  payoutIdOf,
  type PayoutInstruction,
  type ProviderCallback,
} from '@vuka/payouts';

import type { Heard } from '../simulation/listener.spec-support.js';
import type { Payment } from './book/payout.js';
import { type RunningPawapay, TOKEN } from './simulator.spec-support.js';

type Network = Extract<PayoutDestination, { kind: 'mobile' }>['mobile_network'];

export function instruction(phone: string, mobile_network: Network, currency: string, cents = 0n): PayoutInstruction {
  const minor = 1_500n * 10n ** BigInt(currencyDecimals(currency)) + cents;
  const destination = { kind: 'mobile', phone, mobile_network } as const;
  // Of version 8, as payments makes them.
  const attemptId = randomUUID().replace(/^(.{14})./, '$18');
  return { attemptId, orderId: randomUUID(), amount: { minor, currency }, destination };
}

/** To the number of these four digits. */
export const to = (digits: string): PayoutInstruction => instruction(`+26599345${digits}`, 'Airtel Money', 'MWK');

/** Each network that the adapter pays, in each of its currencies; cents where it carries them. */
export const payables = (): PayoutInstruction[] => [
  instruction('+254712345678', 'Safaricom', 'KES'),
  instruction('+256772345678', 'MTN', 'UGX'),
  instruction('+256702345678', 'Airtel', 'UGX'),
  instruction('+233241234567', 'MTN', 'GHS', 5n),
  instruction('+233271234567', 'AirtelTigo', 'GHS', 50n),
  instruction('+233201234567', 'Telecel', 'GHS', 99n),
  instruction('+265991234567', 'Airtel Money', 'MWK', 10n),
  instruction('+265881234567', 'TNM Mpamba', 'MWK'),
  instruction('+243991234567', 'Airtel Money', 'CDF', 1n),
  instruction('+243811234567', 'Mpesa', 'CDF'),
  instruction('+243991234567', 'Airtel Money', 'USD', 5n),
  instruction('+243811234567', 'Mpesa', 'USD', 50n),
  instruction('+251711234567', 'MPESA', 'ETB', 50n),
];

export const payoutIdFor = ({ attemptId }: PayoutInstruction): string => payoutIdOf(attemptId);
export const standing = (payments: readonly Payment[]): readonly Payment[] =>
  payments.filter(({ reversed }) => !reversed);

export function connect(pawapay: RunningPawapay, callTimeoutMs = 5_000): PawapayProvider {
  const { baseUrl, clock, listener } = pawapay;
  return pawapayProvider({
    baseUrl,
    credential: TOKEN,
    callTimeoutMs,
    callbackHost: new URL(listener.url).host,
    clock,
  });
}

export const asReceived = ({ method, path, headers, raw }: Heard): ProviderCallback => ({
  method,
  path,
  host: String(headers.host),
  headers,
  body: Buffer.from(raw),
});

import { randomUUID } from 'node:crypto';

import {
  callbackHeaders,
  type PayoutInstruction,
  paystackProvider,
  type PaystackProvider,
  type ProviderCallback,
} from '@vuka/payouts';

import type { Heard } from '../simulation/listener.spec-support.js';
import { type RunningPaystack, SECRET } from './simulator.spec-support.js';

const instruction = (
  currency: string,
  destination: PayoutInstruction['destination'],
  minor = 150_005n,
): PayoutInstruction => ({
  // Of version 8, as payments makes them.
  attemptId: randomUUID().replace(/^(.{14})./, '$18'),
  orderId: randomUUID(),
  amount: { minor, currency },
  destination,
});

/** To the Nigerian account of these four digits. */
export const to = (digits: string): PayoutInstruction =>
  instruction('NGN', {
    kind: 'bank',
    account_number: `012345${digits}`,
    bank_code: '044',
    bank_name: 'Access Bank',
  });

const cedi = (phone: string, mobile_network: 'MTN' | 'Telecel' | 'AirtelTigo'): PayoutInstruction =>
  instruction('GHS', { kind: 'mobile', phone, mobile_network });

/** Each kind of recipient whose name the record tells. */
export const named = (): PayoutInstruction[] => [
  to('1234'),
  cedi('+233241234567', 'MTN'),
  cedi('+233201234567', 'Telecel'),
  cedi('+233271234567', 'AirtelTigo'),
];

/** Whole shillings. The record tells no names there. */
export const nameless = (): PayoutInstruction[] => [
  instruction('KES', { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' }, 150_000n),
  instruction('KES', { kind: 'till', shortcode: '521234' }, 150_000n),
  instruction('KES', { kind: 'paybill', shortcode: '888880', account_number: 'INV 77' }, 150_000n),
  instruction('KES', { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB' }, 150_005n),
];

export function connect({ baseUrl, clock }: RunningPaystack, callTimeoutMs = 5_000): PaystackProvider {
  return paystackProvider({ baseUrl, credential: SECRET, callTimeoutMs, clock, kesBanks: new Map([['01', '01']]) });
}

/** As payments hands it on. */
export const asReceived = ({ method, path, headers, raw }: Heard): ProviderCallback => ({
  method,
  path,
  host: String(headers.host),
  headers: callbackHeaders(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body: Buffer.from(raw),
});

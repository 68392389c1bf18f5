import { tokenAt, type Chain } from '@vuka/domain';

import type { NewIncomingTransfer, UnreadableIncomingTransfer } from '../incoming-transfers/index.js';
import type { ToldIncomingTransfer } from '../chains/index.js';

const LONGEST_TEXT = 200;
/** numeric(38,0). */
const MOST_MINOR = 10n ** 38n - 1n;
const MOST_ORDINAL = 2 ** 31 - 1;

/** Less is dust: its sender only wants to be seen. */
const HUNDREDTHS = 100n;

export function readIncomingTransfer(
  chain: Chain,
  told: ToldIncomingTransfer,
): NewIncomingTransfer | UnreadableIncomingTransfer {
  const reason = faultOf(told);
  if (reason !== null) return unreadable(told, reason);
  const { transactionId, address, ordinal, token, value, from, block } = told;
  const listed = tokenAt(chain, token);
  return {
    transactionHash: transactionId,
    address,
    ordinal,
    token,
    symbol: listed?.symbol ?? null,
    amountMinor: value,
    sender: from,
    isDust: listed !== undefined && value * HUNDREDTHS < 10n ** BigInt(listed.decimals),
    block: { number: block.number, hash: block.hash, time: new Date(block.timeMs) },
  };
}

/** In a form that every column takes. */
function unreadable(
  { transactionId, address, ordinal, ...rest }: ToldIncomingTransfer,
  reason: string,
): UnreadableIncomingTransfer {
  const printable = (_: string, value: unknown): unknown =>
    typeof value === 'bigint' ? value.toString() : typeof value === 'string' ? plain(value) : value;
  return {
    transactionHash: plain(transactionId),
    address: plain(address),
    ordinal: plain(String(ordinal)),
    reason,
    told: JSON.parse(JSON.stringify(rest, printable)) as object,
  };
}

export const isUnreadable = (
  incomingTransfer: NewIncomingTransfer | UnreadableIncomingTransfer,
): incomingTransfer is UnreadableIncomingTransfer => 'reason' in incomingTransfer;

function faultOf({ transactionId, address, ordinal, token, from, value, block }: ToldIncomingTransfer): string | null {
  const texts = { transactionId, address, token, from, 'block.hash': block.hash };
  const strange = Object.entries(texts).find(([, text]) => text !== plain(text));
  if (strange !== undefined) return `${strange[0]}: too long, or not printable`;
  if (value <= 0n || value > MOST_MINOR) return 'value: not an amount that can be held';
  if (!Number.isInteger(ordinal) || ordinal < 0 || ordinal > MOST_ORDINAL) return 'ordinal: not a place';
  if (!Number.isSafeInteger(block.number) || block.number < 0) return 'block.number: not a height';
  return Number.isFinite(new Date(block.timeMs).getTime()) ? null : 'block.timeMs: not a time';
}

const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_TEXT);

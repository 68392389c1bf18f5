import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';

import type { IHeaders, KafkaMessage } from 'kafkajs';

import type { BufferRow } from '../../delivery/bucket-buffer.js';
import type { DeadLetter } from '../../dead-letters/dead-letters.js';
import { MAX_ENVELOPE_BYTES } from '../../envelope.js';

/** A message of a topic on its way to a group; its position is its offset. */
export interface KafkaRow extends BufferRow<bigint> {
  /** When it was produced, in milliseconds since 1970, by the producer's clock. */
  readonly producedAt: number;
}

export interface Origin {
  readonly group: string;
  /** The topic's own name, without a deployment's prefix. */
  readonly topic: string;
  readonly partition: number;
  /** From the Clock: when a dead letter would have been written. */
  readonly at: Date;
}

/** Names of the headers that the relay writes. */
export const EVENT_HEADERS = { eventId: 'event-id', sequence: 'sequence', type: 'type' } as const;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const INTEGER = /^\d{1,15}$/;
/** An aggregate's id has 36 characters. */
const MAX_KEY_BYTES = 256;

/**
 * Never throws: whoever may write to a topic may write anything, and no message of theirs stops the ones behind it. What is
 * no event of ours carries its dead letter with it already; what only its text can tell is judged where events are delivered.
 * Text is copied here, so that the fetch it came in (up to 10 MB in one piece) is free.
 */
export function rowOf(message: KafkaMessage, origin: Origin): KafkaRow {
  const { key, value, headers } = message;
  const bytes = value?.length ?? 0;
  const isTooBig = bytes > MAX_ENVELOPE_BYTES;
  const row: KafkaRow = {
    position: BigInt(message.offset),
    topic: origin.topic,
    key: storable((key ?? Buffer.alloc(0)).subarray(0, MAX_KEY_BYTES)),
    sequence: sequenceOf(headers),
    eventId: eventIdOf(message, origin),
    bytes,
    text: isTooBig ? null : storable(value ?? Buffer.alloc(0)),
    tries: 0,
    cancelledMs: 0,
    cancelledAtMs: null,
    deadLetter: null,
    done: false,
    producedAt: Number(message.timestamp),
  };
  const fault = isTooBig ? null : faultOf(message);
  if (fault !== null) row.deadLetter = deadLetterOf(row, fault, origin);
  return row;
}

/** What would be lost, or read as something else, once the bytes are text. */
function faultOf({ key, value }: KafkaMessage): string | null {
  if (key === null || key.length === 0) return 'The message has no key';
  if (key.length > MAX_KEY_BYTES) return `The key is ${key.length} bytes long, at most ${MAX_KEY_BYTES}`;
  if (!isText(key)) return 'The key is not text';
  if (value === null) return 'The message has no value';
  return isText(value) ? null : 'The value is not text';
}

/** UTF-8 without NUL: PostgreSQL keeps no other, and a dead letter that cannot be kept would be waited for without end. */
function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

function storable(bytes: Buffer): string {
  return isText(bytes) ? bytes.toString('utf8') : bytes.toString('utf8').replaceAll('\0', '\uFFFD');
}

function deadLetterOf(row: KafkaRow, detail: string, { group, at }: Origin): DeadLetter {
  const { topic, key, eventId, text } = row;
  return { group, topic, key, eventId, reason: 'foreign', detail, tries: 0, envelope: text, at };
}

function sequenceOf(headers: IHeaders | undefined): number {
  const text = headerOf(headers, EVENT_HEADERS.sequence);
  return text !== undefined && INTEGER.test(text) ? Number(text) : Number.NaN;
}

/**
 * The event's own id; for a message without one, an id of its place, the same at each redelivery. The time stands for the
 * place's history: a topic that was deleted and made anew has another message at the same offset.
 */
function eventIdOf({ headers, offset, timestamp }: KafkaMessage, { topic, partition }: Origin): string {
  const own = headerOf(headers, EVENT_HEADERS.eventId);
  if (own !== undefined && UUID.test(own)) return own.toLowerCase();
  const digest = createHash('sha256')
    .update(JSON.stringify([topic, partition, offset, timestamp]))
    .digest()
    .subarray(0, 16);
  // RFC 9562, version 8: bits of our own making.
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function headerOf(headers: IHeaders | undefined, name: string): string | undefined {
  const value = headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined || first === null ? undefined : first.toString().slice(0, 100);
}

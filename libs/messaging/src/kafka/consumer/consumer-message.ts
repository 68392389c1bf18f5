import { isUtf8 } from 'node:buffer';

import type { IHeaders, KafkaMessage } from 'kafkajs';

import { idOfPlace, MAX_MACS_LENGTH, type EventAuthors } from '../../authors/event-authors.js';
import type { BufferRow } from '../../delivery/bucket-buffer.js';
import type { DeadLetter } from '../../dead-letters/dead-letters.js';
import { MAX_ENVELOPE_BYTES } from '../../envelope.js';

export interface KafkaRow extends BufferRow<bigint> {
  /** Ms since 1970, by the producer's clock. */
  readonly producedAt: number;
}

export interface Origin {
  readonly group: string;
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly at: Date;
  readonly authors?: EventAuthors;
}

export const EVENT_HEADERS = { eventId: 'event-id', sequence: 'sequence', type: 'type', macs: 'macs' } as const;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const INTEGER = /^\d{1,15}$/;
const MAX_KEY_BYTES = 256;
const MAX_HEADER_LENGTH = 100;

/**
 * Never throws: anybody may write anything, and that must not stop later messages. A foreign message gets its dead
 * letter here. Text is copied to free the fetch buffer (up to 10 MB).
 */
export function rowOf(message: KafkaMessage, origin: Origin): KafkaRow {
  const { key, value, headers } = message;
  const bytes = value?.length ?? 0;
  const isTooBig = bytes > MAX_ENVELOPE_BYTES;
  const claimed: KafkaRow = {
    position: BigInt(message.offset),
    topic: origin.topic,
    key: storable((key ?? Buffer.alloc(0)).subarray(0, MAX_KEY_BYTES)),
    sequence: sequenceOf(headers),
    eventId: eventIdOf(message, origin),
    bytes,
    text: isTooBig ? null : storable(value ?? Buffer.alloc(0)),
    macs: headerOf(headers, EVENT_HEADERS.macs, MAX_MACS_LENGTH + 1) ?? null,
    tries: 0,
    cancelledMs: 0,
    cancelledAtMs: null,
    deadLetter: null,
    done: false,
    producedAt: Number(message.timestamp),
  };
  const fault = (isTooBig ? null : faultOf(message)) ?? authorFaultOf(message, claimed, origin);
  if (fault === null) return claimed;
  const row = { ...claimed, eventId: idOfMessage(message, origin) };
  row.deadLetter = deadLetterOf(row, fault, origin);
  return row;
}

function authorFaultOf({ value }: KafkaMessage, claimed: KafkaRow, { authors }: Origin): string | null {
  return authors?.faultOfClaimed({ ...claimed, macs: claimed.macs ?? null }, value ?? Buffer.alloc(0)) ?? null;
}

/** Bytes that would be lost or changed as text. */
function faultOf({ key, value }: KafkaMessage): string | null {
  if (key === null || key.length === 0) return 'The message has no key';
  if (key.length > MAX_KEY_BYTES) return `The key is ${key.length} bytes long, at most ${MAX_KEY_BYTES}`;
  if (!isText(key)) return 'The key is not text';
  if (value === null) return 'The message has no value';
  return isText(value) ? null : 'The value is not text';
}

/** UTF-8 without NUL. PostgreSQL stores nothing else; an unstorable dead letter would block for ever. */
function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

function storable(bytes: Buffer): string {
  return storableText(bytes.toString('utf8'));
}

function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

function deadLetterOf(row: KafkaRow, detail: string, { group, at }: Origin): DeadLetter {
  const { topic, key, eventId, text, macs = null } = row;
  const shown = macs === null ? null : storableText(macs);
  return { group, topic, key, eventId, reason: 'foreign', detail, tries: 0, envelope: text, macs: shown, at };
}

function sequenceOf(headers: IHeaders | undefined): number {
  const text = headerOf(headers, EVENT_HEADERS.sequence);
  return text !== undefined && INTEGER.test(text) ? Number(text) : Number.NaN;
}

function eventIdOf(message: KafkaMessage, origin: Origin): string {
  const own = headerOf(message.headers, EVENT_HEADERS.eventId);
  return own !== undefined && UUID.test(own) ? own.toLowerCase() : idOfMessage(message, origin);
}

/** Stable over redeliveries. With timestamp, because a recreated topic reuses offsets. */
function idOfMessage({ offset, timestamp }: KafkaMessage, { topic, partition }: Origin): string {
  return idOfPlace([topic, partition, offset, timestamp]);
}

function headerOf(headers: IHeaders | undefined, name: string, most = MAX_HEADER_LENGTH): string | undefined {
  const value = headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined || first === null ? undefined : first.toString().slice(0, most);
}

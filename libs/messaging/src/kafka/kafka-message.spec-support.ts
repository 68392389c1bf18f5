import type { Envelope } from '@vuka/contracts';
import type { Message } from 'kafkajs';

import { macsOf } from '../authors/authors.spec-support.js';
import { EVENT_HEADERS } from './consumer/consumer-message.js';

/** As the relay sends it; `macs` null: as somebody without a key. */
export function messageOf(
  envelope: Envelope,
  macs: string | null = macsOf('things', JSON.stringify(envelope)),
): Message & { value: string } {
  const { id, key, sequence, type } = envelope;
  return {
    key,
    value: JSON.stringify(envelope),
    headers: {
      [EVENT_HEADERS.eventId]: id,
      [EVENT_HEADERS.sequence]: String(sequence),
      [EVENT_HEADERS.type]: type,
      ...(macs !== null && { [EVENT_HEADERS.macs]: macs }),
    },
  };
}

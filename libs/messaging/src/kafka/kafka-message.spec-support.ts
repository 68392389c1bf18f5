import type { Envelope } from '@vuka/contracts';
import type { Message } from 'kafkajs';

import { EVENT_HEADERS } from './consumer/consumer-message.js';

export function messageOf(envelope: Envelope): Message & { value: string } {
  const { id, key, sequence, type } = envelope;
  return {
    key,
    value: JSON.stringify(envelope),
    headers: { [EVENT_HEADERS.eventId]: id, [EVENT_HEADERS.sequence]: String(sequence), [EVENT_HEADERS.type]: type },
  };
}

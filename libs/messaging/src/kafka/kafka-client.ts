import type { Logger } from '@vuka/platform';
import type { Kafka } from 'kafkajs';

import type { KafkaConnection } from './kafka-connection.js';

/** The one way to the brokers: TLS, SASL, timeouts, log bridge, and the client's known faults taken out. */
export function kafkaClient(_connection: KafkaConnection, _clientId: string, _log: Logger): Kafka {
  throw new Error('not yet');
}

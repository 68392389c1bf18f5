import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { HOST } from '../native-server.js';

export interface BrokerPlace {
  readonly port: number;
  readonly controllerPort: number;
  readonly data: string;
}

/** Its own controller. Topics must be created; internal ones have one replica. */
export function brokerProperties({ port, controllerPort, data }: BrokerPlace): Record<string, string> {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@${HOST}:${controllerPort}`,
    listeners: `BROKER://${HOST}:${port},CONTROLLER://${HOST}:${controllerPort}`,
    'advertised.listeners': `BROKER://${HOST}:${port}`,
    'inter.broker.listener.name': 'BROKER',
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': 'false',
    'num.partitions': '1',
    'default.replication.factor': '1',
    'min.insync.replicas': '1',
    'offsets.topic.num.partitions': '4',
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.num.partitions': '2',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.num.partitions': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    // A long idle group must keep its offsets.
    'offsets.retention.minutes': '525600',
    // The controller waits for the killed broker's session; default 9 s.
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    'num.network.threads': '2',
    'num.io.threads': '4',
    'background.threads': '2',
    // Default: 128 MB at once.
    'log.cleaner.dedupe.buffer.size': '4194304',
  };
}

/** At most two files of 10 MB. */
export function logProperties(folder: string): Record<string, string> {
  const file = join(folder, 'kafka.log');
  return {
    status: 'error',
    name: 'broker',
    'appender.file.type': 'RollingFile',
    'appender.file.name': 'file',
    'appender.file.fileName': file,
    'appender.file.filePattern': `${file}.%i`,
    'appender.file.layout.type': 'PatternLayout',
    'appender.file.layout.pattern': '%d{ISO8601} %p %c{1}: %m%n',
    'appender.file.policies.type': 'Policies',
    'appender.file.policies.size.type': 'SizeBasedTriggeringPolicy',
    'appender.file.policies.size.size': '10MB',
    'appender.file.strategy.type': 'DefaultRolloverStrategy',
    'appender.file.strategy.max': '1',
    'rootLogger.level': 'info',
    'rootLogger.appenderRef.file.ref': 'file',
  };
}

/** java.util.Properties: a backslash begins an escape. */
export function propertiesText(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value.replaceAll('\\', '\\\\')}\n`)
    .join('');
}

/** 16 bytes. A leading `-` would be read as an option. */
export function clusterId(random: Uint8Array = randomBytes(16)): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0);
  return bytes.toString('base64url');
}

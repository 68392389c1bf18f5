import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';

type Topics = Pick<EventCatalogue, 'topics'>;

export interface AclRule {
  /** Its login, as in PostgreSQL: `vuka_<service>`. */
  readonly login: string;
  readonly resource: 'topic' | 'group';
  /** Without prefix. */
  readonly name: string;
  readonly operations: readonly ('write' | 'read' | 'describe')[];
}

export const loginOf = (service: string): string => `vuka_${service}`;

/** One writer a topic, its readers, and the group of each reader. Nothing else is allowed to anybody. */
export function aclRules({ topics }: Topics = EVENT_CATALOGUE): AclRule[] {
  const readers = [...new Set(Object.values(topics).flatMap(({ consumers }) => consumers))].sort();
  return [
    ...Object.entries(topics).flatMap(([name, { owner, consumers }]): AclRule[] => [
      { login: loginOf(owner), resource: 'topic', name, operations: ['write', 'describe'] },
      ...consumers.map((reader): AclRule => ({
        login: loginOf(reader),
        resource: 'topic',
        name,
        operations: ['read', 'describe'],
      })),
    ]),
    ...readers.map((reader): AclRule => ({
      login: loginOf(reader),
      resource: 'group',
      name: reader,
      operations: ['read', 'describe'],
    })),
  ];
}

/** For clusters that `setup servers` does not make: `deploy/kafka/acls.sh`. */
export function aclScript(catalogue?: Topics): string {
  const lines = aclRules(catalogue).map(({ login, resource, name, operations }) => {
    const allowed = operations.map((one) => `--operation ${one[0]!.toUpperCase()}${one.slice(1)}`).join(' ');
    return `allow ${login} ${allowed} --${resource} "\${PREFIX}${name}"`;
  });
  return `#!/bin/sh
# Made by \`npm run generate\` from TOPICS (libs/contracts). One writer a topic, its readers, the group of each reader.
# BROKERS=kafka-1:9093 COMMAND_CONFIG=admin.properties sh deploy/kafka/acls.sh
# Needs an authorizer with allow.everyone.if.no.acl.found=false (its default). May be run again: what is there stays.
set -eu
PREFIX="\${PREFIX-live.}"
KAFKA_ACLS="\${KAFKA_ACLS-kafka-acls.sh}"

allow() {
  login="$1"
  shift
  "$KAFKA_ACLS" --bootstrap-server "$BROKERS" --command-config "$COMMAND_CONFIG" --add --allow-principal "User:$login" "$@"
}

${lines.join('\n')}
`;
}

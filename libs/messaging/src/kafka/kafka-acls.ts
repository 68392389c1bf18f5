import type { Logger } from '@vuka/runtime';
import type { AclEntry, AclOperationTypes, AclPermissionTypes, AclResourceTypes, Admin, ResourcePatternTypes } from 'kafkajs'; // prettier-ignore

import type { EventCatalogue } from '../envelope.js';
import { aclRules, type AclRule } from './kafka-acl-rules.js';
import { kafkaClient } from './kafka-client.js';
import { brokerName, type KafkaConnection } from './kafka-connection.js';

// Node cannot import these enums from the CommonJS package.
const RESOURCES: Readonly<Record<AclRule['resource'], AclResourceTypes>> = { topic: 2, group: 3 };
const OPERATIONS: Readonly<Record<AclRule['operations'][number], AclOperationTypes>> = {
  read: 3,
  write: 4,
  describe: 8,
};
const ANY_OPERATION: AclOperationTypes = 1;
const CAN_WRITE: readonly AclOperationTypes[] = [2, OPERATIONS.write];
const ALLOW: AclPermissionTypes = 3;
const LITERAL: ResourcePatternTypes = 3;
/** Literal, by prefix, or `*`. */
const MATCH: ResourcePatternTypes = 2;

export interface AclReport {
  /** `no_authorizer`: this cluster lets everybody do everything. */
  readonly outcome: 'made' | 'no_authorizer';
  /** Who else may write a topic, as `<topic> <principal>`. Nothing of it was changed. */
  readonly otherWriters: readonly string[];
}

/** Makes what is missing, and takes nothing away. May be repeated. Throws if no broker answers or one refuses. */
export async function ensureAcls(
  connection: KafkaConnection,
  log: Logger,
  catalogue?: EventCatalogue,
): Promise<AclReport> {
  const admin = kafkaClient(connection, 'vuka-acls', log).admin();
  await admin.connect();
  try {
    const rules = aclRules(catalogue);
    await admin.createAcls({ acl: rules.flatMap((rule) => entriesOf(rule, connection)) });
    return { outcome: 'made', otherWriters: await otherWriters(admin, rules, connection) };
  } catch (error) {
    if ((error as { type?: unknown }).type === 'SECURITY_DISABLED')
      return { outcome: 'no_authorizer', otherWriters: [] };
    throw error;
  } finally {
    await admin.disconnect();
  }
}

function entriesOf({ login, resource, name, operations }: AclRule, connection: KafkaConnection): AclEntry[] {
  return operations.map((operation) => ({
    resourceType: RESOURCES[resource],
    resourceName: brokerName(connection, name),
    resourcePatternType: LITERAL,
    principal: `User:${login}`,
    host: '*',
    operation: OPERATIONS[operation],
    permissionType: ALLOW,
  }));
}

async function otherWriters(admin: Admin, rules: readonly AclRule[], connection: KafkaConnection): Promise<string[]> {
  const found: string[] = [];
  for (const { login, name } of rules.filter(({ operations }) => operations.includes('write'))) {
    const topic = brokerName(connection, name);
    const { resources } = await admin.describeAcls({
      resourceType: RESOURCES.topic,
      resourceName: topic,
      resourcePatternType: MATCH,
      operation: ANY_OPERATION,
      permissionType: ALLOW,
    });
    const writers = resources
      .flatMap(({ acls }) => acls)
      .filter(({ operation, principal }) => CAN_WRITE.includes(operation) && principal !== `User:${login}`);
    found.push(...new Set(writers.map(({ principal }) => `${topic} ${principal}`)));
  }
  return found;
}

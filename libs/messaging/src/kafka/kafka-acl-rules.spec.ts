import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@vuka/contracts';

import { aclRules, aclScript } from './kafka-acl-rules.js';

describe('deploy/kafka/acls.sh', () => {
  it('is what the topics say: run `npm run generate` otherwise', () => {
    const file = join(import.meta.dirname, '../../../../deploy/kafka/acls.sh');
    expect(readFileSync(file, 'utf8')).toBe(aclScript());
  });

  it('asks for each right, behind the prefix of live', () => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      BROKERS: 'kafka-1:9093',
      COMMAND_CONFIG: 'admin',
      KAFKA_ACLS: 'echo',
    };
    const said = execFileSync('sh', ['-c', aclScript()], { env, encoding: 'utf8' }).trimEnd().split('\n');
    expect(said).toHaveLength(aclRules().length);
    expect(said).toContain(
      '--bootstrap-server kafka-1:9093 --command-config admin --add --allow-principal User:vuka_offramp ' +
        '--operation Write --operation Describe --topic live.offramp.deposit.events.v1',
    );
  });
});

describe('the rights on Kafka', () => {
  it('let one login write each topic, its owner’s, and only its readers read it', () => {
    for (const [topic, { owner, consumers }] of Object.entries(TOPICS)) {
      const of = (operation: 'write' | 'read'): string[] =>
        aclRules()
          .filter(({ name, operations }) => name === topic && operations.includes(operation))
          .map(({ login }) => login);
      expect([of('write'), of('read')]).toEqual([[`vuka_${owner}`], consumers.map((reader) => `vuka_${reader}`)]);
    }
  });

  it('let each reader use its own group alone', () => {
    const groups = aclRules().filter(({ resource }) => resource === 'group');
    expect(groups.map(({ login, name }) => login === `vuka_${name}`)).toEqual(groups.map(() => true));
    expect(groups.map(({ name }) => name)).toEqual(['checkout', 'gateway', 'notifier', 'offramp', 'payments']);
  });
});

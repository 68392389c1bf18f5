import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

import { DATABASE_OWNERS, type Secrets } from '@vuka/data-folder';
import {
  findKafka,
  findRedis,
  type Member,
  type RunningServer,
  ServerMember,
  startLocalKafka,
  startLocalRedis,
} from '@vuka/local-servers';
import type { KafkaConnection } from '@vuka/messaging';
import { ensureTopics } from '@vuka/messaging/kafka';
import { ensureServiceLogins, startEmbeddedPostgres, type EmbeddedPostgres } from '@vuka/persistence';
import { BootError, createLogger, type Logger } from '@vuka/runtime';
import { type DepositSources, ensureDepositSources, ensureRefundWallets, SandboxChains } from '@vuka/sandbox';

import { OutsideBroker } from '../members/outside-broker.js';
import type { SettledFacts, StackFolder } from './stack-files.js';
import type { StackSettings } from './stack-settings.js';
import type { StackSteps, Tell } from './stack-steps.js';

export const DATABASE = 'vuka';

const TOPICS = { partitions: 6, replication: 1, retentionMs: 7 * 24 * 60 * 60_000 };

interface RedisServer extends RunningServer {
  readonly url: string;
}

export interface ServersGround {
  readonly stack: StackSettings;
  readonly folder: StackFolder;
  readonly facts: SettledFacts;
  readonly secrets: Secrets;
  readonly steps: StackSteps;
  readonly tell: Tell;
  readonly log: Logger;
  readonly onChange: () => void;
}

export class StackServers {
  readonly postgres: ServerMember<EmbeddedPostgres>;
  readonly kafka: Member & { readonly brokers: string };
  readonly redis: ServerMember<RedisServer>;
  readonly chains: SandboxChains;

  constructor(private readonly ground: ServersGround) {
    const { folder, facts } = ground;
    const logIn = (name: string): Logger => createLogger(name, { level: ground.stack.settings.logLevel });
    this.postgres = new ServerMember(
      {
        name: 'postgres',
        logFile: join(folder.logs, 'postgres.log'),
        begin: () => startEmbeddedPostgres({ folder: folder.data.postgres, durable: true, log: logIn('postgres') }),
        advice: `See ${join(folder.data.postgres, 'postgres.log')}.`,
      },
      ground,
    );
    this.redis = new ServerMember<RedisServer>(
      {
        name: 'redis',
        logFile: join(folder.logs, 'redis.log'),
        begin: (port) =>
          startLocalRedis({ folder: folder.redis, log: logIn('redis'), ...(port !== undefined && { port }) }),
        advice: `See the logs in ${folder.redis}.`,
      },
      ground,
    );
    this.chains = new SandboxChains({
      folder: folder.data.chains,
      logFileOf: (member) => join(folder.logs, `${member}.log`),
      wanted: ground.stack.settings.sandboxChains,
      settings: ground.stack.settings.chains,
      log: logIn('sandbox-chains'),
      onChange: ground.onChange,
      tell: ground.tell,
    });
    this.kafka =
      facts.broker.kind === 'own' ? this.ownBroker(folder, logIn('kafka')) : new OutsideBroker(facts.broker.address);
  }

  get all(): readonly Member[] {
    return [this.postgres, this.kafka, this.redis, ...this.chains.members];
  }

  get connection(): KafkaConnection {
    return { brokers: [this.kafka.brokers], prefix: this.ground.facts.broker.prefix, tls: null, sasl: null };
  }

  /** Also makes logins and topics. Throws BootError. */
  async startPostgres(): Promise<void> {
    const { steps, secrets } = this.ground;
    await steps.run('PostgreSQL', () => this.postgres.start());
    const logins = DATABASE_OWNERS.map((name) => ({ name, password: secrets.databasePassword(name) }));
    await steps.run('database logins', () => ensureServiceLogins(this.postgres.running, DATABASE, logins));
    this.linkLogs();
  }

  async startKafka(): Promise<void> {
    const { steps, tell, log, facts } = this.ground;
    if (facts.broker.kind === 'own') {
      const found = await findKafka({ tell: (line) => tell(`    ${line}`) });
      if (!found.ok)
        throw new BootError(found.why, 'Or use a running broker: VUKA_STACK_KAFKA=host:port npm run stack');
    }
    await steps.run(facts.broker.kind === 'own' ? 'Kafka' : `Kafka at ${facts.broker.address}`, () =>
      this.kafka.start(),
    );
    const reports = await steps.run('topics', () => ensureTopics(this.connection, log, TOPICS));
    for (const { topic, differences } of reports.filter(({ outcome }) => outcome === 'differs'))
      tell(`  ! topic ${topic}: ${differences.join(', ')}`);
    this.linkLogs();
  }

  async startRedis(): Promise<void> {
    const { steps, tell } = this.ground;
    const found = await findRedis({ tell: (line: string) => tell(`    ${line}`) });
    if (!found.ok) throw new BootError(found.why, 'Install it (Debian: apt-get install redis-server) and start again.');
    await steps.run('Redis', () => this.redis.start());
    this.linkLogs();
  }

  /** Chains that cannot start are reported and left out. */
  async startChains(): Promise<void> {
    await this.ground.steps.run('sandbox chains', () => this.chains.start());
    this.linkLogs();
  }

  /** The setting, or else the folder's own. */
  depositSources(): Promise<DepositSources> {
    const {
      stack: {
        settings: { chains },
      },
      folder,
    } = this.ground;
    return ensureDepositSources(folder.data, chains, Object.keys({ ...this.chains.endpoints, ...chains.endpoints }));
  }

  /** undefined if something else is set. */
  refundKeys(): Promise<string | undefined> {
    const {
      stack: {
        settings: { chains },
      },
      folder,
      tell,
    } = this.ground;
    return ensureRefundWallets({ folder: folder.data, settings: chains, nodes: this.chains.endpoints, tell });
  }

  private ownBroker(folder: StackFolder, log: Logger): Member & { readonly brokers: string } {
    const member = new ServerMember(
      {
        name: 'kafka',
        logFile: join(folder.logs, 'kafka.log'),
        begin: (port) => startLocalKafka({ folder: folder.kafka, log, ...(port !== undefined && { port }) }),
        advice: `See the logs in ${folder.kafka}.`,
      },
      this.ground,
    );
    return Object.defineProperty(member, 'brokers', {
      get: () => `${member.running.host}:${member.running.port}`,
    }) as ServerMember & { readonly brokers: string };
  }

  /** Servers write logs in their own folders; logs/ links to each. */
  private linkLogs(): void {
    const { folder } = this.ground;
    const chains = this.chains.nodeLogs.map(([member, file]) => [`${member}.log`, file] as const);
    const files: Readonly<Record<string, string>> = {
      ...Object.fromEntries(chains),
      'postgres.log': join(folder.data.postgres, 'postgres.log'),
      'kafka.log': join(folder.kafka, 'kafka.out'),
      'redis.log': join(folder.redis, 'redis.log'),
    };
    for (const [name, target] of Object.entries(files)) {
      const link = join(folder.logs, name);
      if (!existsSync(target) || existsSync(link)) continue;
      rmSync(link, { force: true });
      symlinkSync(relative(folder.logs, target), link);
    }
  }
}

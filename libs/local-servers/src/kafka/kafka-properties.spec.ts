import { describe, expect, it } from '@jest/globals';

import { brokerProperties, clusterId, propertiesText } from './kafka-properties.js';
import { pinnedJars } from './pinned-jars.js';

describe('what a local broker is made of', () => {
  it('listens on loopback only, makes no topic unasked, and keeps offsets of groups that sleep', () => {
    const properties = brokerProperties({ port: 1, controllerPort: 2, data: '/data' });
    expect(properties).toMatchObject({
      listeners: 'BROKER://127.0.0.1:1,CONTROLLER://127.0.0.1:2',
      'advertised.listeners': 'BROKER://127.0.0.1:1',
      'auto.create.topics.enable': 'false',
    });
    expect(Number(properties['offsets.retention.minutes'])).toBeGreaterThan(30 * 24 * 60);
  });

  it('writes paths with a backslash as java.util.Properties reads them', () => {
    expect(propertiesText({ 'log.dirs': 'C:\\data' })).toBe('log.dirs=C:\\\\data\n');
  });

  it('has a cluster id that no program takes for an option, whatever was drawn', () => {
    const drawn = Array.from({ length: 256 }, (_, first) =>
      Buffer.concat([Buffer.from([first]), Buffer.alloc(15, 0xfb)]),
    );
    expect(drawn.some((bytes) => bytes.toString('base64url').startsWith('-'))).toBe(true);
    for (const bytes of drawn) expect(clusterId(bytes)).toMatch(/^[A-Za-f][\w-]{21}$/);
    expect(clusterId()).not.toBe(clusterId());
  });

  it('pins every jar by path, size and SHA-256, each under a name of its own', () => {
    const { jars, kafka } = pinnedJars();
    expect(jars.map(({ path }) => path)).toContain(`org/apache/kafka/kafka_2.13/${kafka}/kafka_2.13-${kafka}.jar`);
    for (const { path, size, sha256 } of jars) {
      expect(path).toMatch(/^([\w.-]+\/)+[\w.-]+\.jar$/);
      expect(path).not.toContain('..');
      expect(size).toBeGreaterThan(1_000);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(new Set(jars.map(({ path }) => path.split('/').pop())).size).toBe(jars.length);
  });
});

import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

import { parseEnvelope } from './envelope.js';

/** Events as releases wrote them (`node tools/event-samples.mjs`): a topic holds them for as long as it keeps anything. */
const SAMPLES = fileURLToPath(new URL('../../contracts/samples/', import.meta.url));

interface Sample {
  readonly topic: string;
  readonly events: readonly Record<string, unknown>[];
}

const releases = readdirSync(SAMPLES, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const samples = releases.flatMap((release) =>
  readdirSync(`${SAMPLES}${release}`).flatMap((file) => {
    if (file === 'contracts.json') return [];
    const { topic, events } = JSON.parse(readFileSync(`${SAMPLES}${release}/${file}`, 'utf8')) as Sample;
    return events.map((event, place) => ({ release, file, place, topic, event }));
  }),
);

describe('events of earlier releases', () => {
  it('are there for every release that is listed, and for every event that the newest one promised', () => {
    const listed = JSON.parse(readFileSync(`${SAMPLES}releases.json`, 'utf8')) as string[];
    expect([...releases].sort()).toEqual([...listed].sort());
    const newest = samples.filter(({ release }) => release === listed.at(-1)).map(({ event }) => event['type']);
    const { events } = JSON.parse(readFileSync(`${SAMPLES}${listed.at(-1) ?? ''}/contracts.json`, 'utf8')) as { readonly events: object };
    expect(new Set(newest)).toEqual(new Set(Object.keys(events)));
  });

  it.each(samples)('$release $file, number $place is read, every member of it', ({ topic, event }) => {
    expect(parseEnvelope(JSON.stringify(event), topic)).toEqual(event);
  });

  // What a newer writer adds must not stop a reader that does not know it.
  it.each(samples)('$release $file, number $place is read beside members that nobody knows', ({ topic, event }) => {
    const data = event['data'] as Record<string, unknown>;
    const newer = { ...event, added: 1, data: { ...data, added: { of: 'later' } } };
    expect(parseEnvelope(JSON.stringify(newer), topic)).toEqual(event);
  });
});

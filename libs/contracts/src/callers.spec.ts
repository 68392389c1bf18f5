import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { type InternalApi, SERVICES, type ServiceNeeds } from './index.js';

const ROOT = join(import.meta.dirname, '../../..');

/** Where the code of each caller is. */
const SOURCES = {
  gateway: 'apps/gateway/src',
  checkout: 'apps/checkout/src',
  setup: 'libs/data-folder/src',
} as const;

const NOT_RUN = /\.(spec|spec-support)\.ts$|\/testing\//;
/** A client is taken with the operations that are called, so that the compiler refuses any other. */
const CLIENT = /InternalClient<typeof (\w+)Api>/g;
const PICKED = /Pick<\s*InternalClient<typeof (\w+)Api>,\s*((?:'\w+'[\s|]*)+)>/g;

function textOf(folder: string): string {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !NOT_RUN.test(`/${path}`))
    .map((path) => readFileSync(join(ROOT, folder, path), 'utf8'))
    .join('\n');
}

const used = (text: string): string[] =>
  [...text.matchAll(PICKED)].flatMap(([, api, names]) =>
    [...(names ?? '').matchAll(/\w+/g)].map(([name]) => `${api ?? ''}.${name}`),
  );

const granted = (caller: string): string[] =>
  Object.entries(SERVICES).flatMap(([service, { api }]: [string, { readonly api: InternalApi | null }]) =>
    Object.entries(api?.operations ?? {}).flatMap(([name, { callers }]) =>
      (callers as readonly string[]).includes(caller) ? [`${service}.${name}`] : [],
    ),
  );

const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

describe('the callers of internal operations', () => {
  it.each(Object.entries(SOURCES))('are %s where its code calls them, and nowhere else', (caller, folder) => {
    const text = textOf(folder);
    expect([...text.matchAll(PICKED)]).toHaveLength([...text.matchAll(CLIENT)].length);
    expect(distinct(used(text))).toEqual(distinct(granted(caller)));
  });

  it('are those that SERVICES says call the service', () => {
    for (const caller of Object.keys(SERVICES)) {
      const { calls }: ServiceNeeds = SERVICES[caller as 'gateway'];
      expect(distinct(granted(caller).map((name) => name.split('.')[0] ?? ''))).toEqual(distinct(calls));
    }
  });

  it('are one at least for each, so that none is kept that nobody needs', () => {
    const all = new Set(Object.keys(SOURCES).flatMap(granted));
    const rows = Object.values<{ readonly api: InternalApi | null }>(SERVICES).flatMap(({ api }) =>
      Object.keys(api?.operations ?? {}).map((name) => `${api?.service ?? ''}.${name}`),
    );
    expect(rows.filter((row) => !all.has(row))).toEqual([]);
  });
});

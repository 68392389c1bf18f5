// `node tools/build/resolve-providers.mjs <swc | compiler | bundles>`: creates every provider and controller from that
// emitter's output, with fakes, then each class again without its decorator. Prints Nest's reports as JSON.
import 'reflect-metadata';

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../command/run.mjs';
import { bundlePrograms } from './bundle-programs.mjs';
import { COMPILED } from './compile-copy.mjs';

const FOLDERS = { swc: () => ROOT, compiler: () => COMPILED, bundles: () => bundlePrograms() };
const MARKS = ['__injectable__', '__controller__'];
const TYPES = ['design:paramtypes'];

const folder = await FOLDERS[process.argv[2]]();
const load = (path, from = folder) => import(pathToFileURL(join(from, path)).href);
const { createContainer, wiredClasses } = await load('libs/service-host/dist/index.js');
const { testContext } = await load('libs/service-host/dist/test-context.js', ROOT);

const anything = new Proxy(() => undefined, {
  get: (_, name) => (name === 'then' || name === Symbol.toPrimitive ? undefined : anything),
  apply: () => anything,
});

const report = {};
for (const name of readdirSync(join(folder, 'apps'))) {
  const definition = await definitionOf(name);
  if (definition === undefined) continue;
  await makeAll(definition);
  report[name] = {};
  for (const wired of wiredClasses(definition.module)) {
    const losses = wired.length === 0 ? [MARKS] : [MARKS, TYPES];
    report[name][wired.name] = [];
    for (const lost of losses) report[name][wired.name].push(await saidWithout(lost, wired, definition));
  }
}
// Exits without closing, because the fakes never end.
process.stdout.write(JSON.stringify(report), () => process.exit());

async function definitionOf(name) {
  const index = `apps/${name}/dist/index.js`;
  if (!existsSync(join(folder, index))) return undefined;
  return Object.values(await load(index)).find((one) => one?.name === name && one.module && one.root);
}

async function makeAll(definition) {
  const context = testContext({ jobs: anything, eventBus: { subscribe: () => async () => undefined }, database: {} });
  const pools = { db: definition.database ? anything : null, lists: definition.database?.lists ? anything : null };
  const app = await createContainer(definition, { ...context, client: () => anything }, { pools });
  app.get(definition.root, { strict: false });
}

async function saidWithout(lost, wired, definition) {
  const kept = lost.map((key) => [key, Reflect.getOwnMetadata(key, wired)]).filter(([, own]) => own !== undefined);
  for (const [key] of kept) Reflect.deleteMetadata(key, wired);
  try {
    await makeAll(definition);
    return 'nothing';
  } catch (error) {
    return error.message;
  } finally {
    for (const [key, own] of kept) Reflect.defineMetadata(key, own, wired);
  }
}

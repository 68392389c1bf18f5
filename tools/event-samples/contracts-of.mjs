import { execFileSync } from 'node:child_process';

/** In the build's own process, so that it is that build's schemas and that build's zod. Schemas of what is taken in: each side checks what it gets. */
const TELL = `
import * as contracts from './libs/contracts/dist/index.js';
import { z } from 'zod';
const schema = (type) => z.toJSONSchema(type, { io: 'input' });
const apis = Object.values(contracts).filter((one) => one?.service !== undefined && one.operations !== undefined);
const operations = Object.fromEntries(apis.flatMap(({ service, operations }) => Object.entries(operations).map(([name, { input, output, idempotent }]) =>
  [service + '.' + name, { idempotent, input: schema(input), output: schema(output) }])));
const events = Object.fromEntries(Object.entries(contracts.EVENTS).map(([name, { topic, version, data }]) => [name, { topic, version, data: schema(data) }]));
process.stdout.write(JSON.stringify({ topics: contracts.TOPICS, events, operations }));
`;

/** Topics, events and internal operations of a build, their schemas as JSON Schema. */
export function contractsOf(checkout) {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', TELL], { cwd: checkout, encoding: 'utf8', maxBuffer: 16_000_000 });
  return JSON.parse(text);
}

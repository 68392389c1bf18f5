// Stack traces name our sources. Node's own way (`--enable-source-maps`) reads and keeps the map of every loaded file:
// a tenth of a start. Here a map is read when a trace names its file.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const PLACE = /(file:\/\/\/[^\s()]+\/(?:apps|libs)\/[\w-]+\/dist\/[^\s():]+\.js):(\d+):(\d+)/;

const maps = new Map();

/** For all errors of this process. */
export function nameSourcesInTraces() {
  Error.prepareStackTrace = (error, calls) =>
    [titleOf(error), ...calls.map((call) => `    at ${inSource(String(call))}`)].join('\n');
}

/** As Node's: with the code of its own errors. */
function titleOf(error) {
  const { name, code, message } = error;
  return typeof code === 'string' && code.startsWith('ERR_')
    ? `${name} [${code}]: ${message}`
    : Error.prototype.toString.call(error);
}

function inSource(call) {
  return call.replace(PLACE, (place, url, line, column) => {
    const found = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found?.originalSource === undefined) return place;
    const source = fileURLToPath(new URL(found.originalSource, url));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

function mapOf(url) {
  if (!maps.has(url)) maps.set(url, readMap(url));
  return maps.get(url);
}

/** A trace must not fail for want of a map. */
function readMap(url) {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')));
  } catch {
    return undefined;
  }
}

// `node deploy/kafka/pin.mjs`: writes jars.json anew from pom.xml. Maven resolves the jars (checking them against the repository's own checksums) into
// a temporary folder; every jar a broker needs is written down with its path in a Maven repository, its size and its SHA-256.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the pom brings and no broker loads: Scala's reflection (for macros, when Kafka is compiled) and log4j's reader of YAML. */
const NOT_NEEDED = ['org/scala-lang/scala-reflect/', 'com/fasterxml/jackson/dataformat/', 'org/yaml/'];

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'vuka-kafka-pin-'));
try {
  const goal = [
    'dependency:copy-dependencies',
    `-DoutputDirectory=${folder}`,
    '-DincludeScope=runtime',
    '-Dmdep.useRepositoryLayout=true',
  ];
  execFileSync('mvn', ['-q', '-B', '-f', join(here, 'pom.xml'), ...goal], { stdio: ['ignore', 'inherit', 'inherit'] });
  const found = readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/'));
  const wanted = found
    .filter((name) => name.endsWith('.jar') && !NOT_NEEDED.some((start) => name.startsWith(start)))
    .sort();
  const jars = wanted.map((path) => {
    const file = join(folder, path);
    return { path, size: statSync(file).size, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
  });
  const [, kafka] = /<kafka\.version>(.+)<\/kafka\.version>/.exec(readFileSync(join(here, 'pom.xml'), 'utf8'));
  const lines = jars.map((jar) => `    ${JSON.stringify(jar)}`).join(',\n');
  writeFileSync(join(here, 'jars.json'), `{\n  "kafka": "${kafka}",\n  "java": 17,\n  "jars": [\n${lines}\n  ]\n}\n`);
  process.stdout.write(`${jars.length} jars, ${jars.reduce((sum, { size }) => sum + size, 0)} bytes\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// A provider's simulator in a process of its own: it trusts our certificate by its CA, as everybody outside would.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../../command/run.mjs';
import { lookUntil } from '../../demo/look.mjs';

const HOST = '127.0.0.1';
const READY_WITHIN_MS = 30_000;

/** `publicUrl`: our API as it is called from outside. */
export async function startSimulator(provider, { folder, authority, authorityFile, ports, publicUrl, secret }) {
  const { spawnChild, endChild, isRunning } = await import('../../../apps/stack/dist/members/spawn-child.js');
  const { id, name } = provider;
  const tls = await authority.issue(id, [HOST]);
  const [keyFile, certFile] = ['key', 'cert'].map((what) => join(folder, `${id}-${what}.pem`));
  await writeFile(keyFile, tls.key, { mode: 0o600 });
  await writeFile(certFile, tls.cert);
  const [port, controlPort] = [await ports.pick(), await ports.pick()];
  const [callbackUrl, approvalUrl] = ['callbacks', 'approvals'].map(
    (door) => `${publicUrl}/${door}/${id}/${secret.callback_token}`,
  );
  const settings = {
    ...provider.settings({ ...secret, callbackUrl, approvalUrl }),
    FOLDER: join(folder, id),
    PORT: port,
    CONTROL_PORT: controlPort,
    TLS_KEY_FILE: keyFile,
    TLS_CERT_FILE: certFile,
  };
  const env = Object.entries(settings).map(([key, value]) => [`${id.toUpperCase()}_SIMULATOR_${key}`, String(value)]);
  const program = join(ROOT, `apps/sandbox/dist/providers/${id}/main.js`);
  const child = spawnChild(program, join(folder, `logs/${id}.log`), {
    ...Object.fromEntries(env),
    NODE_EXTRA_CA_CERTS: authorityFile,
  });
  const control = controlOf({ name, origin: `http://${HOST}:${controlPort}`, credential: secret.credential });
  const isUp = () => (isRunning(child) ? control('GET', '/numbers').catch(() => null) : 'ended');
  const up = await lookUntil(isUp, (found) => found !== null, READY_WITHIN_MS);
  if (up === null || up === 'ended') throw new Error(`${name} did not start: logs/${id}.log`);
  const deliveriesAt = (path) => control('GET', path).then(({ deliveries }) => deliveries);
  return {
    ...provider,
    baseUrl: `https://${HOST}:${port}`,
    callbackUrl,
    readBook: () => control('GET', '/book').then(provider.book),
    callbacks: () => deliveriesAt(provider.deliveries),
    questions: () => deliveriesAt('/questions'),
    addFloat: (float) => control('POST', ...provider.topUp(float)),
    moveClock: (ms) => control('POST', '/clock', { advanceMs: ms }),
    stop: () => endChild(child),
  };
}

const controlOf =
  ({ name, origin, credential }) =>
  async (method, path, body) => {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(READY_WITHIN_MS),
    });
    if (answer.status !== 200) throw new Error(`${name}'s control answers ${answer.status} to ${path}`);
    return answer.json();
  };

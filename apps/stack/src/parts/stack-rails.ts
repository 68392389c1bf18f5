import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Secrets, writeDurably } from '@vuka/data-folder';
import { type PortPicker, takesConnections } from '@vuka/local-servers';

import { ChildProcessMember, type MemberGround } from '../members/child-process-member.js';
import type { StackFolder } from './stack-files.js';

const PROGRAM = fileURLToPath(new URL('../../../sandbox/dist/providers/main.js', import.meta.url));

/** Both rails of the sandbox as processes of their own, and sandbox-rail.json, which says where they are. */
export async function planRails(
  folder: StackFolder,
  secrets: Secrets,
  ports: PortPicker,
  ground: MemberGround,
): Promise<ChildProcessMember[]> {
  const rails = [
    {
      id: 'sandbox',
      name: 'sandbox-rail',
      folder: folder.data.rail,
      credential: secrets.railCredential,
      port: await ports.pick(),
    },
    {
      id: 'sandbox_b',
      name: 'sandbox-rail-b',
      folder: folder.data.railB,
      credential: secrets.secondRailCredential,
      port: await ports.pick(),
    },
  ] as const;
  const [first, ...others] = rails.map(({ id, credential, port }) => ({
    id,
    base_url: `http://127.0.0.1:${port}`,
    credential,
  }));
  await writeDurably(
    folder.data.railFile,
    `${JSON.stringify({ base_url: first?.base_url, credential: first?.credential, others }, null, 2)}\n`,
  );
  await Promise.all(rails.map(({ name, credential }) => writeFile(fileOf(folder, name), credential, { mode: 0o600 })));
  return rails.map(
    ({ id, name, folder: book, port }) =>
      new ChildProcessMember(
        {
          name,
          kind: 'rail',
          program: PROGRAM,
          env: {
            SANDBOX_RAIL_FOLDER: book,
            SANDBOX_RAIL_CREDENTIAL_FILE: fileOf(folder, name),
            SANDBOX_RAIL_PORT: String(port),
            SANDBOX_RAIL_PROFILE: id,
          },
          ports: { rail: port },
          logFile: join(folder.logs, `${name}.log`),
          isReady: () => takesConnections('127.0.0.1', port).then((yes) => yes || 'takes no connections'),
        },
        ground,
      ),
  );
}

/** Its credential: in a file, since environments can be read from outside. */
function fileOf(folder: StackFolder, name: string): string {
  return join(folder.secrets, name);
}

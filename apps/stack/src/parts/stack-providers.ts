import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Secrets, writeProviderFiles } from '@vuka/data-folder';
import { type PortPicker, takesConnections } from '@vuka/local-servers';

import { ChildProcessMember, type MemberGround } from '../members/child-process-member.js';
import type { StackFolder } from './stack-files.js';

const PROGRAM = fileURLToPath(new URL('../../../sandbox/dist/providers/main.js', import.meta.url));

/** Plans both sandbox providers as processes, and writes the folder's providers file. */
export async function planProviders(
  folder: StackFolder,
  secrets: Secrets,
  ports: PortPicker,
  ground: MemberGround,
): Promise<ChildProcessMember[]> {
  const providers = [
    {
      id: 'sandbox',
      name: 'sandbox-provider',
      folder: folder.data.provider,
      credential: secrets.providers.sandbox.credential,
      port: await ports.pick(),
    },
    {
      id: 'sandbox_b',
      name: 'sandbox-provider-b',
      folder: folder.data.providerB,
      credential: secrets.providers.sandbox_b.credential,
      port: await ports.pick(),
    },
  ] as const;
  const [first, second] = providers;
  const urlOf = ({ port }: { readonly port: number }): string => `http://127.0.0.1:${port}`;
  await writeProviderFiles(folder.data, secrets, { sandbox: urlOf(first), sandbox_b: urlOf(second) });
  await Promise.all(
    providers.map(({ name, credential }) => writeFile(fileOf(folder, name), credential, { mode: 0o600 })),
  );
  return providers.map(
    ({ id, name, folder: book, port }) =>
      new ChildProcessMember(
        {
          name,
          kind: 'provider',
          program: PROGRAM,
          env: {
            SANDBOX_PROVIDER_FOLDER: book,
            SANDBOX_PROVIDER_CREDENTIAL_FILE: fileOf(folder, name),
            SANDBOX_PROVIDER_PORT: String(port),
            SANDBOX_PROVIDER_PROFILE: id,
          },
          ports: { provider: port },
          logFile: join(folder.logs, `${name}.log`),
          isReady: () => takesConnections('127.0.0.1', port).then((yes) => yes || 'takes no connections'),
        },
        ground,
      ),
  );
}

/** The credential is in a file, because others may read environments. */
function fileOf(folder: StackFolder, name: string): string {
  return join(folder.secrets, name);
}

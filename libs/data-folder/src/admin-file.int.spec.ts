import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { openDataFolder } from './data-folder.js';
import { lockFolder } from './folder-lock.js';
import { runningAdmin, writeFolderAdmin } from './admin-file.js';

describe("a folder's admin.json", () => {
  it('is trusted only while its writer holds the folder, so a later process on its port gets no calls', async () => {
    const path = await mkdtemp(join(tmpdir(), 'vuka-admin-'));
    let asked = 0;
    const stranger = createServer((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((stranger.address() as AddressInfo).port)}`;
    try {
      const folder = await openDataFolder(path);
      const killed = await lockFolder(path, { waitMs: 0 });
      await writeFolderAdmin(folder, {
        operator: null,
        credential: 'c'.repeat(43),
        url,
      });
      expect((await runningAdmin(folder))?.url).toBe(url);
      expect(asked).toBe(1);

      // Its admin server is not up yet.
      await killed.release();
      const next = await lockFolder(path, { waitMs: 0 });
      expect(await runningAdmin(folder)).toBeNull();
      await next.release();
      expect(await runningAdmin(folder)).toBeNull();
      expect(asked).toBe(1);
    } finally {
      stranger.close();
      await rm(path, { recursive: true, force: true });
    }
  });
});

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TOUR_WITHIN_MS = 150_000;

describe('npm run demo', () => {
  it(
    'keeps every promise of the tour, without colour if there is no terminal, and leaves nothing behind',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'vuka-demo-test-'));
      const env = {
        ...process.env,
        VUKA_DATA_DIR: join(folder, 'none'),
        TMPDIR: folder,
        VUKA_SANDBOX_CHAINS: 'CELO,BNB,SOLANA,STELLAR',
      };
      const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
        execFile(
          process.execPath,
          ['tools/demo/main.mjs', '--fast'],
          { cwd: ROOT, env, timeout: TOUR_WITHIN_MS },
          (error, stdout, stderr) => {
            resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
          },
        );
      });
      expect({ code, broken: output.split('\n').filter((line) => line.includes('✗') && !line.includes('│')) }).toEqual({
        code: 0,
        broken: [],
      });
      expect(output).toContain('Every promise was kept.');
      expect(output).toMatch(
        /Pay from a chain: (CELO[^]*The same transfer again[^]*Checkout: somebody else pays you|left out\n[^]*There is no anvil)/,
      );
      expect(output).not.toContain('\x1b[');
      expect(readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    },
    TOUR_WITHIN_MS + 10_000,
  );
});

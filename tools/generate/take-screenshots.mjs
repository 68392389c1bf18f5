// What the scripts that picture our own pages share: a server on this machine, Chromium, and a file for each picture.
import { createServer } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { prepare } from '../command/prepare.mjs';
import { giveUp, say } from '../command/progress.mjs';

const PHONE = { width: 390, height: 844, mobile: true };
const DESKTOP = { width: 1280, height: 860 };

/**
 * Builds, serves `listenerOf()` and has `draw(page, baseUrl, picture)` bring each picture's page about. A picture has `name`, `device` (phone,
 * desktop), `scheme` (light, dark), and `whole` where more than the screen is wanted.
 */
export async function takeScreenshots({ folder, pictures, listenerOf, draw }) {
  await prepare({ withInstall: false, withBuild: true, quietly: true });
  const { Chromium, findChromium } = await import('../../libs/testing/dist/index.js');
  const path = findChromium();
  if (path === null)
    giveUp('Chromium was not found.', 'Install it (apt-get install chromium), or set CHROMIUM=/path/to/chrome');
  const server = createServer(await listenerOf());
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const browser = await Chromium.start(path);
  try {
    await mkdir(folder, { recursive: true });
    for (const picture of pictures) {
      const page = await browser.open();
      await page.setScreen({ ...(picture.device === 'phone' ? PHONE : DESKTOP), dark: picture.scheme === 'dark' });
      await draw(page, `http://127.0.0.1:${server.address().port}`, picture);
      const file = `${picture.name}-${picture.device}-${picture.scheme}.png`;
      await writeFile(join(folder, file), await page.screenshot({ whole: picture.whole ?? false }));
    }
  } finally {
    await browser.stop();
    server.close();
  }
  say(`✓ ${pictures.length} pictures in ${folder}`);
}

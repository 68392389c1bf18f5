// `node tools/restore-data-folder.mjs <capture> <folder> <callback origin>`: makes a data folder out of a capture of an earlier
// build's (docs/architecture.md, "Data folders of earlier builds"), and leaves it as a killed Vuka would: by being killed itself.
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

import { restoreFolder } from './previous-build/restore.mjs';
import { giveUp } from './progress.mjs';

const [file, folder, callbackOrigin] = process.argv.slice(2);
if (callbackOrigin === undefined) giveUp('Three things are needed: <capture> <folder> <callback origin>.', 'The folder must be new; the origin is where webhooks go, such as http://127.0.0.1:8080.');

const capture = JSON.parse(gunzipSync(await readFile(file)));
const postgres = await restoreFolder(capture, folder, callbackOrigin);
process.stdout.write('restored\n', () => {
  process.kill(postgres, 'SIGKILL');
  process.kill(process.pid, 'SIGKILL');
});

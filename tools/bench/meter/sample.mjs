// `node sample.mjs [--quick]`: measures this checkout once and prints JSON (units.mjs). A process of its own, so that
// other checkouts can run theirs.
import { measureUnits, SIZES } from './units.mjs';

const size = process.argv.includes('--quick') ? SIZES.quick : SIZES.sample;
const found = await measureUnits(size, (line) => process.stderr.write(`${line}\n`));
process.stdout.write(JSON.stringify(found), () => process.exit(0));

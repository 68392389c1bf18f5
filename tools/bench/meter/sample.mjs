// `node sample.mjs [--quick]`: this checkout measured once; prints JSON (units.mjs). In a process of its own, so that another checkout can be asked the same.
import { measureUnits, SIZES } from './units.mjs';

const size = process.argv.includes('--quick') ? SIZES.quick : SIZES.sample;
const found = await measureUnits(size, (line) => process.stderr.write(`${line}\n`));
process.stdout.write(JSON.stringify(found), () => process.exit(0));

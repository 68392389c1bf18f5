import { chapaRow } from './chapa-row.spec-support.js';
import { pawapayRow } from './pawapay-row.spec-support.js';
import { paystackRow } from './paystack-row.spec-support.js';
import type { SimulatorRow } from './simulator-row.spec-support.js';

export const SIMULATORS: readonly SimulatorRow[] = [pawapayRow, paystackRow, chapaRow];

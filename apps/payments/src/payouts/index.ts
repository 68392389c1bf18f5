export { AcceptPay } from './accept-pay.js';
export { AcceptPayout } from './accept-payout.js';
export { CallRail } from './call-rail.js';
export { ControlSandboxPayout } from './control-sandbox-payout.js';
export { FindAcceptance } from './find-acceptance.js';
export { ReadStatement } from './read-statement.js';
export { RecordRailAnswer } from './record-rail-answer.js';
export { type ParkPolicy, StartPayout } from './start-payout.js';

export { type FloatMovement, MOVEMENT_KINDS, type MovementKind, type MovementProposal } from './float-movement.js';
export { FloatMovementStore, type MovementsWanted } from './float-movement.store.js';
export { FloatsModule } from './floats.module.js';
export { MoveFloat, type MovementWord } from './move-float.js';
export { feeWithPayment, ProviderFees } from './provider-fees.js';

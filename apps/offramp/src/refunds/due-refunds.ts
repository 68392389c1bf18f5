import { WakeSignal } from '@vuka/runtime';

/** Notified when refunds may be due. */
export class DueRefunds extends WakeSignal {}

import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@vuka/runtime';

/** Notified when claims may be due. */
@Injectable()
export class DueClaims extends WakeSignal {}

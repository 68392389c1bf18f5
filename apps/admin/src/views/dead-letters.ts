import type { AdminCalls } from '@vuka/contracts';
import type { deadLetterMethods, KeptDeadLetter, ReplayAnswer } from '@vuka/messaging';

import type { DeadLetterView } from './message-views.js';
import { toldOr } from './or-fallback.js';

export type DeadLetterCalls = AdminCalls<ReturnType<typeof deadLetterMethods>>;

const MOST_SHOWN = 100;

/** Each service stores its readers' dead letters. */
export class DeadLetters {
  constructor(private readonly services: readonly DeadLetterCalls[]) {}

  /** Oldest first. `notAsked`: services that could not be asked, and why. */
  async list(): Promise<{ deadLetters: DeadLetterView[]; more: boolean; notAsked: string[] }> {
    const notAsked: string[] = [];
    const lists = await Promise.all(
      this.services.map((service) => toldOr(service.deadLetters(MOST_SHOWN + 1), [], notAsked)),
    );
    const deadLetters = lists.flat().sort((a, b) => a.at.getTime() - b.at.getTime());
    return {
      deadLetters: deadLetters.slice(0, MOST_SHOWN).map(deadLetterView),
      more: deadLetters.length > MOST_SHOWN,
      notAsked,
    };
  }

  async groupsWith(eventId: string): Promise<string[]> {
    return (await Promise.all(this.services.map((service) => service.groupsWithDeadLetter(eventId)))).flat();
  }

  async requestReplay(wish: { group: string; eventId: string; by: string; reason: string }): Promise<ReplayAnswer> {
    for (const service of this.services) {
      const answer = await service.requestReplay(wish);
      if (answer.kind !== 'not_found') return answer;
    }
    return { kind: 'not_found' };
  }
}

function deadLetterView(deadLetter: KeptDeadLetter): DeadLetterView {
  return {
    event_id: deadLetter.eventId,
    consumer_group: deadLetter.group,
    topic: deadLetter.topic,
    key: deadLetter.key,
    reason: deadLetter.reason,
    detail: deadLetter.detail,
    tries: deadLetter.tries,
    at: deadLetter.at.toISOString(),
    replay_requested_at: deadLetter.replayRequestedAt?.toISOString() ?? null,
    requested_by: deadLetter.requestedBy,
    replayed_at: deadLetter.replayedAt?.toISOString() ?? null,
  };
}

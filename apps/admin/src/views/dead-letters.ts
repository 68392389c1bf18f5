import type { DeskCalls } from '@vuka/contracts';
import type { deadLetterMethods, KeptLetter, ReplayAnswer } from '@vuka/messaging';

import type { DeadLetterView } from './message-views.js';
import { toldOr } from './told-or.js';

/** What every service with readers lets be called about what they could not take in. */
export type DeadLetterCalls = DeskCalls<ReturnType<typeof deadLetterMethods>>;

const MOST_SHOWN = 100;

/** Dead letters of every reader, each in its own service's database. */
export class DeadLetters {
  constructor(private readonly services: readonly DeadLetterCalls[]) {}

  /** What is still dead, oldest first, of the services that can be asked; of the others why not. */
  async list(): Promise<{ letters: DeadLetterView[]; more: boolean; notAsked: string[] }> {
    const notAsked: string[] = [];
    const lists = await Promise.all(
      this.services.map((service) => toldOr(service.deadLetters(MOST_SHOWN + 1), [], notAsked)),
    );
    const letters = lists.flat().sort((a, b) => a.at.getTime() - b.at.getTime());
    return { letters: letters.slice(0, MOST_SHOWN).map(letterView), more: letters.length > MOST_SHOWN, notAsked };
  }

  /** The groups that have this event among their dead letters. */
  async groupsWith(eventId: string): Promise<string[]> {
    return (await Promise.all(this.services.map((service) => service.groupsWithLetter(eventId)))).flat();
  }

  async requestReplay(wish: { group: string; eventId: string; by: string; reason: string }): Promise<ReplayAnswer> {
    for (const service of this.services) {
      const answer = await service.requestReplay(wish);
      if (answer.kind !== 'not_found') return answer;
    }
    return { kind: 'not_found' };
  }
}

function letterView(letter: KeptLetter): DeadLetterView {
  return {
    event_id: letter.eventId,
    consumer_group: letter.group,
    topic: letter.topic,
    key: letter.key,
    reason: letter.reason,
    detail: letter.detail,
    tries: letter.tries,
    at: letter.at.toISOString(),
    replay_requested_at: letter.replayRequestedAt?.toISOString() ?? null,
    requested_by: letter.requestedBy,
    replayed_at: letter.replayedAt?.toISOString() ?? null,
  };
}

import type { DeskCalls } from '@vuka/contracts';
import type { deadLetterMethods, KeptLetter, ReplayAnswer } from '@vuka/messaging';

import type { DeadLetterView } from './message-views.js';
import { toldOr } from './told-or.js';

/** What every service with readers lets be called about what they could not take in. */
export type DeadLetterCalls = DeskCalls<ReturnType<typeof deadLetterMethods>>;

const MOST_SHOWN = 100;

/** Dead letters of every reader, each in its own service's database. */
export class DeadLetterDesk {
  constructor(private readonly desks: readonly DeadLetterCalls[]) {}

  /** What is still dead, oldest first, of the services that can be asked; of the others why not. */
  async list(): Promise<{ letters: DeadLetterView[]; more: boolean; notAsked: string[] }> {
    const notAsked: string[] = [];
    const lists = await Promise.all(this.desks.map((desk) => toldOr(desk.deadLetters(MOST_SHOWN + 1), [], notAsked)));
    const letters = lists.flat().sort((a, b) => a.at.getTime() - b.at.getTime());
    return { letters: letters.slice(0, MOST_SHOWN).map(letterView), more: letters.length > MOST_SHOWN, notAsked };
  }

  /** The groups that have this event among their dead letters. */
  async groupsWith(eventId: string): Promise<string[]> {
    return (await Promise.all(this.desks.map((desk) => desk.groupsWithLetter(eventId)))).flat();
  }

  async requestReplay(group: string, eventId: string, by: string, reason: string): Promise<ReplayAnswer> {
    for (const desk of this.desks) {
      const answer = await desk.requestReplay({ group, eventId, by, reason });
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

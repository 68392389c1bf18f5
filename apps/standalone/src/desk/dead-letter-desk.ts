import type { DeadLetterStore, KeptLetter, ReplayAnswer } from '@vuka/messaging';
import { maskText, type Clock } from '@vuka/platform';

import type { DeadLetterView } from './message-views.js';

const MOST_SHOWN = 100;

/** Dead letters of every reader, each in its own service's database. */
export class DeadLetterDesk {
  constructor(
    private readonly stores: readonly DeadLetterStore[],
    private readonly clock: Clock,
  ) {}

  /** What is still dead, oldest first. */
  async list(): Promise<{ letters: DeadLetterView[]; more: boolean }> {
    const lists = await Promise.all(this.stores.map((store) => store.list({ limit: MOST_SHOWN + 1 })));
    const letters = lists.flat().sort((a, b) => a.at.getTime() - b.at.getTime());
    return { letters: letters.slice(0, MOST_SHOWN).map(letterView), more: letters.length > MOST_SHOWN };
  }

  /** The groups that have this event among their dead letters. */
  async groupsWith(eventId: string): Promise<string[]> {
    return (await Promise.all(this.stores.map((store) => store.groupsWith(eventId)))).flat();
  }

  async requestReplay(group: string, eventId: string, by: string): Promise<ReplayAnswer> {
    for (const store of this.stores) {
      const answer = await store.requestReplay(group, eventId, by, this.clock.now());
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
    detail: maskText(letter.detail),
    tries: letter.tries,
    at: letter.at.toISOString(),
    replay_requested_at: letter.replayRequestedAt?.toISOString() ?? null,
    requested_by: letter.requestedBy,
    replayed_at: letter.replayedAt?.toISOString() ?? null,
  };
}

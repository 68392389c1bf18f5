import { WakeSignal } from '@vuka/runtime';
import type { Kafka } from 'kafkajs';

/** Beyond kafkajs' own waits (connecting, a request), which it does not always end. */
const ANSWER_WITHIN_MS = 20_000;

/**
 * The id that the cluster behind these addresses was made with. Another id is another log of events, whatever its address; the
 * metadata that every client may read tells it. Throws where no broker tells it within 20 s, or before `ended`.
 */
export async function clusterIdOf(kafka: Kafka, ended: AbortSignal): Promise<string> {
  const admin = kafka.admin();
  const late = new WakeSignal();
  const ask = async (): Promise<string> => {
    await admin.connect();
    // The type promises a text; the protocol allows none.
    const { clusterId } = (await admin.describeCluster()) as { clusterId: string | null };
    if (!clusterId) throw new Error('Kafka does not tell the id of its cluster');
    return clusterId;
  };
  try {
    const answer = await Promise.race([ask(), late.wait(ANSWER_WITHIN_MS, ended).then(() => null)]);
    if (answer === null) throw new Error(`Kafka has not told the id of its cluster within ${ANSWER_WITHIN_MS} ms`);
    return answer;
  } finally {
    late.notify();
    void admin.disconnect().catch(() => undefined);
  }
}

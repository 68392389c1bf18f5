import { describe, expect, it } from '@jest/globals';

import { Metrics } from './metrics.js';

const lines = async (metrics: Metrics, name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_`));

describe('metrics', () => {
  it('tell counters, gauges and histograms in the text format, under the service', async () => {
    const metrics = new Metrics('payments');
    metrics.counter('vuka_commits_total', 'PaymentCommits', ['lane']).add({ lane: 'front' }, 3);
    metrics.gauge('vuka_queue_commits', 'Waiting').set({}, 7);
    metrics.histogram('vuka_call_seconds', 'Calls', [], { buckets: [1, 2] }).observe({}, 1.5);
    expect(metrics.contentType).toMatch(/^text\/plain/);
    expect(await lines(metrics, 'vuka_commits_total')).toEqual([
      'vuka_commits_total{lane="front",service="payments"} 3',
    ]);
    expect(await lines(metrics, 'vuka_queue_commits')).toEqual(['vuka_queue_commits{service="payments"} 7']);
    expect(await lines(metrics, 'vuka_call_seconds')).toEqual([
      'vuka_call_seconds_bucket{le="1",service="payments"} 0',
      'vuka_call_seconds_bucket{le="2",service="payments"} 1',
      'vuka_call_seconds_bucket{le="+Inf",service="payments"} 1',
      'vuka_call_seconds_sum{service="payments"} 1.5',
      'vuka_call_seconds_count{service="payments"} 1',
    ]);
  });

  it('ask a gauge that looks things up at each scrape', async () => {
    const metrics = new Metrics('payments');
    let lag = 1;
    metrics.gauge('vuka_lag_events', 'Lag', ['group'], { collect: (gauge) => gauge.set({ group: 'notifier' }, lag) });
    expect(await lines(metrics, 'vuka_lag_events')).toEqual(['vuka_lag_events{group="notifier",service="payments"} 1']);
    lag = 2;
    expect(await lines(metrics, 'vuka_lag_events')).toEqual(['vuka_lag_events{group="notifier",service="payments"} 2']);
  });

  it('give the same metric to all who ask for it, and refuse one name for two things', async () => {
    const metrics = new Metrics('payments');
    for (let n = 0; n < 2; n++)
      metrics.counter('vuka_commits_total', 'PaymentCommits', ['lane']).add({ lane: 'front' });
    expect(await lines(metrics, 'vuka_commits_total')).toEqual([
      'vuka_commits_total{lane="front",service="payments"} 2',
    ]);
    expect(() => metrics.counter('vuka_commits_total', 'PaymentCommits', ['other'])).toThrow(
      'is a counter(lane) already',
    );
    expect(() => metrics.gauge('vuka_commits_total', 'PaymentCommits', ['lane'])).toThrow('is a counter(lane) already');
    expect(new Metrics('payments').counter('vuka_commits_total', 'PaymentCommits')).toBeDefined();
  });

  it.each(['moves_total', 'vuka_commits', 'vuka_Moves_total', 'vuka_total'])('refuse the counter %s', (name) => {
    expect(() => new Metrics('payments').counter(name, 'PaymentCommits')).toThrow(/name/);
  });

  it('refuse a label that hides which service speaks', () => {
    expect(() => new Metrics('payments').counter('vuka_commits_total', 'PaymentCommits', ['service'])).toThrow(
      'a label that is none',
    );
  });

  it('bear labels without end: what comes after the first thousand counts together', async () => {
    const metrics = new Metrics('payments');
    const counter = metrics.counter('vuka_commits_total', 'PaymentCommits', ['lane']);
    for (let n = 0; n < 1_500; n++) counter.add({ lane: `lane-${String(n)}` });
    counter.add({ lane: 'lane-0' });
    const told = await lines(metrics, 'vuka_commits_total');
    expect(told).toHaveLength(1_001);
    expect(told).toContain('vuka_commits_total{lane="lane-0",service="payments"} 2');
    expect(told).toContain('vuka_commits_total{lane="other",service="payments"} 500');
  });

  it('tell of the process where asked to', async () => {
    expect(await new Metrics('payments', { ofProcess: true }).text()).toContain('nodejs_eventloop_lag_seconds');
    expect(await new Metrics('payments').text()).not.toContain('nodejs_');
  });
});

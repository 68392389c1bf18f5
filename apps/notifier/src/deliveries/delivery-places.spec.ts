import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { DELIVERY_LIMITS, DeliveryPlaces, type FreePlaces, type PlaceOf } from './delivery-places.js';

const { inFlight, perHost, firstOfDeliveryQueue, perPartner, slow, slowMs } = DELIVERY_LIMITS;
const many = (count: number, act: () => void): void => Array.from({ length: count }).forEach(act);
const freeOf = (offer: FreePlaces, deliveryQueue: string): number =>
  offer.freeByDeliveryQueue.get(deliveryQueue) ?? offer.perDeliveryQueue;
const deliveryQueue = (host: string, partnerId = 1): PlaceOf => ({ host, partnerId });

describe('places', () => {
  it('of an unknown delivery queue are few, and grow by one with each answer, up to a limit', () => {
    const places = new DeliveryPlaces(DELIVERY_LIMITS);
    expect(freeOf(places.offer(), '1 a')).toBe(firstOfDeliveryQueue);
    places.take(deliveryQueue('a'));
    places.learn(deliveryQueue('a'), true, 20);
    expect(freeOf(places.offer(), '1 a')).toBe(firstOfDeliveryQueue + 1 - 1);
    many(100, () => places.learn(deliveryQueue('a'), true, 20));
    expect(freeOf(places.offer(), '1 a')).toBe(perHost - 1);
    expect(places.offer().freeByHost).toEqual(new Map([['a', perHost - 1]]));
    places.learn(deliveryQueue('a'), false, 1);
    expect(freeOf(places.offer(), '1 a')).toBe(firstOfDeliveryQueue - 1);
  });

  it('of all slow delivery queues have a common limit, and a queue counts as slow until it was fast for a while', () => {
    const places = new DeliveryPlaces(DELIVERY_LIMITS);
    const hosts = ['a', 'b', 'c', 'd'];
    for (const host of hosts) {
      places.learn(deliveryQueue(host), true, 2_900);
      many(slow / hosts.length, () => places.take(deliveryQueue(host)));
    }
    expect(places.offer()).toMatchObject({
      slowDeliveryQueues: ['1 a', '1 b', '1 c', '1 d'],
      slowFree: 0,
      limit: inFlight - slow,
    });
    places.learn(deliveryQueue('a'), true, 10);
    expect(places.offer().slowDeliveryQueues).toContain('1 a');
    many(10, () => places.learn(deliveryQueue('a'), true, 10));
    expect(places.offer()).toMatchObject({ slowDeliveryQueues: ['1 b', '1 c', '1 d'], slowFree: slow / hosts.length });
  });

  it('of one host are at most half used by its slow delivery queues; one partner there does not affect another', () => {
    const places = new DeliveryPlaces(DELIVERY_LIMITS);
    many(60, () => places.learn(deliveryQueue('shared', 1), true, 2_900));
    many(60, () => places.learn(deliveryQueue('shared', 2), true, 10));
    many(perHost / 2, () => places.take(deliveryQueue('shared', 1)));
    const offer = places.offer();
    expect(offer.slowDeliveryQueues).toEqual(['1 shared']);
    expect(freeOf(offer, '1 shared')).toBe(0);
    expect(offer.freeByHost.get('shared')).toBe(perHost / 2);
    places.learn(deliveryQueue('shared', 1), false, 3_000);
    places.take(deliveryQueue('shared', 2));
    expect(freeOf(places.offer(), '2 shared')).toBe(perHost - 1);
  });

  it('are kept for later partners, also when one partner with many hosts wants all, and also among the slow ones', () => {
    const places = new DeliveryPlaces(DELIVERY_LIMITS);
    const partners = [1, 2, 3, 4];
    const allOf = (partnerId: number): number =>
      places.offer().freeByPartner.get(partnerId) ?? places.offer().perPartner;
    for (let round = 0; round < 300; round += 1) {
      for (const partnerId of partners)
        if (allOf(partnerId) > 0) places.take(deliveryQueue(`dead-${round}.example`, partnerId));
    }
    expect(places.offer().limit).toBeGreaterThan(inFlight / (partners.length + 2));
    expect(places.offer().perPartner).toBeGreaterThan(inFlight / (partners.length + 2) / 2);

    const dead = new DeliveryPlaces(DELIVERY_LIMITS);
    for (let host = 0; host < 200; host += 1)
      for (const partnerId of [1, 2]) dead.learn(deliveryQueue(`slow-${host}.example`, partnerId), false, 3_000);
    for (let host = 0; host < 200; host += 1)
      for (const partnerId of [1, 2])
        if (freeOf(dead.offer(), `${partnerId} slow-${host}.example`) > 0)
          dead.take(deliveryQueue(`slow-${host}.example`, partnerId));
    expect(dead.offer().slowFree).toBeGreaterThan(slow / 4);
  });

  it('of a fast receiver that dies count as slow at once', () => {
    const places = new DeliveryPlaces(DELIVERY_LIMITS);
    many(40, () => places.learn(deliveryQueue('a'), true, 20));
    places.learn(deliveryQueue('a'), false, 3_000);
    expect(places.offer().slowDeliveryQueues).toEqual(['1 a']);
    expect(slowMs).toBeLessThan(3_000 / 4);
  });

  it('are remembered for a limited number of delivery queues', () => {
    const places = new DeliveryPlaces(DELIVERY_LIMITS);
    for (let host = 0; host < 5_000; host += 1) places.learn(deliveryQueue(`h${host}`), true, 2_000);
    expect(places.offer().slowDeliveryQueues).toHaveLength(1_000);
    expect(places.offer().slowDeliveryQueues).toContain('1 h4999');
  });

  it('given and given back add up, whatever is learned meanwhile', () => {
    const step = fc.record({
      host: fc.constantFrom('a', 'b', 'c'),
      partnerId: fc.integer({ min: 1, max: 3 }),
      isAnswered: fc.boolean(),
      ms: fc.integer({ min: 0, max: 3_000 }),
      isBack: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const places = new DeliveryPlaces(DELIVERY_LIMITS);
        const taken: { host: string; partnerId: number }[] = [];
        for (const { host, partnerId, isAnswered, ms, isBack } of steps) {
          const back = isBack ? taken.shift() : undefined;
          if (back !== undefined) {
            places.learn(back, isAnswered, ms);
            places.giveBack(back);
          } else {
            taken.push({ host, partnerId });
            places.take({ host, partnerId });
          }
          const offer = places.offer();
          expect(offer.limit).toBe(inFlight - taken.length);
          for (const free of [
            ...offer.freeByDeliveryQueue.values(),
            ...offer.freeByHost.values(),
            ...offer.freeByPartner.values(),
            offer.slowFree,
          ])
            expect(free).toBeGreaterThanOrEqual(0);
          for (const [partner, free] of offer.freeByPartner) {
            const own = taken.filter((one) => one.partnerId === partner).length;
            expect(free).toBe(Math.max(0, Math.min(perPartner - own, Math.ceil((inFlight - taken.length - own) / 2))));
          }
        }
        for (const one of taken) places.giveBack(one);
        expect(places.offer()).toMatchObject({ limit: inFlight, freeByHost: new Map(), freeByPartner: new Map() });
      }),
    );
  });
});

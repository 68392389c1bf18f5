import { MAX_TEXT, providerText, type ProviderAnswer, type ProviderPayment } from '@vuka/payouts';

const LONGEST = {
  receipt: MAX_TEXT.receipt,
  publicName: MAX_TEXT.name,
  detail: MAX_TEXT.detail,
  waitsForUs: MAX_TEXT.detail,
} as const;

/** An id that was cut or cleaned would be another one. */
function withStorableId<A extends ProviderAnswer>(answer: A): A {
  const { providerPaymentId: id, ...rest } = answer as A & { providerPaymentId?: string };
  return id === undefined || (id !== '' && providerText(id, MAX_TEXT.paymentId) === id) ? answer : (rest as A);
}

/** A payment must be recordable whatever texts the provider sends. */
export function storable<A extends ProviderAnswer>(answer: A): A {
  const clean = Object.entries(LONGEST).flatMap(([field, longest]) => {
    const text = (answer as Partial<Record<string, unknown>>)[field];
    return typeof text === 'string' ? [[field, providerText(text, longest)]] : [];
  });
  const others = (answer as { otherPayments?: readonly ProviderPayment[] }).otherPayments;
  const cleanOthers = others?.map(({ receipt, reversed }) => ({
    receipt: providerText(receipt, MAX_TEXT.receipt),
    reversed,
  }));
  return {
    ...withStorableId(answer),
    ...(cleanOthers && { otherPayments: cleanOthers }),
    ...(Object.fromEntries(clean) as Partial<A>),
  };
}

import { MAX_TEXT, providerText, type ProviderAnswer, type ProviderPayment } from '@vuka/payouts';

const LONGEST = { receipt: MAX_TEXT.receipt, publicName: MAX_TEXT.name, detail: MAX_TEXT.detail } as const;

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
    ...answer,
    ...(cleanOthers && { otherPayments: cleanOthers }),
    ...(Object.fromEntries(clean) as Partial<A>),
  };
}

import { MAX_TEXT, providerText, type ProviderAnswer, type ProviderPayment } from '@vuka/payouts';

const LONGEST = { receipt: MAX_TEXT.receipt, publicName: MAX_TEXT.name, detail: MAX_TEXT.detail } as const;

/**
 * A provider's answer with texts that can be stored, whichever adapter it comes from: a payment that was made must be
 * recordable whatever its provider calls the recipient.
 */
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

import type { Money } from '../../../src/contract/money.ts';
import type { Fault } from '../toy-wallet.ts';

/** A wallet whose reads show the balance before the last call. */
export function withOldReads(call: Fault): Fault {
  let before: Money | undefined;
  return (request, honest, wallet) => {
    if (request.call === 'balance') return { ...honest(), body: { balance: (before ?? wallet.balance()).format(2) } };
    before = wallet.balance();
    return call(request, honest, wallet);
  };
}

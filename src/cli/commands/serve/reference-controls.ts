import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import { headerOf } from '../../../listen/message.ts';
import { DEFECTS } from '../../../operator/defects.ts';
import type { NextReplies } from '../../../operator/next-replies.ts';
import type { Operator } from '../../../operator/operator.ts';
import type { ClientOptions } from '../../../operator/options.ts';
import { behaviourWith, type Defect, type Variation } from '../../../operator/variation.ts';
import type { OperatorControls, OperatorWallet } from '../../../service/console/operator-controls.ts';

export interface ReferenceControlsOptions {
  readonly operator: Operator;
  /** The client whose calls the service sends. */
  readonly client: ClientOptions;
  readonly replies: NextReplies;
  /** The defects and variants that the operator was started with. */
  readonly variations: readonly Variation[];
  /** The listeners that are called after each change. */
  readonly listeners: Set<() => void>;
}

/** Returns the controls of the embedded reference operator, for the console. */
export function referenceControls(options: ReferenceControlsOptions): OperatorControls {
  const { operator, client, replies, variations, listeners } = options;
  const { extCID } = client;
  const isDefect = (one: Variation): one is Defect => DEFECTS.some(({ name }) => name === one.name);
  const variants = variations.filter((one) => !isDefect(one));
  const on = new Set(variations.filter(isDefect).map(({ name }) => name));
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    wallets: () =>
      walletsOf(client).map((wallet) => ({
        ...wallet,
        balance: operator.balanceOf(extCID, wallet.player, wallet.currency) ?? '',
      })),
    changeBalance: ({ extCID: of, player, currency }, change) => {
      const balance = operator.changeBalance(of, player, currency, change);
      changed();
      return balance;
    },
    waiting: () => replies.pending.map(({ id, call, sessionID, fault }) => ({ id, call, sessionID, kind: fault })),
    addFault: (call, kind, sessionID) => replies.add(call, kind, sessionID),
    removeFault: (id) => replies.remove(id),
    onFaultUsed: (listener) =>
      replies.onUse((fault, { headers }) => listener(fault, headerOf(headers, SIGNATURE_HEADER) ?? '')),
    defects: () => DEFECTS.map(({ name, description, breaks }) => ({ name, description, breaks, isOn: on.has(name) })),
    setDefect: (name, isOn) => {
      if (!DEFECTS.some((one) => one.name === name)) return false;
      if (isOn) on.add(name);
      else on.delete(name);
      const defects = DEFECTS.filter((one) => on.has(one.name));
      operator.setBehaviour(replies.appliedTo(behaviourWith([...variants, ...defects])));
      changed();
      return true;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the wallets of a client, each once. Several sessions of one player share a wallet. */
function walletsOf({ extCID, sessions }: ClientOptions): readonly OperatorWallet[] {
  const wallets = sessions.map(({ player, currency }) => ({ extCID, player, currency }));
  return [...new Map(wallets.map((wallet) => [`${wallet.player} ${wallet.currency}`, wallet])).values()];
}

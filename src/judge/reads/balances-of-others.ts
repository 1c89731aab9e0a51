import type { Money } from '../../contract/money.ts';
import type { Wallet } from '../wallet/wallet.ts';

/** Number of recent balances of a player that are kept. Another player may be read a moment after the last call of this player. */
const RECENT = 8;
/** Maximum number of different balances of a player that are kept, of the calls of a long run. */
const MAX_BALANCES = 10_000;
/**
 * This number of different balances of other players proves the fault. A single one is no proof: by chance, somebody else may have
 * moved the balance of one player to the balance of another one, and back.
 */
const ENOUGH = 2;

/** The balances in the replies to the bets, wins and refunds of a player. */
interface Replied {
  recent: string[];
  readonly all: Set<string>;
}

interface Player {
  /** The wallet in the scenario that uses the player, or that used the player last. */
  wallet: Wallet;
  recent: string[];
  readonly all: Set<string>;
  /** The balances that a read has shown to be right. */
  readonly right: Set<string>;
}

/**
 * The balances of all players of a run. All scenarios share this object. With it, the judge finds a balance call that shows the balance
 * of another player.
 */
export class BalancesOfOthers {
  readonly #players = new Map<string, Player>();
  readonly #replied = new Map<string, Replied>();
  /** The last balances that the balance calls of each player have shown. */
  readonly #read = new Map<string, readonly string[]>();
  readonly #shown = new Set<string>();

  /** Records a balance that is right. */
  record(wallet: Wallet, balance: Money): void {
    const { right } = this.#note(wallet, balance);
    if (right.size < MAX_BALANCES) right.add(balance.toString());
  }

  /** Records the balance in the reply to a bet, a win or a refund. */
  recordReplied(walletID: string, balance: Money): void {
    const text = balance.toString();
    const replied = this.#replied.get(walletID) ?? { recent: [], all: new Set() };
    this.#replied.set(walletID, replied);
    replied.recent = [...replied.recent.slice(1 - RECENT), text];
    if (replied.all.size < MAX_BALANCES) replied.all.add(text);
  }

  /** Records a balance that a balance call has shown. Nothing says whether it is right. */
  recordRead(walletID: string, balance: Money): void {
    this.#read.set(walletID, [...(this.#read.get(walletID) ?? []).slice(1 - RECENT), balance.toString()]);
  }

  #note(wallet: Wallet, balance: Money): Player {
    const text = balance.toString();
    const player = this.#players.get(wallet.id) ?? { wallet, recent: [], all: new Set(), right: new Set() };
    this.#players.set(wallet.id, player);
    player.wallet = wallet;
    player.recent = [...player.recent.slice(1 - RECENT), text];
    if (player.all.size < MAX_BALANCES) player.all.add(text);
    return player;
  }

  /**
   * Records the first balance of a scenario. Nothing shows whether it is right. So it does not count if the player never had it before,
   * but another player has it.
   */
  recordFirst(wallet: Wallet, balance: Money): void {
    if (!this.#players.has(wallet.id) || this.ownerOf(wallet.id, balance) === undefined) this.#note(wallet, balance);
  }

  /**
   * Returns the player whose balance this is. Undefined if no other player has it now or had it a moment ago, or if the player itself
   * had it in this run: then the balance may be an old one.
   *
   * @param id the wallet of the player who owns the session of the read
   */
  ownerOf(id: string, balance: Money): string | undefined {
    const text = balance.toString();
    if (this.#players.get(id)?.all.has(text) || this.#replied.get(id)?.all.has(text)) return undefined;
    return this.#otherWith(id, balance);
  }

  /**
   * True if a balance that came and went seems to be a wrong read. After the proof that the operator shows balances of other players, the
   * player itself may have had it before: croupier may have taken such a balance for the player's own.
   */
  isOfRead(id: string, balance: Money): boolean {
    if (!this.isProven) return this.ownerOf(id, balance) !== undefined;
    const isShownToOther = [...this.#read].some(([other, read]) => other !== id && read.includes(balance.toString()));
    return isShownToOther || this.#otherWith(id, balance) !== undefined;
  }

  #otherWith(id: string, balance: Money): string | undefined {
    if (balance.isZero()) return undefined;
    const text = balance.toString();
    for (const [other, { wallet, recent }] of this.#players) {
      if (other === id) continue;
      if (recent.includes(text) || wallet.possible().some((one) => one.equals(balance))) return other;
    }
    for (const [other, { recent }] of this.#replied) if (other !== id && recent.includes(text)) return other;
    return undefined;
  }

  /** True if the player had this balance, as a read has shown. The first read of a scenario shows nothing. */
  hadBefore(id: string, balance: Money): boolean {
    return this.#players.get(id)?.right.has(balance.toString()) === true;
  }

  /**
   * Records that a balance call showed the balance of another player, and the right balance a moment later.
   *
   * @returns true if this was seen with enough different balances to prove the fault
   */
  shown(id: string, balance: Money): boolean {
    this.#shown.add(`${id} ${balance}`);
    return this.isProven;
  }

  get isProven(): boolean {
    return this.#shown.size >= ENOUGH;
  }
}

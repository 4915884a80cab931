/** What an attack is made of: a file of `test/src/attacks` exports one as `attack`. */
import type { Stack } from "../stack.js";
import type { RawSocket } from "../raw-socket.js";

/** Something that a client can do to the system. It is run while a client of another organization reads. */
export interface Attack<Prepared = undefined> {
  /** What the attacker does, such as "300 creates that send one byte each". */
  readonly name: string;
  /** Takes a few seconds of processor time, and is part of `npm test`. */
  readonly cheap: boolean;
  /** Settings of the processes, beside those of every attacked system; undefined leaves one at its default. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Processes of topology; 1 unless it is said otherwise. */
  readonly topologies?: number;
  /** Makes what the attack needs; nobody is watched meanwhile. */
  readonly prepare?: (target: Target) => Promise<Prepared>;
  /**
   * @returns what the attacker got, in a few words
   * @throws Error when somebody else was refused, or an answer broke a promise
   */
  readonly run: (target: Target, prepared: Prepared) => Promise<string>;
}

/** The system under attack. */
export interface Target {
  readonly stack: Stack;
  readonly url: string;
  /** Registers an organization with its owner and a key, at a client address that nobody else has. */
  newTenant(): Promise<Tenant>;
}

/** Somebody with an API key, at an address of their own. */
export interface Tenant {
  readonly organizationId: string;
  readonly userId: string;
  readonly address: string;
  readonly key: string;
  /** The header line of the key. */
  readonly keyLine: string;
  /** One request with the key; a body that is no text is sent as JSON. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** One request with the session that registration began. @throws Error when it does not succeed */
  bySession(method: string, path: string, body?: unknown): Promise<void>;
  /** Makes another key, which no gateway remembers. */
  newKey(): Promise<string>;
  /** The data of a request that must succeed. @throws Error with the answer otherwise */
  data<T = { readonly id: string }>(method: string, path: string, body?: unknown): Promise<T>;
  /** Connections that carry what the attack writes. @param reads false when nothing is to be read from them */
  connect(count: number, options?: { reads?: boolean }): Promise<RawSocket[]>;
}

/** `status` is 0 when no answer came. */
export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly text: string;
  readonly tookMs: number;
}

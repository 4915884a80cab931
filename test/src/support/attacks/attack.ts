/** The parts of an attack: a file of `test/src/attacks` exports one as `attack`. */
import type { Stack } from "../stack.js";
import type { RawSocket } from "../raw-socket.js";

/** Something that a client can do to the system. It runs while a client of another organization reads. */
export interface Attack<Prepared = undefined> {
  /** What the attacker does, such as "300 creates that send one byte each". */
  readonly name: string;
  /** Settings of the processes, in addition to those of every attacked system; undefined restores a default. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Processes of topology; 1 by default. */
  readonly topologies?: number;
  /** Creates what the attack needs; not measured. */
  readonly prepare?: (target: Target) => Promise<Prepared>;
  /**
   * @returns the result of the attack in a few words @throws Error when another client was rejected, or a response
   * violated a guarantee
   */
  readonly run: (target: Target, prepared: Prepared) => Promise<string>;
}

/** The system under attack. */
export interface Target {
  readonly stack: Stack;
  readonly url: string;
  /** Registers an organization with its owner and a key, at a client address of its own. */
  /** @param address of the client; an unused one by default */
  newTenant(address?: string): Promise<Tenant>;
}

/** A client with an API key, at an address of its own. */
export interface Tenant {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  /** The header value of the session of the registration. */
  readonly cookie: string;
  readonly address: string;
  readonly key: string;
  /** The header line of the key. */
  readonly keyLine: string;
  /** A request with the key; a body that is not text is sent as JSON. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<AttackResponse>;
  /** The same with the session of the registration. */
  sendBySession: Tenant["send"];
  /** A request with the session. @throws Error when it does not succeed */
  bySession(method: string, path: string, body?: unknown): Promise<void>;
  /** Creates another key, which no gateway has cached. @param more further fields of it */
  newKey(more?: object): Promise<string>;
  /** The data of a request that must succeed. @throws Error with the response otherwise */
  data<T = { readonly id: string }>(method: string, path: string, body?: unknown): Promise<T>;
  /** Connections that carry what the attack writes. @param reads false when nothing is read from them */
  connect(count: number, options?: { reads?: boolean }): Promise<RawSocket[]>;
}

/** `status` is 0 without a response. */
export interface AttackResponse {
  readonly status: number;
  readonly code: string;
  readonly text: string;
  readonly tookMs: number;
}

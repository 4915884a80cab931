import type { Socket } from "node:net";
import { addressBlockOf } from "@nts/shared/address-block";
import { canonicalAddress } from "./client-address.js";

/** The connections of clients, and how many of them there may be. */
export interface OpenConnections {
  /** @returns false when there are too many already */
  add(socket: Socket): boolean;
  /** Counts one no longer that serves a stream from now on: streams have limits of their own. */
  exempt(socket: Socket): void;
  /** All that are open. */
  count(): number;
}

export interface ConnectionLimits {
  readonly most: number;
  /** Of one address; null where addresses are those of proxies. */
  readonly mostOfAddress: number | null;
}

export function createOpenConnections({ most, mostOfAddress }: ConnectionLimits): OpenConnections {
  const ofAddress = new Map<string, number>();
  /** Those that count, with the block of their address. */
  const counted = new Map<Socket, string>();
  let all = 0;

  function exempt(socket: Socket): void {
    const address = counted.get(socket);
    if (address === undefined) return;
    counted.delete(socket);
    const left = (ofAddress.get(address) ?? 1) - 1;
    if (left === 0) ofAddress.delete(address);
    else ofAddress.set(address, left);
  }

  return {
    exempt,
    count: () => all,
    add: (socket) => {
      const address = addressBlockOf(canonicalAddress(socket.remoteAddress ?? ""));
      const own = ofAddress.get(address) ?? 0;
      if (counted.size >= most || (mostOfAddress !== null && own >= mostOfAddress)) return false;
      ofAddress.set(address, own + 1);
      counted.set(socket, address);
      all++;
      socket.once("close", () => {
        exempt(socket);
        all--;
      });
      return true;
    },
  };
}

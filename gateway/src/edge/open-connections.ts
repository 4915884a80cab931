import type { Socket } from "node:net";
import { addressBlockOf } from "@nts/shared/address-block";
import { canonicalAddress } from "./client-address.js";

/** Counts and limits client connections. */
export interface OpenConnections {
  /** @returns the address block that it counts for; null if there are too many */
  add(socket: Socket): string | null;
  /** Stops counting a connection that became a stream: streams have their own limits. */
  exempt(socket: Socket): void;
  /** All open connections, with the address block of their clients. */
  all(): ReadonlyMap<Socket, string>;
}

export interface ConnectionLimits {
  readonly most: number;
  /** Per address; null if addresses are those of proxies. */
  readonly mostOfAddress: number | null;
}

export function createOpenConnections({ most, mostOfAddress }: ConnectionLimits): OpenConnections {
  const ofAddress = new Map<string, number>();
  /** Counted connections, with their address block. */
  const counted = new Map<Socket, string>();
  const all = new Map<Socket, string>();

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
    all: () => all,
    add: (socket) => {
      const address = addressBlockOf(canonicalAddress(socket.remoteAddress ?? ""));
      const own = ofAddress.get(address) ?? 0;
      if (counted.size >= most || (mostOfAddress !== null && own >= mostOfAddress)) return null;
      ofAddress.set(address, own + 1);
      counted.set(socket, address);
      all.set(socket, address);
      socket.once("close", () => {
        exempt(socket);
        all.delete(socket);
      });
      return address;
    },
  };
}

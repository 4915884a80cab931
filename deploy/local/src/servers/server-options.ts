import type { Component } from "../processes/component.js";
import type { Runnable } from "./cache.js";

/** A server to start: its component, and the URL for clients. */
export interface OwnServer {
  readonly component: Component;
  readonly url: string;
}

/** A server's folder, and its port of 127.0.0.1. */
export interface ServerOptions {
  readonly runnable: Runnable;
  readonly folder: string;
  readonly port: number;
}

/** The part of our environment that server programs need. */
export function serverEnvironment(runnable: Runnable): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", LANG: "C", ...runnable.env };
}

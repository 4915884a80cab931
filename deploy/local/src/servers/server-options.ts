import type { Component } from "../processes/component.js";
import type { Runnable } from "./cache.js";

/** A server that is ours to start: the component that runs it, and the URL under which others reach it. */
export interface OwnServer {
  readonly component: Component;
  readonly url: string;
}

/** Where a server keeps its files, and which port of 127.0.0.1 it listens on. */
export interface ServerOptions {
  readonly runnable: Runnable;
  readonly folder: string;
  readonly port: number;
}

/** The little of our own environment that a server program needs. */
export function serverEnvironment(runnable: Runnable): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", LANG: "C", ...runnable.env };
}

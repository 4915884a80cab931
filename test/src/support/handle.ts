import { type Child, type Exit } from "@nts/local/processes/child";
import { type Component, launch, logFileOf } from "@nts/local/processes/component";

/** Longer than the timeout of `npm start`, because a machine that runs tests is busy. */
const GRACE_MS = 15_000;

/** A process that a test may stop, kill, suspend and start again. It is never restarted automatically. */
export interface Handle {
  readonly name: string;
  /** The id of the current process; it changes with `restart`. */
  pid(): number;
  readonly logFile: string;
  isRunning(): boolean;
  /** Sends any signal without waiting. */
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL after 15 s; resolves when the process has ended. @returns how it ended */
  stop(): Promise<Exit>;
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
  /** SIGSTOP: it keeps its connections and does not respond. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /**
   * Starts it again after `stop` or `kill` with the same ports, data and settings; resolves when it is ready. @param as
   * another component; the same one by default
   */
  restart(as?: Component): Promise<void>;
}

/** Launches a component on a data folder and waits until it is ready. */
export async function startHandle(launched: Component, dataDir: string): Promise<Handle> {
  let component = launched;
  let child: Child = await launch(component, dataDir);
  return {
    name: launched.name,
    pid: () => child.pid,
    logFile: logFileOf(dataDir, launched.name),
    isRunning: () => child.isRunning(),
    signal: (name) => {
      child.signal(name);
    },
    async stop() {
      await child.stop(GRACE_MS);
      return child.exited;
    },
    async kill() {
      child.signal("SIGKILL");
      await child.exited;
    },
    pause: () => {
      child.signal("SIGSTOP");
    },
    resume: () => {
      child.signal("SIGCONT");
    },
    async restart(as = component) {
      await child.stop(GRACE_MS);
      component = as;
      child = await launch(component, dataDir);
    },
  };
}

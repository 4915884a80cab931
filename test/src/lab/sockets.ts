/** Opens the ports of many machines for one process: their sockets remain where each was opened. */
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import type { LabPort } from "./laboratory-hosts.js";

/** A port of a machine. */
export interface PlacedPort extends LabPort {
  /** The network namespace of the machine. */
  readonly space: string;
  readonly ip: string;
}

/** A listening socket that a process has inherited. */
export interface OpenPort extends PlacedPort {
  readonly fd: number;
}

const LISTENER = join(ROOT, "test/dist/lab/listener.js");

/** Node.js cannot enter a namespace. */
const OPEN = `
import ctypes, json, os, socket, sys
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
def enter(space):
    if libc.setns(space, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
home = os.open("/proc/self/ns/net", os.O_RDONLY)
ports = json.load(sys.stdin)
for port in ports:
    space = os.open("/run/netns/" + port["space"], os.O_RDONLY)
    enter(space)
    os.close(space)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((port["ip"], port["number"]))
    listener.listen(128)
    listener.set_inheritable(True)
    port["fd"] = listener.detach()
enter(home)
os.execvp(sys.argv[1], sys.argv[1:] + [json.dumps(ports)])
`;

/** @param pem key and certificate of those that speak TLS @returns the process, when it listens */
export async function listenAt(
  ports: readonly PlacedPort[],
  pem: string,
): Promise<{ kill(signal?: NodeJS.Signals): unknown }> {
  const running = execa("python3", ["-c", OPEN, process.execPath, LISTENER, pem], {
    input: JSON.stringify(ports),
    buffer: false,
    reject: false,
    stderr: "inherit",
  });
  await new Promise<void>((resolve, reject) => {
    running.stdout.once("data", () => resolve());
    running.once("exit", () => reject(new Error("ports of the laboratory could not be opened")));
  });
  // Not the process itself, which would be waited for.
  return { kill: (signal) => running.kill(signal) };
}

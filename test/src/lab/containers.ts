/** The lab as containers on a network of their own; the machine that runs them is found as well. */
import { execa } from "execa";
import { DOCK, type Lab, listening, MACHINES, NETWORK, PORTS, ROUTER_IP, within } from "./machines.js";

const BRIDGE = "nts-lab0";

/** Why the lab cannot be containers here, or null. */
export async function whyNoContainers(): Promise<string | null> {
  const { stdout } = await execa("ss", ["-H", "-tln"]);
  const isTaken = PORTS.find((port) => new RegExp(String.raw`(0\.0\.0\.0|\*|\[::\]):${port}\s`).test(stdout));
  return isTaken === undefined
    ? null
    : `this machine itself listens on port ${isTaken}, so its exact ports cannot be determined`;
}

/** @param image one with Node.js */
export async function buildOfContainers(image: string): Promise<Lab> {
  const nameOf = (machine: string): string => `nts-lab-${process.pid}-${machine}`;
  const names = ["gw", ...MACHINES.map(({ name }) => name)];
  const pids = new Map<string, string>();
  const lab: Lab = {
    prefixOf: (machine) => ["nsenter", "--net", "--target", pids.get(machine) ?? ""],
    see: async () => ({ "containers.json": (await docker("inspect", ...names.map(nameOf))) + "\n" }),
    async remove() {
      await execa("docker", ["rm", "--force", ...names.map(nameOf)], { reject: false });
      await execa("docker", ["network", "rm", nameOf("net")], { reject: false });
    },
  };

  async function run(machine: string, ip: string, ...rest: string[]): Promise<void> {
    const options = ["--detach", "--name", nameOf(machine), "--network", nameOf("net"), "--ip", ip];
    await docker("run", ...options, ...rest);
    pids.set(machine, await docker("inspect", "--format", "{{.State.Pid}}", nameOf(machine)));
  }

  try {
    const options = ["--subnet", NETWORK, "--gateway", DOCK.ip, "--opt", `com.docker.network.bridge.name=${BRIDGE}`];
    await docker("network", "create", ...options, nameOf("net"));
    await run("gw", ROUTER_IP, image, "sleep", "infinity");
    for (const machine of MACHINES) {
      const { name, ip, mac } = machine;
      const published = name === "web" ? ["--publish", `${DOCK.ip}:${DOCK.port}:${DOCK.publishes}`] : [];
      await run(name, ip, ...published, image, "node", ...listening(machine));
      await within(lab, name, "ip", "link", "set", "eth0", "address", mac);
    }
    await execa("ip", ["link", "set", BRIDGE, "address", DOCK.mac]);
    return lab;
  } catch (error) {
    await lab.remove();
    throw error;
  }
}

async function docker(...args: readonly string[]): Promise<string> {
  return (await execa("docker", args)).stdout;
}

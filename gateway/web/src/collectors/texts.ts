import { blockOf, type Collector, type CollectorJob, type CollectorSchedule } from "@nts/shared/contract";

// What collectors do, in words.

/** Schedules that are offered; others are written as cron. */
export const SCHEDULES = [
  { cron: "*/15 * * * *", text: "every 15 minutes" },
  { cron: "0 * * * *", text: "every hour" },
  { cron: "0 */6 * * *", text: "every 6 hours" },
  { cron: "0 3 * * *", text: "every day at 03:00" },
] as const;

/** Such as `every day at 03:00, Europe/Berlin`. @param ownZone of the reader, which is not named */
export function scheduleText(schedule: CollectorSchedule | null, ownZone: string): string {
  if (schedule === null) return "only on request";
  const { cron, time_zone } = schedule;
  const text = cronText(cron);
  const isInHours = / at \d|^cron/.test(text);
  return isInHours && time_zone !== ownZone ? `${text}, ${time_zone}` : text;
}

function cronText(cron: string): string {
  const [minute = "", hour = "", ...rest] = cron.trim().split(/ +/);
  if (rest.some((field) => field !== "*")) return `cron ${cron}`;
  const every = (field: string): string | undefined => /^\*\/(\d+)$/.exec(field)?.[1];
  const minutes = every(minute);
  const hours = every(hour);
  if (cron === "* * * * *") return "every minute";
  if (minutes !== undefined && hour === "*") return `every ${minutes} minutes`;
  if (/^\d+$/.test(minute) && hour === "*") return minute === "0" ? "every hour" : `every hour at minute ${minute}`;
  if (/^\d+$/.test(minute) && hours !== undefined) return `every ${hours} hours`;
  if (/^\d+$/.test(minute) && /^\d+$/.test(hour))
    return `every day at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return `cron ${cron}`;
}

/** Such as `10.0.0.0/24 without 10.0.0.66/32`. */
export function targetsText({ cidrs, exclude }: Collector["targets"]): string {
  const where = cidrs.length === 0 ? "the links of its machine" : cidrs.join(", ");
  return exclude.length === 0 ? where : `${where} without ${exclude.join(", ")}`;
}

export type Standing = Collector["state"] | "disabled";

export function standingOf({ is_enabled, state }: Pick<Collector, "is_enabled" | "state">): Standing {
  return is_enabled ? state : "disabled";
}

export const STANDINGS: Readonly<Record<Standing, { readonly text: string; readonly color: string }>> = {
  pending: { text: "Not enrolled", color: "yellow" },
  online: { text: "Online", color: "teal" },
  late: { text: "Late", color: "yellow" },
  offline: { text: "Offline", color: "red" },
  disabled: { text: "Disabled", color: "gray" },
};

export const JOB_STATES: Readonly<Record<CollectorJob["state"], { readonly text: string; readonly color: string }>> = {
  queued: { text: "Waiting", color: "gray" },
  running: { text: "Looking around", color: "blue" },
  importing: { text: "Importing", color: "blue" },
  done: { text: "Done", color: "teal" },
  failed: { text: "Failed", color: "red" },
  late: { text: "Late", color: "red" },
  cancelled: { text: "Cancelled", color: "gray" },
};

/** What a job has come to. */
export function outcomeText({ state, summary, error }: CollectorJob): string {
  if (error !== null) return error.message;
  if (state === "late") return "No final report in time: nothing counts as covered.";
  if (summary === null) return "";
  const { create, update, unchanged } = summary.hosts;
  const found = create + update + unchanged;
  const parts = [`${found} ${found === 1 ? "host" : "hosts"}`, `${create} new`, `${update} changed`];
  const missing = summary.missing.hosts;
  return [...parts, ...(missing > 0 ? [`${missing} not found`] : [])].join(", ");
}

/** Blocks and addresses that were written with spaces, commas or lines between them. */
export function blocksIn(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .filter((block) => block !== "")
    .map((block) => blockOf(block));
}

/** Ways to run a collector on its machine. */
export function commandsFor(
  server: string,
  token: string,
): Readonly<Record<"program" | "service" | "container", string>> {
  return {
    program: `nts agent --server ${server} --token ${token}`,
    service: [
      `printf 'NTS_URL=${server}\\nNTS_AGENT_TOKEN=${token}\\n' | sudo install -D -m 600 /dev/stdin /etc/nts/agent.env`,
      "sudo install -m 644 /usr/local/lib/node_modules/@nts/cli/bundle/nts-agent.service /etc/systemd/system/",
      "sudo systemctl daemon-reload",
      "sudo systemctl enable nts-agent.service",
      "sudo systemctl restart nts-agent.service",
    ].join("\n"),
    container:
      `docker run -d --name agent --restart unless-stopped --network host -e NTS_URL=${server} -e NTS_AGENT_TOKEN=${token} ` +
      "-v nts-agent:/var/lib/nts-agent network-topology/collector agent",
  };
}

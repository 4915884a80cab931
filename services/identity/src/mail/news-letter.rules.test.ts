import { describe, expect, it } from "@jest/globals";
import type { News } from "@nts/shared/contract/internal";
import { newsLetter } from "./news-letter.rules.js";

const URL = "https://topology.example.com";
const at = "2026-11-30T01:02:03.000Z";
const host = { host_id: "01938c4a-7d5e-7b21-9f3c-000000000001", host_name: "nas", network_name: "Home" };

describe("a mail about news", () => {
  const news: News = {
    next: "n",
    entries: [
      { event: "host_created", at, ...host, name: null },
      { event: "host_created", at, ...host, name: null },
      { event: "service_missed", at: "2026-11-30T01:00:00.000Z", ...host, name: "web" },
    ],
    more: ["host_created"],
    certificates: [{ ...host, port: "443/tcp", subject: "nas.example.com", not_after: at, places: 2 }],
  };

  it("says who, where and when, with links to the hosts, and how to end it", () => {
    const { subject, opening, closing } = newsLetter(URL, "Ada at home", news);
    expect(subject).toBe("more than 2 new hosts, 1 service not seen, 1 certificate ends");
    expect(opening).toEqual([
      "In Ada at home at topology.example.com:",
      `Service not seen: web on nas, in Home, 2026-11-30 01:00 UTC. ${URL}/hosts/${host.host_id}`,
      `New: nas, in Home, 2026-11-30 01:02 UTC. ${URL}/hosts/${host.host_id}`,
      `New: nas, in Home, 2026-11-30 01:02 UTC. ${URL}/hosts/${host.host_id}`,
      `Certificate of nas[.]example[.]com on 443/tcp of nas and 1 more, in Home, ends 2026-11-30 01:02 UTC. ${URL}/hosts/${host.host_id}`,
      "There is more; the activity has all of it.",
    ]);
    expect(closing.join()).toContain(`${URL}/settings`);
  });

  it("makes no link of a name that a machine has chosen", () => {
    const entries = [
      { event: "host_created", at, ...host, host_name: "http://evil.example/reset", name: null } as const,
    ];
    const { opening } = newsLetter(URL, "Home", { ...news, entries, certificates: [], more: [] });
    expect(opening[1]).toContain("New: http[:][/][/]evil[.]example[/]reset, in Home");
  });
});

import type { News, NewsCertificate, NewsEntry } from "@nts/shared/contract/internal";
import type { NewsEvent } from "@nts/shared/contract/notifications";
import { harmlessName } from "./invite-letters.rules.js";
import { type Letter, linkTo, senderAt } from "./letter.rules.js";

const TITLES: Readonly<Record<NewsEvent, readonly [one: string, many: string]>> = {
  host_created: ["new host", "new hosts"],
  host_missed: ["host not seen", "hosts not seen"],
  host_returned: ["host back", "hosts back"],
  service_missed: ["service not seen", "services not seen"],
  certificate_ending: ["certificate ends", "certificates end"],
};

const SAID: Readonly<Record<NewsEvent, string>> = {
  host_created: "New",
  host_missed: "Not seen",
  host_returned: "Back",
  service_missed: "Service not seen",
  certificate_ending: "Certificate",
};

/** A mail about what happened in an organization. */
export function newsLetter(publicUrl: string, organization: string, news: News): Letter {
  const { entries, certificates, more } = news;
  const times = [...entries].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const others = more.length === 0 ? [] : ["There is more; the activity has all of it."];
  return {
    subject: subjectOf(news),
    opening: [
      `In ${harmless(organization)} at ${new URL(publicUrl).host}:`,
      ...times.map((entry) => lineOf(publicUrl, entry)),
      ...certificates.map((one) => certificateLine(publicUrl, one)),
      ...others,
    ],
    action: { label: "View the activity", url: linkTo(publicUrl, "/activity") },
    closing: [
      `You chose to be told of this by mail. To change or end that, see Notifications under ${linkTo(publicUrl, "/settings")}.`,
    ],
    sender: senderAt(publicUrl),
  };
}

function subjectOf({ entries, certificates, more }: News): string {
  const counts = new Map<NewsEvent, number>();
  for (const { event } of entries) counts.set(event, (counts.get(event) ?? 0) + 1);
  if (certificates.length > 0) counts.set("certificate_ending", certificates.length);
  return [...counts]
    .map(([event, count]) => {
      const isMore = more.includes(event);
      return `${isMore ? "more than " : ""}${count} ${TITLES[event][count === 1 && !isMore ? 0 : 1]}`;
    })
    .join(", ");
}

function lineOf(publicUrl: string, { event, at, host_id, host_name, network_name, name }: NewsEntry): string {
  const what = name === null ? harmless(host_name) : `${harmless(name)} on ${harmless(host_name)}`;
  return `${SAID[event]}: ${what}, in ${harmless(network_name)}, ${timeOf(at)}. ${linkTo(publicUrl, `/hosts/${host_id}`)}`;
}

function certificateLine(publicUrl: string, of: NewsCertificate): string {
  const { host_id, host_name, network_name, port, subject, not_after, places } = of;
  const others = places > 1 ? ` and ${places - 1} more` : "";
  const where = `${port} of ${harmless(host_name)}${others}, in ${harmless(network_name)}`;
  return `${SAID.certificate_ending} of ${harmless(subject)} on ${where}, ends ${timeOf(not_after)}. ${linkTo(publicUrl, `/hosts/${host_id}`)}`;
}

function timeOf(at: string): string {
  return `${at.slice(0, 16).replace("T", " ")} UTC`;
}

/** Machines choose their names themselves, so none becomes a link: `nas[.]example[.]com`. */
function harmless(name: string): string {
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  return harmlessName(short) ?? short.replace(/[.。:/@\\]/gu, "[$&]");
}

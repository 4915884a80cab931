import type { ImportedChange } from "@nts/shared/contract";
import { fieldText } from "../api/field-texts.js";

/** The member and, of a service, an interface or a port, which one; their names may contain dots. */
const PATH = /^(?:(?:services|interfaces|ports)\.(.+?)\.)?((?:observed|attributes)\.\w+|\w+)$/;
const OF_ATTRIBUTES = "attributes.";

/** What an import changes of a known host, such as `nginx, version: 1.18.0 → 1.26.0`. */
export function changeText({ path, from, to }: ImportedChange): string {
  const [, owner, member = path] = PATH.exec(path) ?? [];
  const label = member.startsWith(OF_ATTRIBUTES) ? member.slice(OF_ATTRIBUTES.length) : fieldText(member);
  const what =
    owner === undefined ? label : `${owner}, ${label.replace(/^[A-Z](?=[a-z])/, (one) => one.toLowerCase())}`;
  return `${what}: ${from === null ? "" : `${from} → `}${to}`;
}

import type { Host } from "@nts/shared/contract";
import { type ExportWriter, type Names, untemplated, yamlText } from "./writer.rules.js";

// A package for Home Assistant: one request per network, for what imports do not find any more, from which each of its hosts has a
// sensor. Hosts that no import has ever seen have none, because nobody would notice their absence. Hosts come by network.

const EVERY_SECONDS = 60;

/** @param baseUrl of this service, as Home Assistant reaches it */
export function createHomeAssistantWriter(names: Names, baseUrl: string): ExportWriter {
  let open: string | null = null;

  function sensorOf({ id, name, network_id: networkId }: Host): string {
    const text = SENSOR.replace("ID", id)
      .replace("ID", id)
      .replace("NAME", () => quoted(name));
    if (open === networkId) return text;
    open = networkId;
    return `${headOf(networkId)}${text}`;
  }

  function headOf(networkId: string): string {
    const url = `${baseUrl.replace(/\/+$/, "")}/api/v1/reports/gone?days=0&network_id=${networkId}`;
    return [
      `  # ${quoted(names.network(networkId))}`,
      `  - resource: ${quoted(url)}`,
      "    headers: { Authorization: !secret nts_authorization }",
      `    scan_interval: ${EVERY_SECONDS}`,
      "    binary_sensor:",
      "",
    ].join("\n");
  }

  return {
    begin: "rest:\n",
    hosts: (hosts) =>
      hosts
        .filter(({ seen }) => (seen ?? null) !== null)
        .map(sensorOf)
        .join(""),
    end: () => (open === null ? ["  []\n"] : []),
  };
}

const SENSOR = `      - name: NAME
        unique_id: nts_ID
        device_class: connectivity
        value_template: "{{ value_json.data.gone | selectattr('id', 'eq', 'ID') | list | count == 0 }}"
`;

/** Names are templates for Home Assistant. */
function quoted(text: string): string {
  return yamlText(untemplated(text));
}

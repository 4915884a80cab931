import { Anchor, Button, Group, Modal, MultiSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import { CSV_RESOURCES, EXPORT_FORMATS } from "@nts/shared/contract";
import { NETBOX_TABLES, type NetboxTable, OLDER_NETBOX_TABLES } from "@nts/shared/contract/netbox-tables.rules";
import { ROLE_NAMES } from "@nts/shared/contract/role-names.rules";
import { Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { useReturnFocus } from "../forms/use-return-focus.js";
import { ROWS } from "../imports/formats.js";
import { roleText } from "../parts/texts.js";
import { CopyField } from "../parts/copy.js";
import { PATHS } from "../paths.js";
import { useNetworkScope } from "../scope/networks.js";
import { useTags } from "../tags/tags.js";
import { type Chosen, exportFileName, exportPath, EXPORTS } from "./formats.js";

/** In the order in which NetBox imports them. */
const NETBOX_ROWS: readonly { value: NetboxTable; label: string }[] = [
  ...NETBOX_TABLES.map((value, n) => ({ value, label: `${n + 1}. ${value.replaceAll("-", " ")}` })),
  ...OLDER_NETBOX_TABLES.map((value) => ({ value, label: "10. services, for NetBox 4.3 to 4.6" })),
];
const ALL = "";
const ROLES = ROLE_NAMES.map((role) => ({ value: role, label: roleText(role) }));

/** Selects scope and format of an export; downloads it, or shows the URL for programs. */
export function ExportWindow({ onClose }: { readonly onClose: () => void }): ReactNode {
  useReturnFocus();
  const { networkId } = useNetworkScope();
  const [chosen, setChosen] = useState<Chosen>({
    format: "prometheus",
    networkId,
    tags: [],
    roles: [],
    attribute: "",
    zone: "",
    resource: "hosts",
    table: "sites",
  });
  const path = exportPath(chosen);
  const fileName = exportFileName(chosen);
  return (
    <Modal opened onClose={onClose} title="Export" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <Choice chosen={chosen} onChange={setChosen} />
        {path !== null && <Where url={location.origin + path} fileName={fileName} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {path === null ? (
            <Button leftSection={<Download size={16} aria-hidden />} disabled>
              Download
            </Button>
          ) : (
            <Button component="a" href={path} download={fileName} leftSection={<Download size={16} aria-hidden />}>
              Download
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

interface ChoiceProps {
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
}

function Choice({ chosen, onChange }: ChoiceProps): ReactNode {
  const { networks } = useNetworkScope();
  const { tags } = useTags();
  const set = (more: Partial<Chosen>): void => onChange({ ...chosen, ...more });
  return (
    <>
      <Select
        label="For"
        description={EXPORTS[chosen.format].about}
        inputWrapperOrder={["label", "input", "description"]}
        allowDeselect={false}
        data-autofocus
        data={EXPORT_FORMATS.map((format) => ({ value: format, label: EXPORTS[format].label }))}
        value={chosen.format}
        onChange={(format) => set({ format: EXPORT_FORMATS.find((one) => one === format) ?? chosen.format })}
      />
      {chosen.format === "dns" && (
        <TextInput
          label="Zone"
          required
          placeholder="home.example"
          maxLength={254}
          value={chosen.zone}
          onChange={({ currentTarget }) => set({ zone: currentTarget.value })}
        />
      )}
      {chosen.format === "csv" && (
        <Select
          label="Rows"
          allowDeselect={false}
          data={CSV_RESOURCES.map((resource) => ({ value: resource, label: ROWS[resource] }))}
          value={chosen.resource}
          onChange={(resource) => set({ resource: CSV_RESOURCES.find((one) => one === resource) ?? chosen.resource })}
        />
      )}
      {chosen.format === "netbox" && (
        <Select
          label="Table"
          allowDeselect={false}
          data={NETBOX_ROWS}
          value={chosen.table}
          onChange={(table) => set({ table: NETBOX_ROWS.find(({ value }) => value === table)?.value ?? chosen.table })}
        />
      )}
      <Select
        label="Network"
        allowDeselect={false}
        searchable={networks.length > 10}
        data={[{ value: ALL, label: "All networks" }, ...networks.map(({ id, name }) => ({ value: id, label: name }))]}
        value={chosen.networkId ?? ALL}
        onChange={(id) => set({ networkId: id === null || id === ALL ? null : id })}
      />
      {tags.length > 0 && (
        <MultiSelect
          label="Hosts with any of these tags"
          placeholder={chosen.tags.length === 0 ? "All hosts" : ""}
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Clear: Tags" }}
          data={tags.map(({ id, name }) => ({ value: id, label: name }))}
          value={[...chosen.tags]}
          onChange={(ids) => set({ tags: ids })}
        />
      )}
      <MultiSelect
        label="Hosts with any of these roles"
        placeholder={chosen.roles.length === 0 ? "All hosts" : ""}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Clear: Roles" }}
        data={ROLES}
        value={[...chosen.roles]}
        onChange={(roles) => set({ roles })}
      />
      <TextInput
        label="Hosts with this attribute"
        placeholder="rack or rack:A3"
        maxLength={600}
        value={chosen.attribute}
        onChange={({ currentTarget }) => set({ attribute: currentTarget.value })}
      />
    </>
  );
}

function Where({ url, fileName }: { readonly url: string; readonly fileName: string }): ReactNode {
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        For programs
      </Text>
      <CopyField label="URL" value={url} />
      <CopyField label="Command" value={`curl -f -H 'Authorization: Bearer API_KEY' '${url}' -o ${fileName}`} />
      <Text size="sm" c="dimmed">
        Use an{" "}
        <Anchor component={Link} to={PATHS.keys} inherit underline="always">
          API key
        </Anchor>{" "}
        with the role Viewer in place of API_KEY. Repeated requests return 304 until something changes.
      </Text>
    </Stack>
  );
}

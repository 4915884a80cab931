import { ActionIcon, Alert, Button, Fieldset, Group, Select, Text } from "@mantine/core";
import { type BindingInput, bindingJudge, type Host } from "@nts/shared/contract";
import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { interfaceText, portText } from "../parts/socket-texts.js";
import { type Remark, remarksOn } from "./binding-remarks.js";
import classes from "./services.module.css";

interface BindingFieldProps {
  readonly host: Host;
  readonly value: readonly BindingInput[];
  readonly onChange: (bindings: BindingInput[]) => void;
}

const ALL = "all";

/** Edits the bindings of a service, applying the API's rules: bindings that would be removed or rejected are marked. */
export function BindingField({ host, value, onChange }: BindingFieldProps): ReactNode {
  const inventory = { ports: host.ports.map(({ id }) => id), interfaces: host.interfaces.map(({ id }) => id) };
  const verdict = bindingJudge(inventory)(value);
  const remarks = remarksOn(verdict);
  const isRefused = verdict.foreign.length + verdict.conflicts.length > 0;
  const replace = (index: number, binding: BindingInput): void =>
    onChange(value.map((one, i) => (i === index ? binding : one)));
  return (
    <Fieldset legend="Bindings" className={classes.bindings ?? ""}>
      {value.length === 0 && (
        <Text size="sm" c="dimmed">
          No bindings.
        </Text>
      )}
      {value.map((binding, index) => (
        <BindingRow
          key={index}
          number={index + 1}
          host={host}
          binding={binding}
          remarks={remarks.get(index) ?? []}
          onChange={(next) => replace(index, next)}
          onRemove={() => onChange(value.filter((_, i) => i !== index))}
        />
      ))}
      <Additions host={host} onAdd={(binding) => onChange([...value, binding])} />
      <Alert
        mt="sm"
        p="xs"
        variant="light"
        color={isRefused ? "red" : verdict.removed.length > 0 ? "yellow" : "gray"}
        role="status"
        aria-live="polite"
      >
        {summaryOf(verdict.kept.length, verdict.removed.length, isRefused)}
      </Alert>
    </Fieldset>
  );
}

interface AdditionsProps {
  readonly host: Host;
  readonly onAdd: (binding: BindingInput) => void;
}

/** Adds bindings to ports and interfaces of the host; says if it has none. */
function Additions({ host, onAdd }: AdditionsProps): ReactNode {
  const port = host.ports[0];
  const at = host.interfaces[0];
  const button = { size: "xs", variant: "default", leftSection: <Plus size={14} aria-hidden /> } as const;
  return (
    <>
      <Group gap="xs" mt="sm">
        <Button
          {...button}
          disabled={port === undefined}
          onClick={() => port && onAdd({ type: "Port", port_id: port.id, interface_id: null })}
        >
          Port
        </Button>
        <Button
          {...button}
          disabled={at === undefined}
          onClick={() => at && onAdd({ type: "Interface", interface_id: at.id })}
        >
          Interface without a port
        </Button>
      </Group>
      {(port === undefined || at === undefined) && (
        <Text size="xs" c="dimmed" mt="xs">
          {port === undefined && at === undefined
            ? "The host has no ports or interfaces."
            : port === undefined
              ? "The host has no ports; add one to bind the service to it."
              : "The host has no interfaces."}
        </Text>
      )}
    </>
  );
}

function summaryOf(kept: number, removed: number, isRefused: boolean): string {
  if (isRefused) return "Conflicting bindings: see the highlighted rows.";
  const saved =
    kept === 0 ? "No binding will be saved." : `${kept} ${kept === 1 ? "binding" : "bindings"} will be saved.`;
  return removed === 0 ? saved : `${saved} ${removed} will be dropped as redundant.`;
}

interface BindingRowProps {
  /** From 1, as in remarks. */
  readonly number: number;
  readonly host: Host;
  readonly binding: BindingInput;
  readonly remarks: readonly Remark[];
  readonly onChange: (binding: BindingInput) => void;
  readonly onRemove: () => void;
}

function BindingRow({ number, host, binding, remarks, onChange, onRemove }: BindingRowProps): ReactNode {
  const interfaces = host.interfaces.map((one) => ({ value: one.id, label: interfaceText(one) }));
  const isLeftOut = remarks.some(({ kind }) => kind === "left-out");
  return (
    <div className={classes.row} data-left-out={isLeftOut || undefined}>
      <span className={classes.number} aria-hidden>
        {number}
      </span>
      {binding.type === "Port" ? (
        <>
          <Select
            className={classes.port ?? ""}
            aria-label={`Binding ${number}: port`}
            allowDeselect={false}
            searchable={host.ports.length > 10}
            data={host.ports.map((port) => ({ value: port.id, label: portText(port) }))}
            value={binding.port_id}
            onChange={(port_id) => port_id !== null && onChange({ ...binding, port_id })}
          />
          <Select
            className={classes.interface ?? ""}
            aria-label={`Binding ${number}: interface`}
            allowDeselect={false}
            data={[{ value: ALL, label: "All interfaces" }, ...interfaces]}
            value={binding.interface_id ?? ALL}
            onChange={(chosen) => onChange({ ...binding, interface_id: chosen === ALL ? null : chosen })}
          />
        </>
      ) : (
        <Select
          className={classes.whole ?? ""}
          aria-label={`Binding ${number}: interface without a port`}
          allowDeselect={false}
          data={interfaces}
          value={binding.interface_id}
          onChange={(interface_id) => interface_id !== null && onChange({ ...binding, interface_id })}
        />
      )}
      <ActionIcon
        className={classes.remove ?? ""}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Remove binding ${number}`}
        onClick={onRemove}
      >
        <Trash2 size={16} aria-hidden />
      </ActionIcon>
      {remarks.map((remark) => (
        <RemarkText key={remark.text} {...remark} />
      ))}
    </div>
  );
}

function RemarkText({ kind, text }: Remark): ReactNode {
  return (
    <Text size="xs" className={classes.remark ?? ""} c={kind === "refused" ? "var(--mantine-color-error)" : "dimmed"}>
      {text}
    </Text>
  );
}

import { ActionIcon, Button, Fieldset, Text, TextInput } from "@mantine/core";
import type { ReservedRange } from "@nts/shared/contract";
import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./subnets.module.css";

interface ReservedFieldProps {
  readonly value: readonly ReservedRange[];
  readonly onChange: (ranges: ReservedRange[]) => void;
  /** By path, such as `reserved.0.from`; faults of a whole range end with its index. */
  readonly errors: Readonly<Record<string, ReactNode>>;
}

/** Edits the reserved ranges of a subnet. */
export function ReservedField({ value, onChange, errors }: ReservedFieldProps): ReactNode {
  const replace = (index: number, change: Partial<ReservedRange>): void =>
    onChange(value.map((range, i) => (i === index ? { ...range, ...change } : range)));
  return (
    <Fieldset legend="Reserved ranges" className={classes.ranges ?? ""}>
      {value.length === 0 && (
        <Text size="sm" c="dimmed">
          None. The next free address never comes from a reserved range, such as a DHCP pool.
        </Text>
      )}
      {value.map((range, index) => (
        <RangeRow
          key={index}
          number={index + 1}
          range={range}
          errorOf={(member) => errors[`reserved.${index}${member}`]}
          onChange={(change) => replace(index, change)}
          onRemove={() => onChange(value.filter((_, i) => i !== index))}
        />
      ))}
      {errors["reserved"] !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mb="xs">
          {errors["reserved"]}
        </Text>
      )}
      <Button
        mt="sm"
        size="xs"
        variant="default"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => onChange([...value, { from: "", to: "", purpose: "" }])}
      >
        Range
      </Button>
    </Fieldset>
  );
}

interface RangeRowProps {
  readonly number: number;
  readonly range: ReservedRange;
  /** @param member such as `.from`; empty for the whole range */
  readonly errorOf: (member: string) => ReactNode;
  readonly onChange: (change: Partial<ReservedRange>) => void;
  readonly onRemove: () => void;
}

function RangeRow({ number, range, errorOf, onChange, onRemove }: RangeRowProps): ReactNode {
  const inputs = [
    ["from", "First address", classes.from],
    ["to", "Last address", classes.to],
    ["purpose", "Purpose", classes.purpose],
  ] as const;
  return (
    <div className={classes.range} role="group" aria-label={`Range ${number}`}>
      {inputs.map(([member, label, place]) => (
        <TextInput
          key={member}
          label={label}
          className={place ?? ""}
          classNames={member === "purpose" ? {} : { input: "mono" }}
          value={range[member]}
          onChange={(event) => onChange({ [member]: event.currentTarget.value })}
          error={errorOf(`.${member}`) ?? (member === "from" ? errorOf("") : undefined)}
        />
      ))}
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.remove ?? ""}
        aria-label={`Remove range ${number}`}
        onClick={onRemove}
      >
        <Trash2 size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

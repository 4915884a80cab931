import { ActionIcon, Button, Fieldset, Text, TextInput } from "@mantine/core";
import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { AttributeRow } from "./attributes.js";
import classes from "./attributes.module.css";

interface AttributesFieldProps {
  readonly value: readonly AttributeRow[];
  readonly onChange: (rows: AttributeRow[]) => void;
  /** By path, such as `attributes.rack`. */
  readonly errors: Readonly<Record<string, ReactNode>>;
}

/** Edits the attributes of an entity. */
export function AttributesField({ value, onChange, errors }: AttributesFieldProps): ReactNode {
  const replace = (index: number, change: Partial<AttributeRow>): void =>
    onChange(value.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <Fieldset legend="Attributes (optional)">
      {value.length === 0 && (
        <Text size="sm" c="dimmed">
          None. Attributes are your own fields, such as a rack, an owner, or a link to a page about it.
        </Text>
      )}
      {value.map(({ key, text }, index) => (
        <div key={index} className={classes.row} role="group" aria-label={`Attribute ${index + 1}`}>
          <TextInput
            label="Name"
            classNames={{ input: "mono" }}
            placeholder="rack"
            spellCheck={false}
            value={key}
            onChange={(event) => replace(index, { key: event.currentTarget.value })}
            error={errors[`attributes.${key.trim()}`]}
          />
          <TextInput
            label="Value"
            className={classes.value ?? ""}
            value={text}
            onChange={(event) => replace(index, { text: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove attribute ${key === "" ? index + 1 : key}`}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          >
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {errors["attributes"] !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt="xs">
          {errors["attributes"]}
        </Text>
      )}
      <Button
        mt="sm"
        size="xs"
        variant="default"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => onChange([...value, { key: "", text: "" }])}
      >
        Attribute
      </Button>
    </Fieldset>
  );
}

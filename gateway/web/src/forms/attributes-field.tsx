import { Fieldset, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { AttributeRow } from "./attributes.js";
import { RowsField } from "./rows-field.js";

interface AttributesFieldProps {
  readonly value: readonly AttributeRow[];
  readonly onChange: (rows: AttributeRow[]) => void;
  /** By path, such as `attributes.rack`. */
  readonly errors: Readonly<Record<string, ReactNode>>;
}

/** Edits the attributes of an entity. */
export function AttributesField({ value, onChange, errors }: AttributesFieldProps): ReactNode {
  return (
    <Fieldset legend="Attributes (optional)">
      {value.length === 0 && (
        <Text size="sm" c="dimmed">
          None. Attributes are your own fields, such as a rack, an owner, or a link to a page about it.
        </Text>
      )}
      {errors["attributes"] !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt="xs">
          {errors["attributes"]}
        </Text>
      )}
      <RowsField
        noun="Attribute"
        example="rack"
        value={value}
        onChange={onChange}
        faultOf={(key) => errors[`attributes.${key}`]}
      />
    </Fieldset>
  );
}

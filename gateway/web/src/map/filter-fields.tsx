import { Button, Checkbox, MultiSelect } from "@mantine/core";
import type { Category } from "@nts/shared/contract";
import { type ReactNode, useMemo } from "react";
import { vlanText } from "../links/vlan-text.js";
import { withDetail } from "../parts/detail.js";
import { categoryText } from "../parts/texts.js";
import type { KnownTags } from "../tags/tags.js";
import { type Filters, isFiltering, NO_FILTERS } from "./filters.js";
import type { Model } from "./model.js";

export interface FilterProps {
  readonly model: Model;
  readonly tags: KnownTags;
  readonly filters: Filters;
  readonly onFilter: (filters: Filters) => void;
}

/** The fields by which the map is narrowed. */
export function FilterFields({ model, tags: known, filters, onFilter }: FilterProps): ReactNode {
  const { tags, categories, vlans, hasHidden } = useMemo(() => choicesIn(model), [model]);
  return (
    <>
      <Choices
        label="Subnets"
        value={filters.subnets}
        data={model.subnets.map(({ id, label, cidr }) => ({ value: id, label: withDetail(label, cidr) }))}
        onChange={(subnets) => onFilter({ ...filters, subnets })}
      />
      {(vlans.length > 0 || filters.vlans.length > 0) && (
        <Choices
          label="VLANs"
          value={filters.vlans}
          data={vlans}
          onChange={(chosen) => onFilter({ ...filters, vlans: chosen })}
        />
      )}
      <Choices
        label="Service categories"
        value={filters.categories}
        data={categories.map((one) => ({ value: one, label: categoryText(one) }))}
        onChange={(chosen) => onFilter({ ...filters, categories: chosen })}
      />
      <Choices
        label="Tags"
        value={filters.tags}
        data={tags.map((tag) => ({ value: tag, label: known.nameOf(tag) }))}
        onChange={(chosen) => onFilter({ ...filters, tags: chosen })}
      />
      {hasHidden && (
        <Checkbox
          label="Show hidden hosts"
          checked={filters.withHidden}
          onChange={(event) => onFilter({ ...filters, withHidden: event.currentTarget.checked })}
        />
      )}
      <Button variant="subtle" size="xs" onClick={() => onFilter(NO_FILTERS)} disabled={!isFiltering(filters)}>
        Clear filters
      </Button>
    </>
  );
}

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly value: readonly Value[];
  readonly data: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value[]) => void;
}

function Choices<Value extends string>({ label, value, data, onChange }: ChoicesProps<Value>): ReactNode {
  return (
    <MultiSelect
      label={label}
      placeholder={value.length === 0 ? "Any" : ""}
      clearButtonProps={{ "aria-label": `Clear: ${label}` }}
      searchable
      openOnFocus={false}
      clearable
      comboboxProps={{ withinPortal: false }}
      value={[...value]}
      data={data}
      onChange={onChange}
    />
  );
}

interface FilterChoices {
  readonly tags: readonly string[];
  readonly categories: readonly Category[];
  /** Those that subnets are in, by number. */
  readonly vlans: readonly { readonly value: string; readonly label: string }[];
  readonly hasHidden: boolean;
}

function choicesIn({ topology }: Model): FilterChoices {
  const vlans = new Map<string, { vid: number; name: string }>();
  const tags = new Set<string>();
  const categories = new Set<Category>();
  let hasHidden = false;
  for (const node of topology.nodes) {
    for (const tag of node.tags) tags.add(tag);
    if (node.kind === "subnet" && node.vlan !== null) vlans.set(node.vlan.id, node.vlan);
    if (node.kind === "service") categories.add(node.category);
    if (node.kind === "host" && node.hidden) hasHidden = true;
  }
  const byNumber = [...vlans].sort(([, a], [, b]) => a.vid - b.vid);
  return {
    tags: [...tags].sort(),
    categories: [...categories].sort(),
    vlans: byNumber.map(([value, vlan]) => ({ value, label: vlanText(vlan) })),
    hasHidden,
  };
}

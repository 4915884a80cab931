import type { Attributes, Role } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";

// Facets: values by which lists filter for equality, in one indexed field: `rack` and `rack:A3` of an attribute, and
// `@role:Printer`, where the sign keeps others apart from attributes.

interface Faceted {
  readonly attributes: Attributes;
  readonly role?: Role | null;
}

/** The facets of an entity. */
export function facetsOf({ attributes, role = null }: Faceted): string[] {
  const ofAttributes = Object.entries(attributes).flatMap(([key, value]) => [key, composed(`${key}:${value}`)]);
  return role === null ? ofAttributes : [...ofAttributes, roleFacet(role)];
}

/** The condition of a list's filters by facets; none without them. */
export function facetFilter({
  attribute = [],
  role = [],
}: {
  readonly attribute?: readonly string[] | undefined;
  readonly role?: readonly Role[] | undefined;
}): { facets?: { $all?: string[]; $in?: string[] } } {
  if (attribute.length + role.length === 0) return {};
  return {
    facets: {
      ...(attribute.length > 0 && { $all: attribute.map(composed) }),
      ...(role.length > 0 && { $in: role.map(roleFacet) }),
    },
  };
}

/** The keys of attributes among facets. */
export function attributeKeysAmong(facets: readonly string[]): string[] {
  return facets.filter((facet) => /^[a-z][a-z0-9_]*$/.test(facet));
}

function roleFacet(role: Role): string {
  return `@role:${role}`;
}

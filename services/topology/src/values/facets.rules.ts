import type { Attributes, Role } from "@nts/shared/contract";
import { composed, folded } from "@nts/shared/contract/folding.rules";

// Facets: values by which lists filter for equality, in one indexed field: `rack` and `rack:A3` of an attribute, and
// `@role:Printer`, where the sign keeps others apart from attributes.

interface Faceted {
  readonly attributes: Attributes;
  readonly role?: Role | null;
  readonly vendor?: string | null;
  readonly product?: string | null;
}

/** The facets of an entity. */
export function facetsOf({ attributes, role = null, vendor = null, product = null }: Faceted): string[] {
  const ofAttributes = Object.entries(attributes).flatMap(([key, value]) => [key, composed(`${key}:${value}`)]);
  return [
    ...ofAttributes,
    ...(role === null ? [] : [roleFacet(role)]),
    ...(vendor === null ? [] : [vendorFacet(vendor)]),
    ...(product === null ? [] : [productFacet(product)]),
  ];
}

/** The condition of a list's filters by facets; none without them. */
export function facetFilter({
  attribute = [],
  role = [],
  vendor,
  product,
}: {
  readonly attribute?: readonly string[] | undefined;
  readonly role?: readonly Role[] | undefined;
  readonly vendor?: string | undefined;
  readonly product?: string | undefined;
}): { facets?: { $all?: string[]; $in?: string[] } } {
  const all = [
    ...attribute.map(composed),
    ...(vendor === undefined ? [] : [vendorFacet(vendor)]),
    ...(product === undefined ? [] : [productFacet(product)]),
  ];
  if (all.length + role.length === 0) return {};
  return {
    facets: {
      ...(all.length > 0 && { $all: all }),
      ...(role.length > 0 && { $in: role.map(roleFacet) }),
    },
  };
}

/** The keys of attributes among facets. */
export function attributeKeysAmong(facets: readonly string[]): string[] {
  return facets.filter((facet) => /^[a-z][a-z0-9_]*$/.test(facet));
}

function vendorFacet(vendor: string): string {
  return `@vendor:${folded(vendor)}`;
}

function productFacet(product: string): string {
  return `@product:${folded(product)}`;
}

function roleFacet(role: Role): string {
  return `@role:${role}`;
}

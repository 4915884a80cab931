import { normalBlock } from "@nts/shared/address-block";
import type { UserApiKeyInput } from "@nts/shared/contract/keys";
import { validationFailed } from "@nts/shared/errors";

/** Normalizes the address blocks in a key's input. @throws AppError `validation_failed` */
export function withNormalBlocks(input: UserApiKeyInput): UserApiKeyInput {
  const { allowed_ips } = input;
  if (allowed_ips === undefined) return input;
  const blocks = allowed_ips.map((text, place) => {
    const block = normalBlock(text);
    if (block === null)
      throw validationFailed({ path: `allowed_ips.${place}`, message: "must have all host bits zero" });
    return block;
  });
  return { ...input, allowed_ips: [...new Set(blocks)] };
}

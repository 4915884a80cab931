import { describe, expect, it } from "@jest/globals";
import { AppError } from "@nts/shared/errors";
import { SERVER_VERSION } from "@nts/shared/version";
import { failureText, listSuffix, SUCCESS_PREFIX, SUCCESS_SUFFIX, successText } from "./envelope-text.js";

const meta = { api_version: 1, server_version: SERVER_VERSION };

describe("the envelope", () => {
  it("wraps the data of a success", () => {
    expect(JSON.parse(`${SUCCESS_PREFIX}"text"${SUCCESS_SUFFIX}`)).toEqual({ success: true, data: "text", meta });
    expect(JSON.parse(successText(null))).toEqual({ success: true, data: null, meta });
  });

  it("of a failure contains the request id, and params as an object", () => {
    const error = new AppError("permission_denied", { required: "Admin" });
    expect(JSON.parse(failureText(error, "id-1"))).toEqual({
      success: false,
      error: "The caller's permission level does not allow this.",
      code: "permission_denied",
      params: { required: "Admin" },
      meta: { ...meta, request_id: "id-1" },
    });
  });

  it.each([
    [120, 50, 0, true],
    [120, 50, 70, false],
    [120, 50, 69, true],
    [120, 50, 500, false],
    [0, 50, 0, false],
    [120, 0, 0, false],
  ])("of a list of %d with limit %d and offset %d has has_more: %s", (total, limit, offset, hasMore) => {
    const { meta: listMeta } = JSON.parse(`${SUCCESS_PREFIX}[]${listSuffix({ total, limit, offset })}`) as {
      meta: object;
    };
    expect(listMeta).toEqual({
      ...meta,
      pagination: { total_count: total, limit, offset, has_more: hasMore },
    });
  });
});

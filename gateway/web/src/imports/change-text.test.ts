import { describe, expect, it } from "@jest/globals";
import { changeText } from "./change-text.js";

describe("what an import changes of a known host", () => {
  it.each([
    ["services.nginx.observed.version", "1.18.0", "1.26.0", "nginx, version: 1.18.0 → 1.26.0"],
    ["services.app.v2.observed.cpe", null, "cpe:/a:x", "app.v2, CPE: cpe:/a:x"],
    ["interfaces.10.0.0.5.mac_address", null, "00:11:32:00:00:05", "10.0.0.5, MAC address: 00:11:32:00:00:05"],
    ["interfaces.10.0.0.5.attributes.outlet", null, "B1", "10.0.0.5, outlet: B1"],
    ["observed.os", "Debian 12", "Debian 13", "Operating system: Debian 12 → Debian 13"],
    [
      "virtualization",
      "Proxmox VE on pve1",
      "Proxmox VE on pve2",
      "Virtualization: Proxmox VE on pve1 → Proxmox VE on pve2",
    ],
  ])("is told as people call it: %s", (path, from, to, text) => {
    expect(changeText({ path, from, to })).toBe(text);
  });
});

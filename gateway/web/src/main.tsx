import "./zod-setup.js";
import "virtual:components.css";
import "@mantine/notifications/styles.css";
import "virtual:theme.css";
import "./styles/global.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { printInLight } from "./parts/printing.js";

const root = document.getElementById("root");
if (root === null) throw new Error("The document has no root element.");
printInLight();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

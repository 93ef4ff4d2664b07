import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../styles/fonts.css";
import "../styles/tokens.css";
import "../styles/base.css";
import { consentDoor } from "../window.ts";
import { ConsentWindow } from "./consent-window.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root element");
createRoot(root).render(
  <StrictMode>
    <ConsentWindow door={consentDoor()} />
  </StrictMode>,
);

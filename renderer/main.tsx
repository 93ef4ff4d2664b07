import { CSPProvider } from "@base-ui/react/csp-provider";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { followAddress } from "./store/navigation.ts";
import { createAppStore } from "./store/store.ts";
import { systemClock } from "./store/watch.ts";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { StoreContext } from "./ui/use-app.ts";
import { windowDoor } from "./window.ts";

const door = windowDoor();
const store = createAppStore(door, systemClock);
followAddress(store, door);
const app = store.getState();
app.followSettings();
app.followConnections();
app.followEngines();
app.followQuestions();
app.followAgents();
app.followTerminals();
app.followApprovals();

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root element");
createRoot(root).render(
  <StrictMode>
    {/* The page's policy allows no style elements but its own files. */}
    <CSPProvider disableStyleElements>
      <StoreContext value={store}>
        <App />
      </StoreContext>
    </CSPProvider>
  </StrictMode>,
);

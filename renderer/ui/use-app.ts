import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { AppState, AppStore } from "../store/store.ts";

export const StoreContext = createContext<AppStore | null>(null);

export function useAppStore(): AppStore {
  const store = useContext(StoreContext);
  if (store === null) throw new Error("no store above this component");
  return store;
}

/** A part of the state. The selector must give the same value for the same state. */
export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(useAppStore(), select);
}

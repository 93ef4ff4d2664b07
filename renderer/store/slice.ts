import type { AppState } from "./store.ts";
import type { Deps } from "./deps.ts";

/** How slices write: a part of the state, or a function from the state to a part. */
export type Set = (change: Partial<AppState> | ((state: AppState) => Partial<AppState>)) => void;
export type Get = () => AppState;
export type Slice<T> = (set: Set, get: Get, deps: Deps) => T;

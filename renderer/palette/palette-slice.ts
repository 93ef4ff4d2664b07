import { keepFunctions, type Functions } from "../functions/functions-slice.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

export type PaletteSlice = {
  /** Whether the list of where to go is open. */
  paletteOpen: boolean;
  openPalette: (open: boolean) => void;
  /** Apart from those of the pages, which read them anew when they are opened. */
  paletteFunctions: Reading<Functions>;
  /** Keeps them fresh until called off. */
  readPaletteFunctions: () => () => void;
};

export const paletteSlice: Slice<PaletteSlice> = (set, _get, deps) => ({
  paletteOpen: false,
  openPalette: (paletteOpen) => set({ paletteOpen }),
  paletteFunctions: LOADING,
  readPaletteFunctions() {
    set({ paletteFunctions: LOADING });
    return keepFunctions(deps, (change) =>
      set((state) => ({ paletteFunctions: change(state.paletteFunctions) })),
    );
  },
});

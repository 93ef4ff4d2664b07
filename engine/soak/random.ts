/** Random numbers that a seed repeats. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<T>(of: readonly T[]): T;
  /** True this often: 0.25 is one time in four. */
  chance(share: number): boolean;
}

/** mulberry32: 32 bits of state, good enough to choose moments. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    pick: <T>(of: readonly T[]): T => {
      const chosen = of[int(0, of.length - 1)];
      if (chosen === undefined) throw new Error("nothing to choose from");
      return chosen;
    },
    chance: (share) => next() < share,
  };
}

/** One red pixel, as PNG. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** A WAV file of two silent samples. */
export const WAV = "UklGRigAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQQAAAAAAAAA";

export const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** Lets a client hear several notifications one after the other. */
export const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

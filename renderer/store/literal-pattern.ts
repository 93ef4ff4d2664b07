/** `%` and `_` are wildcards to the engine; a person who types them means the character. */
export const literalPattern = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

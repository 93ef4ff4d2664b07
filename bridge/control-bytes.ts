/** What begins an escape sequence. */
export const ESCAPE = 0x1b;
/** First byte of U+0080 to U+00BF in UTF-8; up to U+009F, of which this is the second byte, they are controls of one character. */
export const C1_LEAD = 0xc2;
export const LAST_C1 = 0x9f;

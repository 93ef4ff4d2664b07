import { safeStorage } from "electron";

/** Seals a secret with what the operating system keeps for this user. */
export interface KeyStore {
  /** Whether what is sealed now can be opened by this user alone, also after a restart. */
  readonly keeps: boolean;
  /** Only where `keeps`. The sealed form in base64. */
  seal(secret: string): string;
  /** Undefined when it cannot be opened (any more). */
  open(sealed: string): string | undefined;
}

const NO_KEY_STORE = new Set(["basic_text", "unknown"]);

/**
 * The system's key store: Keychain, DPAPI, Secret Service or KWallet. Linux without one of these would seal with a
 * password that every program knows; that counts as no key store.
 */
export function systemKeyStore(): KeyStore {
  const keeps = (): boolean =>
    // The name comes first: without a desktop the other question would wait for a bus that is not there.
    (process.platform !== "linux" || !NO_KEY_STORE.has(safeStorage.getSelectedStorageBackend())) &&
    safeStorage.isEncryptionAvailable();
  return {
    get keeps() {
      return keeps();
    },
    seal: (secret) => safeStorage.encryptString(secret).toString("base64"),
    open(sealed) {
      if (!keeps()) return undefined;
      try {
        return safeStorage.decryptString(Buffer.from(sealed, "base64"));
      } catch {
        return undefined; // sealed for another user or by a store that was made anew: nobody can open it
      }
    },
  };
}

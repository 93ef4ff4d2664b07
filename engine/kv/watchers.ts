/** A change of a key, after it was committed. */
export interface KvChange {
  bucketId: number;
  key: string;
  value: Uint8Array;
  revision: number;
  operation: "put" | "delete";
}

/** Hands changes of keys to whoever watches their bucket. Nothing is kept. */
export interface KvWatchers {
  isWatched(bucketId: number): boolean;
  publish(change: KvChange): void;
  /** Nothing comes of a bucket any more: its watchers are told. */
  dropped(bucketId: number): void;
  /** The answer ends the watch. */
  watch(bucketId: number, watcher: KvWatcher): () => void;
}

export interface KvWatcher {
  onChange(change: KvChange): void;
  onDropped(): void;
}

export function createKvWatchers(): KvWatchers {
  const watchers = new Map<number, Set<KvWatcher>>();
  return {
    isWatched: (bucketId) => watchers.has(bucketId),
    publish: (change) => {
      for (const watcher of watchers.get(change.bucketId) ?? []) watcher.onChange(change);
    },
    dropped: (bucketId) => {
      for (const watcher of watchers.get(bucketId) ?? []) watcher.onDropped();
    },
    watch: (bucketId, watcher) => {
      const own = watchers.get(bucketId) ?? new Set();
      watchers.set(bucketId, own);
      own.add(watcher);
      return () => {
        own.delete(watcher);
        if (own.size === 0 && watchers.get(bucketId) === own) watchers.delete(bucketId);
      };
    },
  };
}

export interface PlaceLimits {
  /** Calls under way, of everybody together. */
  readonly all: number;
  /** Of all agents together; the rest is kept for the person's screens and for what a question shows. */
  readonly agents: number;
  readonly perAgent: number;
}

export interface CallPlaces {
  /**
   * Takes a place for a call; `agent` is undefined for the person's own.
   * @returns gives the place back, to be called once; or how many calls stand in the way
   */
  take(agent: string | undefined): (() => void) | number;
}

/** Counts the calls under way on one connection, so that no agent can keep the person, or another agent, from theirs. */
export function callPlaces(limits: PlaceLimits): CallPlaces {
  const ofAgent = new Map<string, number>();
  let all = 0;
  let agents = 0;

  return {
    take(agent) {
      const own = agent === undefined ? 0 : (ofAgent.get(agent) ?? 0);
      if (all >= limits.all) return all;
      if (agent !== undefined && own >= limits.perAgent) return own;
      if (agent !== undefined && agents >= limits.agents) return agents;
      all += 1;
      if (agent !== undefined) {
        agents += 1;
        ofAgent.set(agent, own + 1);
      }
      return () => {
        all -= 1;
        if (agent === undefined) return;
        agents -= 1;
        const left = (ofAgent.get(agent) ?? 1) - 1;
        if (left === 0) ofAgent.delete(agent);
        else ofAgent.set(agent, left);
      };
    },
  };
}

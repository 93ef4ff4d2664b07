export interface CallLimits {
  readonly calls: number;
  readonly callsOfAgents: number;
  readonly callsOfOneAgent: number;
}

export interface CallRoom {
  /**
   * Takes a place, or says what there is too much of, in words that go before "calls are already under way".
   * @param agent name of the agent; undefined for the person
   */
  enter(agent: string | undefined): { readonly leave: () => void } | { readonly full: string };
}

/** Who may have how many calls under way. An agent that waits on everything it can leaves room for the others. */
export function callRoom(limits: CallLimits): CallRoom {
  const ofAgent = new Map<string, number>();
  let all = 0;
  let ofAgents = 0;

  return {
    enter(agent) {
      const own = agent === undefined ? 0 : (ofAgent.get(agent) ?? 0);
      if (all >= limits.calls) return { full: String(all) };
      if (agent === undefined) {
        all += 1;
        return { leave: once(() => (all -= 1)) };
      }
      if (own >= limits.callsOfOneAgent) return { full: `${own} of your` };
      if (ofAgents >= limits.callsOfAgents) return { full: `${ofAgents} of the agents'` };
      all += 1;
      ofAgents += 1;
      ofAgent.set(agent, own + 1);
      return {
        leave: once(() => {
          all -= 1;
          ofAgents -= 1;
          const left = (ofAgent.get(agent) ?? 1) - 1;
          if (left === 0) ofAgent.delete(agent);
          else ofAgent.set(agent, left);
        }),
      };
    },
  };
}

/** A place that is given back twice would let too many in. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

/** Runs what is asked of it one after the other, in order. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as `act` does. */
  run<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => {}); // whoever asked for it is told
    return turn;
  }
}

/** A problem as it stands alone on screen. Errors are written to follow a colon; names at the beginning stay as they are. */
export const asSentence = (problem: string): string =>
  /^[a-z]+(?=[ ,'])/.test(problem) ? problem[0]?.toUpperCase() + problem.slice(1) : problem;

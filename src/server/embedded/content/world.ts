/** What decides how the company fares: everything else follows from this, the time and chance. */
export interface World {
  readonly seed: number
  /**
   * How many times faster than in life builds come; commits then come faster too, so that a commit
   * still has a few builds. 1 for the history.
   */
  readonly pace: number
}

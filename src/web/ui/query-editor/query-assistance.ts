/** What the editor knows of the world it is used in. */
export interface QueryAssistance {
  /** IANA zone in which times without a zone are read. */
  readonly timeZone: string
  /** Epoch ms. */
  readonly now: () => number
  /** The release of the server that answers, such as `2024.1.1`; undefined where it is not known. */
  readonly serverRelease?: string
  /**
   * Values seen in the data, for a field or for one name of its pairs, most frequent first. Of a
   * field of pairs without a name: the names.
   */
  readonly values: (
    fieldName: string,
    pairName?: string,
  ) => readonly { readonly value: string; readonly count: number }[]
  /** Queries that were run before, newest first. */
  readonly history: readonly string[]
}

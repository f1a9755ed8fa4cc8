/** What is known beside the query, to complete and to explain what stands in it. */
export interface AssistContext {
  /** The release of the server that answers, such as `2024.1.1`. */
  readonly serverRelease?: string
  /** Epoch ms. */
  readonly now?: number
  /** The IANA zone of times that are written without one. */
  readonly timeZone?: string
  /**
   * Values seen in the data, most frequent first: of a field, or of one name of its pairs; of a field
   * of pairs without a name, the names.
   */
  readonly values?: (
    fieldName: string,
    pairName?: string,
  ) => readonly { readonly value: string; readonly count: number }[]
}

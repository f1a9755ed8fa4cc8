import type { Fact, FactList, Part } from './facts.ts'

/** What one kind of predicate means, and how to read it. */
export interface PredicateReader {
  readonly name: string
  /** The predicate type URIs it reads, exactly as they are written. */
  readonly types: readonly string[]
  /** What such an attestation shows if it holds, in one sentence. */
  readonly proves: string
  /** Keys of the predicate that `read` looks at; the rest is shown as it stands. */
  readonly keys: readonly string[]
  /** Never throws: what is missing is left out, what is wrong is shown as text with a remark. */
  readonly read: (predicate: Part) => PredicateView
}

export interface PredicateView {
  readonly rows: readonly Fact[]
  readonly lists: readonly FactList[]
}

/** What a term demands of its field's value: a pattern as its type reads it. Amounts are numbers, ms or bytes. */
export type Condition =
  | { readonly type: 'text'; readonly pattern: TextPattern }
  | { readonly type: 'pair'; readonly name: TextPattern; readonly value: TextPattern }
  | { readonly type: 'amount'; readonly low?: AmountEdge; readonly high?: AmountEdge }
  | { readonly type: 'instant'; readonly low?: MomentEdge; readonly high?: MomentEdge }
  | { readonly type: 'boolean'; readonly wanted: boolean }
  /** `field:*`: there is a value. */
  | { readonly type: 'known' }

/** The literal parts between wildcards: one part matches exactly, `['a', 'b']` is `a*b`. */
export type TextPattern = readonly [string, ...string[]]

export interface AmountEdge {
  readonly amount: number
  readonly inclusive: boolean
}

export interface MomentEdge {
  readonly moment: Moment
  readonly inclusive: boolean
}

/** A point in time as it was written; `moment-time.ts` says which instant it is. */
export type Moment =
  /** Epoch ms: it was written with its zone. */
  | { readonly type: 'absolute'; readonly time: number }
  /** By a calendar and a clock on the wall: the zone is an argument of the evaluation. */
  | { readonly type: 'local'; readonly clock: WallClock }
  /** Distance from now in ms, negative for the past. */
  | { readonly type: 'relative'; readonly distance: number }

/** Month 1 to 12, day 1 to 31; may run over (day 32 is the first of the next month). */
export interface WallClock {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly ms: number
}

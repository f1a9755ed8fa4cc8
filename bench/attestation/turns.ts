/** What one reading took, in ms. */
export interface Turn {
  readonly elapsed: number
  /** Of all threads; 0 where that cannot be asked. */
  readonly processor: number
}

export interface Turns {
  readonly rounds: number
  readonly bare: () => Promise<void>
  readonly ours: () => Promise<void>
  /** Clears away what the turn before has left. */
  readonly collect?: () => void
  /** Ms of processor time so far. */
  readonly processor?: () => number
}

/** Lets both work in turns, after two rounds that warm everything up. */
export async function takeTurns(turns: Turns): Promise<{ bare: Turn[]; ours: Turn[] }> {
  const bare: Turn[] = []
  const ours: Turn[] = []
  for (let round = -2; round < turns.rounds; round++) {
    const taken = { bare: await take(turns.bare, turns), ours: await take(turns.ours, turns) }
    if (round < 0) continue
    bare.push(taken.bare)
    ours.push(taken.ours)
  }
  return { bare, ours }
}

export function median(turns: readonly Turn[], of: keyof Turn): number {
  const sorted = turns.map((turn) => turn[of]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

async function take(work: () => Promise<void>, turns: Turns): Promise<Turn> {
  turns.collect?.()
  // What was cleared away is swept by other threads for a while, which is nobody's work here.
  await new Promise((resolve) => setTimeout(resolve, 200))
  const { processor = () => 0 } = turns
  const before = processor()
  const begin = performance.now()
  await work()
  return { elapsed: performance.now() - begin, processor: processor() - before }
}
